/* Wine lacks _commit, and makes open and sopen macros, which turns every member function of that name, such as those of
 * <fstream>, into _open. Microsoft's oldnames.lib has both as functions, and so has ours. */
#include_next <io.h>
#ifndef SYSROOT_IO_H
#define SYSROOT_IO_H
#undef open
#undef sopen
#ifdef __cplusplus
extern "C" {
#endif
_ACRTIMP int __cdecl _commit(int);
int __cdecl open(const char *, int, ...);
int __cdecl sopen(const char *, int, int, ...);
#ifdef __cplusplus
}
#endif
#endif
