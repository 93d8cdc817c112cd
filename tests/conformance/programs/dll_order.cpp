// Loading and unloading a DLL with `DllMain`: initialisers, `DllMain`, then at unload `DllMain`, `atexit`, statics, terminators; twice.
#include "check.h"

int main() {
    for (int round = 1; round <= 2; ++round) {
        HMODULE module = LoadLibraryA("part_order.dll");
        CHECK(module);
        auto answer = (int (*)())GetProcAddress(module, "answer");
        CHECK(answer);
        printf("round %d answer %d\n", round, answer());
        CHECK(FreeLibrary(module));
        CHECK(!GetModuleHandleA("part_order.dll"));
    }
    puts("unloaded");
}
