/* Wine lacks wcsnlen_s; the C++ array overloads are in string.h. */
#include_next <wchar.h>
#ifndef SYSROOT_WCHAR_H
#define SYSROOT_WCHAR_H
static __inline size_t wcsnlen_s(const wchar_t *s, size_t n) { return s ? wcsnlen(s, n) : 0; }
#endif
