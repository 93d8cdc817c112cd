//! What somebody does who was handed a bundle: it lies in another folder than where it was made, its environment script and its
//! pkg-config modules lead to headers and libraries, a program is compiled against them, and runs with them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;

use pipeline::{Handed, TARGETS, root};
use store::tree;
use toolchains::Os;

/// What the program prints: the codec's name, the CRC-32 of its text (as zip files have it), and two frames of two channels,
/// which go in interleaved and come out one channel after the other.
const SAID: &str = "flac 315ebbbf 2 100 32767 -100 -32768";

#[test]
fn x86_64_pc_windows_msvc() {
    consume(TARGETS[0]);
}

#[test]
fn aarch64_pc_windows_msvc() {
    consume(TARGETS[1]);
}

#[test]
fn riscv64gc_unknown_linux_gnu() {
    consume("riscv64gc-unknown-linux-gnu");
}

fn consume(triple: &str) {
    let made = pipeline::bundle(triple).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let bundle = elsewhere.path().join("moved");
    tree::copy(&made, &bundle).unwrap();
    let handed = Handed::of(triple).unwrap();
    compile(&handed, &bundle, elsewhere.path());
    let program = match handed.target.os {
        Os::Windows => "program.exe",
        Os::Linux => "program",
    };
    let text = handed.run(&bundle, &elsewhere.path().join(program), &[]).unwrap();
    assert_eq!(text.trim_end(), SAID);
}

/// Compiles the program by what the modules say, in a shell that has read the environment script.
fn compile(handed: &Handed, bundle: &Path, folder: &Path) {
    let pkgconf = handed.pkgconf.display();
    std::fs::copy(root().join("tests/consumer/program.c"), folder.join("program.c")).unwrap();
    let script = format!(
        "modules='libavcodec libswresample libavutil'\n\
         test \"$('{pkgconf}' --modversion libavcodec)\" = \"$(sed -n 's/^Version: //p' '{bundle}/lib/pkgconfig/libavcodec.pc')\"\n\
         {compile}",
        bundle = bundle.display(),
        compile = match handed.target.os {
            Os::Windows => format!(
                "clang-cl -MD $('{pkgconf}' --msvc-syntax --cflags $modules) program.c \
                 /link $('{pkgconf}' --msvc-syntax --libs $modules)"
            ),
            Os::Linux => format!("clang -o program program.c $('{pkgconf}' --cflags --libs $modules)"),
        },
    );
    let output = handed.shell(bundle, folder, &script).unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("warning:"), "{text}");
}
