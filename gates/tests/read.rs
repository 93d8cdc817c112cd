//! The readers on files whose every part is known, and on damaged ones: they may complain, they may not panic.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use gates::read::pe::{Export, Pe};
use gates::read::{Content, Machine, Symbol, read};
use support::{ARM64, Image, X64, archive, coff, helper, short_import};

fn pe(image: &Image) -> Pe {
    match read(&image.write()).unwrap() {
        Content::Pe(pe) => *pe,
        other => panic!("{other:?}"),
    }
}

fn full() -> Image {
    let mut image = helper();
    image.imports = vec![("KERNEL32.dll", &["ExitProcess", "7"])];
    image.delayed = vec![("USER32.dll", &["MessageBoxW", "9"])];
    image.pdb = Some("C:\\build\\helper.pdb");
    image
}

#[test]
fn every_table_of_a_pe_is_read() {
    let pe = pe(&full());
    assert!(pe.is_dll && pe.trouble.is_empty(), "{:?}", pe.trouble);
    assert_eq!(pe.machine, Machine::Aarch64);
    assert_eq!(pe.pdb.as_deref(), Some("C:\\build\\helper.pdb"));
    let imports = |import: &gates::read::pe::Import| {
        let symbol = import.symbol.as_ref().map(Symbol::to_string).unwrap_or_default();
        format!("{} {symbol} {}", import.dll, import.delayed)
    };
    let imports: Vec<String> = pe.imports.iter().map(imports).collect();
    let wanted = [
        "KERNEL32.dll  false",
        "KERNEL32.dll `ExitProcess` false",
        "KERNEL32.dll ordinal 7 false",
        "USER32.dll  true",
        "USER32.dll `MessageBoxW` true",
        "USER32.dll ordinal 9 true",
    ];
    assert_eq!(imports, wanted);
    assert_eq!(
        pe.exports.names.keys().collect::<Vec<_>>(),
        ["answer", "heap", "second"]
    );
    assert_eq!(pe.exports.ordinals.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    let heap = Export::Forward {
        dll: "KERNEL32".into(),
        symbol: Symbol::Name("HeapAlloc".into()),
    };
    assert_eq!(pe.exports.names["heap"], heap);
    assert_eq!(pe.exports.ordinals[&1], Export::Here);
}

#[test]
fn hybrid_code_is_told_from_plain_code() {
    let machines = [
        (ARM64, false, Machine::Aarch64),
        (ARM64, true, Machine::Arm64X),
        (X64, false, Machine::X86_64),
        (X64, true, Machine::Arm64Ec),
        (0x0ebc, false, Machine::Unknown(0x0ebc)),
    ];
    for (machine, has_chpe, wanted) in machines {
        let image = Image {
            machine,
            has_chpe,
            ..helper()
        };
        assert_eq!(pe(&image).machine, wanted);
    }
}

#[test]
fn members_of_archives_are_told_apart_by_content() {
    let members = [
        ("a.txt", coff(X64)),
        ("b.obj", short_import(ARM64, "b.dll", "b")),
        ("c.obj", b"no object at all, but text".to_vec()),
        ("d.obj", archive(&[("e.obj", coff(ARM64))])),
    ];
    let Content::Archive(found) = read(&archive(&members)).unwrap() else {
        panic!("no archive")
    };
    assert!(found.trouble.is_empty());
    let found: Vec<_> = found
        .members
        .iter()
        .map(|member| (member.name.as_str(), member.content.as_ref().unwrap()))
        .collect();
    assert!(matches!(found[0], ("a.txt", Content::Coff(Machine::X86_64))));
    let ("b.obj", Content::ShortImport(import)) = found[1] else {
        panic!("{:?}", found[1])
    };
    assert_eq!(
        (import.dll.as_str(), &import.symbol),
        ("b.dll", &Symbol::Name("b".into()))
    );
    assert!(matches!(found[2], ("c.obj", Content::Other)));
    let ("d.obj", Content::Archive(nested)) = found[3] else {
        panic!("{:?}", found[3])
    };
    assert_eq!(nested.members.len(), 1);
}

#[test]
fn a_thin_archive_and_bitcode_are_refused() {
    let thin = [b"!<thin>\n", &archive(&[("a.obj", Vec::new())])[8..]].concat();
    let Content::Archive(thin) = read(&thin).unwrap() else {
        panic!("no archive")
    };
    assert_eq!(thin.trouble, ["is a thin archive: its members are in other files"]);
    assert!(
        read(b"BC\xc0\xde0123456789abcdef")
            .unwrap_err()
            .contains("LLVM bitcode")
    );
    assert_eq!(
        read(b"MZ").unwrap_err(),
        "cannot be read as PE: Could not read file magic"
    );
}

/// The samples that are damaged below.
fn samples() -> Vec<Vec<u8>> {
    let members = [
        ("b.obj", short_import(ARM64, "b.dll", "b")),
        ("c.obj", coff(ARM64)),
        ("d.dll", full().write()),
    ];
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(64, 0);
    elf[18] = 183;
    vec![
        full().write(),
        archive(&members),
        short_import(ARM64, "b.dll", "b"),
        coff(ARM64),
        elf,
    ]
}

#[test]
fn no_truncation_panics() {
    for sample in samples() {
        for length in 0..sample.len() {
            let _ = read(&sample[..length]);
        }
    }
    // The tables lie in the last section: without it each of them is a complaint, not silence.
    let whole = full().write();
    let Ok(Content::Pe(pe)) = read(&whole[..0x400]) else {
        return;
    };
    assert!(!pe.trouble.is_empty());
}

#[test]
fn no_changed_byte_panics() {
    // A fixed seed: a failure is the same everywhere. The generator is Marsaglia's xorshift.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for sample in samples() {
        for _ in 0..4_000 {
            let mut damaged = sample.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                damaged[at] = [0x00, 0xff, 0x7f, 0x80, random(256) as u8][random(5)];
            }
            let _ = read(&damaged);
        }
    }
}

#[test]
fn overlapping_tables_do_not_exhaust_the_memory() {
    // One name table, claimed by as many descriptors as the section holds.
    let mut image = helper();
    image.imports = vec![("KERNEL32.dll", &["ExitProcess"; 3_000]); 300];
    let pe = pe(&image);
    assert_eq!(pe.trouble.len(), 1, "{:?}", pe.trouble);
    assert!(
        pe.trouble[0].starts_with("import table: more than"),
        "{}",
        pe.trouble[0]
    );
}
