//! Code that needs more of the processor than the target has, and vector paths that are not there.

use gates::manifest::{Kind, Simd};

use super::support::{Elf, Image, X64, words};
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

pub const CASES: &[Case] = &[
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
