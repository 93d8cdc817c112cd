/* Calls through libffi: structures by value in each of the ways that the ABIs have for them, numbers on the stack, a variadic function,
 * and C calling back. On Windows also an access violation inside such a call, which has to reach the handler around it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#endif

#include <ffi.h>

typedef struct { double x, y, z; } Triple;
typedef struct { int a; double b; } Mixed;
typedef struct { long long parts[5]; } Big;
typedef struct { float u, v; } Pair;

static Triple turn(Triple t, Mixed m) { return (Triple){ t.y + m.a, t.z + m.b, t.x }; }
static Big shift(Big b, int by) { for (int i = 0; i < 5; i++) b.parts[i] += by; return b; }
static Pair swap(Pair p) { return (Pair){ p.v, p.u }; }
static long long many(char a, short b, int c, long long d, int e, int f, int g, int h, int i, double j, signed char k)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + (long long)(10 * j) + 11 * k;
}

static ffi_type *triple_parts[4], *mixed_parts[3], *big_parts[6], *pair_parts[3];
static ffi_type triple = { 0, 0, FFI_TYPE_STRUCT, triple_parts }, mixed = { 0, 0, FFI_TYPE_STRUCT, mixed_parts };
static ffi_type big = { 0, 0, FFI_TYPE_STRUCT, big_parts }, pair = { 0, 0, FFI_TYPE_STRUCT, pair_parts };

/* The address of what a DLL exports is known at run time only. */
static void describe(void)
{
    for (int i = 0; i < 3; i++)
        triple_parts[i] = &ffi_type_double;
    mixed_parts[0] = &ffi_type_sint32, mixed_parts[1] = &ffi_type_double;
    for (int i = 0; i < 5; i++)
        big_parts[i] = &ffi_type_sint64;
    pair_parts[0] = pair_parts[1] = &ffi_type_float;
}

static int call(void *function, ffi_type *result, void *into, unsigned count, ffi_type **types, void **values)
{
    ffi_cif cif;
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, count, result, types) != FFI_OK)
        return puts("ffi_prep_cif FAILED"), 0;
    ffi_call(&cif, FFI_FN(function), into, values);
    return 1;
}

static void compare(ffi_cif *cif, void *result, void **arguments, void *calls)
{
    const int *a = *(const int **)arguments[0], *b = *(const int **)arguments[1];
    (void)cif;
    ++*(int *)calls;
    *(ffi_sarg *)result = (*a > *b) - (*a < *b);
}

static void twist(ffi_cif *cif, void *result, void **arguments, void *scale)
{
    const Triple *t = arguments[0];
    const Mixed *m = arguments[1];
    (void)cif;
    *(Triple *)result = (Triple){ t->x * *(int *)scale, t->y * m->a, t->z * m->b };
}

static int callbacks(void)
{
    int numbers[] = { 5, 3, 9, 1, 7 }, calls = 0, scale = 10;
    ffi_type *pointers[] = { &ffi_type_pointer, &ffi_type_pointer }, *structures[] = { &triple, &mixed };
    ffi_cif cif;
    void *code;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);

    if (!closure || ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &ffi_type_sint, pointers) != FFI_OK ||
        ffi_prep_closure_loc(closure, &cif, compare, &calls, code) != FFI_OK)
        return puts("closure FAILED"), 0;
    qsort(numbers, 5, sizeof *numbers, (int (*)(const void *, const void *))code);
    printf("callback %d%d%d%d%d %s\n", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], calls > 3 ? "called" : "NOT CALLED");
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &triple, structures) != FFI_OK ||
        ffi_prep_closure_loc(closure, &cif, twist, &scale, code) != FFI_OK)
        return puts("closure FAILED"), 0;
    Triple made = ((Triple (*)(Triple, Mixed))code)((Triple){ 1, 2, 3 }, (Mixed){ 4, 0.5 });
    printf("callback by value %g %g %g\n", made.x, made.y, made.z);
    ffi_closure_free(closure);
    return 1;
}

#ifdef _WIN32
static int read_from(const int *where) { return *where; }

static void compare_badly(ffi_cif *cif, void *result, void **arguments, void *data)
{
    (void)cif, (void)arguments, (void)data;
    *(ffi_sarg *)result = *(volatile int *)8;
}

/* A fault below ffi_call, and one in a callback that C called: qsort's frames and the closure's lie between it and the handler. */
static void faults(void)
{
    ffi_type *types[] = { &ffi_type_pointer, &ffi_type_pointer };
    void *nowhere = NULL, *values[] = { &nowhere }, *code;
    ffi_arg result = 0;
    ffi_cif cif;
    int numbers[] = { 2, 1 };
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);

    __try {
        call((void *)read_from, &ffi_type_sint, &result, 1, types, values);
        puts("fault MISSED");
    } __except (GetExceptionCode() == EXCEPTION_ACCESS_VIOLATION ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
        puts("fault caught");
    }
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &ffi_type_sint, types) != FFI_OK ||
        ffi_prep_closure_loc(closure, &cif, compare_badly, NULL, code) != FFI_OK)
        puts("closure FAILED");
    __try {
        qsort(numbers, 2, sizeof *numbers, (int(__cdecl *)(const void *, const void *))code);
        puts("fault MISSED");
    } __except (GetExceptionCode() == EXCEPTION_ACCESS_VIOLATION ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
        puts("fault in a callback caught");
    }
}
#endif

int main(void)
{
    Triple t = { 1, 2, 3 }, turned;
    Mixed m = { 10, 0.5 };
    Big b = { { 1, 2, 3, 4, 5 } }, shifted;
    Pair p = { 1.5f, 2.5f }, swapped;
    int by = 100, c = 3, e = 5, f = 6, g = 7, h = 8, i = 9;
    char a = 1;
    short s = 2;
    long long d = 4, sum;
    double j = 1.5;
    signed char k = -1;
    char text[64] = "";
    char *to = text, *format = "%d %.2f %s", *word = "variadic";
    size_t room = sizeof text;
    ffi_arg written = 0;
    ffi_cif cif;
    ffi_type *printf_types[] = { &ffi_type_pointer, &ffi_type_uint64, &ffi_type_pointer, &ffi_type_sint, &ffi_type_double, &ffi_type_pointer };

    describe();
    if (!call((void *)turn, &triple, &turned, 2, (ffi_type *[]){ &triple, &mixed }, (void *[]){ &t, &m }) ||
        !call((void *)shift, &big, &shifted, 2, (ffi_type *[]){ &big, &ffi_type_sint }, (void *[]){ &b, &by }) ||
        !call((void *)swap, &pair, &swapped, 1, (ffi_type *[]){ &pair }, (void *[]){ &p }) ||
        !call((void *)many, &ffi_type_sint64, &sum, 11,
              (ffi_type *[]){ &ffi_type_schar, &ffi_type_sshort, &ffi_type_sint, &ffi_type_sint64, &ffi_type_sint, &ffi_type_sint,
                              &ffi_type_sint, &ffi_type_sint, &ffi_type_sint, &ffi_type_double, &ffi_type_schar },
              (void *[]){ &a, &s, &c, &d, &e, &f, &g, &h, &i, &j, &k }))
        return 1;
    printf("by value %g %g %g, %lld %lld, %g %g\n", turned.x, turned.y, turned.z, shifted.parts[0], shifted.parts[4], swapped.u,
           swapped.v);
    printf("many %lld, directly %lld\n", sum, many(a, s, c, d, e, f, g, h, i, j, k));
    if (ffi_prep_cif_var(&cif, FFI_DEFAULT_ABI, 3, 6, &ffi_type_sint, printf_types) != FFI_OK)
        return puts("ffi_prep_cif_var FAILED"), 1;
    ffi_call(&cif, FFI_FN(snprintf), &written, (void *[]){ &to, &room, &format, &c, &j, &word });
    printf("variadic %d: %s\n", (int)written, text);
    if (!callbacks())
        return 1;
#ifdef _WIN32
    faults();
#endif
    puts("done");
    return 0;
}
