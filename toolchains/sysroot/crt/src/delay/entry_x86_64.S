// __delayLoadHelper2, as the linker's thunks call it: rcx = descriptor, rdx = entry of the table; the function comes back in rax.
// The thunks of this machine have unwind data, so nothing stands between them and the function.
    .text
    .globl __delayLoadHelper2
    .def __delayLoadHelper2; .scl 2; .type 32; .endef
    .p2align 4
__delayLoadHelper2:
    jmp __windlass_delay_resolve

    .globl "@feat.00"
    .set "@feat.00", 0x800
