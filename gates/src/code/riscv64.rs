//! 64-bit RISC-V: what one instruction needs beyond RV64GC, and where it leads. The encodings are those of the ratified
//! extensions in the Unprivileged Specification. Instructions are of 2 or 4 bytes; longer ones no extension uses yet.

use super::sets::{Set, Sets};
use super::walk::{Decode, Each, Flow, Step};

pub(super) struct Riscv64;

/// What an instruction of four bytes needs.
pub(super) fn needs(word: u32) -> Sets {
    let (opcode, funct3, funct7) = (word & 0x7f, word >> 12 & 7, word >> 25);
    // Whether the second source is the first of its kind, as in instructions that have one source alone.
    let second = word >> 20 & 31;
    let set = match (opcode, funct7, funct3) {
        // Arithmetic of vectors; the cryptographic ones have an opcode of their own.
        (0x57, _, _) => Set::V,
        (0x77, _, 2) => Set::Zvk,
        // Loads and stores of vectors are those of floating point in widths that it does not have; width 1 is half precision.
        (0x07 | 0x27, _, 0 | 5 | 6 | 7) => Set::V,
        (0x07 | 0x27, _, 1) => Set::Zfhmin,
        (0x33 | 0x3b, 0x10, 2 | 4 | 6) => Set::Zba,
        (0x3b, 0x04, 0) => Set::Zba,
        (0x1b, 0x04 | 0x05, 1) => Set::Zba,
        (0x33, 0x20, 4 | 6 | 7) => Set::Zbb,
        (0x33, 0x05, 1..=3) => Set::Zbc,
        (0x33, 0x05, 4..=7) => Set::Zbb,
        (0x33 | 0x3b, 0x30, 1 | 5) => Set::Zbb,
        (0x13, 0x30, 1) if second != 3 => Set::Zbb,
        (0x1b, 0x30, 1) if second < 3 => Set::Zbb,
        (0x13, 0x30 | 0x31, 5) | (0x1b, 0x30, 5) => Set::Zbb,
        // ORC.B and REV8 are single numbers in the room of shifts.
        (0x13, 0x14, 5) if second == 7 => Set::Zbb,
        (0x13, 0x35, 5) if second == 24 => Set::Zbb,
        (0x13, 0x34, 5) if second == 7 => Set::Zbkb,
        (0x3b, 0x04, 4) if second == 0 => Set::Zbb,
        (0x33, 0x04, 4 | 7) | (0x3b, 0x04, 4) => Set::Zbkb,
        (0x33, 0x24, 1 | 5) | (0x33, 0x34 | 0x14, 1) => Set::Zbs,
        (0x13, 0x24 | 0x25, 1 | 5) | (0x13, 0x34 | 0x35 | 0x14 | 0x15, 1) => Set::Zbs,
        (0x33, 0x07, 5 | 7) => Set::Zicond,
        // Amounts in memory are compared and exchanged; bytes and halves are another extension's.
        (0x2f, _, 2..=4) if word >> 27 == 5 => Set::Zacas,
        (0x0f, _, 2) if second < 5 => Set::Zicbom,
        (0x43 | 0x47 | 0x4b | 0x4f, _, _) if word >> 25 & 3 == 2 => Set::Zfh,
        (0x53, _, _) => return floating(word),
        _ => return Sets::NONE,
    };
    set.into()
}

/// What arithmetic of floating point needs: format 2 is half precision.
fn floating(word: u32) -> Sets {
    let (funct7, second, funct3) = (word >> 25, word >> 20 & 31, word >> 12 & 7);
    let is_half = funct7 & 3 == 2 || funct7 >> 2 == 8 && second == 2;
    let set = match (funct7 >> 2, second, funct3) {
        // FLI; FMINM and FMAXM; FROUND; FLEQ and FLTQ.
        (0x1e, 1, 0) | (0x05, _, 2 | 3) | (0x14, _, 4 | 5) => Set::Zfa,
        (0x08, 4 | 5, _) => Set::Zfa,
        // Conversions and moves are the smaller extension's, without arithmetic.
        (0x08, _, _) if is_half => Set::Zfhmin,
        (0x1c | 0x1e, 0, 0) if is_half => Set::Zfhmin,
        _ if is_half => Set::Zfh,
        _ => return Sets::NONE,
    };
    set.into()
}

/// What a compressed instruction needs: loads and stores of bytes and halves, and arithmetic in one operand, are Zcb's.
pub(super) fn compressed(half: u16) -> Sets {
    let is_memory = half & 0xe003 == 0x8000;
    let is_unary = half & 0xfc63 == 0x9c61 && half >> 2 & 7 <= 5;
    let is_product = half & 0xfc63 == 0x9c41;
    match is_memory || is_unary || is_product {
        true => Set::Zcb.into(),
        false => Sets::NONE,
    }
}

/// The pages that registers hold, from `AUIPC` to the instruction that adds what is missing.
#[derive(Default)]
struct Pages([Option<u64>; 32]);

impl Pages {
    fn step(&mut self, word: u32, pc: u64, step: &mut Step) {
        let (to, from) = ((word >> 7 & 31) as usize, (word >> 15 & 31) as usize);
        let offset = i64::from(word as i32 >> 20);
        let there = self.0[from].map(|page| page.wrapping_add_signed(offset));
        match word & 0x7f {
            0x17 => self.0[to] = Some(pc.wrapping_add_signed(i64::from((word & 0xffff_f000) as i32))),
            0x13 if word >> 12 & 7 == 0 => step.takes = there,
            0x03 => step.reads = there,
            0x23 => {
                let offset = i64::from(word as i32 >> 25 << 5 | (word >> 7 & 31) as i32);
                step.reads = self.0[from].map(|page| page.wrapping_add_signed(offset));
                step.writes = step.reads;
            }
            0x67 => {
                step.flow = match (to, there) {
                    (0, Some(there)) => Flow::Jump(there),
                    (0, None) => Flow::End,
                    (_, Some(there)) => Flow::Call(there),
                    (_, None) => Flow::Next,
                }
            }
            _ => {}
        }
        // What is written over is no page any more; stores and branches have other bits there.
        if !matches!(word & 0x7f, 0x17 | 0x23 | 0x27 | 0x63) {
            self.0[to] = None;
        }
    }

    /// Forgets every register that a compressed instruction may write to; which of its fields it is, differs.
    fn forget(&mut self, half: u16) {
        for field in [half >> 7 & 31, 8 + (half >> 7 & 7), 8 + (half >> 2 & 7)] {
            self.0[usize::from(field)] = None;
        }
    }
}

/// `li a0, 258` or `li a7, 258`: the number of the call `riscv_hwprobe`, for those that make it themselves.
const HWPROBE: [u32; 2] = [0x1020_0513, 0x1020_0893];

impl Decode for Riscv64 {
    fn align(&self) -> u64 {
        2
    }

    fn run(&self, bytes: &[u8], address: u64, each: &mut Each<'_>) {
        let mut pages = Pages::default();
        let mut at = 0;
        let mut pc = address;
        while let Some(low) = bytes.get(at..at + 2) {
            let half = u16::from_le_bytes([low[0], low[1]]);
            let mut step = Step::default();
            let size = if half & 3 != 3 {
                if half == 0 {
                    break;
                }
                step.sets = compressed(half);
                step.flow = compressed_flow(half, pc);
                pages.forget(half);
                2
            } else {
                let Some(high) = bytes.get(at + 2..at + 4).filter(|_| half & 0x1c != 0x1c) else {
                    break;
                };
                let word = u32::from(half) | u32::from(high[0]) << 16 | u32::from(high[1]) << 24;
                step.sets = needs(word);
                step.flow = flow(word, pc);
                step.asks = HWPROBE.contains(&word);
                pages.step(word, pc, &mut step);
                4
            };
            step.next = pc + size;
            if each(&step).is_break() {
                return;
            }
            at += size as usize;
            pc += size;
        }
    }
}

/// Where an instruction of four bytes leads; `JALR` needs what is known of its register.
fn flow(word: u32, pc: u64) -> Flow {
    let bits = |from: u32, count: u32, to: u32| (word >> from & ((1 << count) - 1)) << to;
    match word & 0x7f {
        0x6f => {
            let offset = bits(21, 10, 1) | bits(20, 1, 11) | bits(12, 8, 12) | bits(31, 1, 20);
            let there = pc.wrapping_add_signed(i64::from(offset) << 43 >> 43);
            match word >> 7 & 31 {
                0 => Flow::Jump(there),
                _ => Flow::Call(there),
            }
        }
        0x63 => {
            let offset = bits(8, 4, 1) | bits(25, 6, 5) | bits(7, 1, 11) | bits(31, 1, 12);
            Flow::Branch(pc.wrapping_add_signed(i64::from(offset) << 51 >> 51))
        }
        // EBREAK.
        _ if word == 0x0010_0073 => Flow::End,
        _ => Flow::Next,
    }
}

/// Where a compressed instruction leads.
fn compressed_flow(half: u16, pc: u64) -> Flow {
    let half = u32::from(half);
    let bits = |from: u32, count: u32, to: u32| (half >> from & ((1 << count) - 1)) << to;
    match (half & 3, half >> 13) {
        (1, 5) => {
            let low = bits(3, 3, 1) | bits(11, 1, 4) | bits(2, 1, 5) | bits(7, 1, 6) | bits(6, 1, 7);
            let offset = low | bits(9, 2, 8) | bits(8, 1, 10) | bits(12, 1, 11);
            Flow::Jump(pc.wrapping_add_signed(i64::from(offset) << 52 >> 52))
        }
        (1, 6 | 7) => {
            let offset = bits(3, 2, 1) | bits(10, 2, 3) | bits(2, 1, 5) | bits(5, 2, 6) | bits(12, 1, 8);
            Flow::Branch(pc.wrapping_add_signed(i64::from(offset) << 55 >> 55))
        }
        // C.JR has a register and no source; without a register C.EBREAK stands in the place of C.JALR.
        (2, 4) if half >> 2 & 31 == 0 && (half >> 12 & 1 == 0 || half >> 7 & 31 == 0) => Flow::End,
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions as LLVM's assembler writes them, with what they need.
    #[rustfmt::skip]
    const KNOWN: &[(u32, &str)] = &[
        (0x0d05_72d7, "v"), // vsetvli t0, a0, e32, m1, ta, ma
        (0x0205_6407, "v"), // vle32.v v8, (a0)
        (0x0295_0457, "v"), // vadd.vv v8, v9, v10
        (0x0005_3507, ""), // fld fa0, 0(a0)
        (0x0005_1507, "zfhmin"), // flh fa0, 0(a0)
        (0xe405_9553, "zfh"), // fclass.h a0, fa1
        (0xf405_8553, "zfhmin"), // fmv.h.x fa0, a1
        (0xe405_8553, "zfhmin"), // fmv.x.h a0, fa1
        (0x4025_8553, "zfhmin"), // fcvt.s.h fa0, fa1
        (0x04c5_f553, "zfh"), // fadd.h fa0, fa1, fa2
        (0x02c5_f553, ""), // fadd.d fa0, fa1, fa2
        (0x20c5_c533, "zba"), // sh2add a0, a1, a2
        (0x08c5_853b, "zba"), // add.uw a0, a1, a2
        (0x0835_951b, "zba"), // slli.uw a0, a1, 3
        (0x40c5_f533, "zbb"), // andn a0, a1, a2
        (0x6005_9513, "zbb"), // clz a0, a1
        (0x0ac5_e533, "zbb"), // max a0, a1, a2
        (0x6b85_d513, "zbb"), // rev8 a0, a1
        (0x2875_d513, "zbb"), // orc.b a0, a1
        (0x0805_c53b, "zbb"), // zext.h a0, a1
        (0x6215_d513, "zbb"), // rori a0, a1, 33
        (0x0ac5_9533, "zbc"), // clmul a0, a1, a2
        (0x08c5_c533, "zbkb"), // pack a0, a1, a2
        (0x2a85_9513, "zbs"), // bseti a0, a1, 40
        (0x48c5_d533, "zbs"), // bext a0, a1, a2
        (0x0ec5_f533, "zicond"), // czero.nez a0, a1, a2
        (0x02c5_853b, ""), // mulw a0, a1, a2
        (0x4285_d513, ""), // srai a0, a1, 40
        (0x40c5_8533, ""), // sub a0, a1, a2
        (0x28c5_b52f, "zacas"), // amocas.d a0, a2, (a1)
        (0x00b6_252f, ""), // amoadd.w a0, a1, (a2)
        (0x0045_200f, "zicbom"), // cbo.zero (a0)
        (0xf018_0553, "zfa"), // fli.s fa0, 1.0
        (0xe205_8553, ""), // fmv.x.d a0, fa1
    ];

    #[test]
    fn instructions_need_what_the_manual_says() {
        for (word, wanted) in KNOWN {
            assert_eq!(needs(*word).to_string(), *wanted, "{word:08x}");
        }
    }

    #[test]
    fn compressed_ones_are_told_apart() {
        // c.nop, c.ret, c.lbu, c.sh, c.zext.b, c.not, c.mul, c.subw.
        let known = [
            (0x0001, ""),
            (0x8082, ""),
            (0x8108, "zcb"),
            (0x8d08, "zcb"),
            (0x9d61, "zcb"),
            (0x9d75, "zcb"),
            (0x9d4d, "zcb"),
            (0x9d0d, ""),
        ];
        for (half, wanted) in known {
            assert_eq!(compressed(half).to_string(), wanted, "{half:04x}");
        }
    }

    #[test]
    fn branches_lead_where_they_say() {
        // jal x0, jal ra, beq backwards, ebreak; c.j, c.bnez backwards, c.jr ra, c.jalr a0.
        let long = [
            (0x0080_006f, Flow::Jump(0x1008)),
            (0xffdf_f0ef, Flow::Call(0xffc)),
            (0xfe00_0ee3, Flow::Branch(0xffc)),
            (0x0010_0073, Flow::End),
        ];
        for (word, wanted) in long {
            assert_eq!(flow(word, 0x1000), wanted, "{word:08x}");
        }
        let short = [
            (0xa021, Flow::Jump(0x1008)),
            (0xfd75, Flow::Branch(0xffc)),
            (0x8082, Flow::End),
            (0x9502, Flow::Next),
        ];
        for (half, wanted) in short {
            assert_eq!(compressed_flow(half, 0x1000), wanted, "{half:04x}");
        }
    }
}
