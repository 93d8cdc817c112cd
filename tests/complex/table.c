/* Prints what every complex function of C99 gives for a table of numbers, as bits: on Windows from ucrtbase.dll, called as Microsoft's
   headers declare it, with structures; elsewhere from the C library, with the language's own type. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
typedef struct { double part[2]; } complex_double;
typedef struct { float part[2]; } complex_float;
typedef struct { long double part[2]; } complex_long;
#define MAKE(type, x, y) ((complex_##type){{x, y}})
#define PARTS(z) {(z).part[0], (z).part[1]}
#else
#include <complex.h>
typedef double _Complex complex_double;
typedef float _Complex complex_float;
/* What is as wide as `double` on Windows is compared with `double`. */
typedef double _Complex complex_long;
#define MAKE(type, x, y) __builtin_complex((__typeof__(__real__(complex_##type)0))(x), (__typeof__(__real__(complex_##type)0))(y))
#define PARTS(z) {__real__(z), __imag__(z)}
#endif

#define ALL(one) \
    one(cacos) one(cacosh) one(casin) one(casinh) one(catan) one(catanh) one(ccos) one(ccosh) one(cexp) one(clog) one(clog10) one(conj) \
    one(cproj) one(csin) one(csinh) one(csqrt) one(ctan) one(ctanh)
#define ALL_REAL(one) one(cabs) one(carg) one(cimag) one(creal)

#ifdef _WIN32
#define DECLARE(name) complex_double name(complex_double); complex_float name##f(complex_float); complex_long name##l(complex_long);
#define DECLARE_REAL(name) double name(complex_double); float name##f(complex_float); long double name##l(complex_long);
ALL(DECLARE) ALL_REAL(DECLARE_REAL)
complex_double cpow(complex_double, complex_double);
complex_float cpowf(complex_float, complex_float);
complex_long cpowl(complex_long, complex_long);
complex_double _Cmulcc(complex_double, complex_double);
complex_float _FCmulcc(complex_float, complex_float);
complex_long _LCmulcc(complex_long, complex_long);
double norm(complex_double);
float normf(complex_float);
#define LONG(name) name##l
#else
double _Complex clog10(double _Complex);
float _Complex clog10f(float _Complex);
static double _Complex _Cmulcc(double _Complex z, double _Complex w) { return z * w; }
static float _Complex _FCmulcc(float _Complex z, float _Complex w) { return z * w; }
#define _LCmulcc _Cmulcc
static double norm(double _Complex z) { return __real__ z * __real__ z + __imag__ z * __imag__ z; }
static float normf(float _Complex z) { return (float)norm(z); }
/* The C library's own loses half of its digits for large arguments. */
#define cpowf(z, w) ((float _Complex)cpow(z, w))
#define LONG(name) name
#endif

static const double table[] = {
    0.0, 5e-324, 1e-300, 1e-8, 0.5, 0.70710678118654752, 1.0, 1.0000000001, 1.5707963267948966, 2.75, 40, 89.5, 709, 711, 1e8, 1e30, 1e300,
    __builtin_inf(), __builtin_nan(""),
};
enum { COUNT = sizeof table / sizeof *table };

static void print(const char *name, int i, int j, const double *in, double re, double im)
{
    uint64_t bits[4];
    double numbers[4] = {in[0], in[1], re, im};
    memcpy(bits, numbers, sizeof bits);
    printf("%s %d %d %016llx %016llx %016llx %016llx\n", name, i, j, (unsigned long long)bits[0], (unsigned long long)bits[1],
           (unsigned long long)bits[2], (unsigned long long)bits[3]);
}

#define ONE(name) { complex_double w = name(z); double p[] = PARTS(w); print(#name, i, j, in, p[0], p[1]); } \
    { complex_float w = name##f(f); double p[] = PARTS(w); print(#name "f", i, j, in, p[0], p[1]); } \
    { complex_long w = LONG(name)(l); double p[] = PARTS(w); print(#name "l", i, j, in, p[0], p[1]); }
#define REAL(name) print(#name, i, j, in, name(z), 0); print(#name "f", i, j, in, name##f(f), 0); \
    print(#name "l", i, j, in, LONG(name)(l), 0);

static void both(int i, int j, const double *in)
{
    complex_double z = MAKE(double, in[0], in[1]), by = MAKE(double, 1.25, -0.5);
    complex_float f = MAKE(float, (float)in[0], (float)in[1]), byf = MAKE(float, 1.25f, -0.5f);
    complex_long l = MAKE(long, in[0], in[1]), byl = MAKE(long, 1.25, -0.5);
    ALL(ONE) ALL_REAL(REAL)
    { complex_double w = cpow(z, by); double p[] = PARTS(w); print("cpow", i, j, in, p[0], p[1]); }
    { complex_float w = cpowf(f, byf); double p[] = PARTS(w); print("cpowf", i, j, in, p[0], p[1]); }
    { complex_long w = LONG(cpow)(l, byl); double p[] = PARTS(w); print("cpowl", i, j, in, p[0], p[1]); }
    { complex_double w = _Cmulcc(z, by); double p[] = PARTS(w); print("_Cmulcc", i, j, in, p[0], p[1]); }
    { complex_float w = _FCmulcc(f, byf); double p[] = PARTS(w); print("_FCmulcc", i, j, in, p[0], p[1]); }
    { complex_long w = _LCmulcc(l, byl); double p[] = PARTS(w); print("_LCmulcc", i, j, in, p[0], p[1]); }
    print("norm", i, j, in, norm(z), 0);
    print("normf", i, j, in, normf(f), 0);
}

int main(void)
{
    int lines = 0;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++)
            for (int signs = 0; signs < 4; signs++, lines++) {
                double in[2] = {signs & 1 ? -table[i] : table[i], signs & 2 ? -table[j] : table[j]};
                both(i, j, in);
            }
    printf("all of %d numbers\n", lines);
    return 0;
}
