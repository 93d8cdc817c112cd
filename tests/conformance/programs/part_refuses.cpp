// A DLL that refuses to load in the way that the environment says.
#include "check.h"

static void say(const char *text) {
    printf("  %s\n", text);
    fflush(stdout);
}
static bool mode(const char *name) {
    char value[16] = "";
    GetEnvironmentVariableA("WINDLASS_MODE", value, sizeof value);
    return strcmp(value, name) == 0;
}
struct Noted {
    Noted() { say("static +"); }
    ~Noted() { say("static -"); }
};
static Noted noted;
static int register_early() {
    atexit([] { say("early atexit"); });
    return 0;
}
static int fail() { return mode("init") ? 3 : 0; }
extern "C" {
__attribute__((section(".CRT$XIT"), used)) int (*const place_register)() = register_early;
__attribute__((section(".CRT$XIU"), used)) int (*const place_fail)() = fail;
}

BOOL WINAPI DllMain(HINSTANCE, DWORD reason, LPVOID) {
    if (reason == DLL_PROCESS_ATTACH) say("attach");
    if (reason == DLL_PROCESS_DETACH) say("detach");
    return reason != DLL_PROCESS_ATTACH || !mode("main");
}
