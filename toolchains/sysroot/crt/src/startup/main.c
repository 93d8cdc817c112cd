// Entry point of a console program with `main`.
#include "../crt.h"

int __cdecl main(int argc, char **argv, char **environment);

static int __cdecl prepare(void) {
    int error = _configure_narrow_argv(_get_startup_argv_mode());
    if (error == 0 && _should_initialize_environment())
        error = _initialize_narrow_environment();
    return error;
}

static int __cdecl invoke(void) { return main(*__p___argc(), *__p___argv(), _get_initial_narrow_environment()); }

// Nothing with a stack guard may be active while the cookie changes, so the entry point itself does no more than this.
int __cdecl mainCRTStartup(void) {
    __security_init_cookie();
    return __windlass_run_exe(CRT_CONSOLE_APP, prepare, invoke);
}
