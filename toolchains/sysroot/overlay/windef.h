/* Wine defines cdecl for its own compilers only. */
#include_next <windef.h>
#ifndef cdecl
#define cdecl __cdecl
#endif
