/* What musl's complex functions include, in the place of musl's header of this name: that one reads headers which take `long` for 64
   bits wide, and here it has 32. `complex.c` reads it too. */

#pragma once

typedef int int32_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;

#define complex _Complex
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))

#define INFINITY __builtin_inf()
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
#define copysign(x, y) __builtin_copysign(x, y)
#define fabs(x) __builtin_fabs(x)

#define BITS(x) __builtin_bit_cast(uint64_t, (double)(x))
#define FROM_WORDS(high, low) __builtin_bit_cast(double, (uint64_t)(uint32_t)(high) << 32 | (uint32_t)(low))
#define EXTRACT_WORDS(high, low, x) ((high) = (uint32_t)(BITS(x) >> 32), (low) = (uint32_t)BITS(x))
#define GET_HIGH_WORD(high, x) ((high) = (uint32_t)(BITS(x) >> 32))
#define INSERT_WORDS(x, high, low) ((x) = FROM_WORDS(high, low))
#define SET_HIGH_WORD(x, high) ((x) = FROM_WORDS(high, BITS(x)))

/* Those of ucrtbase.dll; `ucrtbase.def` names them for the linker. The compiler makes an instruction of `sqrt`. */
double asinh(double), atan2(double, double), cos(double), cosh(double), exp(double), fma(double, double, double), hypot(double, double),
    log(double), log1p(double), sin(double), sinh(double), sqrt(double), tan(double), tanh(double);

double cabs(double complex), carg(double complex), cimag(double complex), creal(double complex);
double complex cacos(double complex), cacosh(double complex), casin(double complex), casinh(double complex), catan(double complex),
    catanh(double complex), ccos(double complex), ccosh(double complex), cexp(double complex), clog(double complex),
    clog10(double complex), conj(double complex), cpow(double complex, double complex), cproj(double complex), csin(double complex),
    csinh(double complex), csqrt(double complex), ctan(double complex), ctanh(double complex);
double complex __ldexp_cexp(double complex, int);
