// __security_check_cookie: rcx is the cookie from the frame, already without the frame's address. No register but the flags
// changes: it may run between a function's result and its return. Compiled code of clang compares inline and comes here only to report.
    .section .text,"xr",one_only,__security_check_cookie
    .globl __security_check_cookie
    .def __security_check_cookie; .scl 2; .type 32; .endef
    .p2align 4
__security_check_cookie:
    cmpq __security_cookie(%rip), %rcx
    jne 1f
    retq
1:  jmp __report_gsfailure

// Bit 11 says that this object may be linked with /guard:cf: it holds no address-taken function of its own.
    .globl "@feat.00"
    .set "@feat.00", 0x800
