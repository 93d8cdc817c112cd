// Entry point of a windowed program with `WinMain`.
#include "../crt.h"

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, char *command_line, int show);

// The arguments are configured too: `__argc` and its kin work in a windowed program as well.
static int __cdecl prepare(void) {
    int error = _configure_narrow_argv(_get_startup_argv_mode());
    if (error == 0 && _should_initialize_environment())
        error = _initialize_narrow_environment();
    return error;
}

static int __cdecl invoke(void) {
    return WinMain((HINSTANCE)&__ImageBase, NULL, _get_narrow_winmain_command_line(), __windlass_winmain_show());
}

// Nothing with a stack guard may be active while the cookie changes, so the entry point itself does no more than this.
int __cdecl WinMainCRTStartup(void) {
    __security_init_cookie();
    return __windlass_run_exe(CRT_GUI_APP, prepare, invoke);
}
