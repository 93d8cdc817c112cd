/* Wine lacks _commit. */
#include_next <io.h>
#ifndef SYSROOT_IO_H
#define SYSROOT_IO_H
#ifdef __cplusplus
extern "C"
#endif
_ACRTIMP int __cdecl _commit(int);
#endif
