// 64-bit arithmetic: division and remainder of every sign, shifts, multiplication with overflow, conversions to and from floating point.
#include "check.h"
#include <stdint.h>

static volatile int64_t minimum = INT64_MIN;
static volatile uint64_t state = 88172645463325252ull;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

int main(void) {
    volatile int64_t a = -7, b = 2;
    printf("%lld %lld %lld %lld\n", a / b, a % b, a / -b, -a % -b);
    printf("%lld %llu %lld\n", minimum / 3, (uint64_t)minimum / 3, minimum >> 7);
    uint64_t sum = 0;
    for (int round = 0; round < 100000; ++round) {
        const uint64_t dividend = next(), divisor = (next() >> (round % 60)) | 1;
        CHECK(dividend / divisor * divisor + dividend % divisor == dividend && dividend % divisor < divisor);
        sum = sum * 31 + dividend / divisor + (uint64_t)((int64_t)dividend % (int64_t)(divisor >> 1 | 1));
    }
    printf("sum %016llx\n", sum);
    int64_t product;
    printf("overflow %d %d\n", __builtin_mul_overflow(minimum, (int64_t)-1, &product), __builtin_mul_overflow((int64_t)3037000499, (int64_t)3037000499, &product));
    printf("%.0f %.0f %lld %llu\n", (double)minimum, (double)(uint64_t)-1, (int64_t)-1.5e18, (uint64_t)1.8e19);
    printf("%d %d %d\n", __builtin_popcountll(0xf0f0f0f0f0f0f0f1ull), __builtin_clzll(0x10000ull), __builtin_ctzll(0x50000ull));
    return 0;
}
