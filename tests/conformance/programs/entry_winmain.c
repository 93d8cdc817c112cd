// `WinMain`: instance, command line without the program's name, and the request how to show the window.
#include "check.h"

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, char *line, int show) {
    CHECK(instance == GetModuleHandleW(NULL) && previous == NULL);
    STARTUPINFOW startup;
    GetStartupInfoW(&startup);
    CHECK(show == ((startup.dwFlags & STARTF_USESHOWWINDOW) ? startup.wShowWindow : SW_SHOWDEFAULT));
    printf("line=[%s] argc=%d last=[%s]\n", line, __argc, __argv[__argc - 1]);
    return 44;
}
