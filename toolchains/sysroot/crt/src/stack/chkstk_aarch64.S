// __chkstk: touches every page between the stack's committed limit and the new frame, so that the guard page moves down in order.
//
// In: x15 = size of the frame in units of 16 bytes. Out: x15 unchanged; only x16, x17 and the flags change; sp is the caller's business.
// Source: "Overview of ARM64 ABI conventions", section "Stack", of the Microsoft C++ documentation; LLVM, AArch64FrameLowering.cpp.
    .section .text,"xr",one_only,__chkstk
    .globl __chkstk
    .def __chkstk; .scl 2; .type 32; .endef
    .p2align 2
__chkstk:
    mov x16, sp
    subs x16, x16, x15, lsl #4              // lowest address of the new frame
    csel x16, xzr, x16, lo                  // a frame larger than the address space: probe until the guard stops it
    ldr x17, [x18, #0x10]                   // NT_TIB.StackLimit: everything from here upwards is committed
    cmp x16, x17
    b.hs 2f
    and x16, x16, #0xfffffffffffff000       // pages are 4 KiB on Windows for this machine
1:  sub x17, x17, #0x1000
    ldr xzr, [x17]
    cmp x17, x16
    b.hi 1b
2:  ret

    .globl "@feat.00"
    .set "@feat.00", 0x800
