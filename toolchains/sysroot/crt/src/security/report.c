// What happens when a stack cookie was overwritten: the process ends at once, with exit code 0xC0000409.
//
// No handler and no destructor may run, since the stack cannot be trusted ("__fastfail", Microsoft C++ documentation).
#include "../crt.h"

__declspec(noreturn) void __cdecl __report_gsfailure(UINT_PTR cookie) {
    (void)cookie;
    __fastfail(FAST_FAIL_STACK_COOKIE_CHECK_FAILURE);
}
