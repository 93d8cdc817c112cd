/* Wine lacks gets_s, tmpfile_s and the C++ overloads of the secure functions that take an array and know its size. */
#include_next <stdio.h>
#if defined(__cplusplus) && !defined(SYSROOT_STDIO_H)
#define SYSROOT_STDIO_H
#include <stdarg.h>
extern "C++" {
template <size_t N> inline int vsprintf_s(char (&buf)[N], const char *fmt, va_list args) { return vsprintf_s(buf, N, fmt, args); }
template <size_t N> inline int _vsnprintf_s(char (&buf)[N], size_t count, const char *fmt, va_list args) { return _vsnprintf_s(buf, N, count, fmt, args); }
template <size_t N> inline int vswprintf_s(wchar_t (&buf)[N], const wchar_t *fmt, va_list args) { return vswprintf_s(buf, N, fmt, args); }
template <size_t N> inline int sprintf_s(char (&buf)[N], const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int r = vsprintf_s(buf, N, fmt, args);
    va_end(args);
    return r;
}
template <size_t N> inline int _snprintf_s(char (&buf)[N], size_t count, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int r = _vsnprintf_s(buf, N, count, fmt, args);
    va_end(args);
    return r;
}
template <size_t N> inline int swprintf_s(wchar_t (&buf)[N], const wchar_t *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int r = vswprintf_s(buf, N, fmt, args);
    va_end(args);
    return r;
}
template <size_t N> inline int _vsnwprintf_s(wchar_t (&buf)[N], size_t count, const wchar_t *fmt, va_list args) { return _vsnwprintf_s(buf, N, count, fmt, args); }
template <size_t N> inline int _snwprintf_s(wchar_t (&buf)[N], size_t count, const wchar_t *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int r = _vsnwprintf_s(buf, N, count, fmt, args);
    va_end(args);
    return r;
}
}
#endif
#ifndef SYSROOT_STDIO_S_H
#define SYSROOT_STDIO_S_H
#ifdef __cplusplus
extern "C" {
#endif
_ACRTIMP char *__cdecl gets_s(char *, rsize_t);
_ACRTIMP errno_t __cdecl tmpfile_s(FILE **);
#ifdef __cplusplus
}
#endif
#endif
