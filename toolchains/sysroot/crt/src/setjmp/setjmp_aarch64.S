// _setjmpex, which clang emits for `setjmp` on this machine (CodeGen/CGBuiltin.cpp), is the DLL's `__intrinsic_setjmpex`: x0 = buffer,
// x1 = frame. A jump and not a call, because the buffer must record the caller's frame. `longjmp` is an import of its own.
    .section .text,"xr",one_only,_setjmpex
    .globl _setjmpex
    .def _setjmpex; .scl 2; .type 32; .endef
    .p2align 2
_setjmpex:
    adrp x16, __imp___intrinsic_setjmpex
    ldr x16, [x16, :lo12:__imp___intrinsic_setjmpex]
    br x16

// For headers that declare the function with `dllimport`.
    .section .rdata,"dr"
    .globl __imp__setjmpex
    .p2align 3, 0
__imp__setjmpex:
    .quad _setjmpex

    .section .drectve,"yni"
    .ascii " /DEFAULTLIB:vcruntime.lib"

    .globl "@feat.00"
    .set "@feat.00", 0x800
