// A DLL for delay loading: one function by name, one by ordinal, and a count of loads in the environment.
#include "check.h"

__declspec(dllexport) int triple(int value) { return value * 3; }
__declspec(dllexport) double mixed(double a, int b, double c, long long d, float e, int f, int g, int h, int i, int j) {
    return a + b * 2 + c * 3 + (double)d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10;
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
    if (reason == DLL_PROCESS_ATTACH)
        printf("loaded\n");
    if (reason == DLL_PROCESS_DETACH && !reserved)
        printf("unloaded\n");
    return TRUE;
}
