// Every kind of conversion of printf, with flags, widths and precisions from the format and from the arguments.
#include "check.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

int main(void) {
    int count = 0;
    char buffer[64];
    printf("[%d][%5d][%-5d][%05d][%+d][% d][%.3d][%i]\n", 42, 42, 42, 42, 42, 42, 7, -1);
    printf("[%u][%o][%#o][%x][%X][%#x][%#X]\n", 4000000000u, 8u, 8u, 0xbeefu, 0xbeefu, 255u, 255u);
    printf("[%hhd][%hd][%ld][%lld][%jd][%zu][%td]\n", (signed char)-3, (short)-4, -5L, -6000000000LL, (intmax_t)-7, (size_t)8, (ptrdiff_t)-9);
    printf("[%I64d][%I32u][%" PRIx64 "][%" PRIuPTR "]\n", (__int64)-1, 7u, (uint64_t)0x123456789abcdefull, (uintptr_t)99);
    printf("[%f][%.0f][%#.0f][%10.3f][%-10.2f][%+.1f][%010.2f]\n", 3.14159, 2.6, 3.0, 2.71828, 1.005, 0.05, -12.345);
    printf("[%e][%.3E][%g][%g][%G][%#g][%.10g]\n", 12345.678, 0.00012, 0.0001, 1e-5, 1e20, 1.0, 1.0 / 3);
    printf("[%a][%.2a][%A]\n", 1.0, 3.14159, 0.1);
    printf("[%f][%F][%e][%g][%5.1f]\n", INFINITY, -INFINITY, NAN, INFINITY, -INFINITY);
    printf("[%.17g][%.17g][%g][%.20f]\n", DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 0.1);
    printf("[%Lf][%Le]\n", (long double)1.5, (long double)-2.25);
    printf("[%c][%3c][%-3c|][%s][%10s][%-10s|][%.2s][%*.*s]\n", 'x', 'y', 'z', "text", "right", "left", "cut", 6, 3, "stars");
    printf("[%ls][%S][%hs][%lc][%.3ls]\n", L"wide", L"Wide", "narrow", L'w', L"truncated");
    printf("[%%][%*d][%-*d|][%.*f]\n", 5, 1, 5, 2, 3, 1.23456);
    printf("[%p]\n", (void *)0x1234);
    _set_printf_count_output(1);
    printf("four%n\n", &count);
    printf("count %d\n", count);
    const int cut = snprintf(buffer, 4, "%s", "abcdef");
    printf("%d %d [%s]\n", snprintf(NULL, 0, "%d", 123456), cut, buffer);
    printf("%d", sprintf_s(buffer, sizeof buffer, "%s:%d", "key", 5));
    const int truncated = _snprintf_s(buffer, sizeof buffer, _TRUNCATE, "%0*d", 70, 1);
    printf(" %d %d\n", truncated, (int)strlen(buffer));
    return 0;
}
