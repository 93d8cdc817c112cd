// How many exceptions of the thread are thrown and not yet caught: what `std::uncaught_exceptions` asks for.
//
// ucrtbase.dll has it under this name too, but an emulator's may lack it; the counter that it reads all of them have.
#include "../crt.h"

int *__cdecl __processing_throw(void);

int __cdecl __uncaught_exceptions(void) { return *__processing_throw(); }

// For whoever declares it with `dllimport`, and so calls through an import pointer.
int(__cdecl *const __imp___uncaught_exceptions)(void) = __uncaught_exceptions;
