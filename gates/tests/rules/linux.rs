//! Bundles for Linux that are wrong in one way.

use gates::manifest::Kind;

use super::support::{Elf, Symbol};
use super::{Case, Given};

fn library() -> Elf {
    Elf::library("libhelper.so.1")
}

pub const CASES: &[Case] = &[
    Case {
        rule: "machine",
        given: Given::Linux(|tree| {
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    machine: 62,
                    ..library()
                }
                .write(),
            );
            tree.add(
                "lib/none.so",
                Kind::Plugin,
                Elf {
                    machine: 0,
                    ..library()
                }
                .write(),
            );
        }),
        wanted: &[
            "lib/libhelper.so.1: is for x86_64, wanted aarch64",
            "lib/none.so: is for unknown machine 0x0000, wanted aarch64",
        ],
    },
    Case {
        rule: "needed-closed",
        given: Given::Linux(|tree| {
            let needed = vec!["libc.so.6", "libatomik.so.1", "libdeep.so"];
            tree.replace("lib/libhelper.so.1", Elf { needed, ..library() }.write());
            tree.add("lib/sub/libdeep.so", Kind::Plugin, Elf::library("libdeep.so").write());
        }),
        wanted: &[
            "lib/libhelper.so.1: needs `libatomik.so.1`: it is neither here nor in the base of aarch64-linux, wanted a library that the loader finds",
            "lib/libhelper.so.1: needs `libdeep.so`: lib/sub/libdeep.so is in a folder that the loader does not search, wanted a library that the loader finds",
        ],
    },
    Case {
        rule: "needed-closed",
        given: Given::Linux(|tree| {
            let symbols = vec![
                Symbol::defined("question"),
                Symbol::wanted("memcpy", "libc.so.6", "GLIBC_2.14"),
                Symbol::unversioned("nobody_has_it"),
                Symbol {
                    is_weak: true,
                    ..Symbol::unversioned("nobody_needs_it")
                },
            ];
            tree.replace("lib/libhelper.so.1", Elf { symbols, ..library() }.write());
        }),
        wanted: &[
            "bin/app: asks for `answer`, which no needed library offers, wanted a symbol that is offered",
            "lib/libhelper.so.1: asks for `memcpy` in version GLIBC_2.14 of libc.so.6, which does not offer it, wanted a symbol that is offered",
            "lib/libhelper.so.1: asks for `nobody_has_it`, which no needed library offers, wanted a symbol that is offered",
        ],
    },
    Case {
        rule: "version-ceiling",
        given: Given::Linux(|tree| {
            let symbols = vec![
                Symbol::defined("answer"),
                Symbol::wanted("__isoc23_strtol", "libc.so.6", "GLIBC_2.38"),
            ];
            tree.replace("lib/libhelper.so.1", Elf { symbols, ..library() }.write());
        }),
        wanted: &["lib/libhelper.so.1: asks libc.so.6 for GLIBC_2.38, wanted at most GLIBC_2.31"],
    },
    Case {
        rule: "runpath-origin-only",
        given: Given::Linux(|tree| {
            let rpath = Some("/usr/lib/x86_64-linux-gnu");
            let runpath = Some("$ORIGIN/../../..:$ORIGIN");
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    rpath,
                    runpath,
                    ..library()
                }
                .write(),
            );
        }),
        wanted: &[
            "lib/libhelper.so.1: searches `$ORIGIN/../../..` (RUNPATH), which is outside, wanted folders of the same tree",
            "lib/libhelper.so.1: searches `/usr/lib/x86_64-linux-gnu` (RPATH), which is a system's for x86_64, wanted folders that begin with `$ORIGIN`",
        ],
    },
    Case {
        rule: "soname",
        given: Given::Linux(|tree| {
            tree.add("lib/libother.so.2", Kind::Plugin, Elf::library("libother.so.3").write());
        }),
        wanted: &[
            "lib/libother.so.2: calls itself `libother.so.3`, and that name does not lead to it, wanted a file or link of that name beside it",
        ],
    },
    Case {
        rule: "no-exec-stack",
        given: Given::Linux(|tree| {
            tree.replace(
                "bin/app",
                Elf {
                    stack: None,
                    ..Elf::program(&["libhelper.so.1"])
                }
                .write(),
            );
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    stack: Some(7),
                    ..library()
                }
                .write(),
            );
        }),
        wanted: &[
            "bin/app: does not say what its stack is for, which means executable, wanted a stack that cannot be run",
            "lib/libhelper.so.1: has an executable stack, wanted a stack that cannot be run",
        ],
    },
    Case {
        rule: "relro",
        given: Given::Linux(|tree| {
            tree.replace(
                "bin/app",
                Elf {
                    bind_now: false,
                    ..Elf::program(&["libhelper.so.1"])
                }
                .write(),
            );
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    relro: false,
                    ..library()
                }
                .write(),
            );
        }),
        wanted: &[
            "bin/app: binds at the first call and so leaves the table for it writable, wanted `-z relro -z now`",
            "lib/libhelper.so.1: leaves the loader's tables writable, wanted `-z relro -z now`",
        ],
    },
    Case {
        rule: "no-textrel",
        given: Given::Linux(|tree| {
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    textrel: true,
                    ..library()
                }
                .write(),
            )
        }),
        wanted: &["lib/libhelper.so.1: has relocations in its code, wanted code that is position-independent"],
    },
    Case {
        rule: "no-wx-segment",
        given: Given::Linux(|tree| tree.replace("lib/libhelper.so.1", Elf { flags: 7, ..library() }.write())),
        wanted: &[
            "lib/libhelper.so.1: has a segment that can be written to and run, wanted segments that can be one of both",
        ],
    },
    Case {
        rule: "page-align",
        given: Given::Linux(|tree| {
            tree.replace(
                "lib/libhelper.so.1",
                Elf {
                    align: 0x1000,
                    ..library()
                }
                .write(),
            )
        }),
        wanted: &["lib/libhelper.so.1: is aligned to pages of 4096 bytes, wanted `-z max-page-size=65536`"],
    },
    Case {
        rule: "static-tls",
        given: Given::Linux(|tree| {
            let wrong = Elf {
                static_tls: true,
                tls_bytes: 2048,
                ..library()
            };
            tree.replace("lib/libhelper.so.1", wrong.write());
        }),
        wanted: &["lib/libhelper.so.1: takes 2048 bytes of static thread-local memory, wanted at most 512"],
    },
    Case {
        rule: "cpu-baseline",
        given: Given::Linux(|tree| {
            tree.target = "riscv64gc-unknown-linux-gnu";
            let arch = |riscv_arch| {
                Elf {
                    machine: 243,
                    riscv_arch: Some(riscv_arch),
                    ..library()
                }
                .write()
            };
            tree.replace("lib/libhelper.so.1", arch("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0"));
            tree.add(
                "lib/libfast.so",
                Kind::Plugin,
                arch("rv64i2p1_m2p0_v1p0_zba1p0_zvl128b1p0"),
            );
        }),
        wanted: &[
            "lib/libfast.so: was compiled for the extensions v, zba, zvl128b, wanted those of the target's baseline alone",
        ],
    },
    Case {
        rule: "links-resolve",
        given: Given::Linux(|tree| {
            tree.links.insert("lib/libhelper.so".into(), "libhelper.so.1".into());
            tree.links.insert("lib/libgone.so".into(), "libgone.so.1".into());
            tree.links.insert("share".into(), "../elsewhere".into());
        }),
        wanted: &[
            "lib/libgone.so: leads to `libgone.so.1`, which is not here, wanted a file of the same tree",
            "share: leads to `../elsewhere`, which is not here, wanted a file of the same tree",
        ],
    },
    Case {
        rule: "python-config",
        given: Given::Linux(|tree| {
            let config = "build_time_vars = {'EXT_SUFFIX': '.cpython-314-x86_64-linux-gnu.so',\n 'SOABI': 'cpython-314-aarch64-linux-gnu'}\n";
            tree.add(
                "lib/python3.14/_sysconfigdata__linux_x86_64-linux-gnu.py",
                Kind::File,
                config.into(),
            );
            tree.add(
                "lib/python3.14/m.cpython-314-x86_64-linux-gnu.so",
                Kind::Plugin,
                library().write(),
            );
        }),
        wanted: &[
            "lib/python3.14/_sysconfigdata__linux_x86_64-linux-gnu.py: is named for x86_64, wanted the name of aarch64-linux",
            "lib/python3.14/_sysconfigdata__linux_x86_64-linux-gnu.py: says EXT_SUFFIX = `.cpython-314-x86_64-linux-gnu.so`, which is x86_64's, wanted the value of aarch64-linux",
            "lib/python3.14/m.cpython-314-x86_64-linux-gnu.so: has the suffix of x86_64-linux-gnu, wanted a suffix of aarch64-linux",
        ],
    },
    Case {
        rule: "ships",
        given: Given::Linux(|tree| tree.replace("bin/app", library().write())),
        wanted: &["bin/app: is a shared library, wanted a program"],
    },
    Case {
        rule: "ships",
        given: Given::Linux(|tree| {
            tree.link("lib/libhelper.so", "libhelper.so.1");
            tree.link("lib/libgone.so", "libhelper.so.1");
            tree.links.remove("lib/libgone.so");
            tree.links.insert("lib/libother.so".into(), "libhelper.so.1".into());
            tree.link("lib/libmoved.so", "libhelper.so.1");
            tree.links.insert("lib/libmoved.so".into(), "../bin/app".into());
        }),
        wanted: &[
            "lib/libgone.so: is missing, wanted the link that the manifest lists",
            "lib/libmoved.so: leads to `../bin/app`, wanted to `libhelper.so.1`",
            "lib/libother.so: belongs to nobody, wanted only links that the manifest lists",
        ],
    },
];
