// Delay loading a DLL that is not there: the exception's code and contents, and a failure hook that supplies the DLL or the function.
#include "check.h"
#include <delayimp.h>

__declspec(dllimport) int absent(int value);

static int mode;
static int WINAPI replacement(int value) { return value + 1000; }
static FARPROC WINAPI hook(unsigned event, DelayLoadInfo *info) {
    printf("failure %u %s %s error %lu\n", event, info->szDll, info->dlp.szProcName, info->dwLastError);
    if (mode == 1 && event == dliFailLoadLib)
        return (FARPROC)GetModuleHandleA("kernel32.dll");
    if (mode == 1 && event == dliFailGetProc)
        return (FARPROC)replacement;
    return NULL;
}
const PfnDliHook __pfnDliFailureHook2 = hook;

static unsigned filtered;
static int filter(unsigned code, EXCEPTION_POINTERS *pointers) {
    DelayLoadInfo *info = (DelayLoadInfo *)pointers->ExceptionRecord->ExceptionInformation[0];
    printf("exception %x %s %s\n", code, info->szDll, info->dlp.szProcName);
    filtered = code;
    return EXCEPTION_EXECUTE_HANDLER;
}
static __declspec(noinline) int call(int value) { return absent(value); }

int main(void) {
    __try {
        printf("called %d\n", call(1));
    } __except (filter(GetExceptionCode(), GetExceptionInformation())) {
        printf("caught %d\n", filtered == (unsigned)VcppException(ERROR_SEVERITY_ERROR, ERROR_MOD_NOT_FOUND));
    }
    mode = 1;
    printf("mended %d\n", call(2));
    mode = 0;
    printf("kept %d\n", call(3));
    return 0;
}
