//! 64-bit ARM: what one instruction of four bytes needs beyond ARMv8.0, and where it leads. The masks are those of the encoding
//! tables in the Arm Architecture Reference Manual (DDI 0487), chapter C4. What no table names here is taken for a part of
//! ARMv8.0; only encodings that can be nothing else are refused.

use super::sets::{Set, Sets};
use super::walk::{Decode, Each, Flow, Step};

pub(super) struct Aarch64;

/// Bits that are looked at, what they have to be, and the extension.
type Row = (u32, u32, Set);

/// Loads and stores: bits 28..25 are x1x0.
const MEMORY: &[Row] = &[
    // LDAPR stands among the atomic operations and is older than the others of its row. ST64B and LD64B are those of its row with
    // 64 bytes.
    (0x3fff_fc00, 0x38bf_c000, Set::Rcpc),
    (0xffff_fc00, 0xf83f_d000, Set::Ls64),
    (0xffff_fc00, 0xf83f_9000, Set::Ls64),
    (0xffe0_fc00, 0xf820_b000, Set::Ls64),
    (0xffe0_fc00, 0xf820_a000, Set::Ls64),
    // LDADD, LDCLR, LDEOR, LDSET, LDSMAX, LDSMIN, LDUMAX, LDUMIN, then SWP.
    (0x3f20_8c00, 0x3820_0000, Set::Lse),
    (0x3f20_fc00, 0x3820_8000, Set::Lse),
    // CAS, then CASP.
    (0x3fa0_7c00, 0x08a0_7c00, Set::Lse),
    (0xbfa0_7c00, 0x0820_7c00, Set::Lse),
    // The exclusive loads and stores of ARMv8.0, of one register and of two.
    (0x3fa0_0000, 0x0800_0000, Set::Exclusive),
    (0xbfa0_0000, 0x8820_0000, Set::Exclusive),
    // LDAPUR and STLUR.
    (0x3f20_0c00, 0x1900_0000, Set::Rcpc2),
    // LDRAA and LDRAB.
    (0xff20_0400, 0xf820_0400, Set::Pauth),
    // LDG, STG and their like.
    (0xff20_0000, 0xd920_0000, Set::Memtag),
    (0xfe40_0000, 0x6800_0000, Set::Memtag),
    // CPY and SET.
    (0x3b20_0c00, 0x1900_0400, Set::Mops),
];

/// Arithmetic of registers and immediates, system instructions.
const INTEGER: &[Row] = &[
    (0x7fe0_e000, 0x1ac0_4000, Set::Crc),
    (0xffe0_fc00, 0x9ac0_3000, Set::Pauth),
    (0xffff_0000, 0xdac1_0000, Set::Pauth),
    // RETAA, BRAA and their like.
    (0xfe1f_f800, 0xd61f_0800, Set::Pauth),
    (0xffe0_7c10, 0xba00_0400, Set::Flagm),
    (0xffff_bc1f, 0x3a00_080d, Set::Flagm),
    (0xffff_ff9f, 0xd500_401f, Set::Flagm),
    (0xffff_ffff, 0xd503_30ff, Set::Sb),
    // IRG, GMI, SUBP; ADDG and SUBG.
    (0xffe0_f800, 0x9ac0_1000, Set::Memtag),
    (0xdfe0_fc00, 0x9ac0_0000, Set::Memtag),
    (0xbfc0_0000, 0x9180_0000, Set::Memtag),
];

/// Floating point and vectors.
const VECTOR: &[Row] = &[
    (0xffff_cc00, 0x4e28_4800, Set::Aes),
    // PMULL of 64 bits.
    (0xbfe0_fc00, 0x0ee0_e000, Set::Aes),
    (0xffe0_8c00, 0x5e00_0000, Set::Sha2),
    (0xffff_cc00, 0x5e28_0800, Set::Sha2),
    // EOR3, BCAX, XAR, RAX1, SHA512H, SHA512H2, SHA512SU1, SHA512SU0.
    (0xffc0_8000, 0xce00_0000, Set::Sha3),
    (0xffe0_0000, 0xce80_0000, Set::Sha3),
    (0xffe0_f000, 0xce60_8000, Set::Sha3),
    (0xffff_fc00, 0xcec0_8000, Set::Sha3),
    (0xffe0_8000, 0xce40_0000, Set::Sm4),
    (0xffe0_c000, 0xce40_8000, Set::Sm4),
    (0xffe0_f000, 0xce60_c000, Set::Sm4),
    (0xffff_fc00, 0xcec0_8400, Set::Sm4),
    // SQRDMLAH and SQRDMLSH: vectors, scalars, by element.
    (0xaf20_f400, 0x2e00_8400, Set::Rdm),
    (0xef00_d400, 0x6f00_d000, Set::Rdm),
    (0xff00_d400, 0x2f00_d000, Set::Rdm),
    (0xff00_d400, 0x7f00_d000, Set::Rdm),
    (0x9fe0_fc00, 0x0e80_9400, Set::Dotprod),
    (0x9fc0_f400, 0x0f80_e000, Set::Dotprod),
    // SMMLA, UMMLA, USMMLA; USDOT; USDOT and SUDOT by element.
    (0xdfe0_fc00, 0x4e80_a400, Set::I8mm),
    (0xffe0_fc00, 0x4e80_ac00, Set::I8mm),
    (0xbfe0_fc00, 0x0e80_9c00, Set::I8mm),
    (0xbf40_f400, 0x0f00_f000, Set::I8mm),
    // BFDOT, BFMLAL, BFMMLA; by element; BFCVTN, BFCVT.
    (0xbf60_fc00, 0x2e40_fc00, Set::Bf16),
    (0xffe0_fc00, 0x6e40_ec00, Set::Bf16),
    (0xbf40_f400, 0x0f40_f000, Set::Bf16),
    (0xbfff_fc00, 0x0ea1_6800, Set::Bf16),
    (0xffff_fc00, 0x1e63_4000, Set::Bf16),
    // FMLAL, FMLSL, FMLAL2, FMLSL2; by element.
    (0xbf60_fc00, 0x0e20_ec00, Set::Fp16fml),
    (0xbf60_fc00, 0x2e20_cc00, Set::Fp16fml),
    (0xbfc0_b400, 0x0f80_0000, Set::Fp16fml),
    (0xbfc0_b400, 0x2f80_8000, Set::Fp16fml),
    // FCADD; FCMLA; FCMLA by element.
    (0xbf20_ec00, 0x2e00_e400, Set::Fcma),
    (0xbf20_e400, 0x2e00_c400, Set::Fcma),
    (0xbf00_9400, 0x2f00_1000, Set::Fcma),
    (0xffff_fc00, 0x1e7e_0000, Set::Jscvt),
    // FRINT32Z, FRINT32X, FRINT64Z, FRINT64X; of vectors.
    (0xffbe_7c00, 0x1e28_4000, Set::Frintts),
    (0x9fbf_ec00, 0x0e21_e800, Set::Frintts),
    // Half precision: vectors of three registers, of two, by element, an immediate, across lanes; scalars of three and of two.
    (0x9f60_c400, 0x0e40_0400, Set::Fp16),
    (0x9f7e_0c00, 0x0e78_0800, Set::Fp16),
    (0xbfc0_b400, 0x0f00_1000, Set::Fp16),
    (0x9fc0_f400, 0x0f00_9000, Set::Fp16),
    (0xbff8_fc00, 0x0f00_fc00, Set::Fp16),
    (0xbf7f_fc00, 0x0e30_c800, Set::Fp16),
    (0xbf7f_fc00, 0x0e30_f800, Set::Fp16),
    (0xff7f_cc00, 0x5e30_c800, Set::Fp16),
    (0xdf60_c400, 0x5e40_0400, Set::Fp16),
    (0xdf7e_0c00, 0x5e78_0800, Set::Fp16),
    (0xffc0_b400, 0x5f00_1000, Set::Fp16),
    (0xdfc0_f400, 0x5f00_9000, Set::Fp16),
    // Conversions to and from fixed point: of vectors, of scalars in their registers.
    (0x9ff0_fc00, 0x0f10_e400, Set::Fp16),
    (0x9ff0_fc00, 0x0f10_fc00, Set::Fp16),
    (0xdff0_fc00, 0x5f10_e400, Set::Fp16),
    (0xdff0_fc00, 0x5f10_fc00, Set::Fp16),
    // Scalars: arithmetic (but for FCVT, below), conversions to and from fixed point, multiply-add.
    (0x7fe0_0000, 0x1ee0_0000, Set::Fp16),
    (0x7fe0_0000, 0x1ec0_0000, Set::Fp16),
    (0xffc0_0000, 0x1fc0_0000, Set::Fp16),
];

/// FCVT from half precision, which ARMv8.0 has.
const FCVT_FROM_HALF: (u32, u32) = (0xfffe_7c00, 0x1ee2_4000);

/// What an instruction needs; absent for what no processor runs.
pub(super) fn needs(word: u32) -> Option<Sets> {
    let find = |rows: &[Row]| {
        let row = rows.iter().find(|(mask, bits, _)| word & mask == *bits);
        row.map_or(Sets::NONE, |(_, _, set)| Sets::from(*set))
    };
    // The top-level table: bits 28..25, and bit 31 where they are zero.
    match word >> 25 & 0xf {
        0b0000 if word >> 31 == 1 => Some(Set::Sme.into()),
        0b0000 | 0b0001 | 0b0011 => None,
        0b0010 => Some(scalable(word).into()),
        0b0100 | 0b0110 => Some(find(MEMORY)),
        0b1100 | 0b1110 => Some(find(MEMORY)),
        0b0111 | 0b1111 => {
            if word & FCVT_FROM_HALF.0 == FCVT_FROM_HALF.1 {
                return Some(Sets::NONE);
            }
            // Vectors of four or of two lanes and no scalars: arithmetic of registers, by element, of immediates.
            let is_vector = word & 0x9e00_0000 == 0x0e00_0000;
            let neon = if is_vector { Set::Neon.into() } else { Sets::NONE };
            Some(find(VECTOR) | neon)
        }
        _ => Some(find(INTEGER)),
    }
}

/// Which version of SVE has an instruction of the scalable vectors. SVE2 filled the blocks 0x44 and 0x45 but for products of whole
/// elements, which stood there before. The few that it added elsewhere are taken for the first version's.
fn scalable(word: u32) -> Set {
    let is_dot =
        word & 0xffa0_f800 == 0x4480_0000 || word & 0xffa0_fc00 == 0x44a0_0000 || word & 0xffa0_fc00 == 0x44a0_0400;
    let is_i8mm =
        word & 0xffe0_fc00 == 0x4480_7800 || word & 0xffe0_f800 == 0x44a0_1800 || word & 0xff20_fc00 == 0x4500_9800;
    match word >> 25 {
        0x22 if !is_dot && !is_i8mm => Set::Sve2,
        _ => Set::Sve,
    }
}

/// The addresses that registers hold: pages, from `ADRP` to the instruction that adds what is missing, and whole ones.
#[derive(Default)]
struct Pages([Option<u64>; 32]);

impl Pages {
    /// What an instruction makes of the pages: an address that is taken, or one that is read.
    fn step(&mut self, word: u32, pc: u64, step: &mut Step) {
        let (to, from) = ((word & 31) as usize, (word >> 5 & 31) as usize);
        let immediate = i64::from(word >> 29 & 3) | i64::from(word as i32) << 40 >> 45 << 2;
        if word & 0x9f00_0000 == 0x9000_0000 {
            self.0[to] = Some((pc & !0xfff).wrapping_add_signed(immediate << 12));
            return;
        }
        if word & 0x9f00_0000 == 0x1000_0000 {
            step.takes = Some(pc.wrapping_add_signed(immediate));
            self.0[to] = step.takes;
            return;
        }
        if word & 0xff80_0000 == 0x9100_0000 {
            let offset = u64::from(word >> 10 & 0xfff) << (12 * (word >> 22 & 1));
            step.takes = self.0[from].map(|page| page.wrapping_add(offset));
            self.0[to] = step.takes;
            return;
        }
        if word & 0x3f00_0000 == 0x3900_0000 {
            // Loads and stores of one register with an offset in units of its size.
            let offset = u64::from(word >> 10 & 0xfff) << (word >> 30);
            step.reads = self.0[from].map(|page| page.wrapping_add(offset));
            step.writes = step.reads.filter(|_| word & 0x00c0_0000 == 0);
        } else if word & 0x3f20_0c00 == 0x3820_0800 && word & 0x00c0_0000 != 0 {
            // A load with a register for its offset: of a table.
            step.constants = self.0[from];
        } else if word & 0x3b00_0000 == 0x1800_0000 {
            step.constants = Some(pc.wrapping_add_signed(i64::from(word as i32) << 40 >> 45 << 2));
        } else if word & 0x3fe0_0000 == 0x0880_0000 {
            // STLR: how variables that several threads share are set.
            step.reads = self.0[from];
            step.writes = step.reads;
        }
        self.forget(word);
    }

    /// Forgets the registers that an instruction may write to: the first of its fields, in loads of two the second as well, and in
    /// calls those that a callee need not keep. Branches alone write to none.
    fn forget(&mut self, word: u32) {
        match word >> 25 & 0xf {
            0b1010 | 0b1011 if word & 0xfc00_0000 == 0x9400_0000 || word & 0xfe00_0000 == 0xd600_0000 => {
                self.0[..=18].fill(None);
            }
            0b1010 | 0b1011 => {}
            0b0100 | 0b0110 | 0b1100 | 0b1110 => {
                self.0[(word & 31) as usize] = None;
                if word & 0x3a00_0000 == 0x2800_0000 {
                    self.0[(word >> 10 & 31) as usize] = None;
                }
            }
            _ => self.0[(word & 31) as usize] = None,
        }
    }
}

impl Decode for Aarch64 {
    fn align(&self) -> u64 {
        4
    }

    fn run(&self, bytes: &[u8], address: u64, each: &mut Each<'_>) {
        let mut pages = Pages::default();
        let mut pc = address;
        for word in bytes.chunks_exact(4) {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let Some(sets) = needs(word) else { break };
            let mut step = Step {
                next: pc + 4,
                sets,
                flow: flow(word, pc),
                // MRS of an identification register: ID_AA64ISAR0_EL1 and its like, which Linux lets programs read.
                asks: word & 0xffff_fc00 == 0xd538_0400,
                ..Step::default()
            };
            pages.step(word, pc, &mut step);
            if each(&step).is_break() {
                return;
            }
            pc += 4;
        }
    }
}

/// Where an instruction leads.
fn flow(word: u32, pc: u64) -> Flow {
    // The signed number of words in `bits` bits that begin at a bit.
    let to = |at: u32, bits: u32| {
        let words = i64::from(word >> at) << (64 - bits) >> (64 - bits);
        pc.wrapping_add_signed(words * 4)
    };
    if word & 0xfc00_0000 == 0x1400_0000 {
        Flow::Jump(to(0, 26))
    } else if word & 0xfc00_0000 == 0x9400_0000 {
        Flow::Call(to(0, 26))
    } else if word & 0xff00_0000 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 {
        Flow::Branch(to(5, 19))
    } else if word & 0x7e00_0000 == 0x3600_0000 {
        Flow::Branch(to(5, 14))
    } else if word & 0xfe00_0000 == 0xd600_0000 {
        // BLR comes back; BR, RET and ERET do not.
        match word >> 21 & 7 {
            1 => Flow::Next,
            _ => Flow::End,
        }
    } else if word & 0xff00_0000 == 0xd400_0000 && matches!(word >> 21 & 7, 1 | 2) && word & 0x1f == 0 {
        // BRK and HLT.
        Flow::End
    } else {
        Flow::Next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions as LLVM's assembler writes them, with what they need.
    #[rustfmt::skip]
    const KNOWN: &[(u32, &str)] = &[
        (0xf820_0041, "lse"), // ldadd x0, x1, [x2]
        (0x38e0_8041, "lse"), // swpalb w0, w1, [x2]
        (0x88a0_7c41, "lse"), // cas w0, w1, [x2]
        (0x4860_fc82, "lse"), // caspal x0, x1, x2, x3, [x4]
        (0xc85f_7c20, "exclusive"), // ldxr x0, [x1]
        (0xc820_8861, "exclusive"), // stlxp w0, x1, x2, [x3]
        (0xc8df_fc20, ""), // ldar x0, [x1]
        (0xf8bf_c020, "rcpc"), // ldapr x0, [x1]
        (0x9940_4020, "rcpc2"), // ldapur w0, [x1, #4]
        (0x9ac2_5c20, "crc"), // crc32cx w0, w1, x2
        (0x4e28_4820, "aes"), // aese v0.16b, v1.16b
        (0x0ee2_e020, "aes"), // pmull v0.1q, v1.1d, v2.1d
        (0x0e22_e020, ""), // pmull v0.8h, v1.8b, v2.8b
        (0x5e02_4020, "sha2"), // sha256h q0, q1, v2.4s
        (0xce02_0c20, "sha3"), // eor3 v0.16b, v1.16b, v2.16b, v3.16b
        (0xce62_8020, "sha3"), // sha512h q0, q1, v2.2d
        (0xcec0_8420, "sm4"), // sm4e v0.4s, v1.4s
        (0x6e82_8420, "rdm"), // sqrdmlah v0.4s, v1.4s, v2.4s
        (0x7f52_f020, "rdm"), // sqrdmlsh h0, h1, v2.h[1]
        (0x6ea2_b420, ""), // sqrdmulh v0.4s, v1.4s, v2.4s
        (0x4e82_9420, "dotprod"), // sdot v0.4s, v1.16b, v2.16b
        (0x2fa2_e020, "dotprod"), // udot v0.2s, v1.8b, v2.4b[1]
        (0x4e82_a420, "i8mm"), // smmla v0.4s, v1.16b, v2.16b
        (0x4fa2_f820, "i8mm"), // usdot v0.4s, v1.16b, v2.4b[3]
        (0x6e42_fc20, "bf16"), // bfdot v0.4s, v1.8h, v2.8h
        (0x1e63_4020, "bf16"), // bfcvt h0, s1
        (0x1ee2_2820, "fp16"), // fadd h0, h1, h2
        (0x4e42_1420, "fp16"), // fadd v0.8h, v1.8h, v2.8h
        (0x1ee2_4020, ""), // fcvt s0, h1
        (0x0e21_7820, ""), // fcvtl v0.4s, v1.4h
        (0x4e22_cc20, ""), // fmla v0.4s, v1.4s, v2.4s
        (0x4e22_ec20, "fp16fml"), // fmlal v0.4s, v1.4h, v2.4h
        (0x6e82_e420, "fcma"), // fcadd v0.4s, v1.4s, v2.4s, #90
        (0x1e7e_0020, "jscvt"), // fjcvtzs w0, d1
        (0x1e28_4020, "frintts"), // frint32z s0, s1
        (0xd500_401f, "flagm"), // cfinv
        (0xd65f_0bff, "pauth"), // retaa
        (0xd503_233f, ""), // paciasp
        (0x9adf_1020, "memtag"), // irg x0, x1
        (0xd503_30ff, "sb"), // sb
        (0x2518_e3e0, "sve"), // ptrue p0.b
        (0x4482_0020, "sve"), // sdot z0.s, z1.b, z2.b
        (0x4502_9820, "sve"), // smmla z0.s, z1.b, z2.b
        (0x4482_7020, "sve2"), // sqrdmlah z0.s, z1.s, z2.s
        (0x8083_2040, "sme"), // fmopa za0.s, p0/m, p1/m, z2.s, z3.s
        (0x4e02_0020, ""), // tbl v0.16b, {v1.16b}, v2.16b
        (0x9b02_7c20, ""), // mul x0, x1, x2
        (0x3618_0040, ""), // tbz x0, #3, #8
    ];

    #[test]
    fn instructions_need_what_the_manual_says() {
        for (word, wanted) in KNOWN {
            let found = needs(*word).unwrap() - Set::Neon.into();
            assert_eq!(found.to_string(), *wanted, "{word:08x}");
        }
    }

    #[test]
    fn what_no_processor_runs_is_no_code() {
        for word in [0, 0x0000_1234, 0x0200_0000, 0x0600_0000] {
            assert_eq!(needs(word), None, "{word:08x}");
        }
    }

    #[test]
    fn branches_lead_where_they_say() {
        let known = [
            (0x1400_0002, Flow::Jump(0x1008)),
            (0x97ff_ffff, Flow::Call(0xffc)),
            (0x54ff_ffe1, Flow::Branch(0xffc)),
            (0xb400_0040, Flow::Branch(0x1008)),
            (0x3718_0040, Flow::Branch(0x1008)),
            (0xd65f_03c0, Flow::End),
            (0xd61f_0200, Flow::End),
            (0xd63f_0100, Flow::Next),
            (0xd420_0020, Flow::End),
        ];
        for (word, wanted) in known {
            assert_eq!(flow(word, 0x1000), wanted, "{word:08x}");
        }
    }
}
