// Libraries that the SDK names otherwise than the DLL, or that bind to API sets. What Wine does not run everywhere is delay-loaded: it links, and
// nothing of it is loaded before it is called.
#include "check.h"
#include <d3dcompiler.h>
#include <kernelspecs.h>
#include <pathcch.h>
#include <vfw.h>
#include <xinput.h>

// Wine's ks.h has the types of streams alone.
typedef struct {
    ULONG CreateFlags;
} KSCLOCK_CREATE;
DWORD WINAPI KsCreateClock(HANDLE, KSCLOCK_CREATE *, PHANDLE);

_IRQL_requires_max_(0) static HRESULT combine(wchar_t *into, size_t size) {
    return PathCchCombine(into, size, L"C:\\one\\two", L"..\\three.txt");
}

static void call_all(void) {
    ID3DBlob *blob;
    XINPUT_STATE state;
    KSCLOCK_CREATE create = {0};
    HANDLE clock;
    D3DCreateBlob(100, &blob);
    XInputGetState(0, &state);
    AVIFileInit();
    KsCreateClock(NULL, &create, &clock);
}

int main(void) {
    static const char *const late[] = {"d3dcompiler_47.dll", "xinput1_4.dll", "avifil32.dll", "ksuser.dll"};
    static volatile int wanted;
    wchar_t path[64];
    const wchar_t *extension = NULL;
    CHECK(combine(path, 64) == S_OK && PathCchFindExtension(path, 64, &extension) == S_OK);
    printf("%ls %ls\n", path, extension);
    if (wanted)
        call_all();
    for (int index = 0; index < 4; ++index)
        printf("%s %s\n", late[index], GetModuleHandleA(late[index]) ? "loaded" : "not loaded");
    return 0;
}
