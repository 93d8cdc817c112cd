// __delayLoadHelper2, as the linker's thunks call it: x0 = descriptor, x1 = entry of the table; the function comes back in x0.
//
// LLD's thunks for this machine have no unwind data, so an exception that the helper raises could never pass them: the unwinder would
// take the thunk for a leaf and return to the same place for ever. The unwind codes here describe this frame and the thunk's together
// (lld/COFF/DLL.cpp, tailMergeARM64: x29 and x30 at the bottom of 224 bytes), so that unwinding goes from here to the thunk's caller.
// A thunk of another layout shows in the conformance program for failing delay loads.
    .text
    .globl __delayLoadHelper2
    .def __delayLoadHelper2; .scl 2; .type 32; .endef
    .p2align 2
    .seh_proc __windlass_delay_frames
__windlass_delay_frames:
    // Never executed: the thunk's prologue and ours, for the unwind codes that go with them.
    stp x29, x30, [sp, #-224]!
    .seh_save_fplr_x 224
    sub sp, sp, #16
    .seh_stackalloc 16
    .seh_endprologue
__delayLoadHelper2:
    str x30, [sp, #-16]!
    bl __windlass_delay_resolve
    ldr x30, [sp], #16
    ret
    .seh_endproc

    .globl "@feat.00"
    .set "@feat.00", 0x800
