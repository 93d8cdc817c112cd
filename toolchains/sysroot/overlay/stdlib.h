/* Wine lacks quick_exit and kin, _dupenv_s and some others, MB_CUR_MAX in some versions, in C++ div for long types and the secure
 * functions that take an array, and alloca by way of stdlib.h. */
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
_ACRTIMP errno_t __cdecl _dupenv_s(char **, size_t *, const char *);
_ACRTIMP errno_t __cdecl _wdupenv_s(wchar_t **, size_t *, const wchar_t *);
_ACRTIMP errno_t __cdecl _get_pgmptr(char **);
_ACRTIMP errno_t __cdecl _get_wpgmptr(wchar_t **);
_ACRTIMP void *__cdecl bsearch_s(const void *, const void *, rsize_t, rsize_t, int(__cdecl *)(void *, const void *, const void *), void *);
_ACRTIMP unsigned __int64 __cdecl _rotl64(unsigned __int64, int);
_ACRTIMP unsigned __int64 __cdecl _rotr64(unsigned __int64, int);
#ifdef __cplusplus
}
/* libc++ leaves these to the UCRT. */
extern "C++" {
inline ldiv_t __cdecl div(long numerator, long denominator) { return ldiv(numerator, denominator); }
inline lldiv_t __cdecl div(long long numerator, long long denominator) { return lldiv(numerator, denominator); }

/* The secure functions that know the size of an array. */
#define SYSROOT_NUMBER_TO_TEXT(name, number, text)                                                                       \
    template <size_t N> inline errno_t name(number value, text (&dst)[N], int radix) { return name(value, dst, N, radix); }
SYSROOT_NUMBER_TO_TEXT(_itoa_s, int, char)
SYSROOT_NUMBER_TO_TEXT(_ltoa_s, long, char)
SYSROOT_NUMBER_TO_TEXT(_ultoa_s, unsigned long, char)
SYSROOT_NUMBER_TO_TEXT(_i64toa_s, __int64, char)
SYSROOT_NUMBER_TO_TEXT(_ui64toa_s, unsigned __int64, char)
SYSROOT_NUMBER_TO_TEXT(_itow_s, int, wchar_t)
SYSROOT_NUMBER_TO_TEXT(_ltow_s, long, wchar_t)
SYSROOT_NUMBER_TO_TEXT(_ultow_s, unsigned long, wchar_t)
SYSROOT_NUMBER_TO_TEXT(_i64tow_s, __int64, wchar_t)
SYSROOT_NUMBER_TO_TEXT(_ui64tow_s, unsigned __int64, wchar_t)
#undef SYSROOT_NUMBER_TO_TEXT
template <size_t N> inline errno_t mbstowcs_s(size_t *made, wchar_t (&dst)[N], const char *s, size_t count)
{
    return mbstowcs_s(made, dst, N, s, count);
}
template <size_t N> inline errno_t wcstombs_s(size_t *made, char (&dst)[N], const wchar_t *s, size_t count)
{
    return wcstombs_s(made, dst, N, s, count);
}
template <size_t D, size_t F, size_t N, size_t E>
inline errno_t _splitpath_s(const char *path, char (&drive)[D], char (&folder)[F], char (&name)[N], char (&extension)[E])
{
    return _splitpath_s(path, drive, D, folder, F, name, N, extension, E);
}
template <size_t N>
inline errno_t _makepath_s(char (&path)[N], const char *drive, const char *folder, const char *name, const char *extension)
{
    return _makepath_s(path, N, drive, folder, name, extension);
}
}
#endif

/* The longest environment variable. */
#ifndef _MAX_ENV
#define _MAX_ENV 32767
#endif
#endif
