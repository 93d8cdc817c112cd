// What happens between the entry point of a program and `exit`, whichever kind of `main` it has.
//
// Order: settings of the UCRT, arguments and environment, C initialisers (which may fail), C++ initialisers, thread-local
// initialisers of the first thread, `main`, `exit`. Sources: "CRT initialization" and "Link options" of the Microsoft C++ documentation.
#include "../crt.h"

// Exit code of a program whose C initialisers report a failure.
#define CRT_INIT_FAILED 255

CRT_HOOK crt_tls_callback __windlass_tls_init;
CRT_HOOK crt_tls_callback __windlass_tls_exit;

// With the DLL form of the UCRT nobody else runs a program's own pre-terminators and terminators: ucrtbase.dll knows only its own.
static void __cdecl run_terminators(void) {
    _initterm(__xp_a, __xp_z);
    _initterm(__xt_a, __xt_z);
}

// `quick_exit` leaves out the pre-terminators, as the static UCRT does.
static void __cdecl run_quick_terminators(void) { _initterm(__xt_a, __xt_z); }

static void configure(enum crt_app_kind kind) {
    _set_app_type(kind);
    _set_fmode(_get_startup_file_mode());
    *__p__commode() = _get_startup_commit_mode();
    _set_new_mode(_get_startup_new_mode());
    _configthreadlocale(_get_startup_thread_locale_mode());
    __setusermatherr(_matherr);
}

static int initialize(enum crt_app_kind kind, int(__cdecl *prepare)(void)) {
    configure(kind);
    if (prepare() != 0)
        return 0;
    // Registered first, so that they run after everything that the initialisers and `main` register.
    if (_crt_atexit(run_terminators) != 0 || _crt_at_quick_exit(run_quick_terminators) != 0)
        return 0;
    if (_initterm_e(__xi_a, __xi_z) != 0)
        return 0;
    __windlass_catch_cxx_exceptions();
    _initterm(__xc_a, __xc_z);
    // The loader's own call came with DLL_PROCESS_ATTACH, before any initialiser had run, and was ignored for that reason.
    if (__windlass_tls_init)
        __windlass_tls_init(NULL, DLL_THREAD_ATTACH, NULL);
    // The loader's last callback comes too late for the first thread: by then `exit` has flushed and the statics are gone.
    // The UCRT calls this one at the start of `exit` (exported for exactly this).
    if (__windlass_tls_exit)
        _register_thread_local_exe_atexit_callback(__windlass_tls_exit);
    return 1;
}

// The code is kept by the filter: not every implementation of the C handler hands it to the handler block.
static int filter(unsigned long code, EXCEPTION_POINTERS *pointers, volatile int *kept) {
    *kept = (int)code;
    return _seh_filter_exe(code, pointers);
}

int __cdecl __windlass_run_exe(enum crt_app_kind kind, int(__cdecl *prepare)(void), int(__cdecl *invoke)(void)) {
    volatile int code = 0;
    // The filter turns exceptions into the signals that C knows; what it does not take goes to the system's unhandled filter.
    __try {
        if (!initialize(kind, prepare))
            _exit(CRT_INIT_FAILED);
        exit(invoke());
    } __except (filter(_exception_code(), (EXCEPTION_POINTERS *)_exception_info(), &code)) {
        _exit(code);
    }
}
