// What the conformance programs share: a check that reports and ends the program, and a way to run themselves as a child.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

// Ends the program with exit code 99 and names the place, so that a failed check can never be taken for the sentinel.
#define CHECK(condition)                                                                                                \
    do {                                                                                                                \
        if (!(condition)) {                                                                                             \
            printf("failed: %s:%d: %s (last error %lu)\n", strrchr("/" __FILE__, '/') + 1, __LINE__, #condition,          \
                   GetLastError());                                                                                     \
            fflush(stdout);                                                                                             \
            _exit(99);                                                                                                  \
        }                                                                                                               \
    } while (0)

// Starts this program again with one argument and returns its full 32-bit exit code. Its output goes where ours goes.
static inline unsigned long run_self(const wchar_t *argument) {
    static wchar_t path[32768], line[33000];
    STARTUPINFOW startup = {0};
    PROCESS_INFORMATION process;
    DWORD code = 0;
    startup.cb = sizeof startup;
    fflush(stdout);
    CHECK(GetModuleFileNameW(NULL, path, 32768) != 0);
    CHECK(swprintf_s(line, 33000, L"\"%ls\" %ls", path, argument) > 0);
    CHECK(CreateProcessW(path, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process));
    CHECK(WaitForSingleObject(process.hProcess, 120000) == WAIT_OBJECT_0);
    CHECK(GetExitCodeProcess(process.hProcess, &code));
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return code;
}
