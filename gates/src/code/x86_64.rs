//! 64-bit x86, decoded by `iced-x86`, which knows the CPUID bits of every instruction: what it needs beyond the first x86-64, and
//! where it leads.

use iced_x86::{CpuidFeature as Cpuid, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use super::sets::{Set, Sets};
use super::walk::{Decode, Each, Flow, Step};

pub(super) struct X86_64;

impl Decode for X86_64 {
    fn align(&self) -> u64 {
        1
    }

    fn run(&self, bytes: &[u8], address: u64, each: &mut Each<'_>) {
        let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if instruction.is_invalid() {
                break;
            }
            let mut step = Step {
                next: instruction.next_ip(),
                sets: needs(&instruction),
                flow: flow(&instruction),
                asks: instruction.mnemonic() == Mnemonic::Cpuid,
                ..Step::default()
            };
            if instruction.is_ip_rel_memory_operand() {
                let there = Some(instruction.ip_rel_memory_address());
                match instruction.mnemonic() {
                    Mnemonic::Lea => step.takes = there,
                    _ => step.reads = there,
                }
                if instruction.op0_kind() == OpKind::Memory && is_written(instruction.mnemonic()) {
                    step.writes = there;
                }
            }
            if each(&step).is_break() {
                return;
            }
        }
    }
}

/// What an instruction needs. Prefixes and hints that older processors pass over need nothing; so does `TZCNT`, which they run as
/// `BSF`, and which compilers write in its place for every processor.
fn needs(instruction: &Instruction) -> Sets {
    if instruction.mnemonic() == Mnemonic::Tzcnt {
        return Sets::NONE;
    }
    let mut sets = Sets::NONE;
    for feature in instruction.cpuid_features() {
        if let Some(set) = set(*feature) {
            sets |= set.into();
        }
    }
    sets
}

/// Whether an instruction with memory for its first operand changes it: those that variables are set with.
fn is_written(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Mov | Mnemonic::Or | Mnemonic::And | Mnemonic::Add | Mnemonic::Xchg | Mnemonic::Bts | Mnemonic::Inc
    )
}

fn set(feature: Cpuid) -> Option<Set> {
    Some(match feature {
        Cpuid::SSE3 => Set::Sse3,
        Cpuid::SSSE3 => Set::Ssse3,
        Cpuid::SSE4_1 => Set::Sse41,
        Cpuid::SSE4_2 => Set::Sse42,
        Cpuid::POPCNT => Set::Popcnt,
        Cpuid::CMPXCHG16B => Set::Cx16,
        Cpuid::AVX => Set::Avx,
        Cpuid::AVX2 => Set::Avx2,
        Cpuid::BMI1 => Set::Bmi,
        Cpuid::BMI2 => Set::Bmi2,
        Cpuid::F16C => Set::F16c,
        Cpuid::FMA => Set::Fma,
        Cpuid::LZCNT => Set::Lzcnt,
        Cpuid::MOVBE => Set::Movbe,
        Cpuid::XSAVE | Cpuid::XSAVEC | Cpuid::XSAVEOPT => Set::Xsave,
        Cpuid::AVX512F => Set::Avx512f,
        Cpuid::AVX512BW => Set::Avx512bw,
        Cpuid::AVX512CD => Set::Avx512cd,
        Cpuid::AVX512DQ => Set::Avx512dq,
        Cpuid::AVX512VL => Set::Avx512vl,
        Cpuid::AVX512_4FMAPS
        | Cpuid::AVX512_4VNNIW
        | Cpuid::AVX512_BF16
        | Cpuid::AVX512_BITALG
        | Cpuid::AVX512_FP16
        | Cpuid::AVX512_IFMA
        | Cpuid::AVX512_VBMI
        | Cpuid::AVX512_VBMI2
        | Cpuid::AVX512_VNNI
        | Cpuid::AVX512_VP2INTERSECT
        | Cpuid::AVX512_VPOPCNTDQ
        | Cpuid::AVX512ER
        | Cpuid::AVX512PF => Set::Avx512x,
        Cpuid::AVX_IFMA
        | Cpuid::AVX_NE_CONVERT
        | Cpuid::AVX_VNNI
        | Cpuid::AVX_VNNI_INT8
        | Cpuid::AVX_VNNI_INT16
        | Cpuid::SHA512
        | Cpuid::SM3
        | Cpuid::SM4 => Set::Avx10x,
        Cpuid::AMX_TILE | Cpuid::AMX_INT8 | Cpuid::AMX_BF16 | Cpuid::AMX_FP16 | Cpuid::AMX_COMPLEX => Set::Amx,
        Cpuid::AES => Set::Aes,
        Cpuid::PCLMULQDQ => Set::Pclmul,
        Cpuid::VAES => Set::Vaes,
        Cpuid::VPCLMULQDQ => Set::Vpclmulqdq,
        Cpuid::GFNI => Set::Gfni,
        Cpuid::SHA => Set::Sha,
        Cpuid::ADX => Set::Adx,
        Cpuid::RDRAND => Set::Rdrnd,
        Cpuid::RDSEED => Set::Rdseed,
        Cpuid::RDTSCP => Set::Rdtscp,
        Cpuid::RDPID => Set::Rdpid,
        Cpuid::FSGSBASE => Set::Fsgsbase,
        Cpuid::CLFLUSHOPT | Cpuid::CLWB => Set::Clflushopt,
        Cpuid::RTM => Set::Rtm,
        Cpuid::SSE4A => Set::Sse4a,
        Cpuid::FMA4 => Set::Fma4,
        Cpuid::XOP => Set::Xop,
        Cpuid::TBM => Set::Tbm,
        Cpuid::D3NOW | Cpuid::D3NOWEXT => Set::Now3d,
        Cpuid::WAITPKG => Set::Waitpkg,
        _ => return None,
    })
}

/// Where an instruction leads. `INT3` fills what is between functions.
fn flow(instruction: &Instruction) -> Flow {
    let is_near = matches!(
        instruction.op0_kind(),
        OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64
    );
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch if is_near => Flow::Jump(instruction.near_branch_target()),
        FlowControl::ConditionalBranch if is_near => Flow::Branch(instruction.near_branch_target()),
        FlowControl::Call if is_near => Flow::Call(instruction.near_branch_target()),
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Return
        | FlowControl::Exception => Flow::End,
        FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => Flow::End,
        _ => Flow::Next,
    }
}
