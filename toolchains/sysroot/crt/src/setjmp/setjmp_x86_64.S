// _setjmp and _setjmpex, which clang emits for `setjmp` on this machine (CodeGen/CGBuiltin.cpp), are the DLL's `__intrinsic_*`: rcx =
// buffer, rdx = frame. A jump and not a call, because the buffer must record the caller's frame. `longjmp` is an import of its own.
    .section .text,"xr",one_only,_setjmp
    .globl _setjmp
    .def _setjmp; .scl 2; .type 32; .endef
    .p2align 4
_setjmp:
    jmpq *__imp___intrinsic_setjmp(%rip)

    .section .text,"xr",one_only,_setjmpex
    .globl _setjmpex
    .def _setjmpex; .scl 2; .type 32; .endef
    .p2align 4
_setjmpex:
    jmpq *__imp___intrinsic_setjmpex(%rip)

// For headers that declare the functions with `dllimport`.
    .section .rdata,"dr"
    .globl __imp__setjmp
    .globl __imp__setjmpex
    .p2align 3, 0
__imp__setjmp:
    .quad _setjmp
__imp__setjmpex:
    .quad _setjmpex

    .section .drectve,"yni"
    .ascii " /DEFAULTLIB:vcruntime.lib"

    .globl "@feat.00"
    .set "@feat.00", 0x800
