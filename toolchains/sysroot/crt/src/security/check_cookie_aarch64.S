// __security_check_cookie: x0 is the cookie from the frame. No register but the flags and x16 changes: it may run between a
// function's result and its return. Compiled code of clang compares inline and comes here only to report; other compilers always call.
    .section .text,"xr",one_only,__security_check_cookie
    .globl __security_check_cookie
    .def __security_check_cookie; .scl 2; .type 32; .endef
    .p2align 2
__security_check_cookie:
    adrp x16, __security_cookie
    ldr x16, [x16, :lo12:__security_cookie]
    cmp x0, x16
    b.ne 1f
    ret
1:  b __report_gsfailure

// Bit 11 says that this object may be linked with /guard:cf: it holds no address-taken function of its own.
    .globl "@feat.00"
    .set "@feat.00", 0x800
