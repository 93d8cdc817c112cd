// A DLL that registers with `at_quick_exit`.
#include "check.h"

extern "C" __declspec(dllexport) int arm() {
    return at_quick_exit([] {
        printf("quick of the DLL\n");
        fflush(stdout);
    });
}
