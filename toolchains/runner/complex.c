/* Complex functions of C99 that Wine's ucrtbase.dll exports and has no code for. Those of which musl's version is right in every
   corner are compiled from musl, which the compiler's package carries; the others are here: musl's lose most digits near the branch
   points or overflow for large arguments, and mingw-w64's overflow or have no such function. Each is for `double`; `float` is
   computed as `double` and rounded once, and `long double` is `double` here.

   The results are those of Annex G of C99. A complex number is passed and returned like a structure of two numbers, which is what
   Microsoft's headers declare. The compiler does the same with its own type, on arm64 (two registers) as on x64 (`float`: in one
   integer register, `double`: by its address). */

#include "complex_impl.h"

int _fltused = 1; /* The compiler asks every program that computes with fractions for it. */

#define PI 3.14159265358979323846
#define LN2 0.69314718055994530942
#define LOG10_E 0.43429448190325182765
#define LARGE 0x1p1022 /* Twice this, the sum of two numbers below it, is no number any more. */
#define TINY 0x1p-511  /* The square of anything smaller has lost digits. */

/* Unlike the operator's, this product calls no function of the compiler. An infinity times what is not zero is an infinity. */
static double complex product(double complex z, double complex w)
{
    double a = creal(z), b = cimag(z), c = creal(w), d = cimag(w);
    double re = a * c - b * d, im = a * d + b * c;
    int huge_z = isinf(a) || isinf(b), huge_w = isinf(c) || isinf(d);
    if (!isnan(re) || !isnan(im) || !(huge_z || huge_w)) return CMPLX(re, im);
    /* Each part of an infinite factor counts as its sign alone, or as zero; what is no number in the other as zero. */
    if (huge_z) {
        a = copysign(isinf(a) ? 1.0 : 0.0, a), b = copysign(isinf(b) ? 1.0 : 0.0, b);
        c = isnan(c) ? copysign(0.0, c) : c, d = isnan(d) ? copysign(0.0, d) : d;
    }
    if (huge_w) {
        c = copysign(isinf(c) ? 1.0 : 0.0, c), d = copysign(isinf(d) ? 1.0 : 0.0, d);
        a = isnan(a) ? copysign(0.0, a) : a, b = isnan(b) ? copysign(0.0, b) : b;
    }
    return CMPLX(INFINITY * (a * c - b * d), INFINITY * (a * d + b * c));
}

/* `*low` gets what the sum, which is returned, has lost. */
static double sum(double x, double y, double *low)
{
    double high = x + y, part = high - x;
    *low = (x - (high - part)) + (y - part);
    return high;
}

/* x² + y² - 1 with nothing lost, for what is neither huge nor tiny. */
static double squares_minus_one(double x, double y)
{
    double xx = x * x, yy = y * y, low, lower;
    double high = sum(sum(xx, -1.0, &low), yy, &lower);
    return high + (low + lower + fma(x, x, -xx) + fma(y, y, -yy));
}

double (creal)(double complex z) { return __real__ z; }
double (cimag)(double complex z) { return __imag__ z; }
double cabs(double complex z) { return hypot(creal(z), cimag(z)); }
double carg(double complex z) { return atan2(cimag(z), creal(z)); }
double complex conj(double complex z) { return CMPLX(creal(z), -cimag(z)); }

/* log |z| */
static double log_abs(double x, double y)
{
    x = fabs(x), y = fabs(y);
    double large = x < y ? y : x, small = x < y ? x : y;
    if (large >= 0.5 && large <= 2 && small <= large) return log1p(squares_minus_one(large, small < TINY ? 0 : small)) / 2;
    if (large > LARGE && !isinf(large)) return log(hypot(x / 2, y / 2)) + LN2;
    if (large < TINY && large > 0) return log(hypot(x * 0x1p600, y * 0x1p600)) - 600 * LN2;
    return log(hypot(x, y));
}

double complex clog(double complex z) { return CMPLX(log_abs(creal(z), cimag(z)), carg(z)); }

double complex clog10(double complex z)
{
    double complex w = clog(z);
    return CMPLX(LOG10_E * creal(w), LOG10_E * cimag(w));
}

double complex cpow(double complex z, double complex w) { return cexp(product(w, clog(z))); }

/* The half of a number that is far from both ends of the range, and of its absolute value, is the square of a part of the root. */
double complex csqrt(double complex z)
{
    double x = creal(z), y = cimag(z), scale = 1, unscale = 1, root, other;
    if (x == 0 && y == 0) return CMPLX(0, y);
    if (isinf(y)) return CMPLX(INFINITY, y);
    if (isnan(x)) return CMPLX(x, y - y + x);
    if (isinf(x)) return x < 0 ? CMPLX(fabs(y - y), copysign(x, y)) : CMPLX(x, copysign(y - y, y));
    if (fabs(x) > LARGE / 4 || fabs(y) > LARGE / 4) scale = 0x1p-4, unscale = 4;
    if (fabs(x) < 0x1p-900 && fabs(y) < 0x1p-900) scale = 0x1p200, unscale = 0x1p-100;
    x *= scale, y *= scale;
    root = sqrt((fabs(x) + hypot(x, y)) / 2);
    other = y / (2 * root);
    root *= unscale, other *= unscale;
    return x < 0 ? CMPLX(fabs(other), copysign(root, y)) : CMPLX(root, other);
}

/* The inverse functions: William Kahan, "Branch Cuts for Complex Elementary Functions", 1987. */

double complex cacos(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (isinf(x) || isinf(y)) return CMPLX(atan2(fabs(y), x), -copysign(INFINITY, y));
    if (isnan(x) || isnan(y)) return CMPLX(x == 0 ? PI / 2 : x + y, x + y);
    if (fabs(x) > LARGE / 4 || fabs(y) > LARGE / 4)
        return CMPLX(atan2(fabs(y), x), -copysign(log_abs(x, y) + LN2, y));
    double complex minus = csqrt(CMPLX(1 - x, -y)), plus = csqrt(CMPLX(1 + x, y));
    return CMPLX(2 * atan2(creal(minus), creal(plus)), asinh(creal(plus) * cimag(minus) - cimag(plus) * creal(minus)));
}

double complex cacosh(double complex z)
{
    double complex w = cacos(z);
    /* For 0 + i NaN the angle is known, but not what would tell its sign. */
    return CMPLX(fabs(cimag(w)), copysign(creal(w), cimag(z)));
}

double complex casinh(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (isinf(x) || isinf(y)) {
        if (isinf(x)) return CMPLX(x, copysign(isinf(y) ? PI / 4 : isnan(y) ? y : 0.0, y));
        return CMPLX(copysign(INFINITY, x), isnan(x) ? x : copysign(PI / 2, y));
    }
    if (isnan(x) || isnan(y)) return CMPLX(x + y, y == 0 ? y : x + y);
    if (fabs(x) > LARGE / 4 || fabs(y) > LARGE / 4) return CMPLX(copysign(log_abs(x, y) + LN2, x), atan2(y, fabs(x)));
    double complex minus = csqrt(CMPLX(1 + y, -x)), plus = csqrt(CMPLX(1 - y, x));
    return CMPLX(asinh(creal(minus) * cimag(plus) - creal(plus) * cimag(minus)),
                 atan2(y, creal(minus) * creal(plus) - cimag(minus) * cimag(plus)));
}

double complex catanh(double complex z)
{
    double x = fabs(creal(z)), y = fabs(cimag(z)), re, im;
    if (isinf(x) || isinf(y)) {
        re = 0, im = isnan(y) ? y : PI / 2;
    } else if (isnan(x) || isnan(y)) {
        re = x == 0 ? 0 : x + y, im = x + y;
    } else if (x > 0x1p500 || y > 0x1p500) {
        /* 1/z, whose real part is x/|z|². */
        double size = hypot(x / 2, y / 2);
        re = x / 4 / size / size, im = PI / 2;
    } else if (x == 1 && y < TINY) {
        /* At the pole itself the quotient tells the processor that something was divided by zero. */
        re = y == 0 ? 1 / y : -log(sqrt(y) / sqrt(hypot(y, 2)));
        im = y == 0 ? 0 : atan2(2, -y) / 2;
    } else {
        double square = y < TINY ? 0 : y * y;
        re = log1p(4 * x / ((1 - x) * (1 - x) + square)) / 4;
        im = atan2(2 * y, (1 - x) * (1 + x) - square) / 2;
    }
    return CMPLX(copysign(re, creal(z)), copysign(im, cimag(z)));
}

/* Functions of iz, turned back. */
double complex casin(double complex z)
{
    double complex w = casinh(CMPLX(-cimag(z), creal(z)));
    return CMPLX(cimag(w), -creal(w));
}

double complex catan(double complex z)
{
    double complex w = catanh(CMPLX(-cimag(z), creal(z)));
    return CMPLX(cimag(w), -creal(w));
}

#define REAL(name) float name##f(float complex z) { return (float)(name)(z); }
#define COMPLEX(name) float complex name##f(float complex z) { return name(z); }
REAL(cabs) REAL(carg) REAL(cimag) REAL(creal)
COMPLEX(cacos) COMPLEX(cacosh) COMPLEX(casin) COMPLEX(casinh) COMPLEX(catan) COMPLEX(catanh) COMPLEX(ccos) COMPLEX(ccosh) COMPLEX(cexp)
COMPLEX(clog) COMPLEX(clog10) COMPLEX(conj) COMPLEX(cproj) COMPLEX(csin) COMPLEX(csinh) COMPLEX(csqrt) COMPLEX(ctan) COMPLEX(ctanh)
float complex cpowf(float complex z, float complex w) { return cpow(z, w); }

/* What Microsoft's C has in the place of operators. `norm` is the square of the absolute value. */
double complex _Cmulcc(double complex z, double complex w) { return product(z, w); }
double complex _Cmulcr(double complex z, double x) { return CMPLX(creal(z) * x, cimag(z) * x); }
float complex _FCbuild(float re, float im) { return __builtin_complex(re, im); }
float complex _FCmulcc(float complex z, float complex w) { return product(z, w); }
float complex _FCmulcr(float complex z, float x) { return __builtin_complex(crealf(z) * x, cimagf(z) * x); }
double norm(double complex z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }
float normf(float complex z) { return (float)norm(z); }
