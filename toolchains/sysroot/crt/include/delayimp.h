// Delay loading: the structures that a linker emits for delay-loaded DLLs, and the helper functions of delayimp.lib.
//
// Written from "Linker support for delay-loaded DLLs" of the Microsoft C++ documentation ("Structure and constant definitions",
// "Notification hooks", "Explicitly unload a delay-loaded DLL", "Load all imports for a delay-loaded DLL").
#ifndef WINDLASS_DELAYIMP_H
#define WINDLASS_DELAYIMP_H

#include <windows.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef IMAGE_THUNK_DATA *PImgThunkData;
typedef const IMAGE_THUNK_DATA *PCImgThunkData;
typedef DWORD RVA;

// Set in grAttrs when the fields are addresses relative to the image, which is the only form on 64-bit machines.
enum DLAttr { dlattrRva = 0x1 };

typedef struct ImgDelayDescr {
    DWORD grAttrs;
    RVA rvaDLLName;
    RVA rvaHmod;
    RVA rvaIAT;
    RVA rvaINT;
    RVA rvaBoundIAT;
    RVA rvaUnloadIAT;
    DWORD dwTimeStamp;
} ImgDelayDescr, *PImgDelayDescr;
typedef const ImgDelayDescr *PCImgDelayDescr;

typedef struct DelayLoadProc {
    BOOL fImportByName;
    union {
        LPCSTR szProcName;
        DWORD dwOrdinal;
    };
} DelayLoadProc;

typedef struct DelayLoadInfo {
    DWORD cb;
    PCImgDelayDescr pidd;
    FARPROC *ppfn;
    LPCSTR szDll;
    DelayLoadProc dlp;
    HMODULE hmodCur;
    FARPROC pfnCur;
    DWORD dwLastError;
} DelayLoadInfo, *PDelayLoadInfo;

enum {
    dliStartProcessing = 0,
    dliNoteStartProcessing = dliStartProcessing,
    dliNotePreLoadLibrary,
    dliNotePreGetProcAddress,
    dliFailLoadLib,
    dliFailGetProc,
    dliNoteEndProcessing
};

typedef FARPROC(WINAPI *PfnDliHook)(unsigned dliNotify, PDelayLoadInfo pdli);

#ifndef FACILITY_VISUALCPP
#define FACILITY_VISUALCPP ((LONG)0x6d)
#endif
// The code of the exception that the helper raises when no hook has mended a failure.
#define VcppException(sev, err) ((sev) | (FACILITY_VISUALCPP << 16) | (err))

// Hooks: a program defines the ones that it wants; delayimp.lib defines the others as null.
extern const PfnDliHook __pfnDliNotifyHook2;
extern const PfnDliHook __pfnDliFailureHook2;

FARPROC WINAPI __delayLoadHelper2(PCImgDelayDescr pidd, FARPROC *ppfnIATEntry);
HRESULT WINAPI __HrLoadAllImportsForDll(LPCSTR szDll);
BOOL WINAPI __FUnloadDelayLoadedDLL2(LPCSTR szDll);

#ifdef __cplusplus
}
#endif

#endif
