// The `_matherr` of a program that brings none: zero says that the error was not handled ("_matherr", Microsoft C++ documentation).
#include "../crt.h"

int __cdecl _matherr(struct _exception *error) {
    (void)error;
    return 0;
}
