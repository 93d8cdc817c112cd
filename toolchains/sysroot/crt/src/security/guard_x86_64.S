// Control flow guard while no guard is active: the check that allows every target, and the dispatch that jumps to it.
//
// Code compiled with /guard:cf calls through the second pointer with the target in rax (LLVM, Transforms/CFGuard); the first is for
// other compilers. A system that enforces the guard replaces both when it loads the image; they are otherwise constant, hence `.00cfg`.
    .section .text,"xr",one_only,_guard_check_icall_nop
    .globl _guard_check_icall_nop
    .def _guard_check_icall_nop; .scl 2; .type 32; .endef
    .p2align 4
_guard_check_icall_nop:
    retq

    .section .text,"xr",one_only,_guard_dispatch_icall_nop
    .globl _guard_dispatch_icall_nop
    .def _guard_dispatch_icall_nop; .scl 2; .type 32; .endef
    .p2align 4
_guard_dispatch_icall_nop:
    jmpq *%rax

    .section .00cfg,"dr"
    .globl __guard_check_icall_fptr
    .globl __guard_dispatch_icall_fptr
    .p2align 3, 0
__guard_check_icall_fptr:
    .quad _guard_check_icall_nop
__guard_dispatch_icall_fptr:
    .quad _guard_dispatch_icall_nop

    .globl "@feat.00"
    .set "@feat.00", 0x800
