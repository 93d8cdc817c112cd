// Unloads a delay-loaded DLL: the next call of one of its functions loads it again.
#include "delay.h"

BOOL WINAPI __FUnloadDelayLoadedDLL2(LPCSTR dll) {
    PCImgDelayDescr descriptor = __windlass_delay_find(dll);
    if (!descriptor)
        return FALSE;
    HMODULE *slot = DELAY_ADDRESS(HMODULE *, descriptor->rvaHmod);
    if (!*slot || !__windlass_delay_restore(descriptor))
        return FALSE;
    HMODULE module = InterlockedExchangePointer((PVOID volatile *)slot, NULL);
    return module != NULL && FreeLibrary(module);
}
