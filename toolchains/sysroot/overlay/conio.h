/* Wine lacks the wide functions of the console. */
#include_next <conio.h>
#ifndef SYSROOT_CONIO_H
#define SYSROOT_CONIO_H
#ifdef __cplusplus
extern "C" {
#endif
_ACRTIMP wint_t __cdecl _getwch(void);
_ACRTIMP wint_t __cdecl _getwche(void);
_ACRTIMP wint_t __cdecl _putwch(wchar_t);
_ACRTIMP wint_t __cdecl _ungetwch(wint_t);
#ifdef __cplusplus
}
#endif
#endif
