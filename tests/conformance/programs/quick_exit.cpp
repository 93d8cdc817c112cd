// `at_quick_exit` in a program and in a DLL that was "unloaded" meanwhile; `atexit` functions do not run.
#include "check.h"

static void say(const char *text) {
    printf("%s\n", text);
    fflush(stdout);
}
static void termination() { say("XTU"); }
static void before() { say("XPU"); }
extern "C" __attribute__((section(".CRT$XTU"), used)) void (*const place_termination)() = termination;
extern "C" __attribute__((section(".CRT$XPU"), used)) void (*const place_before)() = before;

int main() {
    atexit([] { say("atexit of the program"); });
    at_quick_exit([] { say("quick 1"); });
    HMODULE module = LoadLibraryA("part_quick.dll");
    CHECK(module);
    CHECK(((int (*)())GetProcAddress(module, "arm"))() == 0);
    CHECK(FreeLibrary(module) && GetModuleHandleA("part_quick.dll"));
    at_quick_exit([] { say("quick 2"); });
    quick_exit(31);
}
