/* Wine has no long double functions but atan2l, whose arguments it swaps; it lacks erfc, a few
 * float functions and the types they are computed in, imports _matherr, which a program defines, and makes some functions
 * static, so that the calls the compiler emits for their builtins find nothing to link. */
#ifndef SYSROOT_MATH_H
#define SYSROOT_MATH_H
#define atan2l sysroot_wine_atan2l
#define _matherr sysroot_wine_matherr
#define hypot sysroot_wine_hypot
#define hypotf sysroot_wine_hypotf
#define ldexpf sysroot_wine_ldexpf
#define frexpf sysroot_wine_frexpf
#define fabsf sysroot_wine_fabsf
#include_next <math.h>
#undef atan2l
#undef _matherr
#undef hypot
#undef hypotf
#undef ldexpf
#undef frexpf
#undef fabsf

/* Both processors compute in the type itself (C11 7.12, FLT_EVAL_METHOD 0). */
typedef float float_t;
typedef double double_t;
#define HUGE_VALF ((float)INFINITY)
#define HUGE_VALL ((long double)INFINITY)

#ifdef __cplusplus
extern "C" {
#endif
int __cdecl _matherr(struct _exception *);

_ACRTIMP double __cdecl hypot(double, double);
_ACRTIMP double __cdecl erfc(double);
_ACRTIMP double __cdecl nan(const char *);
_ACRTIMP double __cdecl nexttoward(double, long double);
_ACRTIMP float __cdecl erfcf(float);
_ACRTIMP float __cdecl nanf(const char *);
_ACRTIMP float __cdecl nexttowardf(float, long double);

/* Not exported: inline, but with a linkable body. */
__inline float __cdecl hypotf(float x, float y) { return _hypotf(x, y); }
__inline float __cdecl ldexpf(float x, int e) { return (float)ldexp(x, e); }
__inline float __cdecl frexpf(float x, int *e) { return (float)frexp(x, e); }
__inline float __cdecl fabsf(float x) { return (float)fabs(x); }

/* The long double functions the UCRT exports. */
_ACRTIMP long double __cdecl acoshl(long double);
_ACRTIMP long double __cdecl asinhl(long double);
_ACRTIMP long double __cdecl atanhl(long double);
_ACRTIMP long double __cdecl cbrtl(long double);
_ACRTIMP long double __cdecl erfcl(long double);
_ACRTIMP long double __cdecl erfl(long double);
_ACRTIMP long double __cdecl exp2l(long double);
_ACRTIMP long double __cdecl expm1l(long double);
_ACRTIMP long double __cdecl lgammal(long double);
_ACRTIMP long double __cdecl log1pl(long double);
_ACRTIMP long double __cdecl log2l(long double);
_ACRTIMP long double __cdecl logbl(long double);
_ACRTIMP long double __cdecl nearbyintl(long double);
_ACRTIMP long double __cdecl rintl(long double);
_ACRTIMP long double __cdecl roundl(long double);
_ACRTIMP long double __cdecl tgammal(long double);
_ACRTIMP long double __cdecl truncl(long double);
_ACRTIMP long double __cdecl copysignl(long double, long double);
_ACRTIMP long double __cdecl fdiml(long double, long double);
_ACRTIMP long double __cdecl fmaxl(long double, long double);
_ACRTIMP long double __cdecl fminl(long double, long double);
_ACRTIMP long double __cdecl nextafterl(long double, long double);
_ACRTIMP long double __cdecl remainderl(long double, long double);
_ACRTIMP long double __cdecl nexttowardl(long double, long double);
_ACRTIMP long double __cdecl fmal(long double, long double, long double);
_ACRTIMP long double __cdecl remquol(long double, long double, int *);
_ACRTIMP long double __cdecl scalblnl(long double, __msvcrt_long);
_ACRTIMP long double __cdecl scalbnl(long double, int);
_ACRTIMP long double __cdecl nanl(const char *);
_ACRTIMP int __cdecl ilogbl(long double);
_ACRTIMP __int64 __cdecl llrintl(long double);
_ACRTIMP __int64 __cdecl llroundl(long double);
_ACRTIMP __msvcrt_long __cdecl lrintl(long double);
_ACRTIMP __msvcrt_long __cdecl lroundl(long double);

/* The rest: long double is double. */
__inline long double __cdecl acosl(long double x) { return acos((double)x); }
__inline long double __cdecl asinl(long double x) { return asin((double)x); }
__inline long double __cdecl atanl(long double x) { return atan((double)x); }
__inline long double __cdecl ceill(long double x) { return ceil((double)x); }
__inline long double __cdecl cosl(long double x) { return cos((double)x); }
__inline long double __cdecl coshl(long double x) { return cosh((double)x); }
__inline long double __cdecl expl(long double x) { return exp((double)x); }
__inline long double __cdecl fabsl(long double x) { return fabs((double)x); }
__inline long double __cdecl floorl(long double x) { return floor((double)x); }
__inline long double __cdecl logl(long double x) { return log((double)x); }
__inline long double __cdecl log10l(long double x) { return log10((double)x); }
__inline long double __cdecl sinl(long double x) { return sin((double)x); }
__inline long double __cdecl sinhl(long double x) { return sinh((double)x); }
__inline long double __cdecl sqrtl(long double x) { return sqrt((double)x); }
__inline long double __cdecl tanl(long double x) { return tan((double)x); }
__inline long double __cdecl tanhl(long double x) { return tanh((double)x); }
__inline long double __cdecl atan2l(long double x, long double y) { return atan2((double)x, (double)y); }
__inline long double __cdecl fmodl(long double x, long double y) { return fmod((double)x, (double)y); }
__inline long double __cdecl hypotl(long double x, long double y) { return hypot((double)x, (double)y); }
__inline long double __cdecl powl(long double x, long double y) { return pow((double)x, (double)y); }
__inline long double __cdecl frexpl(long double x, int *e) { return frexp((double)x, e); }
__inline long double __cdecl ldexpl(long double x, int e) { return ldexp((double)x, e); }
__inline long double __cdecl modfl(long double x, long double *whole)
{
    double w, r = modf((double)x, &w);
    *whole = w;
    return r;
}
#ifdef __cplusplus
}
#endif

/* C++: the classification and comparison overloads the UCRT gives, in place of macros. */
#ifdef __cplusplus
#undef isgreater
#undef isgreaterequal
#undef isless
#undef islessequal
#undef islessgreater
#undef isunordered
#undef signbit
extern "C++" {
template <class T> inline bool isnormal(T x) throw() { return fpclassify(x) == FP_NORMAL; }
inline bool signbit(float x) throw() { return __builtin_signbit(x); }
inline bool signbit(double x) throw() { return __builtin_signbit(x); }
inline bool signbit(long double x) throw() { return __builtin_signbit(x); }
template <class T, class U> inline bool isgreater(T x, U y) throw() { return __builtin_isgreater(x, y); }
template <class T, class U> inline bool isgreaterequal(T x, U y) throw() { return __builtin_isgreaterequal(x, y); }
template <class T, class U> inline bool isless(T x, U y) throw() { return __builtin_isless(x, y); }
template <class T, class U> inline bool islessequal(T x, U y) throw() { return __builtin_islessequal(x, y); }
template <class T, class U> inline bool islessgreater(T x, U y) throw() { return __builtin_islessgreater(x, y); }
template <class T, class U> inline bool isunordered(T x, U y) throw() { return __builtin_isunordered(x, y); }
}
#endif
#endif
