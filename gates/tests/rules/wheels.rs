//! Wheels that are wrong in one way, each in a folder with other things of its kind.

use gates::manifest::Kind;

use super::support::{ARM64, Elf, Image, Symbol, Tree, Wheel, X64, deb, helper, judge_tree, tar};
use super::{Case, Given};

const ARM: &str = "pkg-1.0-cp313-cp313-win_arm64.whl";

/// An extension module that links to a Python.
fn module(machine: u16, python: &'static str) -> Vec<u8> {
    let python: &'static [(&str, &[&str])] = match python {
        "python3.dll" => &[("python3.dll", &["PyModule_Create2"])],
        "python313t.dll" => &[("python313t.dll", &["PyModule_Create2"])],
        _ => &[("python313.dll", &["PyModule_Create2"])],
    };
    Image {
        machine,
        imports: python.to_vec(),
        ..Image::dll(&[("PyInit_m", None)])
    }
    .write()
}

pub fn good() -> Vec<(String, Vec<u8>)> {
    vec![(ARM.into(), wheel().write())]
}

fn wheel() -> Wheel {
    Wheel::new(ARM).with("pkg/m.cp313-win_arm64.pyd", module(ARM64, "python313.dll"))
}

/// How it names things, and what paths its texts hold, is its upstream's; that its code is for another machine is not.
#[test]
fn a_published_wheel_in_a_bundle_is_measured_as_what_others_built() {
    let wheel = Wheel::new(ARM)
        .with("pkg/m.cp313-win_arm64.pyd", module(X64, "python313.dll"))
        .with("pkg/a.py", b"where = '/tmp/build-env-x/bin/python'\n".to_vec())
        .write();
    for published in [false, true] {
        let mut tree = Tree::good();
        tree.promise(&format!("wheels/{ARM}"), Kind::File, wheel.clone());
        tree.component.published = published;
        let report = judge_tree(&tree);
        assert_eq!(report.of("machine").len(), 1, "{report}");
        assert_eq!(report.of("no-build-paths").is_empty(), published, "{report}");
    }
}

pub const CASES: &[Case] = &[
    Case {
        rule: "wheel-tags",
        given: Given::Folder(|| {
            let wheel = Wheel::new(ARM)
                .with("pkg/m.cp311-win_amd64.pyd", module(ARM64, "python313.dll"))
                .with("pkg/n.pyd", module(ARM64, "python313t.dll"));
            let wheel = Wheel {
                tags: Some(vec!["cp313-cp313-win_amd64"]),
                is_pure: true,
                ..wheel
            };
            vec![(ARM.into(), wheel.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/WHEEL: lists the tags cp313-cp313-win_amd64, wanted those of the file name: cp313-cp313-win_arm64",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.cp311-win_amd64.pyd: has the suffix of cp311, wanted a suffix of cp313",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.cp311-win_amd64.pyd: has the suffix of win_amd64, wanted a suffix of win_arm64",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/n.pyd: links to python313t.dll, wanted the Python of cp313",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.cp311-win_amd64.pyd: is native code, wanted `Root-Is-Purelib: false`",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/n.pyd: is native code, wanted `Root-Is-Purelib: false`",
        ],
    },
    Case {
        rule: "wheel-tags",
        given: Given::Folder(|| {
            let any = Wheel::new("pkg-1.0-py310-none-any.whl").with(
                "pkg/m.so",
                Elf {
                    machine: 62,
                    ..Elf::library("m")
                }
                .write(),
            );
            let stable = Wheel::new("abi-1.0-cp39-abi3-win_arm64.whl").with("a/m.pyd", module(ARM64, "python313.dll"));
            let free = Wheel::new("free-1.0-cp313-cp313t-win_arm64.whl").with("f/m.pyd", module(ARM64, "python3.dll"));
            vec![
                ("pkg-1.0-py310-none-any.whl".into(), any.write()),
                ("abi-1.0-cp39-abi3-win_arm64.whl".into(), stable.write()),
                ("free-1.0-cp313-cp313t-win_arm64.whl".into(), free.write()),
                ("nonsense.whl".into(), wheel().write()),
            ]
        }),
        wanted: &[
            "nonsense.whl:: is named `nonsense.whl`, wanted project-version-python-abi-platform.whl",
            "free-1.0-cp313-cp313t-win_arm64.whl:f/m.pyd: links to python3.dll, wanted the Python of cp313t",
            "abi-1.0-cp39-abi3-win_arm64.whl:a/m.pyd: links to python313.dll, wanted the Python of abi3",
            "pkg-1.0-py310-none-any.whl:pkg/m.so: is native code, wanted no native code in a wheel for any platform",
        ],
    },
    // The tag of the machine that built it; where some of the files are for the tag's, it is the others that are wrong.
    Case {
        rule: "wheel-tags",
        given: Given::Folder(|| {
            let other = "other-1.0-cp313-cp313-win_arm64.whl";
            let wrong = Wheel::new(ARM).with("pkg/m.pyd", module(X64, "python313.dll"));
            let mixed = Wheel::new(other)
                .with("other/m.pyd", module(X64, "python313.dll"))
                .with("other/n.pyd", module(ARM64, "python313.dll"));
            vec![(ARM.into(), wrong.write()), (other.into(), mixed.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:: is tagged for aarch64 and holds native files for x86_64 alone, wanted the tag of x86_64, and not the build machine's",
        ],
    },
    Case {
        rule: "machine",
        given: Given::Folder(|| {
            let wheel = Wheel::new(ARM).with("pkg/m.cp313-win_arm64.pyd", module(X64, "python313.dll"));
            vec![(ARM.into(), wheel.write())]
        }),
        wanted: &["pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.cp313-win_arm64.pyd: is for x86_64, wanted aarch64"],
    },
    Case {
        rule: "wheel-record",
        given: Given::Folder(|| {
            let wheel = wheel()
                .with("pkg/extra.py", b"1".to_vec())
                .with("pkg/other.py", b"2".to_vec());
            let record = |rows: &mut Vec<String>| {
                rows.retain(|row| !row.contains("extra.py"));
                let at = rows.iter().position(|row| row.contains("other.py")).unwrap();
                rows[at] = "pkg/other.py,sha256=AAAA,7".into();
                rows.push("pkg/gone.py,sha256=AAAA,7".into());
                let info = rows.iter().find(|row| row.contains("WHEEL")).unwrap().clone();
                rows.push(info);
                let at = rows.iter().position(|row| row.contains("METADATA")).unwrap();
                rows[at] = "pkg-1.0.dist-info/METADATA,md5=AAAA,".into();
            };
            vec![(ARM.into(), Wheel { record, ..wheel }.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/METADATA: has the hash `md5=AAAA` in RECORD, wanted SHA-256 or stronger",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/WHEEL: stands twice in RECORD, wanted each file once",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/extra.py: is not in RECORD, wanted each file of the wheel",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/gone.py: is in RECORD and not in the wheel, wanted the files that are there",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/other.py: has the hash sha256=1HNeOiZeFu7gP1lxi5tdAwGcB9i2xR-Q2jpmbuwTqzU, wanted sha256=AAAA",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/other.py: is 1 bytes long, wanted 7 bytes, as RECORD says",
        ],
    },
    Case {
        rule: "wheel-metadata",
        given: Given::FolderBy(
            |policy| {
                drop(
                    policy
                        .wheels
                        .requires
                        .insert("pkg".into(), vec!["numpy".into(), "coloredlogs".into()]),
                )
            },
            || {
                let metadata = "Metadata-Version: 2.1\nName: other\nRequires-Dist: NumPy>=1.2\n".to_owned();
                vec![(ARM.into(), Wheel { metadata, ..wheel() }.write())]
            },
        ),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/METADATA: does not require `coloredlogs`, wanted what upstream's project file declares",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/METADATA: has no `Version`, wanted the fields that every package has",
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg-1.0.dist-info/METADATA: says Name = `other`, wanted `pkg`, as the file name says",
        ],
    },
    Case {
        rule: "wheel-metadata",
        given: Given::Windows(|tree| {
            // What is lost where a project file is read line by line: everything with carriage returns, a list on one line, and the
            // markers of extras.
            let declared = "wheel-requires = [\n\"numpy>=1.2\",\n\"attrs ; python_full_version >= '3.9'\",\n\"pandas ; extra == 'more'\",\n]\n";
            let metadata = "Metadata-Version: 2.4\nName: helper\nVersion: 1.0\nRequires-Dist: attrs; python_version>=\"3.9\"\nRequires-Dist: pandas\nRequires-Dist: torch; extra == \"all\"\n";
            let name = "helper-1.0-py3-none-any.whl";
            let wheel = Wheel {
                metadata: metadata.into(),
                is_pure: true,
                ..Wheel::new(name)
            };
            tree.promise(&format!("wheels/{name}"), Kind::File, wheel.write());
            tree.promise("share/windlass/helper.toml", Kind::File, declared.into());
        }),
        wanted: &[
            "wheels/helper-1.0-py3-none-any.whl:helper-1.0.dist-info/METADATA: does not require `numpy>=1.2`, wanted what upstream's project file declares",
            "wheels/helper-1.0-py3-none-any.whl:helper-1.0.dist-info/METADATA: does not require `pandas ; extra == 'more'`, wanted what upstream's project file declares",
            "wheels/helper-1.0-py3-none-any.whl:helper-1.0.dist-info/METADATA: requires `pandas`, which upstream's project file does not declare, wanted what upstream's project file declares",
            "wheels/helper-1.0-py3-none-any.whl:helper-1.0.dist-info/METADATA: requires `torch; extra == \"all\"` for an extra that it does not provide, wanted `Provides-Extra: all`",
            "wheels/helper-1.0-py3-none-any.whl:helper-1.0.dist-info/METADATA: requires `torch; extra == \"all\"`, which upstream's project file does not declare, wanted what upstream's project file declares",
        ],
    },
    Case {
        rule: "wheel-metadata",
        given: Given::FolderBy(
            |policy| {
                drop(
                    policy
                        .wheels
                        .holds
                        .insert("pkg".into(), vec!["pkg/lib/*_testing.dll".into(), "pkg/*.pyd".into()]),
                )
            },
            || vec![(ARM.into(), wheel().write())],
        ),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:: has no `pkg/lib/*_testing.dll`, wanted what the package loads by itself",
        ],
    },
    Case {
        rule: "wheel-tags",
        given: Given::Folder(|| {
            // Linked with the folder of import libraries of the Python that builds.
            let wheel = Wheel::new(ARM).with(
                "pkg/m.cp313-win_arm64.pyd",
                Image {
                    imports: vec![("python311.dll", &["PyModule_Create2"])],
                    ..Image::dll(&[("PyInit_m", None)])
                }
                .write(),
            );
            vec![(ARM.into(), wheel.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.cp313-win_arm64.pyd: links to python311.dll, wanted the Python of cp313",
        ],
    },
    Case {
        rule: "wheel-requires",
        given: Given::FolderBy(
            |policy| policy.wheels.store = true,
            || {
                let requires = [
                    "dep>=2; sys_platform == 'win32'",
                    "linuxonly; sys_platform == 'linux'",
                    "other; extra == 'more'",
                    "gone>=1",
                    "x64only",
                    "bad requirement here",
                ];
                let lines: String = requires.iter().map(|row| format!("Requires-Dist: {row}\n")).collect();
                let metadata = format!("Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n{lines}");
                let dep = Wheel {
                    is_pure: true,
                    ..Wheel::new("dep-1.5-py3-none-any.whl")
                };
                let x64 = Wheel::new("x64only-1.0-py3-none-win_amd64.whl");
                let sdist = tar(&[("src-1.0/PKG-INFO", b"Name: src\n"), ("src-1.0/a.py", b"1")]);
                vec![
                    (ARM.into(), Wheel { metadata, ..wheel() }.write()),
                    ("dep-1.5-py3-none-any.whl".into(), dep.write()),
                    ("x64only-1.0-py3-none-win_amd64.whl".into(), x64.write()),
                    ("src-1.0.tar".into(), sdist),
                ]
            },
        ),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:: requires `bad requirement here`, which cannot be understood: …",
            "src-1.0.tar:: is a source distribution, wanted wheels alone",
            "pkg-1.0-cp313-cp313-win_arm64.whl:: requires `dep>=2; sys_platform == 'win32'`, and the store has 1.5, wanted a wheel of the store",
            "pkg-1.0-cp313-cp313-win_arm64.whl:: requires `gone>=1`, which the store does not have for aarch64-windows, wanted a wheel of the store",
            "pkg-1.0-cp313-cp313-win_arm64.whl:: requires `x64only`, which the store does not have for aarch64-windows, wanted a wheel of the store",
        ],
    },
    Case {
        rule: "version-ceiling",
        given: Given::Folder(|| {
            let symbols = vec![
                Symbol::wanted("stat", "libc.so.6", "GLIBC_2.33"),
                Symbol::wanted("memcpy", "libc.so.6", "GLIBC_2.17"),
            ];
            let name = "pkg-1.0-cp313-cp313-manylinux_2_28_aarch64.whl";
            let wheel = Wheel::new(name).with(
                "pkg/m.so",
                Elf {
                    symbols,
                    ..Elf::library("m.so")
                }
                .write(),
            );
            vec![(name.into(), wheel.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-manylinux_2_28_aarch64.whl:pkg/m.so: asks libc.so.6 for GLIBC_2.33, wanted at most GLIBC_2.28",
        ],
    },
    Case {
        rule: "imports-closed",
        given: Given::Folder(|| {
            let image = Image {
                imports: vec![("MSVCP140.dll", &["_Cnd_wait"]), ("VCRUNTIME140.dll", &["memcpy"])],
                ..helper()
            };
            let wheel = Wheel::new(ARM).with("pkg/m.pyd", image.write());
            vec![(ARM.into(), wheel.write())]
        }),
        wanted: &[
            "pkg-1.0-cp313-cp313-win_arm64.whl:pkg/m.pyd: needs `MSVCP140.dll` for `_Cnd_wait`: it comes with Microsoft's C++ redistributable and not with Windows, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "needed-closed",
        given: Given::Folder(|| {
            let needs = |soname, needed| {
                Elf {
                    needed,
                    ..Elf::library(soname)
                }
                .write()
            };
            let control = |name: &str| format!("Package: {name}\nVersion: 1\nArchitecture: arm64\n");
            let first = deb(
                &control("liba"),
                &[(
                    "./usr/lib/aarch64-linux-gnu/liba.so.1",
                    &needs("liba.so.1", vec!["libb.so.1", "libgone.so.9", "libc.so.6"]),
                )],
            );
            let second = deb(
                &control("libb"),
                &[(
                    "./usr/lib/aarch64-linux-gnu/libb.so.1",
                    &needs("libb.so.1", vec!["libc.so.6"]),
                )],
            );
            vec![("liba_1_arm64.deb".into(), first), ("libb_1_arm64.deb".into(), second)]
        }),
        wanted: &[
            "liba_1_arm64.deb:usr/lib/aarch64-linux-gnu/liba.so.1: needs `libgone.so.9`: it is neither here nor in the base of aarch64-linux, wanted a library that the loader finds",
        ],
    },
];
