//! Objects that are not linked yet, made of readable code: functions, and what each leads to.

use object::write::{Object, Relocation, SectionId, StandardSection, Symbol, SymbolId, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, RelocationFlags, SymbolFlags, SymbolKind, SymbolScope, elf, pe};

use super::{archive, words};

/// What an instruction leads to: its offset in the code, the number of the relocation's type, the symbol and the addend. A symbol that is
/// no function of the same object is one of another.
pub type Lead<'a> = (u64, u16, &'a str, i64);

/// One function of an object, in a section of its own.
pub struct Function<'a> {
    pub name: &'a str,
    pub code: Vec<u8>,
    pub leads: &'a [Lead<'a>],
}

/// An object of functions that others may call.
pub fn object_of(format: BinaryFormat, arch: Architecture, functions: &[Function<'_>]) -> Vec<u8> {
    let mut object = Object::new(format, arch, Endianness::Little);
    let mut known: Vec<(&str, SymbolId)> = Vec::new();
    let mut sections = Vec::new();
    for function in functions {
        let section = object.add_subsection(StandardSection::Text, function.name.as_bytes());
        object.append_section_data(section, &function.code, 16);
        sections.push(section);
        let symbol = symbol(function.name, Some((section, function.code.len())));
        known.push((function.name, object.add_symbol(symbol)));
    }
    for (function, section) in functions.iter().zip(sections) {
        for (offset, kind, name, addend) in function.leads {
            let symbol = match known.iter().find(|(known, _)| known == name) {
                Some((_, known)) => *known,
                None => {
                    let other = object.add_symbol(symbol(name, None));
                    known.push((name, other));
                    other
                }
            };
            let flags = match format {
                BinaryFormat::Coff => RelocationFlags::Coff {
                    typ: pe::RelocationType(*kind),
                },
                _ => RelocationFlags::Elf {
                    r_type: elf::RelocationType((*kind).into()),
                },
            };
            let relocation = Relocation {
                offset: *offset,
                symbol,
                addend: *addend,
                flags,
            };
            object.add_relocation(section, relocation).unwrap();
        }
    }
    object.write().unwrap()
}

fn symbol(name: &str, place: Option<(SectionId, usize)>) -> Symbol {
    Symbol {
        name: name.into(),
        value: 0,
        size: place.map_or(0, |(_, size)| size as u64),
        kind: SymbolKind::Text,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: place.map_or(SymbolSection::Undefined, |(section, _)| SymbolSection::Section(section)),
        flags: SymbolFlags::None,
    }
}

/// A library for each architecture and format whose first object calls, points and leads to the second.
pub fn samples() -> Vec<Vec<u8>> {
    // bl, adrp, add, cbz, ret; udot, ret.
    let arm = [
        words(&[0x9400_0000, 0x9000_0000, 0x9100_0000, 0xb400_0040, 0xd65f_03c0]),
        words(&[0x6e82_9420, 0xd65f_03c0]),
    ];
    // call, lea, jmp; vpaddd, ret.
    let x64 = [
        vec![0xe8, 0, 0, 0, 0, 0x48, 0x8d, 5, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0],
        vec![0xc5, 0xfd, 0xfe, 0xc1, 0xc3],
    ];
    // auipc, jalr, auipc, addi, beqz, ret; vsetvli, ret.
    let riscv = [
        words(&[0x97, 0x0000_80e7, 0x517, 0x0005_0513, 0x0000_0463, 0x8067]),
        words(&[0x0d05_72d7, 0x8067]),
    ];
    let (elf, coff) = (BinaryFormat::Elf, BinaryFormat::Coff);
    let (aarch64, x86_64, riscv64) = (Architecture::Aarch64, Architecture::X86_64, Architecture::Riscv64);
    // CALL26, ADR_PREL_PG_HI21, ADD_ABS_LO12_NC; BRANCH26, PAGEBASE_REL21, PAGEOFFSET_12A; PLT32, PC32; REL32; CALL_PLT, PCREL_HI20.
    let of_arm_elf: &[Lead<'_>] = &[(0, 283, "wide", 0), (4, 275, "wide", 0), (8, 277, "wide", 0)];
    let of_arm_coff: &[Lead<'_>] = &[(0, 3, "wide", 0), (4, 4, "wide", 0), (8, 6, "wide", 0)];
    let of_x64_elf: &[Lead<'_>] = &[(1, 4, "wide", -4), (8, 2, "getauxval", -4), (13, 4, "wide", -4)];
    let of_x64_coff: &[Lead<'_>] = &[
        (1, 4, "wide", -4),
        (8, 4, "__imp_IsProcessorFeaturePresent", -4),
        (13, 4, "wide", -4),
    ];
    let of_riscv: &[Lead<'_>] = &[(0, 19, "wide", 0), (8, 23, "wide", 0)];
    let all = [
        (elf, aarch64, arm.clone(), of_arm_elf),
        (coff, aarch64, arm, of_arm_coff),
        (elf, x86_64, x64.clone(), of_x64_elf),
        (coff, x86_64, x64, of_x64_coff),
        (elf, riscv64, riscv, of_riscv),
    ];
    let library = |(format, arch, [first, second], leads): (_, _, [Vec<u8>; 2], &[Lead<'_>])| {
        let object = |name, code, leads| object_of(format, arch, &[Function { name, code, leads }]);
        archive(&[
            ("a.o", object("first", first, leads)),
            ("b.o", object("wide", second, &[])),
        ])
    };
    all.into_iter().map(library).collect()
}
