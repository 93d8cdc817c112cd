// Dynamic initialisers of thread-local variables.
//
// The compiler puts one pointer per variable into `.CRT$XDU` and asks the linker for `__dyn_tls_init`. They run once per thread: by the
// loader's callback for threads that start while the module is loaded, by the start-up code for the thread that loads it, and on demand
// for threads that are older than the module (`__tls_guard`, "/Zc:tlsGuards" of the Microsoft C++ documentation).
// Source: clang, CodeGen/MicrosoftCXXABI.cpp (EmitThreadLocalInitFuncs and the on-demand wrapper).
#include "../crt.h"

CRT_SECTION(".CRT$XDA") const crt_procedure __xd_a[1] = {0};
CRT_SECTION(".CRT$XDZ") const crt_procedure __xd_z[1] = {0};

__declspec(thread) char __tls_guard = 0;

void NTAPI __dyn_tls_init(PVOID module, DWORD reason, PVOID reserved) {
    (void)module;
    (void)reserved;
    // DLL_PROCESS_ATTACH comes before the module's own initialisers have run; the start-up code calls again after them.
    if (reason != DLL_THREAD_ATTACH || __tls_guard)
        return;
    // Set first: an initialiser may touch another variable of the module.
    __tls_guard = 1;
    for (const crt_procedure *entry = __xd_a; entry != __xd_z; ++entry)
        if (*entry)
            (*entry)();
}

void __cdecl __dyn_tls_on_demand_init(void) { __dyn_tls_init(NULL, DLL_THREAD_ATTACH, NULL); }

crt_tls_callback __windlass_tls_init = __dyn_tls_init;
CRT_SECTION(".CRT$XLC") static const PIMAGE_TLS_CALLBACK callback = __dyn_tls_init;
