// Variadic functions: every promoted type, more arguments than registers, structures by value, va_copy, and forwarding to vsnprintf.
#include "check.h"
#include <stdarg.h>
#include <stdint.h>

struct single { int a; };
struct pair { double a, b; };
struct large { long long a[5]; };

static double sum(const char *types, ...) {
    va_list list, again;
    double total = 0, doubled = 0;
    va_start(list, types);
    va_copy(again, list);
    for (int pass = 0; pass < 2; ++pass) {
        va_list *source = pass ? &again : &list;
        for (const char *type = types; *type; ++type) {
            double value = 0;
            switch (*type) {
            case 'i': value = va_arg(*source, int); break;
            case 'l': value = (double)va_arg(*source, long long); break;
            case 'd': value = va_arg(*source, double); break;
            case 'L': value = (double)va_arg(*source, long double); break;
            case 's': value = va_arg(*source, struct single).a; break;
            case 'p': { struct pair pair = va_arg(*source, struct pair); value = pair.a - pair.b; break; }
            case 'g': { struct large large = va_arg(*source, struct large); value = (double)(large.a[0] + large.a[4]); break; }
            case 'P': value = *va_arg(*source, short *); break;
            }
            *(pass ? &doubled : &total) += value;
        }
    }
    va_end(list);
    va_end(again);
    CHECK(total == doubled);
    return total;
}
static int format(char *buffer, size_t size, const char *text, ...) {
    va_list list;
    va_start(list, text);
    int length = vsnprintf(buffer, size, text, list);
    va_end(list);
    return length;
}

int main(void) {
    short third = -30;
    struct single single = {4};
    struct pair pair = {10.5, 0.25};
    struct large large = {{100, 0, 0, 0, 1000}};
    char buffer[12];
    printf("%.3f\n", sum("ildLspgP", 1, 2LL, 0.5, (long double)0.125, single, pair, large, &third));
    printf("%.1f\n", sum("iiiiiiiidddddddd", 1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5., 6., 7., 8.));
    printf("%.1f\n", sum("dididididididl", .5, 1, .5, 1, .5, 1, .5, 1, .5, 1, .5, 1, .5, 1LL << 40));
    printf("%.1f\n", sum("gpgpgp", large, pair, large, pair, large, pair));
    printf("%d [%s]\n", format(buffer, sizeof buffer, "%s-%d-%.2f", "long text", 12345, 6.789), buffer);
    return 0;
}
