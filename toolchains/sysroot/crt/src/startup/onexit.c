// `atexit` and `_onexit`: in a program they register with the UCRT, in a DLL with a table of the module's own.
//
// A DLL's functions must run when the DLL goes, not when the process does ("atexit" and "_onexit" of the Microsoft C++ documentation).
#include "../crt.h"

typedef int(__cdecl *onexit_function)(void);

static struct crt_onexit_table module_table;
static int in_dll;

int __cdecl __windlass_open_module_onexit(void) {
    in_dll = 1;
    return _initialize_onexit_table(&module_table);
}

// Runs in reverse order of registration and leaves the table empty.
void __cdecl __windlass_close_module_onexit(void) { _execute_onexit_table(&module_table); }

onexit_function __cdecl _onexit(onexit_function function) {
    int error = in_dll ? _register_onexit_function(&module_table, function) : _crt_atexit((crt_procedure)function);
    return error == 0 ? function : NULL;
}

int __cdecl atexit(crt_procedure function) { return _onexit((onexit_function)function) ? 0 : -1; }

// Headers that declare these two with `dllimport` make callers go through an import pointer.
onexit_function(__cdecl *const __imp__onexit)(onexit_function) = _onexit;
int(__cdecl *const __imp_atexit)(crt_procedure) = atexit;
