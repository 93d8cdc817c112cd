// `at_quick_exit`, for programs and DLLs alike.
//
// `quick_exit` must call the functions of every module (C11 7.22.4.7), and only the UCRT knows when. A registration cannot be taken
// back, so a DLL that makes one stays loaded until the process ends; otherwise the UCRT would call into memory that is gone.
#include "../crt.h"

int __cdecl at_quick_exit(crt_procedure function) {
    HMODULE pinned;
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    if (!GetModuleHandleExW(flags, (LPCWSTR)function, &pinned))
        return -1;
    return _crt_at_quick_exit(function);
}

int(__cdecl *const __imp_at_quick_exit)(crt_procedure) = at_quick_exit;
