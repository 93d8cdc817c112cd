// A DLL that prints every step of its life.
#include "check.h"

static int steps;
static void step(const char *name) {
    printf("dll %d %s\n", ++steps, name);
    fflush(stdout);
}
struct Noted {
    const char *constructed, *destroyed;
    Noted(const char *in, const char *out) : constructed(in), destroyed(out) { step(constructed); }
    ~Noted() { step(destroyed); }
};
static Noted noted("static +", "static -");
static int early() { step("XIU"); return 0; }
static void termination() { step("XTU"); }
static void before() { step("XPU"); }
static BOOL WINAPI raw(HINSTANCE, DWORD reason, LPVOID) {
    if (reason == DLL_PROCESS_ATTACH) step("raw attach");
    if (reason == DLL_PROCESS_DETACH) step("raw detach");
    return TRUE;
}
extern "C" {
BOOL(WINAPI *_pRawDllMain)(HINSTANCE, DWORD, LPVOID) = raw;
__attribute__((section(".CRT$XIU"), used)) int (*const place_early)() = early;
__attribute__((section(".CRT$XPU"), used)) void (*const place_before)() = before;
__attribute__((section(".CRT$XTU"), used)) void (*const place_termination)() = termination;
__declspec(dllexport) int answer() { return steps * 100; }
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
    if (reason == DLL_PROCESS_ATTACH) {
        CHECK(module == GetModuleHandleA("part_order.dll") && reserved == NULL);
        atexit([] { step("atexit"); });
        step("DllMain attach");
    } else if (reason == DLL_PROCESS_DETACH) {
        step("DllMain detach");
    }
    return TRUE;
}
