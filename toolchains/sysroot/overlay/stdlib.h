/* Wine lacks quick_exit and kin, MB_CUR_MAX in some versions, div for long types in C++, and alloca by way of stdlib.h. */
#include_next <stdlib.h>
#ifndef SYSROOT_STDLIB_H
#define SYSROOT_STDLIB_H
#include <malloc.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifndef MB_CUR_MAX
_ACRTIMP int __cdecl ___mb_cur_max_func(void);
#define MB_CUR_MAX ___mb_cur_max_func()
#endif
/* at_quick_exit is in the static part of the CRT: the list belongs to the image. */
int __cdecl at_quick_exit(void(__cdecl *)(void));
_ACRTIMP __declspec(noreturn) void __cdecl quick_exit(int);
_ACRTIMP errno_t __cdecl _get_fmode(int *);
_ACRTIMP int __cdecl _query_new_mode(void);
_ACRTIMP int __cdecl _set_new_mode(int);
/* The UCRT gives the error table through a function only. */
_ACRTIMP char **__cdecl __sys_errlist(void);
#ifndef _sys_errlist
#define _sys_errlist (__sys_errlist())
#endif
_ACRTIMP errno_t __cdecl _wputenv_s(const wchar_t *, const wchar_t *);
#ifdef __cplusplus
}
/* libc++ leaves these to the UCRT. */
extern "C++" {
inline ldiv_t __cdecl div(long numerator, long denominator) { return ldiv(numerator, denominator); }
inline lldiv_t __cdecl div(long long numerator, long long denominator) { return lldiv(numerator, denominator); }
}
#endif

/* The longest environment variable. */
#ifndef _MAX_ENV
#define _MAX_ENV 32767
#endif
#endif
