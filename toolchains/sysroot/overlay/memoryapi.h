/* Wine's memoryapi.h has no include guard and no C linkage. */
#ifndef SYSROOT_MEMORYAPI_H
#define SYSROOT_MEMORYAPI_H
#ifdef __cplusplus
extern "C" {
#endif
#include_next <memoryapi.h>
#ifdef __cplusplus
}
#endif
#endif
