//! Bundles for Windows that are wrong in one way.

use gates::ledger::Level;
use gates::manifest::{Absence, Exception, Kind, Load};

use super::support::{ARM64, Elf, Image, X64, archive, coff, helper, short_import, tar, thin_archive, zip};
use super::{Case, Given};

pub const CASES: &[Case] = &[
    Case {
        rule: "machine",
        given: Given::Windows(|tree| {
            tree.replace(
                "bin/helper.dll",
                Image {
                    machine: X64,
                    ..helper()
                }
                .write(),
            )
        }),
        wanted: &["bin/helper.dll: is for x86_64, wanted aarch64"],
    },
    Case {
        rule: "machine",
        given: Given::Windows(|tree| {
            let hybrid = |machine| {
                Image {
                    machine,
                    code_map: vec![(0x1000, 16, 0)],
                    ..helper()
                }
                .write()
            };
            tree.replace("bin/helper.dll", hybrid(ARM64));
            tree.add("bin/emulated.dll", Kind::Plugin, hybrid(X64));
        }),
        wanted: &["bin/emulated.dll: is for arm64ec, wanted aarch64"],
    },
    Case {
        rule: "machine",
        given: Given::Windows(|tree| {
            let members = [
                ("good.obj", coff(ARM64)),
                ("bad.obj", coff(X64)),
                ("text", vec![b'x'; 30]),
            ];
            tree.replace("lib/parts.lib", archive(&members));
        }),
        wanted: &[
            "lib/parts.lib:bad.obj: is for x86_64, wanted aarch64",
            "lib/parts.lib:text: is of no known format, wanted an object or a short import",
        ],
    },
    Case {
        rule: "readable",
        given: Given::Windows(|tree| {
            let short = helper().write()[..0x80].to_vec();
            tree.replace("bin/helper.dll", short);
        }),
        wanted: &["bin/helper.dll: cannot be read as PE: Unknown MS-DOS file, wanted a file that can be read whole"],
    },
    Case {
        rule: "imports-closed",
        given: Given::Windows(|tree| {
            tree.files.remove("bin/helper.dll");
        }),
        wanted: &[
            "bin/app.exe: needs `helper.dll` for `answer` and 2 more: it is neither here nor in Windows, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "imports-closed",
        given: Given::Windows(|tree| {
            tree.replace(
                "bin/helper.dll",
                Image::dll(&[
                    ("answers", None),
                    ("second", None),
                    ("heap", Some("KERNEL32.HeapAllok")),
                ])
                .write(),
            );
        }),
        wanted: &[
            "bin/app.exe: needs `answer` of `helper.dll`: bin/helper.dll does not export it, wanted an export of that DLL",
            "bin/app.exe: needs `heap` of `helper.dll`: bin/helper.dll forwards it to `HeapAllok` of KERNEL32: Windows' kernel32.dll does not export it, wanted an export of that DLL",
        ],
    },
    Case {
        rule: "imports-closed",
        given: Given::Windows(|tree| {
            let mut image = Image::program(&[
                ("KERNEL32.dll", &["CreateFileQ"]),
                ("helper.dll", &["9"]),
                ("vcruntime140.dll", &["memcpy"]),
            ]);
            image.delayed = vec![("plugin.dll", &["start"])];
            tree.add("bin/other.exe", Kind::Program, image.write());
            tree.add("lib/plugin.dll", Kind::Plugin, Image::dll(&[("start", None)]).write());
        }),
        wanted: &[
            "bin/other.exe: needs `CreateFileQ` of `KERNEL32.dll`: Windows' kernel32.dll does not export it, wanted an export of that DLL",
            "bin/other.exe: needs `plugin.dll` for `start`: lib/plugin.dll is in a folder that the loader does not search, wanted a DLL that the loader finds",
            "bin/other.exe: needs `vcruntime140.dll` for `memcpy`: it comes with Microsoft's C++ redistributable and not with Windows, wanted a DLL that the loader finds",
            "bin/other.exe: needs ordinal 9 of `helper.dll`: bin/helper.dll does not export it, wanted an export of that DLL",
        ],
    },
    // The folder of the interpreter is searched for what the interpreter loads, and for nothing else.
    Case {
        rule: "imports-closed",
        given: Given::Windows(|tree| {
            let imports: &[(&str, &[&str])] = &[("python313.dll", &["Py_Initialize"])];
            let needs_python = || {
                Image {
                    imports: imports.to_vec(),
                    ..Image::dll(&[("start", None)])
                }
                .write()
            };
            tree.add("python/python.exe", Kind::Program, Image::program(imports).write());
            tree.add(
                "python/python313.dll",
                Kind::Library,
                Image::dll(&[("Py_Initialize", None)]).write(),
            );
            tree.add("python/DLLs/_module.pyd", Kind::File, needs_python());
            tree.add("python/DLLs/tool.dll", Kind::File, needs_python());
        }),
        wanted: &[
            "python/DLLs/tool.dll: needs `python313.dll` for `Py_Initialize`: python/python313.dll is in a folder that the loader does not search, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "imports-closed",
        given: Given::Windows(|tree| {
            let load = Load {
                name: "codec".into(),
                from: None,
                optional: false,
                reason: "decoding".into(),
            };
            let optional = Load {
                name: "other".into(),
                optional: true,
                ..load.clone()
            };
            tree.component.loads = vec![load, optional];
        }),
        wanted: &[
            "bin/: loads `codec` at run time: it is neither here nor in Windows, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "ships",
        given: Given::Windows(|tree| {
            tree.files.remove("include/helper.h");
        }),
        wanted: &["include/helper.h: the promised header is missing, wanted what `[ships]` says"],
    },
    Case {
        rule: "ships",
        given: Given::Windows(|tree| {
            tree.afterwards
                .insert("licences/helper/LICENSE".into(), Some(b"Do what you hate.\n".to_vec()));
            tree.afterwards
                .insert("include/helper.h".into(), Some(b"int answer(int);\n".to_vec()));
            tree.afterwards.insert("bin/extra.txt".into(), Some(b"x".to_vec()));
            tree.afterwards.insert("lib/pkgconfig/helper.pc".into(), None);
        }),
        wanted: &[
            "bin/extra.txt: belongs to nobody, wanted only files that the manifest lists",
            "include/helper.h: is 17 bytes long, wanted 18 bytes",
            "lib/pkgconfig/helper.pc: is missing, wanted the file that the manifest lists",
            "lib/pkgconfig/helper.pc: the promised pkg-config module is missing, wanted what `[ships]` says",
            "licences/helper/LICENSE: has the sha256 …",
        ],
    },
    Case {
        rule: "ships",
        given: Given::Windows(|tree| tree.replace("bin/app.exe", helper().write())),
        wanted: &["bin/app.exe: is a DLL, wanted a program"],
    },
    Case {
        rule: "ships",
        given: Given::Windows(|tree| tree.link("bin/other.dll", "helper.dll")),
        wanted: &["bin/other.dll: is a symbolic link, wanted regular files alone"],
    },
    Case {
        rule: "no-build-paths",
        given: Given::Windows(|tree| {
            tree.replace(
                "bin/helper.dll",
                Image {
                    pdb: Some("D:\\out\\helper.pdb"),
                    ..helper()
                }
                .write(),
            );
            tree.replace("include/helper.h", "// from /home/ann/src/helper.h\n");
        }),
        wanted: &[
            "bin/helper.dll: names its debug information as `D:\\out\\helper.pdb`, wanted a file name without a folder",
            "include/helper.h: holds the path `/home/ann/src/helper.h`, wanted no path of a machine that builds",
        ],
    },
    Case {
        rule: "pkgconfig-relocatable",
        given: Given::Windows(|tree| {
            tree.replace(
                "lib/pkgconfig/helper.pc",
                "prefix=/opt/helper\nName: helper\nLibs: -LC:/lib -lhelper\n",
            )
        }),
        wanted: &[
            "lib/pkgconfig/helper.pc: has the prefix `/opt/helper`, wanted a prefix that begins with `${pcfiledir}`",
            "lib/pkgconfig/helper.pc: has the version ``, wanted `Version:` with a number",
            "lib/pkgconfig/helper.pc: holds the absolute path `/opt/helper`, wanted paths below `${prefix}`",
            "lib/pkgconfig/helper.pc: holds the absolute path `C:/lib`, wanted paths below `${prefix}`",
        ],
    },
    Case {
        rule: "import-library",
        given: Given::Windows(|tree| {
            let members = [
                ("a", short_import(ARM64, "helper.dll", "nothing")),
                ("b", short_import(ARM64, "gone.dll", "answer")),
            ];
            tree.replace("lib/helper.lib", archive(&members));
        }),
        wanted: &[
            "lib/helper.lib:a: offers `nothing` of `helper.dll`, which bin/helper.dll does not export, wanted an export of that DLL",
            "lib/helper.lib:b: offers `answer` of `gone.dll`, which is not in the bundle, wanted a DLL of the bundle",
        ],
    },
    Case {
        rule: "import-library",
        given: Given::Windows(|tree| tree.replace("lib/helper.lib", archive(&[("a.obj", coff(ARM64))]))),
        wanted: &[
            "bin/helper.dll: no import library offers it, wanted an import library for each promised DLL",
            "lib/helper.lib: holds no short import, wanted an import library",
        ],
    },
    Case {
        rule: "licence-files",
        given: Given::Windows(|tree| tree.component.licence_files = vec!["licences/none".into()]),
        wanted: &["licences/none: the text of the licence is missing, wanted a text file"],
    },
    Case {
        rule: "manifest",
        given: Given::Windows(|tree| {
            tree.component.digest = "12".into();
        }),
        wanted: &["manifest.json: `helper` has the digest `12`, wanted 64 hexadecimal digits"],
    },
    Case {
        rule: "manifest",
        given: Given::Windows(|tree| {
            tree.afterwards
                .insert("manifest.json".into(), Some(b"{\"schema\": 7}".to_vec()));
        }),
        wanted: &["manifest.json: BUNDLE/manifest.json: schema 7, wanted 1, wanted a manifest of schema 1"],
    },
    Case {
        rule: "exceptions",
        given: Given::Windows(|tree| {
            let exception = |path: &str, until: &str| Exception {
                rule: "machine".into(),
                path: path.into(),
                found: String::new(),
                reason: "known".into(),
                link: Some("upstream#1".into()),
                until: Some(until.into()),
            };
            let whole = exception("d", "9000-01-01");
            tree.component.exceptions = vec![
                exception("a", "9000-01-01"),
                exception("b", "2001-01-01"),
                exception("c", "soon"),
                Exception {
                    until: None,
                    ..whole.clone()
                },
                Exception {
                    link: None,
                    path: "e".into(),
                    ..whole.clone()
                },
                Exception {
                    reason: " ".into(),
                    path: "f".into(),
                    ..whole.clone()
                },
                Exception {
                    rule: "machin".into(),
                    path: "g".into(),
                    ..whole.clone()
                },
                Exception {
                    path: "h[".into(),
                    ..whole
                },
            ];
        }),
        wanted: &[
            "a: an exception of `machine` that covers nothing, wanted only exceptions that are needed",
            "b: an exception of `machine` that ended on 2001-01-01, wanted none that is out of date",
            "c: an exception of `machine` with the day `soon`, wanted a day like 2027-06-30",
            "d: an exception of `machine` without an end, wanted the last day on which it holds",
            "e: an exception of `machine` without a link, wanted where it is tracked",
            "f: an exception of `machine` without a reason, wanted a reason",
            "g: an exception of `machin` which is no rule, wanted the id of a rule",
            "h[: an exception of `machine` with a bad pattern, wanted a shell pattern over paths",
        ],
    },
    Case {
        rule: "readable",
        given: Given::Windows(|tree| {
            tree.add("lib/thin.lib", Kind::StaticLibrary, thin_archive(&["gone.obj"]));
            tree.add("share/cut.tar", Kind::File, tar(&[("a", &[7; 600])])[..900].to_vec());
            tree.add("share/out.tar", Kind::File, tar(&[("../../a", b"x")]));
        }),
        wanted: &[
            "lib/thin.lib: is a thin archive, and its member `gone.obj` is not here, wanted a file that can be read whole",
            "share/cut.tar: cannot be read as tar after 1 members: unexpected EOF during skip, wanted a file that can be read whole",
            "share/out.tar:../../a: has a name that leads out of its container, wanted a file that can be read whole",
        ],
    },
    Case {
        rule: "machine",
        given: Given::Windows(|tree| {
            // Packed twice: what lies in a container is for the target too.
            let inner = zip(&[(
                "x64.dll",
                &Image {
                    machine: X64,
                    ..helper()
                }
                .write(),
            )]);
            tree.add("share/tools.zip", Kind::File, zip(&[("inner.zip", &inner)]));
            tree.add(
                "lib/elf.lib",
                Kind::StaticLibrary,
                archive(&[("a.o", Elf::library("a").write())]),
            );
        }),
        wanted: &[
            "lib/elf.lib:a.o: is ELF, wanted PE or COFF",
            "share/tools.zip:inner.zip:x64.dll: is for x86_64, wanted aarch64",
        ],
    },
    Case {
        rule: "no-shadow",
        given: Given::Windows(|tree| {
            tree.add("lib/onnxruntime.dll", Kind::Plugin, helper().write());
            tree.add("bin/VERSION.dll", Kind::Plugin, helper().write());
        }),
        wanted: &[
            "bin/VERSION.dll: has the name of System32's version.dll, wanted a name that Windows does not have",
            "lib/onnxruntime.dll: has the name of System32's onnxruntime.dll, wanted a name that Windows does not have",
        ],
    },
    Case {
        rule: "declared-loads",
        given: Given::Windows(|tree| {
            let named = b"\0nvcuda.dll\0codec.dll\0kernel32.dll\0helper.dll\0opus.dll\0".to_vec();
            let image = Image {
                data: named,
                ..helper()
            };
            tree.replace("bin/helper.dll", image.write());
            tree.component.loads = vec![Load {
                name: "opus".into(),
                from: None,
                optional: true,
                reason: "decoding".into(),
            }];
        }),
        wanted: &[
            "bin/helper.dll: names `codec.dll`, which nobody declared, wanted each DLL that is loaded at run time under `loads`",
        ],
    },
    Case {
        rule: "no-secrets",
        given: Given::Windows(|tree| {
            let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", "M".repeat(64));
            tree.add("share/test.pem", Kind::File, key.into_bytes());
        }),
        wanted: &["share/test.pem: holds 1 private keys, wanted none"],
    },
    Case {
        rule: "names",
        given: Given::Windows(|tree| {
            tree.add("Include/helper.h", Kind::Header, b"x".to_vec());
            tree.add("share/aux.txt", Kind::File, b"x".to_vec());
            tree.add("share/dot.", Kind::File, b"x".to_vec());
            tree.add(&format!("share/{}", "x".repeat(190)), Kind::File, b"x".to_vec());
        }),
        wanted: &[
            "include/helper.h: has the name of `Include/helper.h` but for the case, wanted names that Windows tells apart",
            "share/aux.txt: has the name of the device `aux`, wanted a name that Windows can store",
            "share/dot.: has the name `dot.`, whose last character Windows drops, wanted a name that Windows can store",
            "share/XXX: has a path of 196 characters, wanted at most 180",
        ],
    },
    Case {
        rule: "pe-hardening",
        given: Given::Windows(|tree| {
            let image = Image {
                characteristics: 0x20,
                writable_code: true,
                ..helper()
            };
            tree.replace("bin/helper.dll", image.write());
        }),
        wanted: &[
            "bin/helper.dll: has the section `.text`, which can be written to and run, wanted sections that can be one of both",
            "bin/helper.dll: cannot be moved, wanted an image linked with /dynamicbase",
            "bin/helper.dll: may run data, wanted an image linked with /nxcompat",
        ],
    },
    Case {
        rule: "plugins",
        given: Given::Windows(|tree| {
            let plugin = |symbol| Image::dll(&[(symbol, None)]).write();
            tree.add(
                "lib/gstreamer-1.0/gstgood-one.dll",
                Kind::Plugin,
                plugin("gst_plugin_good_one_get_desc"),
            );
            tree.add(
                "lib/gstreamer-1.0/gstlibav.dll",
                Kind::Plugin,
                plugin("gst_plugin_get_desc"),
            );
            tree.add("lib/gstreamer-1.0/libgstx.so", Kind::File, b"text".to_vec());
        }),
        wanted: &[
            "lib/gstreamer-1.0/gstlibav.dll: does not export `gst_plugin_libav_get_desc`, wanted its entry point",
            "lib/gstreamer-1.0/libgstx.so: is no library, wanted a plug-in",
        ],
    },
    Case {
        rule: "absences",
        given: Given::Windows(|tree| {
            let absence = |what: &str, reason: &str| Absence {
                what: what.into(),
                reason: reason.into(),
            };
            tree.component.absences = vec![absence("helper", "cannot be built"), absence("other", "")];
        }),
        wanted: &[
            "bin/helper.dll: is there, and `helper` is said to be absent, wanted absences that are true",
            "manifest.json: the absence of `other` has no reason, wanted a reason for each absence",
        ],
    },
    Case {
        rule: "floors",
        given: Given::Policy(|policy| policy.floors.extend([("images".into(), 100)])),
        wanted: &["images: looked at 2 images, wanted at least 100"],
    },
    Case {
        rule: "exports-kept",
        given: Given::Baseline(&[("bin/helper.dll", &["answer", "gone"]), ("bin/lost.dll", &["a"])]),
        wanted: &[
            "bin/helper.dll: no longer exports `gone`, wanted the exports of the last release",
            "bin/lost.dll: is gone, with 1 exports, wanted the libraries of the last release",
        ],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[]),
        wanted: &["bin/app.exe: was never run, wanted a run that shows its sentinel"],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[(Level::Inspected, 0, true, true)]),
        wanted: &["bin/app.exe: was inspected and not executed, wanted a run that shows its sentinel"],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[(Level::Loaded, 0, true, true)]),
        wanted: &["bin/app.exe: was loaded and not executed, wanted a run that shows its sentinel"],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[(Level::Executed, 0, false, true)]),
        wanted: &["bin/app.exe: it was run and its sentinel `42` was not seen, wanted a run that shows its sentinel"],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[(Level::Executed, 3, true, true)]),
        wanted: &["bin/app.exe: it was run and ended with 3, wanted a run that shows its sentinel"],
    },
    Case {
        rule: "proofs",
        given: Given::Ledger(&[(Level::Executed, 0, true, false)]),
        wanted: &["bin/app.exe: the proof is of another file of that name, wanted a run that shows its sentinel"],
    },
];
