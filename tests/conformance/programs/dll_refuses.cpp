// `DllMain` that returns FALSE, and a C initialiser that fails: the load fails with ERROR_DLL_INIT_FAILED and everything is undone.
#include "check.h"
#include <initializer_list>

int main() {
    for (const char *mode : {"main", "init", "accept"}) {
        SetEnvironmentVariableA("WINDLASS_MODE", mode);
        HMODULE module = LoadLibraryA("part_refuses.dll");
        DWORD error = module ? 0 : GetLastError();
        printf("%s: %s %lu\n", mode, module ? "loaded" : "refused", error);
        if (module) CHECK(FreeLibrary(module));
        CHECK(!GetModuleHandleA("part_refuses.dll"));
    }
    puts("undone");
}
