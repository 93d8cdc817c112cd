// setjmp and longjmp: value, nesting, 1,000 rounds, callee-saved registers and floating point kept, and __finally on the way.
#include "check.h"
#include <setjmp.h>

static jmp_buf outer, inner;
static int finals;

static __declspec(noinline) void deep(int depth, jmp_buf buffer, int value) {
    volatile char block[200];
    block[0] = (char)depth;
    if (depth == 0)
        longjmp(buffer, value);
    deep(depth - 1, buffer, value + (block[0] != (char)depth));
}
static __declspec(noinline) void through_finally(void) {
    __try {
        deep(3, outer, 5);
    } __finally {
        ++finals;
    }
}

int main(int argc, char **argv) {
    volatile int rounds = 0;
    // Kept in registers across the call by any compiler that optimises.
    long long a = argc * 3, b = argc * 5, c = argc * 7, d = argc * 11;
    double x = argc * 1.5, y = argc * 2.5;
    int value = setjmp(outer);
    if (value == 0) {
        if (setjmp(inner) == 0)
            deep(10, inner, 0); // Zero becomes one.
        deep(20, outer, 3);
    }
    printf("value %d kept %lld %.2f\n", value, a * 1000 + b * 100 + c * 10 + d, x + y);
    for (int index = 0; index < 1000; ++index)
        if (setjmp(inner) == 0)
            deep(index % 7, inner, index + 1);
        else
            ++rounds;
    printf("rounds %d\n", rounds);
    value = setjmp(outer);
    if (value == 0)
        through_finally();
    printf("through %d finals %d\n", value, finals);
    return 0;
}
