// The work behind `__delayLoadHelper2`, which a delay-load thunk calls the first time: loads the DLL, finds the function, stores it, and returns it.
//
// Source: "Linker support for delay-loaded DLLs" of the Microsoft C++ documentation; LLVM, lld/COFF/DLL.cpp (the thunks).
#include "delay.h"

static FARPROC notify(unsigned event, DelayLoadInfo *info) {
    return __pfnDliNotifyHook2 ? __pfnDliNotifyHook2(event, info) : NULL;
}

static FARPROC mend(unsigned event, DelayLoadInfo *info) {
    info->dwLastError = GetLastError();
    return __pfnDliFailureHook2 ? __pfnDliFailureHook2(event, info) : NULL;
}

// A handler of this exception may put a function into `pfnCur` and continue.
static void raise(DWORD error, DelayLoadInfo *info) {
    ULONG_PTR argument = (ULONG_PTR)info;
    RaiseException(VcppException(ERROR_SEVERITY_ERROR, error), 0, 1, &argument);
}

static HMODULE load(DelayLoadInfo *info, HMODULE *slot) {
    HMODULE module = (HMODULE)notify(dliNotePreLoadLibrary, info);
    if (!module)
        module = LoadLibraryExA(info->szDll, NULL, 0);
    if (!module)
        module = (HMODULE)mend(dliFailLoadLib, info);
    if (!module) {
        raise(ERROR_MOD_NOT_FOUND, info);
        return NULL;
    }
    __windlass_delay_remember(info->pidd);
    // Another thread may have loaded it meanwhile; one reference per module is enough.
    if (InterlockedExchangePointer((PVOID volatile *)slot, module) == module)
        FreeLibrary(module);
    return module;
}

static FARPROC find(DelayLoadInfo *info) {
    FARPROC function = notify(dliNotePreGetProcAddress, info);
    if (!function)
        function = GetProcAddress(info->hmodCur, info->dlp.szProcName);
    if (!function)
        function = mend(dliFailGetProc, info);
    if (!function) {
        raise(ERROR_PROC_NOT_FOUND, info);
        function = info->pfnCur;
    }
    return function;
}

static void describe(DelayLoadInfo *info) {
    const size_t index = (size_t)(info->ppfn - DELAY_ADDRESS(FARPROC *, info->pidd->rvaIAT));
    PCImgThunkData name = DELAY_ADDRESS(PCImgThunkData, info->pidd->rvaINT) + index;
    info->szDll = DELAY_ADDRESS(LPCSTR, info->pidd->rvaDLLName);
    info->dlp.fImportByName = !IMAGE_SNAP_BY_ORDINAL(name->u1.Ordinal);
    if (info->dlp.fImportByName)
        info->dlp.szProcName = DELAY_ADDRESS(IMAGE_IMPORT_BY_NAME *, name->u1.AddressOfData)->Name;
    else
        // The whole pointer is set: GetProcAddress takes it, and reads an ordinal from a pointer below 64 Ki.
        info->dlp.szProcName = (LPCSTR)(ULONG_PTR)IMAGE_ORDINAL(name->u1.Ordinal);
}

FARPROC WINAPI __windlass_delay_resolve(PCImgDelayDescr descriptor, FARPROC *entry) {
    DelayLoadInfo info = {.cb = sizeof info, .pidd = descriptor, .ppfn = entry};
    if (!(descriptor->grAttrs & dlattrRva)) {
        raise(ERROR_INVALID_PARAMETER, &info);
        return NULL;
    }
    describe(&info);
    HMODULE *slot = DELAY_ADDRESS(HMODULE *, descriptor->rvaHmod);
    FARPROC function = notify(dliStartProcessing, &info);
    if (!function) {
        info.hmodCur = *slot ? *slot : load(&info, slot);
        if (!info.hmodCur)
            return info.pfnCur;
        function = find(&info);
        if (function)
            __windlass_delay_store(entry, function);
    }
    info.dwLastError = 0;
    info.pfnCur = function;
    notify(dliNoteEndProcessing, &info);
    return function;
}
