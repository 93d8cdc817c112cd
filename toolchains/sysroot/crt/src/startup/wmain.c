// Entry point of a console program with `wmain`.
#include "../crt.h"

int __cdecl wmain(int argc, wchar_t **argv, wchar_t **environment);

static int __cdecl prepare(void) {
    int error = _configure_wide_argv(_get_startup_argv_mode());
    if (error == 0 && _should_initialize_environment())
        error = _initialize_wide_environment();
    return error;
}

static int __cdecl invoke(void) { return wmain(*__p___argc(), *__p___wargv(), _get_initial_wide_environment()); }

// Nothing with a stack guard may be active while the cookie changes, so the entry point itself does no more than this.
int __cdecl wmainCRTStartup(void) {
    __security_init_cookie();
    return __windlass_run_exe(CRT_CONSOLE_APP, prepare, invoke);
}
