// Resolves every function that this image takes from one delay-loaded DLL.
#include "delay.h"

HRESULT WINAPI __HrLoadAllImportsForDll(LPCSTR dll) {
    PCImgDelayDescr descriptor = __windlass_delay_find(dll);
    if (!descriptor)
        return HRESULT_FROM_WIN32(ERROR_MOD_NOT_FOUND);
    FARPROC *table = DELAY_ADDRESS(FARPROC *, descriptor->rvaIAT);
    const unsigned count = __windlass_delay_count(descriptor);
    for (unsigned index = 0; index < count; ++index)
        __windlass_delay_resolve(descriptor, &table[index]);
    return S_OK;
}
