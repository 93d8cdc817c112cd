//! The readers on files whose every part is known, and on damaged ones: they may complain, they may not panic.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::io::Read;

use gates::read::container::{self, Budget, Limits, What};
use gates::read::elf::Kind;
use gates::read::pe::{Export, Pe};
use gates::read::{Content, Machine, read};
use support::{ARM64, Elf, Image, Symbol, X64, archive, coff, deb, helper, short_import, tar, thin_archive, zip};

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
    image.bound = vec!["kernel32.dll"];
    image.resources = vec![16, 24];
    // A length, revision 2.0, PKCS #7, and nothing signed.
    image.certificate = Some([16_u32.to_le_bytes(), [0, 2, 2, 0], [0; 4], [0; 4]].concat());
    image
}

/// What is imported, a line for each DLL and symbol.
fn imports(pe: &Pe) -> Vec<String> {
    let mut lines = Vec::new();
    for from in pe.imports.iter() {
        lines.push(format!("{} delayed: {}", from.dll, from.delayed));
        lines.extend(from.symbols().map(|symbol| symbol.to_string()));
    }
    lines
}

const IMPORTS: [&str; 6] = [
    "KERNEL32.dll delayed: false",
    "`ExitProcess`",
    "ordinal 7",
    "USER32.dll delayed: true",
    "`MessageBoxW`",
    "ordinal 9",
];

#[test]
fn every_table_of_a_pe_is_read() {
    let pe = pe(&full());
    assert!(pe.is_dll && pe.trouble.is_empty(), "{:?}", pe.trouble);
    assert_eq!(pe.machine, Machine::Aarch64);
    assert_eq!(pe.pdb.as_deref(), Some("C:\\build\\helper.pdb"));
    assert_eq!(imports(&pe), IMPORTS);
    assert_eq!(pe.exports.names().collect::<Vec<_>>(), ["answer", "heap", "second"]);
    let ordinals: Vec<u16> = pe.exports.ordinals().map(|(ordinal, _)| ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3]);
    let heap = Export::Forward {
        dll: "KERNEL32",
        symbol: gates::read::Symbol::Name("HeapAlloc"),
    };
    assert_eq!(pe.exports.get(gates::read::Symbol::Name("heap")), Some(heap));
    assert_eq!(pe.exports.get(gates::read::Symbol::Ordinal(1)), Some(Export::Here));
    assert_eq!(pe.exports.get(gates::read::Symbol::Name("hea")), None);
    assert_eq!((&pe.resources.types[..], pe.resources.count), (&[16, 24][..], 2));
    assert!(pe.is_signed && pe.dll_characteristics == 0x8160);
    assert_eq!(pe.exports.dll, "fixture.dll");
}

#[test]
fn delayed_imports_of_the_old_layout_are_read() {
    let mut image = full();
    // The old layout has room for addresses of 32 bits.
    (image.delayed_old, image.base) = (true, 0x40_0000);
    let pe = pe(&image);
    assert_eq!(pe.trouble, [""; 0]);
    assert_eq!(imports(&pe), IMPORTS);
}

#[test]
fn what_the_loader_would_refuse_is_trouble() {
    let trouble = |image: Image| pe(&image).trouble;
    let bound = Image {
        bound: vec!["other.dll"],
        ..full()
    };
    assert_eq!(
        trouble(bound),
        ["bound import table: `other.dll` is bound and not imported"]
    );
    let certificate = Image {
        certificate: Some(vec![0xff; 16]),
        ..full()
    };
    assert_eq!(
        trouble(certificate),
        ["security directory: a certificate of 4294967295 bytes and revision 0xffff in 16 bytes"]
    );
    let mut bytes = full().write();
    let nt = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
    // The start address into the data.
    bytes[nt + 24 + 17] = 0x20;
    let Ok(Content::Pe(pe)) = read(&bytes) else {
        panic!("no PE")
    };
    assert_eq!(pe.trouble, ["headers: the start address 0x2000 is no code"]);
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
    for (machine, is_hybrid, wanted) in machines {
        let image = Image {
            machine,
            code_map: if is_hybrid { vec![(0x1000, 16, 0)] } else { Vec::new() },
            ..helper()
        };
        assert_eq!(pe(&image).machine, wanted);
    }
}

fn elf(elf: &Elf) -> gates::read::elf::Elf {
    match read(&elf.write()).unwrap() {
        Content::Elf(elf) => *elf,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_table_of_an_elf_is_read() {
    let elf = elf(&Elf {
        rpath: Some("$ORIGIN:/opt/lib"),
        runpath: Some("$ORIGIN/../lib"),
        tls_bytes: 64,
        static_tls: true,
        riscv_arch: Some("rv64i2p1"),
        machine: 243,
        symbols: vec![
            Symbol::defined("b"),
            Symbol {
                version: Some(("", "MINE_1")),
                ..Symbol::defined("a")
            },
            Symbol::wanted("exit", "libc.so.6", "GLIBC_2.27"),
            Symbol {
                is_weak: true,
                ..Symbol::unversioned("hook")
            },
        ],
        ..Elf::program(&["libc.so.6"])
    });
    assert_eq!(elf.trouble, [""; 0]);
    assert_eq!((elf.machine, elf.kind), (Machine::Riscv64, Kind::Program));
    assert_eq!(elf.interpreter.as_deref(), Some("/lib/ld-linux-aarch64.so.1"));
    assert_eq!(
        (&elf.needed[..], &elf.rpath[..]),
        (&["libc.so.6".into()][..], &["$ORIGIN".into(), "/opt/lib".into()][..])
    );
    assert_eq!(elf.runpath, ["$ORIGIN/../lib"]);
    assert_eq!((elf.tls_bytes, elf.riscv_arch.as_deref()), (64, Some("rv64i2p1")));
    let hardening = elf.hardening;
    assert!(hardening.relro && hardening.bind_now && hardening.static_tls && !hardening.text_relocations);
    assert_eq!(hardening.executable_stack, Some(false));
    let symbols = |symbol: gates::read::elf::Symbol<'_>| {
        format!(
            "{}@{} of {} weak: {}",
            symbol.name,
            symbol.version.unwrap_or_default(),
            symbol.library,
            symbol.is_weak
        )
    };
    assert_eq!(
        elf.symbols.defined().map(symbols).collect::<Vec<_>>(),
        ["a@MINE_1 of  weak: false", "b@ of  weak: false"]
    );
    assert_eq!(
        elf.symbols.undefined().map(symbols).collect::<Vec<_>>(),
        ["exit@GLIBC_2.27 of libc.so.6 weak: false", "hook@ of  weak: true"]
    );
    assert!(elf.symbols.offers("a", Some("MINE_1")) && !elf.symbols.offers("a", Some("MINE_2")));
    assert!(elf.symbols.offers("b", Some("ANY")) && !elf.symbols.offers("c", None));
}

#[test]
fn section_headers_are_not_believed() {
    let mut bytes = Elf::library("l.so").write();
    // Where they would be, how many, and which one has the names.
    bytes[40..48].fill(0xff);
    bytes[60..64].fill(0xff);
    let Ok(Content::Elf(elf)) = read(&bytes) else {
        panic!("no ELF")
    };
    assert_eq!((elf.soname.as_deref(), elf.trouble.len()), (Some("l.so"), 0));
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
        (import.dll.as_str(), import.symbol()),
        ("b.dll", gates::read::Symbol::Name("b"))
    );
    assert!(matches!(found[2], ("c.obj", Content::Other)));
    let ("d.obj", Content::Archive(nested)) = found[3] else {
        panic!("{:?}", found[3])
    };
    assert_eq!(nested.members.len(), 1);
}

#[test]
fn a_thin_archive_names_its_members_and_bitcode_is_refused() {
    let Content::Archive(thin) = read(&thin_archive(&["a.obj"])).unwrap() else {
        panic!("no archive")
    };
    assert_eq!((thin.elsewhere, thin.trouble), (vec!["a.obj".to_owned()], Vec::new()));
    assert!(
        read(b"BC\xc0\xde0123456789abcdef")
            .unwrap_err()
            .contains("LLVM bitcode")
    );
    assert_eq!(
        read(b"MZ").unwrap_err(),
        "cannot be read as PE: Could not read file magic"
    );
    // A class of Java begins like a universal file of Apple's.
    assert!(matches!(
        read(b"\xca\xfe\xba\xbe\0\0\0\x41\0\0\0\0"),
        Ok(Content::Other)
    ));
    assert!(read(b"\xca\xfe\xba\xbe\0\0\0\x02\0\0\0\0").is_err());
}

/// The members of a container, a line for each, and the trouble.
fn members(bytes: &[u8], limits: Limits) -> (Vec<String>, Vec<String>) {
    let mut lines = Vec::new();
    let kind = container::sniff(bytes).unwrap();
    let trouble = container::open(
        kind,
        bytes,
        "dir/x.bin.gz",
        &mut Budget::new(limits),
        &mut |_, entry| {
            lines.push(match entry.what {
                What::Folder => format!("{}/", entry.path.trim_end_matches('/')),
                What::File(bytes) => format!("{} {}", entry.path, bytes.len()),
                What::Symlink(to) => format!("{} -> {to}", entry.path),
                other => format!("{} {other:?}", entry.path),
            });
        },
    );
    (lines, trouble)
}

#[test]
fn every_container_is_told_by_its_content_and_opened() {
    let inner = tar(&[("./a", b"12345"), ("b -> a", b"")]);
    let wanted = ["a 5", "b -> a"];
    let compressed = |kind: &str| -> Vec<u8> {
        let mut out = Vec::new();
        match kind {
            "gz" => drop(flate2::read::GzEncoder::new(&inner[..], Default::default()).read_to_end(&mut out)),
            "bz2" => drop(bzip2::read::BzEncoder::new(&inner[..], Default::default()).read_to_end(&mut out)),
            "xz" => drop(liblzma::read::XzEncoder::new(&inner[..], 1).read_to_end(&mut out)),
            _ => out = zstd::stream::encode_all(&inner[..], 1).unwrap(),
        }
        out
    };
    for kind in ["gz", "bz2", "xz", "zst"] {
        assert_eq!(
            members(&compressed(kind), Limits::default()),
            (wanted.map(str::to_owned).to_vec(), vec![]),
            "{kind}"
        );
    }
    assert_eq!(members(&inner, Limits::default()).0, wanted);
    assert_eq!(members(&zip(&[("a", b"12345")]), Limits::default()).0, ["a 5"]);
    let deb = deb("Package: x\n", &[("./usr/a", b"12345")]);
    assert_eq!(members(&deb, Limits::default()).0, ["DEBIAN/control 11", "usr/a 5"]);
    // What was compressed alone is one file.
    let mut lone = Vec::new();
    flate2::read::GzEncoder::new(&b"text"[..], Default::default())
        .read_to_end(&mut lone)
        .unwrap();
    assert_eq!(members(&lone, Limits::default()).0, ["x.bin 4"]);
}

#[test]
fn what_expands_beyond_a_limit_is_refused() {
    let zeros = vec![0; 1 << 20];
    let bomb = zip(&[("a", &zeros), ("b", &zeros), ("c", &zeros)]);
    let limits = Limits {
        member_bytes: 1 << 19,
        ..Limits::default()
    };
    let trouble = |limits| members(&bomb, limits).1;
    assert_eq!(trouble(limits), ["`a` expands beyond 524288 bytes for a member"]);
    let limits = Limits {
        total_bytes: 3 << 19,
        ..Limits::default()
    };
    assert_eq!(
        trouble(limits),
        ["`b` expands beyond 1572864 bytes for all members together"]
    );
    let limits = Limits {
        members: 2,
        ..Limits::default()
    };
    assert_eq!(trouble(limits), ["`c` holds more than 2 members"]);
}

#[test]
fn a_zip_with_two_members_of_one_name_is_trouble() {
    let mut bytes = zip(&[("a", b"1"), ("b", b"2")]);
    let end = bytes.len() - 22;
    for at in (0..end).filter(|at| bytes[*at] == b'b').collect::<Vec<_>>() {
        bytes[at] = b'a';
    }
    assert_eq!(
        members(&bytes, Limits::default()).1,
        ["lists 2 members and has 1 names"]
    );
}

/// The samples that are damaged below.
fn samples() -> Vec<Vec<u8>> {
    let members = [
        ("b.obj", short_import(ARM64, "b.dll", "b")),
        ("c.obj", coff(ARM64)),
        ("d.dll", full().write()),
    ];
    let elf = Elf {
        riscv_arch: Some("rv64i2p1"),
        machine: 243,
        ..Elf::program(&["libc.so.6"])
    };
    vec![
        full().write(),
        archive(&members),
        short_import(ARM64, "b.dll", "b"),
        coff(ARM64),
        elf.write(),
        Elf::library("l.so").write(),
        deb("Package: x\n", &[("./a", b"x")]),
        zip(&[("a", b"1"), ("b", &full().write())]),
        tar(&[("a", b"1"), ("b -> a", b"")]),
    ]
}

/// Reads bytes, and what is packed in them.
fn take(bytes: &[u8]) {
    let _ = read(bytes);
    if let Some(kind) = container::sniff(bytes) {
        let limits = Limits {
            member_bytes: 1 << 20,
            ..Limits::default()
        };
        container::open(kind, bytes, "x", &mut Budget::new(limits), &mut |_, entry| {
            if let What::File(bytes) = entry.what {
                let _ = read(&bytes);
            }
        });
    }
}

#[test]
fn no_truncation_panics() {
    for sample in samples() {
        for length in 0..sample.len() {
            take(&sample[..length]);
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
            take(&damaged);
        }
    }
}

#[test]
fn overlapping_tables_do_not_exhaust_the_memory() {
    // One name table, claimed by as many descriptors as the section holds.
    let mut image = helper();
    image.imports = vec![("KERNEL32.dll", &["ExitProcess"; 3_000]); 400];
    let pe = pe(&image);
    assert_eq!(pe.trouble.len(), 1, "{:?}", pe.trouble);
    assert!(
        pe.trouble[0].starts_with("import table: more than"),
        "{}",
        pe.trouble[0]
    );
}
