// Control flow guard while no guard is active: the check that allows every target.
//
// Code compiled with /guard:cf calls through this pointer with the target in x15 (LLVM, Transforms/CFGuard). A system that enforces the
// guard replaces the pointer when it loads the image; the pointer is otherwise constant, hence the read-only section `.00cfg`.
    .section .text,"xr",one_only,_guard_check_icall_nop
    .globl _guard_check_icall_nop
    .def _guard_check_icall_nop; .scl 2; .type 32; .endef
    .p2align 2
_guard_check_icall_nop:
    ret

    .section .00cfg,"dr"
    .globl __guard_check_icall_fptr
    .p2align 3, 0
__guard_check_icall_fptr:
    .quad _guard_check_icall_nop

    .globl "@feat.00"
    .set "@feat.00", 0x800
