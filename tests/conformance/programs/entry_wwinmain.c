// `wWinMain`: the command line keeps its characters, and one start with SW_HIDE asked for is seen as such.
#include "check.h"

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, wchar_t *line, int show) {
    CHECK(instance == GetModuleHandleW(NULL) && previous == NULL);
    if (wcscmp(line, L"hidden") == 0)
        return show == SW_HIDE ? 71 : 72;
    STARTUPINFOW startup = {0};
    PROCESS_INFORMATION process;
    wchar_t path[4096], command[4200];
    DWORD code;
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESHOWWINDOW;
    startup.wShowWindow = SW_HIDE;
    CHECK(GetModuleFileNameW(NULL, path, 4096));
    swprintf_s(command, 4200, L"\"%ls\" hidden", path);
    CHECK(CreateProcessW(path, command, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process));
    CHECK(WaitForSingleObject(process.hProcess, 60000) == WAIT_OBJECT_0 && GetExitCodeProcess(process.hProcess, &code));
    printf("units=%d last=%04x child=%lu\n", (int)wcslen(line), (unsigned)line[wcslen(line) - 1], code);
    return 45;
}
