/* Wine lacks strnlen_s and the C++ overloads of the secure functions that take an array. */
#include_next <string.h>
#ifndef SYSROOT_STRING_H
#define SYSROOT_STRING_H
static __inline size_t strnlen_s(const char *s, size_t n) { return s ? strnlen(s, n) : 0; }
#ifdef __cplusplus
extern "C++" {
template <size_t N> inline errno_t strcpy_s(char (&dst)[N], const char *s) { return strcpy_s(dst, N, s); }
template <size_t N> inline errno_t strcat_s(char (&dst)[N], const char *s) { return strcat_s(dst, N, s); }
template <size_t N> inline errno_t strncpy_s(char (&dst)[N], const char *s, size_t n) { return strncpy_s(dst, N, s, n); }
template <size_t N> inline errno_t strncat_s(char (&dst)[N], const char *s, size_t n) { return strncat_s(dst, N, s, n); }
template <size_t N> inline errno_t wcscpy_s(wchar_t (&dst)[N], const wchar_t *s) { return wcscpy_s(dst, N, s); }
template <size_t N> inline errno_t wcsncpy_s(wchar_t (&dst)[N], const wchar_t *s, size_t n) { return wcsncpy_s(dst, N, s, n); }
template <size_t N> inline errno_t wcsncat_s(wchar_t (&dst)[N], const wchar_t *s, size_t n) { return wcsncat_s(dst, N, s, n); }
template <size_t N> inline errno_t strerror_s(char (&dst)[N], int error) { return strerror_s(dst, N, error); }
template <size_t N> inline errno_t _strlwr_s(char (&text)[N]) { return _strlwr_s(text, N); }
template <size_t N> inline errno_t _strupr_s(char (&text)[N]) { return _strupr_s(text, N); }
template <size_t N> inline errno_t _wcslwr_s(wchar_t (&text)[N]) { return _wcslwr_s(text, N); }
template <size_t N> inline errno_t _wcsupr_s(wchar_t (&text)[N]) { return _wcsupr_s(text, N); }
}
#endif
#endif
