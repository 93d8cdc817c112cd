//! Every rule against the good bundle, which it must let pass, and against one that is wrong in one way, which it must find in
//! exactly these words.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use gates::manifest::{Exception, Kind, Load};
use gates::{Policy, RULES, Verdict, judge};
use support::{ARM64, Image, Tree, X64, archive, coff, helper, short_import};

struct Case {
    rule: &'static str,
    change: fn(&mut Tree),
    /// `path: found, wanted …` of every finding of the rule.
    wanted: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        rule: "machine",
        change: |tree| {
            tree.replace(
                "bin/helper.dll",
                Image {
                    machine: X64,
                    ..helper()
                }
                .write(),
            )
        },
        wanted: &["bin/helper.dll: is for x86_64, wanted aarch64"],
    },
    Case {
        rule: "machine",
        change: |tree| {
            let hybrid = |machine| {
                Image {
                    machine,
                    has_chpe: true,
                    ..helper()
                }
                .write()
            };
            tree.replace("bin/helper.dll", hybrid(ARM64));
            tree.add("bin/emulated.dll", Kind::Plugin, hybrid(X64));
        },
        wanted: &["bin/emulated.dll: is for arm64ec, wanted aarch64"],
    },
    Case {
        rule: "machine",
        change: |tree| {
            let members = [
                ("good.obj", coff(ARM64)),
                ("bad.obj", coff(X64)),
                ("text", vec![b'x'; 30]),
            ];
            tree.replace("lib/parts.lib", archive(&members));
        },
        wanted: &[
            "lib/parts.lib:bad.obj: is for x86_64, wanted aarch64",
            "lib/parts.lib:text: is of no known format, wanted an object or a short import",
        ],
    },
    Case {
        rule: "machine",
        change: |tree| {
            let short = helper().write()[..0x80].to_vec();
            tree.replace("bin/helper.dll", short);
        },
        wanted: &["bin/helper.dll: cannot be read as PE: Unknown MS-DOS file, wanted a file that can be read whole"],
    },
    Case {
        rule: "imports-closed",
        change: |tree| {
            tree.files.remove("bin/helper.dll");
        },
        wanted: &[
            "bin/app.exe: needs `helper.dll` for `answer` and 2 more: it is neither in the bundle nor in Windows, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "imports-closed",
        change: |tree| {
            tree.replace(
                "bin/helper.dll",
                Image::dll(&[
                    ("answers", None),
                    ("second", None),
                    ("heap", Some("KERNEL32.HeapAllok")),
                ])
                .write(),
            );
        },
        wanted: &[
            "bin/app.exe: needs `answer` of `helper.dll`: bin/helper.dll does not export it, wanted an export of that DLL",
            "bin/app.exe: needs `heap` of `helper.dll`: bin/helper.dll forwards it to `HeapAllok` of KERNEL32: Windows' kernel32.dll does not export it, wanted an export of that DLL",
        ],
    },
    Case {
        rule: "imports-closed",
        change: |tree| {
            let mut image = Image::program(&[
                ("KERNEL32.dll", &["CreateFileQ"]),
                ("helper.dll", &["9"]),
                ("vcruntime140.dll", &["memcpy"]),
            ]);
            image.delayed = vec![("plugin.dll", &["start"])];
            tree.add("bin/other.exe", Kind::Program, image.write());
            tree.add("lib/plugin.dll", Kind::Plugin, Image::dll(&[("start", None)]).write());
        },
        wanted: &[
            "bin/other.exe: needs `CreateFileQ` of `KERNEL32.dll`: Windows' kernel32.dll does not export it, wanted an export of that DLL",
            "bin/other.exe: needs `plugin.dll` for `start`: lib/plugin.dll is in a folder that the loader does not search, wanted a DLL that the loader finds",
            "bin/other.exe: needs `vcruntime140.dll` for `memcpy`: it comes with Microsoft's C++ redistributable and not with Windows, wanted a DLL that the loader finds",
            "bin/other.exe: needs ordinal 9 of `helper.dll`: bin/helper.dll does not export it, wanted an export of that DLL",
        ],
    },
    Case {
        rule: "imports-closed",
        change: |tree| {
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
        },
        wanted: &[
            "bin/: loads `codec` at run time: it is neither in the bundle nor in Windows, wanted a DLL that the loader finds",
        ],
    },
    Case {
        rule: "ships",
        change: |tree| {
            tree.files.remove("include/helper.h");
        },
        wanted: &["include/helper.h: the promised header is missing, wanted what `[ships]` says"],
    },
    Case {
        rule: "ships",
        change: |tree| {
            tree.afterwards
                .insert("licences/helper/LICENSE".into(), Some(b"Do what you hate.\n".to_vec()));
            tree.afterwards
                .insert("include/helper.h".into(), Some(b"int answer(int);\n".to_vec()));
            tree.afterwards.insert("bin/extra.txt".into(), Some(b"x".to_vec()));
            tree.afterwards.insert("lib/pkgconfig/helper.pc".into(), None);
        },
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
        change: |tree| tree.replace("bin/app.exe", helper().write()),
        wanted: &["bin/app.exe: is a DLL, wanted a program"],
    },
    Case {
        rule: "no-build-paths",
        change: |tree| {
            tree.replace(
                "bin/helper.dll",
                Image {
                    pdb: Some("D:\\out\\helper.pdb"),
                    ..helper()
                }
                .write(),
            );
            tree.replace("include/helper.h", "// from /home/ann/src/helper.h\n");
        },
        wanted: &[
            "bin/helper.dll: names its debug information as `D:\\out\\helper.pdb`, wanted a file name without a folder",
            "include/helper.h: holds the path `/home/ann/src/helper.h`, wanted no path of a machine that builds",
        ],
    },
    Case {
        rule: "pkgconfig-relocatable",
        change: |tree| {
            tree.replace(
                "lib/pkgconfig/helper.pc",
                "prefix=/opt/helper\nName: helper\nLibs: -LC:/lib -lhelper\n",
            )
        },
        wanted: &[
            "lib/pkgconfig/helper.pc: has the prefix `/opt/helper`, wanted a prefix that begins with `${pcfiledir}`",
            "lib/pkgconfig/helper.pc: has the version ``, wanted `Version:` with a number",
            "lib/pkgconfig/helper.pc: holds the absolute path `/opt/helper`, wanted paths below `${prefix}`",
            "lib/pkgconfig/helper.pc: holds the absolute path `C:/lib`, wanted paths below `${prefix}`",
        ],
    },
    Case {
        rule: "import-library",
        change: |tree| {
            let members = [
                ("a", short_import(ARM64, "helper.dll", "nothing")),
                ("b", short_import(ARM64, "gone.dll", "answer")),
            ];
            tree.replace("lib/helper.lib", archive(&members));
        },
        wanted: &[
            "lib/helper.lib:a: offers `nothing` of `helper.dll`, which bin/helper.dll does not export, wanted an export of that DLL",
            "lib/helper.lib:b: offers `answer` of `gone.dll`, which is not in the bundle, wanted a DLL of the bundle",
        ],
    },
    Case {
        rule: "import-library",
        change: |tree| tree.replace("lib/helper.lib", archive(&[("a.obj", coff(ARM64))])),
        wanted: &[
            "bin/helper.dll: no import library offers it, wanted an import library for each promised DLL",
            "lib/helper.lib: holds no short import, wanted an import library",
        ],
    },
    Case {
        rule: "licence-files",
        change: |tree| tree.component.licence_files = vec!["licences/none".into()],
        wanted: &["licences/none: the text of the licence is missing, wanted a text file"],
    },
    Case {
        rule: "manifest",
        change: |tree| {
            tree.component.digest = "12".into();
            tree.add("Include/helper.h", Kind::Header, b"x".to_vec());
        },
        wanted: &[
            "include/helper.h: has the name of `Include/helper.h` but for the case, wanted names that Windows tells apart",
            "manifest.json: `helper` has the digest `12`, wanted 64 hexadecimal digits",
        ],
    },
    Case {
        rule: "manifest",
        change: |tree| {
            tree.afterwards
                .insert("manifest.json".into(), Some(b"{\"schema\": 7}".to_vec()));
        },
        wanted: &["manifest.json: BUNDLE/manifest.json: schema 7, wanted 1, wanted a manifest of schema 1"],
    },
    Case {
        rule: "exceptions",
        change: |tree| {
            let exception = |path: &str, until: &str| Exception {
                rule: "machine".into(),
                path: path.into(),
                found: String::new(),
                reason: "known".into(),
                link: None,
                until: Some(until.into()),
            };
            tree.component.exceptions = vec![
                exception("a", "9000-01-01"),
                exception("b", "2001-01-01"),
                exception("c", "soon"),
            ];
        },
        wanted: &[
            "a: an exception of `machine` that covers nothing, wanted only exceptions that are needed",
            "b: an exception of `machine` that ended on 2001-01-01, wanted none that is out of date",
            "c: an exception of `machine` with the day `soon`, wanted a day like 2027-06-30",
        ],
    },
];

#[test]
fn the_good_bundle_is_clean_and_was_looked_at() {
    let bundle = Tree::good().write();
    let report = judge(bundle.path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::Clean, "{report}");
    assert_eq!(report.findings, []);
    let counts = report.counts;
    let found = (
        counts.files,
        counts.images,
        counts.archives,
        counts.members,
        counts.imports,
        counts.resolved,
        counts.exports,
    );
    assert_eq!(found, (7, 2, 2, 3, 6, 6, 3));
}

#[test]
fn every_rule_finds_what_is_wrong_in_these_words() {
    for case in CASES {
        let mut tree = Tree::good();
        (case.change)(&mut tree);
        let bundle = tree.write();
        let report = judge(bundle.path(), &Policy::standard());
        let root = bundle.path().display().to_string();
        let found = |finding: &&gates::Finding| {
            let line = format!("{}: {}, wanted {}", finding.path, finding.found, finding.wanted);
            line.replace(&root, "BUNDLE")
        };
        let found: Vec<String> = report.of(case.rule).iter().map(found).collect();
        // A hash says nothing to a reader: the line is compared up to it.
        let cut = |line: &str| line.split("sha256").next().unwrap().to_owned();
        let found: Vec<String> = found.iter().map(|line| cut(line)).collect();
        let wanted: Vec<String> = case.wanted.iter().map(|line| cut(line)).collect();
        assert_eq!(found, wanted, "rule `{}`", case.rule);
        assert_ne!(report.verdict(), Verdict::Clean);
    }
}

#[test]
fn every_rule_has_a_case() {
    for rule in RULES {
        assert!(
            CASES.iter().any(|case| case.rule == rule.id),
            "rule `{}` has no known-bad bundle",
            rule.id
        );
    }
}

#[test]
fn an_exception_takes_away_what_it_covers_and_says_so() {
    let mut tree = Tree::good();
    tree.replace("include/helper.h", "// from /home/ann/src/helper.h\n");
    tree.component.exceptions = vec![Exception {
        rule: "no-build-paths".into(),
        path: "include/*".into(),
        found: "/home/ann".into(),
        reason: "an example in a comment".into(),
        link: None,
        until: None,
    }];
    let bundle = tree.write();
    let report = judge(bundle.path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::Clean, "{report}");
    assert_eq!(report.accepted.len(), 1);
    assert!(report.to_string().contains("an example in a comment"));
}

#[test]
fn nothing_to_judge_is_never_clean() {
    let empty = tempfile::tempdir().unwrap();
    let report = judge(empty.path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::NotJudged);
    assert_eq!(report.findings.len(), 1);
    let mut tree = Tree::good();
    tree.files.clear();
    let report = judge(tree.write().path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::NotJudged);
}
