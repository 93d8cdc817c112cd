// The load configuration: the cookie's address and the control-flow-guard tables that the linker builds.
//
// The linker takes the symbol `_load_config_used` as the directory, links this member without being asked for it, and defines the
// `__guard_*` symbols (zero without /guard:cf). Offsets: IMAGE_LOAD_CONFIG_DIRECTORY64 in winnt.h; PE/COFF specification, "The Load
// Configuration Structure". Assembly, because C has no 32-bit constant made from a symbol (GuardFlags). One text for both machines.
    .section .rdata,"dr"
    .globl _load_config_used
    .p2align 3, 0
_load_config_used:
    .long 0x140                             // 000 Size: all fields known today
    .zero 0x54                              // 004 stamps, heap and lock settings: the system's defaults
    .quad __security_cookie                 // 058 SecurityCookie
    .zero 0x10                              // 060 SEHandlerTable, SEHandlerCount: 32-bit x86 only
    .quad __guard_check_icall_fptr          // 070 GuardCFCheckFunctionPointer
#if defined(__x86_64__)
    .quad __guard_dispatch_icall_fptr       // 078 GuardCFDispatchFunctionPointer
#else
    .quad 0                                 // 078 aarch64 code only ever checks, it has no dispatch form
#endif
    .quad __guard_fids_table                // 080 GuardCFFunctionTable
    .quad __guard_fids_count                // 088 GuardCFFunctionCount
    .long __guard_flags                     // 090 GuardFlags
    .zero 0xc                               // 094 CodeIntegrity
    .quad __guard_iat_table                 // 0a0 GuardAddressTakenIatEntryTable
    .quad __guard_iat_count                 // 0a8 GuardAddressTakenIatEntryCount
    .quad __guard_longjmp_table             // 0b0 GuardLongJumpTargetTable
    .quad __guard_longjmp_count             // 0b8 GuardLongJumpTargetCount
    .zero 0x40                              // 0c0 dynamic relocations, CHPE, return flow guard, hot patches, enclave: none
    .zero 0x8                               // 100 VolatileMetadataPointer
    .quad __guard_eh_cont_table             // 108 GuardEHContinuationTable
    .quad __guard_eh_cont_count             // 110 GuardEHContinuationCount
    .zero 0x28                              // 118 XFG, CastGuard, guarded memcpy: none
    .if . - _load_config_used != 0x140
    .error "the load configuration does not have the size it states"
    .endif

    .globl "@feat.00"
    .set "@feat.00", 0x800
