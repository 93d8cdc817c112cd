// 128-bit arithmetic through the compiler's support library: multiplication, division, remainder, shifts, conversions.
#include "check.h"
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;
static volatile uint64_t state = 88172645463325252ull;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static void print(const char *name, u128 value) { printf("%s %016llx%016llx\n", name, (uint64_t)(value >> 64), (uint64_t)value); }

int main(void) {
    u128 factorial = 1;
    for (volatile unsigned factor = 2; factor <= 34; ++factor)
        factorial *= factor;
    print("34!", factorial);
    u128 sum = 0;
    for (int round = 0; round < 20000; ++round) {
        const u128 dividend = (u128)next() << 64 | next();
        const u128 divisor = (((u128)next() << 64 | next()) >> (round % 120)) | 1;
        CHECK(dividend / divisor * divisor + dividend % divisor == dividend && dividend % divisor < divisor);
        const i128 quotient = (i128)dividend / (i128)(divisor >> 1 | 1);
        sum = sum * 1000003 + dividend / divisor + (u128)quotient + (dividend << (round % 128));
    }
    print("sum", sum);
    volatile i128 negative = -((i128)1 << 100);
    print("quotient", (u128)(negative / 1000));
    print("remainder", (u128)(negative % 1000));
    print("shift", (u128)(negative >> 65));
    printf("%.6e %.6e\n", (double)factorial, (double)negative);
    volatile double large = 1.0e30;
    print("from double", (u128)large);
    i128 product;
    printf("overflow %d\n", __builtin_mul_overflow(negative, (i128)1 << 30, &product));
    return 0;
}
