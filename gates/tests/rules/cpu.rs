//! Code that needs more of the processor than the target has, and vector paths that are not there.

use gates::manifest::{Kind, Simd};

use object::{Architecture, BinaryFormat};

use super::support::{ARM64, Elf, Function, Image, Lead, X64, archive, object_of, words};
use super::{Case, Given};

const RET: u32 = 0xd65f_03c0;
/// `bl` over one instruction, over two, over three.
const BL_8: u32 = 0x9400_0002;
const BL_12: u32 = 0x9400_0003;
const BL_16: u32 = 0x9400_0004;
/// `adr x0` of what is two instructions on.
const ADR_8: u32 = 0x1000_0040;
/// `mrs x0, ID_AA64ISAR0_EL1`.
const MRS: u32 = 0xd538_0600;
/// `udot v0.4s, v1.16b, v2.16b`.
const UDOT: u32 = 0x6e82_9420;
/// `ldaddal x0, x1, [x2]` and `ldaxr x1, [x2]`.
const LDADD: u32 = 0xf8e0_0041;
const LDAXR: u32 = 0xc85f_fc41;

fn program(code: &[u32]) -> Vec<u8> {
    Image {
        code: words(code),
        ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
    }
    .write()
}

/// A program that imports what tells the processor's extensions, and calls it through its slot in the table of imports: `adrp`,
/// `ldr`, `blr`; then `udot` in a function of its own. The slot is the first word of the table.
fn asking(slot: u32) -> Vec<u8> {
    let load = 0xf940_0000 | (((slot & 0xfff) / 8) << 10);
    let code = [0xb000_0000, load, 0xd63f_0000, BL_8, RET, UDOT, RET];
    Image {
        code: words(&code),
        ..Image::program(&[("KERNEL32.dll", &["IsProcessorFeaturePresent"])])
    }
    .write()
}

/// The address of the first slot of imports of the program above, as its own import table says.
fn slot() -> u32 {
    let image = asking(0);
    let directory = u32::from_le_bytes(image[0x3c..0x40].try_into().unwrap()) as usize + 24 + 112 + 8;
    let dword = |at: usize| u32::from_le_bytes(image[at..at + 4].try_into().unwrap());
    // The data is the second section, at 0x2000; its offset in the file is in its header.
    let table = dword(directory) - 0x2000 + dword(directory + 8 * 15 + 40 + 20);
    dword(table as usize + 16)
}

fn x64(code: &[u8]) -> Vec<u8> {
    Image {
        machine: X64,
        code: code.to_vec(),
        ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
    }
    .write()
}

/// `vpaddd ymm0, ymm0, ymm1; ret`.
const AVX2: [u8; 5] = [0xc5, 0xfd, 0xfe, 0xc1, 0xc3];

fn riscv(code: &[u8]) -> Vec<u8> {
    Elf {
        machine: 243,
        code: code.to_vec(),
        ..Elf::library("libhelper.so.1")
    }
    .write()
}

/// `bl` that the linker fills in, and `adrp` and `add` of what it knows.
const BL: u32 = 0x9400_0000;
const ADRP: u32 = 0x9000_0000;
const ADD: u32 = 0x9100_0000;

/// Types of relocations: `IMAGE_REL_ARM64_BRANCH26`, `PAGEBASE_REL21` and `PAGEOFFSET_12A`.
const BRANCH26: u16 = 3;
const PAGE: u16 = 4;
const OFFSET: u16 = 6;

/// An object for Windows on ARM with one function.
fn coff_of(name: &str, code: &[u32], leads: &[Lead<'_>]) -> Vec<u8> {
    let code = words(code);
    object_of(
        BinaryFormat::Coff,
        Architecture::Aarch64,
        &[Function { name, code, leads }],
    )
}

/// An object for Linux with one function.
fn elf_of(arch: Architecture, name: &str, code: Vec<u8>, leads: &[Lead<'_>]) -> Vec<u8> {
    object_of(BinaryFormat::Elf, arch, &[Function { name, code, leads }])
}

/// A library for x86-64 whose first object jumps to the second: `jmp`, with `R_X86_64_PLT32`; then `vpaddd`.
fn library_x64(first: &[u8], leads: &[Lead<'_>]) -> Vec<u8> {
    archive(&[
        ("entry.o", elf_of(Architecture::X86_64, "entry", first.to_vec(), leads)),
        ("wide.o", elf_of(Architecture::X86_64, "wide", AVX2.to_vec(), &[])),
    ])
}

pub const CASES: &[Case] = &[
    // A library of objects, as a linker would take it: the call leads from one to the other.
    Case {
        rule: "cpu-baseline",
        given: Given::Windows(|tree| {
            let wide = coff_of("wide", &[UDOT, RET], &[]);
            let entry = coff_of("entry", &[BL, RET], &[(0, BRANCH26, "wide", 0)]);
            tree.add(
                "lib/fast.lib",
                Kind::StaticLibrary,
                archive(&[("entry.obj", entry), ("wide.obj", wide.clone())]),
            );
            // Somebody asks, through the slot of the import, and gives the address of what it chose.
            let chooses = coff_of(
                "chooses",
                &[ADRP, 0xf940_0000, 0xd63f_0000, ADRP, ADD, RET],
                &[
                    (0, PAGE, "__imp_IsProcessorFeaturePresent", 0),
                    (4, 7, "__imp_IsProcessorFeaturePresent", 0),
                    (12, PAGE, "wide", 0),
                    (16, OFFSET, "wide", 0),
                ],
            );
            let good = [("chooses.obj", chooses.clone()), ("wide.obj", wide.clone())];
            tree.add("lib/chooses.lib", Kind::StaticLibrary, archive(&good));
            let hasty = coff_of("hasty", &[BL, RET], &[(0, BRANCH26, "wide", 0)]);
            let all = [
                ("chooses.obj", chooses),
                ("hasty.obj", hasty),
                ("wide.obj", wide.clone()),
            ];
            tree.add("lib/hasty.lib", Kind::StaticLibrary, archive(&all));
            tree.add("lib/lone.obj", Kind::File, wide);
        }),
        wanted: &[
            "lib/fast.lib: uses dotprod in `wide.obj:wide`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
            "lib/hasty.lib: uses dotprod in `wide.obj:wide`; plain calls from `hasty.obj:hasty` lead there, past nothing that asks what the processor has, wanted those of the target's baseline alone",
            "lib/lone.obj: uses dotprod in `wide`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Linux(|tree| {
            tree.target = "x86_64-unknown-linux-gnu";
            let own = |elf: Elf| Elf { machine: 62, ..elf }.write();
            tree.replace("bin/app", own(Elf::program(&["libhelper.so.1", "libc.so.6"])));
            tree.replace("lib/libhelper.so.1", own(Elf::library("libhelper.so.1")));
            let plain = library_x64(&[0xe9, 0, 0, 0, 0], &[(1, 4, "wide", -4)]);
            tree.add("lib/libfast.a", Kind::StaticLibrary, plain);
            // `cpuid` before the jump; and `call getauxval`, then the jump.
            let asks = library_x64(&[0x0f, 0xa2, 0xe9, 0, 0, 0, 0], &[(3, 4, "wide", -4)]);
            tree.add("lib/libasks.a", Kind::StaticLibrary, asks);
            let leads = &[(1, 4, "getauxval", -4), (6, 4, "wide", -4)];
            let calls = library_x64(&[0xe8, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0], leads);
            tree.add("lib/libcalls.a", Kind::StaticLibrary, calls);
            // A jump to what another library has, with bytes for `vpaddd` behind it that nothing leads to.
            let other = [&[0xe9, 0, 0, 0, 0][..], &AVX2].concat();
            let other = elf_of(Architecture::X86_64, "other", other, &[(1, 4, "elsewhere", -4)]);
            tree.add("lib/libother.a", Kind::StaticLibrary, archive(&[("other.o", other)]));
        }),
        wanted: &[
            "lib/libfast.a: uses avx2 in `wide.o:wide`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Linux(|tree| {
            tree.target = "riscv64gc-unknown-linux-gnu";
            tree.replace(
                "bin/app",
                Elf {
                    machine: 243,
                    ..Elf::program(&["libc.so.6"])
                }
                .write(),
            );
            tree.replace("lib/libhelper.so.1", riscv(&[0x82, 0x80]));
            let object = |name, code: &[u32], leads| elf_of(Architecture::Riscv64, name, words(code), leads);
            // `vsetvli t0, a0, e32, m1, ta, ma`; `ret`.
            let wide = object("wide", &[0x0d05_72d7, 0x8067], &[]);
            // `call __riscv_hwprobe`, then `call wide` in the one; in the other `tail wide`, each of two instructions.
            let asks = object(
                "asks",
                &[0x97, 0x0000_80e7, 0x97, 0x0000_80e7, 0x8067],
                &[(0, 19, "__riscv_hwprobe", 0), (8, 19, "wide", 0)],
            );
            let hasty = object("hasty", &[0x317, 0x0003_0067], &[(0, 19, "wide", 0)]);
            let all = [("asks.o", asks), ("hasty.o", hasty), ("wide.o", wide)];
            tree.add("lib/libfast.a", Kind::StaticLibrary, archive(&all));
        }),
        wanted: &[
            "lib/libfast.a: uses v in `wide.o:wide`; plain calls from `hasty.o:hasty` lead there, past nothing that asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    // Hybrid code: each range is read by its own decoder, and each architecture has its own baseline.
    Case {
        rule: "cpu-baseline",
        given: Given::Windows(|tree| {
            // `ret` and `udot`, `ret` for the two kinds of ARM's code, then `vpaddd`, `ret` of x86's.
            let code = [words(&[RET, RET, UDOT, RET]), AVX2.to_vec()].concat();
            let hybrid = |machine, map: &[(u32, u32, u32)]| {
                Image {
                    machine,
                    code: code.clone(),
                    code_map: map.to_vec(),
                    ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
                }
                .write()
            };
            let both = [(0x1000, 8, 0), (0x1008, 8, 1), (0x1010, 5, 2)];
            tree.add("bin/both.exe", Kind::Program, hybrid(ARM64, &both));
            // ARM's code asks, and x86's reads what it was told.
            let asking = Image {
                code: [words(&[MRS, RET]), AVX2.to_vec()].concat(),
                code_map: vec![(0x1000, 8, 0), (0x1008, 5, 2)],
                ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
            };
            tree.add("bin/asking.exe", Kind::Program, asking.write());
            // The same bytes as data among the code.
            tree.add("bin/arm.exe", Kind::Program, hybrid(ARM64, &[(0x1000, 8, 0)]));
        }),
        wanted: &[
            "bin/both.exe: uses avx2 in `0x1010`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
            "bin/both.exe: uses dotprod in `0x1008`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::FolderBy(
            |policy| policy.machine.arm64ec = true,
            || {
                // The header says x64; most of the code is ARM's.
                let image = Image {
                    machine: X64,
                    code: [words(&[UDOT, RET]), vec![0xc3]].concat(),
                    code_map: vec![(0x1000, 8, 1), (0x1008, 1, 2)],
                    ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
                };
                let mut object = coff_of("wide", &[UDOT, RET], &[]);
                object[..2].copy_from_slice(&0xa641_u16.to_le_bytes());
                vec![("ec.exe".into(), image.write()), ("ec.obj".into(), object)]
            },
        ),
        wanted: &[
            "ec.exe: uses dotprod in `0x1000`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
            "ec.obj: uses dotprod in `wide`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    // Nothing in the file asks: what a pointer leads to is as wrong as what a call leads to.
    Case {
        rule: "cpu-baseline",
        given: Given::Windows(|tree| {
            tree.add("bin/called.exe", Kind::Program, program(&[BL_8, RET, UDOT, RET]));
            tree.add("bin/pointed.exe", Kind::Program, program(&[ADR_8, RET, UDOT, RET]));
            tree.add("bin/atomic.exe", Kind::Program, program(&[LDADD, RET]));
            // An outlined atomic operation chooses; data that nothing leads to is no code.
            tree.add("bin/outlined.exe", Kind::Program, program(&[LDADD, LDAXR, RET]));
            tree.add("bin/data.exe", Kind::Program, program(&[RET, UDOT]));
        }),
        wanted: &[
            "bin/called.exe: uses dotprod in `0x1008`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
            "bin/pointed.exe: uses dotprod in `0x1008`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
            "bin/atomic.exe: uses lse in `0x1000`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    // Something asks: what it calls, and what pointers lead to, was chosen.
    Case {
        rule: "cpu-baseline",
        given: Given::Windows(|tree| {
            // One call leads to it, another to a function that has somebody ask.
            let late = [BL_12, BL_16, RET, UDOT, RET, BL_8, RET, MRS, RET];
            tree.add("bin/late.exe", Kind::Program, program(&late));
            tree.add("bin/first.exe", Kind::Program, program(&[MRS, BL_8, RET, UDOT, RET]));
            tree.add("bin/imported.exe", Kind::Program, asking(slot()));
            // A variable that another function wrote, which asked: `adr x0` of it; `adrp x8`, `ldr w9, [x8]`; `adrp x8`, `str w0, [x8]`.
            let reads = [0x1000_00e0, 0xb000_0008, 0xb940_0109, BL_8, RET, UDOT, RET];
            let remembers = [&reads[..], &[MRS, 0xb000_0008, 0xb900_0100, RET]].concat();
            tree.add("bin/remembers.exe", Kind::Program, program(&remembers));
            let pointed = [ADR_8, BL_12, UDOT, RET, MRS, RET];
            tree.add("bin/pointed.exe", Kind::Program, program(&pointed));
        }),
        wanted: &[
            "bin/late.exe: uses dotprod in `0x100c`; plain calls from `the start address` lead there, past nothing that asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Two(|_, tree| {
            tree.add("bin/fast.exe", Kind::Program, x64(&AVX2));
            // `cpuid` first, and a call after it.
            let asking = [&[0x0f, 0xa2, 0xe8, 1, 0, 0, 0, 0xc3][..], &AVX2].concat();
            tree.add("bin/asking.exe", Kind::Program, x64(&asking));
        }),
        wanted: &[
            "x64:bin/fast.exe: uses avx2 in `0x1000`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Linux(|tree| {
            tree.target = "riscv64gc-unknown-linux-gnu";
            tree.replace("lib/libhelper.so.1", riscv(&[0x82, 0x80]));
            // `vsetvli t0, a0, e32, m1, ta, ma`, `sh1add a0, a0, a1`, `czero.eqz a0, a0, a1`, `ret` in two bytes, after a `c.nop`.
            let mut code = vec![1, 0];
            code.extend(words(&[0x0d05_72d7, 0x20b5_2533, 0x0eb5_5533]));
            code.extend([0x82, 0x80]);
            tree.add("lib/libfast.so", Kind::Plugin, riscv(&code));
        }),
        wanted: &[
            "lib/libfast.so: uses v, zba, zicond in `answer`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Linux(|tree| {
            tree.target = "x86_64-unknown-linux-gnu";
            let level = |level| {
                Elf {
                    machine: 62,
                    x86_level: Some(level),
                    ..Elf::library("libhelper.so.1")
                }
                .write()
            };
            tree.replace("lib/libhelper.so.1", level(1));
            tree.add("lib/libfast.so", Kind::Plugin, level(3));
        }),
        wanted: &[
            "lib/libfast.so: was compiled for the extensions x86-64-v3, wanted those of the target's baseline alone",
        ],
    },
    // By a measure that knows more of the machines, and of the symbols.
    Case {
        rule: "cpu-baseline",
        given: Given::FolderBy(
            |policy| {
                let baseline = policy.cpu.baseline.get_mut("aarch64").unwrap();
                baseline.push("dotprod".into());
                policy.cpu.dispatched.push("*_lse".into());
            },
            || {
                let named = |name| Image {
                    code: words(&[LDADD, RET]),
                    ..Image::dll(&[(name, None)])
                };
                vec![
                    ("dot.exe".into(), program(&[BL_8, RET, UDOT, RET])),
                    ("add.dll".into(), named("add_lse").write()),
                    ("sub.dll".into(), named("sub").write()),
                ]
            },
        ),
        wanted: &[
            "sub.dll: uses lse in `sub`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "simd-alive",
        given: Given::Windows(|tree| {
            let promise = |path: &str, set: &str, functions| Simd {
                path: path.into(),
                set: set.into(),
                functions,
            };
            tree.add("bin/vector.exe", Kind::Program, program(&[MRS, BL_8, RET, UDOT, RET]));
            tree.component.simd = vec![
                promise("bin/vector.exe", "dotprod", 1),
                promise("bin/vector.exe", "neon", 1),
                promise("bin/vector.exe", "i8mm", 1),
                promise("bin/vector.exe", "neon", 2),
                promise("bin/vector.exe", "mmx", 1),
                promise("bin/gone.dll", "neon", 1),
                promise("include/helper.h", "neon", 1),
            ];
        }),
        wanted: &[
            "bin/gone.dll: is not there, wanted neon in at least 1 functions",
            "bin/vector.exe: uses i8mm in 0 functions, wanted i8mm in at least 1 functions",
            "bin/vector.exe: uses neon in 1 functions, wanted neon in at least 2 functions",
            "include/helper.h: holds no code that can be read, wanted neon in at least 1 functions",
            "manifest.json: promises the unknown extension `mmx` in bin/vector.exe, wanted an extension that the judge can tell",
        ],
    },
];
