// __chkstk: touches every page between the stack's committed limit and the new frame, so that the guard page moves down in order.
//
// In: rax = size of the frame in bytes. Out: every register as it was, flags excepted; rsp is the caller's business.
// Source: "x64 prolog and epilog" of the Microsoft C++ documentation; LLVM, X86FrameLowering.cpp (emitStackProbeCall).
    .section .text,"xr",one_only,__chkstk
    .globl __chkstk
    .def __chkstk; .scl 2; .type 32; .endef
    .p2align 4
    .seh_proc __chkstk
__chkstk:
    pushq %r10
    .seh_pushreg %r10
    pushq %r11
    .seh_pushreg %r11
    .seh_endprologue
    leaq 24(%rsp), %r10                     // rsp of the caller before the call
    movq %gs:0x10, %r11                     // NT_TIB.StackLimit: everything from here upwards is committed
    subq %rax, %r10                         // lowest address of the new frame
    jae 1f
    xorl %r10d, %r10d                       // a frame larger than the address space: probe until the guard stops it
1:  cmpq %r11, %r10
    jae 3f
    andq $-0x1000, %r10
2:  subq $0x1000, %r11
    testb $0, (%r11)
    cmpq %r10, %r11
    ja 2b
3:  popq %r11
    popq %r10
    retq
    .seh_endproc

    .globl "@feat.00"
    .set "@feat.00", 0x800
