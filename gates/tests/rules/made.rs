//! What a build leaves behind: lists of what something is made of, times, DLLs of one edition of Windows, a Python's surroundings.

use gates::manifest::Kind;

use super::support::{Image, Tree, archive, coff, helper, sha256, tar, zip};
use super::{Case, Given};

/// Puts a document into the good bundle that is right but for what is changed in its text.
fn spdx(tree: &mut Tree, change: fn(&str) -> String) {
    let mut files = Vec::new();
    let mut relations = Vec::new();
    for (place, (path, (_, bytes))) in tree.files.iter().enumerate() {
        files.push(format!(
            "{{\"SPDXID\": \"SPDXRef-{place}\", \"fileName\": \"./{path}\", \"checksums\": [{{\"algorithm\": \"SHA256\", \"checksumValue\": \"{}\"}}]}}",
            sha256(bytes)
        ));
        relations.push(format!(
            "{{\"spdxElementId\": \"SPDXRef-All\", \"relationshipType\": \"CONTAINS\", \"relatedSpdxElement\": \"SPDXRef-{place}\"}}"
        ));
    }
    let text = format!(
        "{{\"spdxVersion\": \"SPDX-2.3\", \"SPDXID\": \"SPDXRef-DOCUMENT\", \"creationInfo\": {{}}, \"packages\": [{{\"SPDXID\": \"SPDXRef-All\"}}],\n\"files\": [\n{}\n], \"relationships\": [\n{}\n]}}",
        files.join(",\n"),
        relations.join(",\n")
    );
    tree.add("sbom.spdx.json", Kind::File, change(&text).into());
}

/// The same as CycloneDX, with every file in one component.
fn cyclonedx(tree: &mut Tree, change: fn(&str) -> String) {
    let file = |(path, (_, bytes)): (&String, &(Kind, Vec<u8>))| {
        format!(
            "{{\"type\": \"file\", \"name\": \"{path}\", \"hashes\": [{{\"alg\": \"SHA-256\", \"content\": \"{}\"}}]}}",
            sha256(bytes)
        )
    };
    let files: Vec<String> = tree
        .files
        .iter()
        .filter(|(path, _)| !path.ends_with(".json"))
        .map(file)
        .collect();
    let text = format!(
        "{{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.6\", \"components\": [{{\"type\": \"library\", \"name\": \"helper\", \"components\": [\n{}\n]}}]}}",
        files.join(",\n")
    );
    tree.add("sbom.cdx.json", Kind::File, change(&text).into());
}

fn stamped(stamp: u32, is_hash: bool) -> Vec<u8> {
    Image {
        stamp: (stamp, is_hash),
        ..helper()
    }
    .write()
}

/// An archive whose one member has a date.
fn dated(date: &str) -> Vec<u8> {
    let mut bytes = archive(&[("part.obj", coff(0xaa64))]);
    bytes[8 + 16..8 + 16 + date.len()].copy_from_slice(date.as_bytes());
    bytes
}

/// A tar archive whose one member has a time.
fn tar_of(seconds: u64) -> Vec<u8> {
    let mut bytes = tar(&[("a", b"1")]);
    let mut header = tar::Header::from_byte_slice(&bytes[..512]).clone();
    header.set_mtime(seconds);
    header.set_cksum();
    bytes[..512].copy_from_slice(header.as_bytes());
    bytes
}

/// A zip archive whose members have a time of the format: the year counts from 1980.
fn zip_of(year: u16) -> Vec<u8> {
    let mut bytes = zip(&[("a", b"1")]);
    let date = ((year - 1980) << 9 | 1 << 5 | 1).to_le_bytes();
    let central = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[12..14].copy_from_slice(&date);
    bytes[central + 14..central + 16].copy_from_slice(&date);
    bytes
}

fn gzip(time: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = flate2::GzBuilder::new()
        .mtime(time.into())
        .write(&mut bytes, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, b"text").unwrap();
    encoder.finish().unwrap();
    bytes
}

fn program(imports: &[(&'static str, &'static [&'static str])]) -> Vec<u8> {
    Image::program(imports).write()
}

/// A Python with the module that it has, and what else lies there.
fn python(more: &[(&str, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let module = Image {
        imports: vec![("codec.dll", &["start"])],
        ..Image::dll(&[("PyInit_m", None)])
    };
    let mut files = vec![
        ("python.exe".to_owned(), program(&[("vcruntime140.dll", &["memcpy"])])),
        ("bin/codec.dll".to_owned(), Image::dll(&[("start", None)]).write()),
        ("Lib/site-packages/m/m.cp314-win_arm64.pyd".to_owned(), module.write()),
    ];
    files.extend(more.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())));
    files
}

pub const CASES: &[Case] = &[
    Case {
        rule: "sbom",
        given: Given::Windows(|tree| {
            spdx(tree, str::to_owned);
            cyclonedx(tree, str::to_owned);
        }),
        wanted: &[],
    },
    Case {
        rule: "sbom",
        given: Given::Windows(|tree| {
            spdx(tree, |text| {
                let text = text.replace("./include/helper.h", "./include/helped.h");
                let gone = text.find("\"relatedSpdxElement\": \"SPDXRef-0\"").unwrap();
                format!(
                    "{}{}",
                    &text[..gone],
                    text[gone..].replacen("SPDXRef-0", "SPDXRef-1", 1)
                )
            });
            cyclonedx(tree, |text| {
                let at = text.find("\"content\": \"").unwrap() + 12;
                format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..])
            });
        }),
        wanted: &[
            "sbom.cdx.json: says another SHA-256 of `bin/app.exe` than it has, wanted the hash of each file",
            "sbom.spdx.json: does not name 1 files, the first of them `include/helper.h`, wanted every file of the bundle",
            "sbom.spdx.json: has `bin/app.exe` under no package, wanted a package or component for each file",
            "sbom.spdx.json: names `include/helped.h`, which is not there, wanted the files of the bundle alone",
        ],
    },
    Case {
        rule: "sbom",
        given: Given::Folder(|| {
            let document = |text: &str| text.as_bytes().to_vec();
            vec![
                ("a.spdx.json".into(), document("{\"spdxVersion\": \"SPDX-1.0\"}")),
                (
                    "b.cdx.json".into(),
                    document("{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"2.0\"}"),
                ),
                ("bom.json".into(), document("{}")),
                (
                    "c.cdx.json".into(),
                    document(
                        "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.6\", \"components\": [{\"type\": \"file\"}]}",
                    ),
                ),
                ("d.spdx.json".into(), document("{\"spdxVersion\": \"SPDX-2.3\"")),
                ("e.exe".into(), program(&[])),
            ]
        }),
        wanted: &[
            "a.spdx.json: is of version `SPDX-1.0`, wanted a document of SPDX 2.3 or CycloneDX 1",
            "b.cdx.json: is CycloneDX of version `2.0`, wanted a document of SPDX 2.3 or CycloneDX 1",
            "bom.json: says neither `spdxVersion` nor `bomFormat`, wanted a document of SPDX 2.3 or CycloneDX 1",
            "c.cdx.json: has not the shape of its format: missing field `name`, wanted a document of SPDX 2.3 or CycloneDX 1",
            "d.spdx.json: is no JSON: EOF while parsing an object at line 1 column 26, wanted a document of SPDX 2.3 or CycloneDX 1",
        ],
    },
    Case {
        rule: "no-timestamps",
        given: Given::Windows(|tree| {
            tree.add("bin/hash.dll", Kind::Plugin, stamped(0x1234_5678, true));
            tree.add("bin/time.dll", Kind::Plugin, stamped(0x1234_5678, false));
            let text = Image {
                data: b"\0Built on\0Nov 30 2026\0\0".to_vec(),
                ..helper()
            };
            tree.add("bin/text.dll", Kind::Plugin, text.write());
            tree.add("lib/dated.lib", Kind::StaticLibrary, dated("1700000000"));
            tree.add("lib/none.lib", Kind::StaticLibrary, dated("4294967295"));
            let mut object = coff(0xaa64);
            object[4] = 1;
            tree.add("lib/object.lib", Kind::StaticLibrary, archive(&[("timed.obj", object)]));
            tree.add("share/new.zip", Kind::File, zip_of(2026));
            tree.add("share/none.zip", Kind::File, zip_of(1980));
            tree.add("share/new.tar", Kind::File, tar_of(1));
            tree.add("share/none.tar", Kind::File, tar_of(0));
            tree.add("share/new.gz", Kind::File, gzip(1));
            tree.add("share/none.gz", Kind::File, gzip(0));
        }),
        wanted: &[
            "bin/text.dll: holds the date `Nov 30 2026`, wanted the same bytes whenever it is built",
            "bin/time.dll: has the time 0x12345678 in its header, wanted the same bytes whenever it is built",
            "lib/dated.lib: has times of 1 members, the first of them `part.obj`, wanted the same bytes whenever it is built",
            "lib/object.lib: has times of 1 members, the first of them `timed.obj`, wanted the same bytes whenever it is built",
            "share/new.gz: has a time in its header, wanted the same bytes whenever it is built",
            "share/new.tar: has times of 1 members, the first of them `a`, wanted the same bytes whenever it is built",
            "share/new.zip: has times of 1 members, the first of them `a`, wanted the same bytes whenever it is built",
        ],
    },
    Case {
        rule: "link-lines",
        given: Given::Windows(|tree| {
            let export = "# from /usr/lib\nset_target_properties(h PROPERTIES INTERFACE_LINK_LIBRARIES \"/usr/lib/libz.so;${_IMPORT_PREFIX}/lib/helper.lib\")\n";
            tree.add("lib/cmake/helper.cmake", Kind::File, export.into());
            let libtool = "dependency_libs=' -L/usr/local/lib -R/opt/lib -lz'\n";
            tree.add("lib/libhelper.la", Kind::File, libtool.into());
        }),
        wanted: &[
            "lib/cmake/helper.cmake: puts `/usr/lib/libz.so` on command lines, wanted paths of the same tree",
            "lib/libhelper.la: puts `/opt/lib` on command lines, wanted paths of the same tree",
            "lib/libhelper.la: puts `/usr/local/lib` on command lines, wanted paths of the same tree",
        ],
    },
    Case {
        rule: "server-core",
        given: Given::Windows(|tree| {
            tree.add(
                "bin/start.exe",
                Kind::Program,
                program(&[("DSOUND.dll", &["DirectSoundCreate"])]),
            );
            let late = Image {
                delayed: vec![("DSOUND.dll", &["DirectSoundCreate"])],
                ..Image::program(&[])
            };
            tree.add("bin/late.exe", Kind::Program, late.write());
        }),
        wanted: &["bin/start.exe: needs dsound.dll at its start, wanted DLLs that Windows Server Core has too"],
    },
    Case {
        rule: "python-config",
        given: Given::Folder(|| {
            python(&[
                (
                    "Lib/site-packages/host.pth",
                    b"/usr/lib/python3/dist-packages\nimport x\nbelow\n".to_vec(),
                ),
                (
                    "pyvenv.cfg",
                    b"home = C:\\Python314\ninclude-system-site-packages = false\n".to_vec(),
                ),
            ])
        }),
        wanted: &[
            "Lib/site-packages/host.pth: leads to `/usr/lib/python3/dist-packages`, which only one machine has, wanted folders of the same tree",
            "Lib/site-packages/m/m.cp314-win_arm64.pyd: needs codec.dll, which lies in bin, wanted a sitecustomize.py or .pth that adds the folder (`os.add_dll_directory`)",
            "python.exe: has no vcruntime140.dll beside it, wanted the C runtime beside the interpreter",
            "pyvenv.cfg: leads to `C:\\Python314`, which only one machine has, wanted folders of the same tree",
        ],
    },
    Case {
        rule: "python-config",
        given: Given::Folder(|| {
            python(&[
                ("vcruntime140.dll", Image::dll(&[("memcpy", None)]).write()),
                (
                    "Lib/site-packages/dlls.pth",
                    b"import os; os.add_dll_directory(r'..\\..\\bin')\n".to_vec(),
                ),
            ])
        }),
        wanted: &[],
    },
];
