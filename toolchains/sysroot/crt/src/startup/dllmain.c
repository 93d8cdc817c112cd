// The `DllMain` of a DLL that brings none. A user's own definition keeps this member out of the link.
#include "../crt.h"

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
    (void)reserved;
    // Thread notifications would do nothing here. The system refuses this for modules with thread-local storage, which need them.
    if (reason == DLL_PROCESS_ATTACH)
        DisableThreadLibraryCalls(module);
    return TRUE;
}
