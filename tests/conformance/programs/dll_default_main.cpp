// A DLL without `DllMain`: the default takes its place, statics live as long as the module, thread notifications do no harm.
#include "check.h"
#include <thread>

int main() {
    int counts[2] = {0, 0};
    for (int round = 0; round < 3; ++round) {
        HMODULE module = LoadLibraryA("part_plain.dll");
        CHECK(module);
        auto attach = (int (*)(int *))GetProcAddress(module, "attach");
        CHECK(attach);
        printf("value %d\n", attach(counts));
        std::thread([] {}).join();
        CHECK(FreeLibrary(module));
    }
    printf("constructed %d destroyed %d\n", counts[0], counts[1]);
}
