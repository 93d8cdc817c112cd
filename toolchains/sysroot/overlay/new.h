/* Absent in Wine: the new handler and new mode of the UCRT. */
#pragma once
#include <corecrt.h>
#ifdef __cplusplus
#include <new>
using std::new_handler;
using std::set_new_handler;
extern "C" {
#endif
typedef int(__cdecl *_PNH)(size_t);
_ACRTIMP _PNH __cdecl _query_new_handler(void);
_ACRTIMP _PNH __cdecl _set_new_handler(_PNH);
_ACRTIMP int __cdecl _query_new_mode(void);
_ACRTIMP int __cdecl _set_new_mode(int);
#ifdef __cplusplus
}
#endif
