// Floating-point classification and comparison for every type, with and without `std::`, and long double functions that libc++ calls.
#include "check.h"
#include <cfenv>
#include <cmath>
#include <limits>
#include <math.h>

template <class T> static void classes(const char *name) {
    typedef std::numeric_limits<T> limits;
    const T values[] = {T(1), T(-0.0), limits::denorm_min(), limits::infinity(), -limits::quiet_NaN()};
    printf("%s", name);
    for (volatile T value : values) {
        T one = value;
        printf(" %d%d%d%d%d", isnormal(one), signbit(one), isfinite(one), isinf(one), isnan(one));
        CHECK(std::isnormal(one) == isnormal(one) && std::signbit(one) == signbit(one) && std::isnan(one) == isnan(one));
        CHECK(std::isfinite(one) == isfinite(one) && std::isinf(one) == isinf(one));
    }
    printf("\n");
}

int main() {
    classes<float>("float");
    classes<double>("double");
    classes<long double>("long double");
    CHECK(HUGE_VALF == std::numeric_limits<float>::infinity() && HUGE_VALL == std::numeric_limits<long double>::infinity());
    CHECK(sizeof(float_t) == sizeof(float) && sizeof(std::double_t) == sizeof(double));
    printf("whole %d%d%d%d\n", std::isnormal(0), std::isnormal(7), std::signbit(-7), std::isfinite(7));
    volatile float low = 1;
    volatile double high = 2, none = NAN;
    float l = low;
    double h = high, n = none;
    printf("%d%d%d%d%d%d", isgreater(l, h), isgreaterequal(h, l), isless(l, h), islessequal(h, l), islessgreater(l, h), isunordered(l, h));
    printf(" %d%d%d%d%d%d", isgreater(l, n), isgreaterequal(n, l), isless(l, n), islessequal(n, l), islessgreater(l, n), isunordered(l, n));
    printf(" %d%d\n", std::isgreater(h, l), std::isunordered(n, 1.0L));
    std::feclearexcept(FE_ALL_EXCEPT);
    (void)isless(l, n);
    printf("quiet %d\n", std::fetestexcept(FE_INVALID));
    volatile long double x = 0.75L, y = -2.5L;
    long double a = x, b = y;
    printf("%.9f %.9f %.9f %.9f %.9f\n", (double)std::atan2(a, b), (double)std::pow(a, b), (double)std::fmod(b, a), (double)std::hypot(a, b),
           (double)std::copysign(a, b));
    printf("%.9f %.9f %.9f %.9f %.9f\n", (double)std::acos(a), (double)std::asinh(b), (double)std::expm1(a), (double)std::log2(a),
           (double)std::tgamma(b));
    printf("%.9f %.9f %.9f %.9f %.9f\n", (double)std::sin(a), (double)std::cosh(b), (double)std::tan(a), (double)std::cbrt(b),
           (double)std::lgamma(a));
    int exponent, quotient;
    long double whole, mantissa = std::frexp(b, &exponent), fraction = std::modf(b, &whole), rest = std::remquo(b, a, &quotient);
    printf("%.3f %d %.3f %.3f %.3f %d\n", (double)mantissa, exponent, (double)fraction, (double)whole, (double)rest, quotient);
    printf("%.1f %.1f %.1f %.1f %ld %lld %d\n", (double)std::floor(b), (double)std::ceil(b), (double)std::round(b), (double)std::trunc(b),
           std::lround(b), std::llrint(b), std::ilogb(a));
    printf("%.17g %.17g %.9f %.3f\n", (double)std::nextafter(a, b), (double)std::nexttoward(0.75f, 1.0L), (double)std::fma(a, b, a),
           (double)std::hypot(a, b, 3.0L));
}
