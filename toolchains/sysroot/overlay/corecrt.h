/* Wine lacks the type for sizes of the secure functions. */
#include_next <corecrt.h>
#ifndef SYSROOT_CORECRT_H
#define SYSROOT_CORECRT_H
typedef size_t rsize_t;
#endif
