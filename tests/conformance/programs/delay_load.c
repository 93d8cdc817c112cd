// Delay loading: the DLL comes with the first call, the notify hook sees each step, the DLL can go and come again.
#include "check.h"
#include <delayimp.h>

__declspec(dllimport) int triple(int value);
__declspec(dllimport) double mixed(double a, int b, double c, long long d, float e, int f, int g, int h, int i, int j);

static FARPROC WINAPI hook(unsigned event, DelayLoadInfo *info) {
    printf("event %u %s %s%s\n", event, info->szDll, info->dlp.fImportByName ? info->dlp.szProcName : "#",
           info->hmodCur ? " module" : "");
    CHECK(info->cb == sizeof *info);
    return NULL;
}
const PfnDliHook __pfnDliNotifyHook2 = hook;

// Not inlined, so that each call reads the table: the compiler may keep what it once read, and then calls the thunk again.
static __declspec(noinline) int call_triple(int value) { return triple(value); }

int main(void) {
    CHECK(!GetModuleHandleA("part_delay.dll"));
    printf("triple %d\n", call_triple(14));
    CHECK(GetModuleHandleA("part_delay.dll"));
    printf("triple %d\n", call_triple(15));
    // Ten arguments in every register class and on the stack survive the thunk.
    printf("mixed %.1f\n", mixed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    CHECK(__FUnloadDelayLoadedDLL2("PART_DELAY.dll"));
    CHECK(!GetModuleHandleA("part_delay.dll") && !__FUnloadDelayLoadedDLL2("part_delay.dll"));
    CHECK(__HrLoadAllImportsForDll("part_delay.dll") == S_OK);
    printf("triple %d\n", call_triple(16));
    CHECK(__HrLoadAllImportsForDll("none.dll") == HRESULT_FROM_WIN32(ERROR_MOD_NOT_FOUND));
    CHECK(!__FUnloadDelayLoadedDLL2("none.dll"));
    return 0;
}
