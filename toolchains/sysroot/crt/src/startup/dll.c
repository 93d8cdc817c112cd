// Entry point of a DLL: the start-up and shut-down work around the user's `DllMain`.
//
// Attach: stack cookie, C initialisers, C++ initialisers, thread-local initialisers of the loading thread, `DllMain`.
// Detach: `DllMain`, the module's `atexit` functions (among them the destructors of its statics), pre-terminators, terminators.
// Source: "DLLs and Visual C++ run-time library behavior" of the Microsoft C++ documentation; "DllMain entry point" of Windows'.
#include "../crt.h"

typedef BOOL(WINAPI *raw_dll_main)(HINSTANCE, DWORD, LPVOID);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

CRT_HOOK crt_tls_callback __windlass_tls_init;

// A program may define this pointer to be called before the initialisers and after the terminators (same document).
CRT_HOOK raw_dll_main _pRawDllMain;

// A detach without a successful attach must do nothing: the system sends one after a failed attach.
static LONG attached;

static BOOL initialize(HINSTANCE module, LPVOID reserved) {
    if (__windlass_open_module_onexit() != 0)
        return FALSE;
    if (_initterm_e(__xi_a, __xi_z) != 0) {
        // What earlier initialisers registered would otherwise point into an unloaded module.
        __windlass_close_module_onexit();
        return FALSE;
    }
    _initterm(__xc_a, __xc_z);
    // The loader's TLS callback came before the initialisers and was ignored; later threads get theirs from the loader.
    if (__windlass_tls_init)
        __windlass_tls_init(module, DLL_THREAD_ATTACH, reserved);
    ++attached;
    return TRUE;
}

static void terminate_module(void) {
    --attached;
    __windlass_close_module_onexit();
    _initterm(__xp_a, __xp_z);
    _initterm(__xt_a, __xt_z);
}

static BOOL call_raw(HINSTANCE module, DWORD reason, LPVOID reserved) {
    return _pRawDllMain ? _pRawDllMain(module, reason, reserved) : TRUE;
}

static BOOL attach(HINSTANCE module, LPVOID reserved) {
    if (!call_raw(module, DLL_PROCESS_ATTACH, reserved))
        return FALSE;
    if (!initialize(module, reserved))
        return FALSE;
    if (DllMain(module, DLL_PROCESS_ATTACH, reserved))
        return TRUE;
    // The user's code refused. It sees the matching detach now, since the one from the system will be ignored.
    DllMain(module, DLL_PROCESS_DETACH, reserved);
    terminate_module();
    call_raw(module, DLL_PROCESS_DETACH, reserved);
    return FALSE;
}

static BOOL detach(HINSTANCE module, LPVOID reserved) {
    if (attached <= 0)
        return FALSE;
    BOOL result = DllMain(module, DLL_PROCESS_DETACH, reserved);
    terminate_module();
    return call_raw(module, DLL_PROCESS_DETACH, reserved) && result;
}

static BOOL dispatch(HINSTANCE module, DWORD reason, LPVOID reserved) {
    switch (reason) {
    case DLL_PROCESS_ATTACH:
        return attach(module, reserved);
    case DLL_PROCESS_DETACH:
        return detach(module, reserved);
    case DLL_THREAD_ATTACH:
        return call_raw(module, reason, reserved) && DllMain(module, reason, reserved);
    default:
        return DllMain(module, reason, reserved) && call_raw(module, reason, reserved);
    }
}

static BOOL guarded(HINSTANCE module, DWORD reason, LPVOID reserved) {
    // Only C++ exceptions are taken here; everything else belongs to whoever loads the DLL.
    __try {
        return dispatch(module, reason, reserved);
    } __except (_seh_filter_dll(_exception_code(), (EXCEPTION_POINTERS *)_exception_info())) {
        return FALSE;
    }
}

// The cookie changes before any function with a stack guard is entered.
BOOL WINAPI _DllMainCRTStartup(HINSTANCE module, DWORD reason, LPVOID reserved) {
    if (reason == DLL_PROCESS_ATTACH)
        __security_init_cookie();
    return guarded(module, reason, reserved);
}
