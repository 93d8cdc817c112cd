// Floating-point functions at known points, rounding modes, classification, long double, and a `_matherr` of the program's own.
#include "check.h"
#include <fenv.h>
#include <float.h>
#include <math.h>

int _matherr(struct _exception *error) {
    (void)error;
    return 1;
}

int main(void) {
    volatile double one = 1, two = 2, negative = -1, huge = 1e308;
    printf("%.15g %.15g %.15g %.15g\n", sin(one), cos(one), atan2(one, -two), exp(one));
    printf("%.15g %.15g %.15g %.15g\n", log(two), pow(two, 0.5), cbrt(-27 * one), hypot(3 * one, 4 * one));
    printf("%.15g %.15g %.15g %.15g\n", tgamma(5 * one), erf(one / 2), expm1(one * 1e-10), log1p(one * 1e-10));
    printf("%g %g %g %g %ld\n", floor(-2.5 * one), ceil(-2.5 * one), round(-2.5 * one), trunc(-2.5 * one), lrint(3.5 * one));
    printf("%g %g %.17g %g\n", fmod(10.5 * one, 3), remainder(10.5 * one, 3), nextafter(one, 2), copysign(3 * one, negative));
    int exponent;
    double whole, fraction = modf(-3.75 * one, &whole), mantissa = frexp(48 * one, &exponent);
    printf("%g %g %g %d %g\n", whole, fraction, mantissa, exponent, ldexp(0.75 * one, 4));
    printf("%d %d %d %d %d\n", isnan(sqrt(negative)) != 0, isinf(huge * 10) != 0, signbit(negative) != 0, fpclassify(4e-320 * one) == FP_SUBNORMAL, isfinite(one) != 0);
    printf("%.10Lf %.10Lf\n", sqrtl(2.0L * one), atan2l(1.0L * one, -2.0L));
    printf("%.7g %.7g\n", sinf((float)one), powf((float)two, 10));
    CHECK(fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD);
    printf("%g ", rint(2.1 * one));
    CHECK(fesetround(FE_DOWNWARD) == 0);
    printf("%g ", rint(2.9 * one));
    CHECK(fesetround(FE_TONEAREST) == 0);
    printf("%g\n", rint(2.5 * one));
    return 0;
}
