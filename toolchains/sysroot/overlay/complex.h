/* Wine has the types of C99's complex functions, as Microsoft's compiler wants them, and no function. A complex number is a structure here
 * and not the compiler's `_Complex`; both lie in memory alike and are passed alike. */
#include_next <complex.h>
#ifndef SYSROOT_COMPLEX_H
#define SYSROOT_COMPLEX_H
typedef struct _C_ldouble_complex {
    long double _Val[2];
} _C_ldouble_complex;
typedef _C_ldouble_complex _Lcomplex;

#define _DCOMPLEX_(re, im) _Cbuild(re, im)
#define _FCOMPLEX_(re, im) _FCbuild(re, im)
#define _LCOMPLEX_(re, im) _LCbuild(re, im)
#define _Complex_I _FCbuild(0.0F, 1.0F)
#define I _Complex_I

#ifdef __cplusplus
extern "C" {
#endif
/* The names of one kind: complex, real, the letter before a builder's name, and that behind a function's. */
#define SYSROOT_COMPLEX(C, R, before, behind)                                                                            \
    _ACRTIMP C __cdecl _##before##Cbuild(R, R);                                                                          \
    _ACRTIMP C __cdecl _##before##Cmulcc(C, C);                                                                          \
    _ACRTIMP C __cdecl _##before##Cmulcr(C, R);                                                                          \
    _ACRTIMP R __cdecl cabs##behind(C);                                                                                  \
    _ACRTIMP R __cdecl carg##behind(C);                                                                                  \
    _ACRTIMP R __cdecl cimag##behind(C);                                                                                 \
    _ACRTIMP R __cdecl creal##behind(C);                                                                                 \
    _ACRTIMP R __cdecl norm##behind(C);                                                                                  \
    _ACRTIMP C __cdecl cacos##behind(C);                                                                                 \
    _ACRTIMP C __cdecl cacosh##behind(C);                                                                                \
    _ACRTIMP C __cdecl casin##behind(C);                                                                                 \
    _ACRTIMP C __cdecl casinh##behind(C);                                                                                \
    _ACRTIMP C __cdecl catan##behind(C);                                                                                 \
    _ACRTIMP C __cdecl catanh##behind(C);                                                                                \
    _ACRTIMP C __cdecl ccos##behind(C);                                                                                  \
    _ACRTIMP C __cdecl ccosh##behind(C);                                                                                 \
    _ACRTIMP C __cdecl cexp##behind(C);                                                                                  \
    _ACRTIMP C __cdecl clog##behind(C);                                                                                  \
    _ACRTIMP C __cdecl clog10##behind(C);                                                                                \
    _ACRTIMP C __cdecl conj##behind(C);                                                                                  \
    _ACRTIMP C __cdecl cpow##behind(C, C);                                                                               \
    _ACRTIMP C __cdecl cproj##behind(C);                                                                                 \
    _ACRTIMP C __cdecl csin##behind(C);                                                                                  \
    _ACRTIMP C __cdecl csinh##behind(C);                                                                                 \
    _ACRTIMP C __cdecl csqrt##behind(C);                                                                                 \
    _ACRTIMP C __cdecl ctan##behind(C);                                                                                  \
    _ACRTIMP C __cdecl ctanh##behind(C);
SYSROOT_COMPLEX(_Dcomplex, double, , )
SYSROOT_COMPLEX(_Fcomplex, float, F, f)
SYSROOT_COMPLEX(_Lcomplex, long double, L, l)
#undef SYSROOT_COMPLEX
#ifdef __cplusplus
}
#endif
#endif
