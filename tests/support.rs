//! The libraries of support, used as those use them who are handed a bundle: programs in C are compiled against its headers, by its
//! pkg-config modules, and run where its libraries lie. What they print follows from published values, or is a round trip.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;

use pipeline::{Handed, TARGETS, root};
use toolchains::{Os, Target};

/// One program: its source in `tests/support`, what it is linked with, and what it must print.
struct Case {
    name: &'static str,
    /// Modules of pkg-config.
    modules: &'static str,
    /// What has no module, as Windows and Linux call it.
    libraries: [&'static str; 2],
    said: &'static [&'static str],
}

const CASES: [Case; 5] = [
    Case {
        name: "compression",
        modules: "zlib liblzma",
        libraries: ["libbz2.lib", "-lbz2"],
        said: &[
            "crc32 cbf43926 adler32 11e60398",
            "zlib round trip",
            "bzip2 round trip",
            "lzma round trip",
            "crc64 995dc9bbdf1939fa",
        ],
    },
    Case {
        name: "decimal",
        modules: "libmpdec",
        libraries: ["", ""],
        said: &[
            "sqrt 1.4142135623730950488016887242096980785696718753769",
            "quotient 0.0000010020030040050060070080090100110120130140150160170",
            "product right, version 4.0.1",
        ],
    },
    Case {
        name: "foreign",
        modules: "libffi",
        libraries: ["", ""],
        said: &[
            "by value 12 3.5 1, 101 105, 2.5 1.5",
            "many 289, directly 289",
            "variadic 15: 3 1.50 variadic",
            "callback 13579 called",
            "callback by value 10 8 1.5",
            "done",
        ],
    },
    Case {
        name: "crypto",
        modules: "libssl libcrypto",
        libraries: ["", ""],
        said: &[
            // FIPS 180-4 and 202, RFC 1320: of "abc".
            "SHA256 ba7816bf8f01cfea414140de5dae2223",
            "SHA3-256 3a985da74fe225b2045c172d6bd390bd",
            "SHA512 ddaf35a193617abacc417349ae204131",
            "MD4 a448017aaf21d8525fc10ae87aa6729d",
            // Test case 14 of the description of GCM begins so.
            "AES-256-GCM round trip begins cea7403d4d606b6e074ec5d3baf39d18",
            // RFC 8439, A.1: the second block of the key stream of zeros.
            "ChaCha20-Poly1305 round trip begins 9f07e7be5551387a98ba977c732d080d",
            "TLSv1.3 TLS_AES_256_GCM_SHA384 x25519: heave away",
            "TLSv1.3 TLS_AES_256_GCM_SHA384 X25519MLKEM768: heave away",
        ],
    },
    Case {
        name: "database",
        modules: "sqlite3",
        libraries: ["", ""],
        said: &[
            "fts5 2,3",
            "fts4 1",
            "rtree 7",
            "mathematics 4.414213562373",
            "json 42",
            "sum 333338333350000",
            "version 3.53.4",
        ],
    },
];

#[test]
fn x86_64_pc_windows_msvc() {
    use_all(TARGETS[0]);
}

#[test]
fn aarch64_pc_windows_msvc() {
    use_all(TARGETS[1]);
}

#[test]
fn aarch64_unknown_linux_gnu() {
    use_all("aarch64-unknown-linux-gnu");
}

#[test]
fn riscv64gc_unknown_linux_gnu() {
    use_all("riscv64gc-unknown-linux-gnu");
}

#[test]
fn x86_64_unknown_linux_gnu() {
    use_all("x86_64-unknown-linux-gnu");
}

fn use_all(triple: &str) {
    let bundle = pipeline::bundle(triple).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let handed = Handed::of(triple).unwrap();
    for case in &CASES {
        let program = compile(&handed, &bundle, folder.path(), case);
        let text = handed.run(&bundle, &folder.path().join(program), &[]).unwrap();
        let text = text.replace('\r', "");
        let lines: Vec<&str> = text.lines().collect();
        for wanted in case.said {
            assert!(
                lines.contains(wanted),
                "{triple}, {}: wanted `{wanted}`, found:\n{text}",
                case.name
            );
        }
        check_own(&handed.target, case.name, &lines);
    }
}

/// What only some targets have to say.
fn check_own(target: &Target, name: &str, lines: &[&str]) {
    let wanted: &[&str] = match (name, target.os) {
        ("foreign", Os::Windows) => &["fault caught", "fault in a callback caught"],
        // No folder of the bundle's or of a builder's, and none that a user of the device can make (CVE-2019-1552).
        ("crypto", Os::Windows) => &[
            "OPENSSLDIR: \"C:/Program Files/Common Files/SSL\", MODULESDIR: \"C:/Program Files/Common Files/SSL/ossl-modules\"",
        ],
        ("crypto", Os::Linux) => &["OPENSSLDIR: \"/etc/ssl\", MODULESDIR: \"/etc/ssl/ossl-modules\""],
        _ => &[],
    };
    for line in wanted {
        assert!(
            lines.contains(line),
            "{}, {name}: wanted `{line}`, found:\n{}",
            target.triple,
            lines.join("\n")
        );
    }
}

/// Compiles a program by what the bundle's modules say, and gives its file.
fn compile(handed: &Handed, made: &Path, folder: &Path, case: &Case) -> String {
    let (name, pkgconf, bundle) = (case.name, handed.pkgconf.display(), made.display());
    let source = root().join("tests/support").join(format!("{name}.c"));
    let (program, command) = match handed.target.os {
        Os::Windows => (
            format!("{name}.exe"),
            format!(
                "clang-cl -nologo -W3 -Wno-undefined-inline -MD -O1 -D_CRT_SECURE_NO_WARNINGS \"-I{bundle}/include\" \
                 $('{pkgconf}' --msvc-syntax --cflags {0}) '{1}' -Fe{name}.exe \
                 /link \"-libpath:{bundle}/lib\" {2} $('{pkgconf}' --msvc-syntax --libs {0})",
                case.modules,
                source.display(),
                case.libraries[0],
            ),
        ),
        Os::Linux => (
            name.to_owned(),
            format!(
                "clang -Wall -O1 \"-I{bundle}/include\" '{1}' -o {name} \
                 \"-L{bundle}/lib\" $('{pkgconf}' --static --cflags --libs {0}) {2}",
                case.modules,
                source.display(),
                case.libraries[1],
            ),
        ),
    };
    handed.shell(made, folder, &command).unwrap();
    program
}
