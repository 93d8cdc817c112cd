/* Linked into every test: when the program comes to its end and runs its exit handlers, it says so. Exit code 0 alone proves
 * nothing: a loader that gave up may return it too. */

#include <stdlib.h>
#include <windows.h>

static void __cdecl ended(void)
{
    static const char text[] = "\nlibc++ test ended\n";
    DWORD written;
    /* Not through stdio, which is what some of the tests are about. */
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text, sizeof text - 1, &written, NULL);
}

static int __cdecl begin(void)
{
    return atexit(ended);
}

#pragma section(".CRT$XIU", long, read)
__declspec(allocate(".CRT$XIU")) int(__cdecl *const windlass_sentinel)(void) = begin;
