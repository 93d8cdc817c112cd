//! What somebody does who was handed a bundle: it lies in another folder than where it was made, its environment script and its
//! pkg-config modules lead to headers and libraries, a program is compiled against them, and runs with them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;
use std::process::Command;

use pipeline::{TARGETS, done, root};
use store::{State, tree};
use toolchains::{Os, Provider, RunOptions, Runner, Silent, Target, Toolchain, Tools};

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
    compile(triple, &bundle, elsewhere.path());
    let state = State::locate().unwrap();
    let target = Target::load(triple).unwrap();
    let runner = Runner::ensure(&state, &target, &Silent).unwrap();
    let (program, libraries) = match target.os {
        Os::Windows => ("program.exe", "bin"),
        Os::Linux => ("program", "lib"),
    };
    let options = RunOptions {
        path: vec![bundle.join(libraries)],
        ..RunOptions::default()
    };
    let output = runner
        .command::<&str>(&elsewhere.path().join(program), &[], &options)
        .unwrap()
        .output()
        .unwrap();
    assert_eq!(done(&output).trim_end(), SAID);
}

/// Compiles the program by what the modules say, in a shell that has read the environment script.
fn compile(triple: &str, bundle: &Path, folder: &Path) {
    let state = State::locate().unwrap();
    let target = Target::load(triple).unwrap();
    let toolchain = Toolchain::ensure(&state, &target, Provider::Open, 2, &Silent).unwrap();
    let pkgconf = Tools::ensure(&state, &Silent).unwrap().pkgconf().unwrap();
    std::fs::copy(root().join("tests/consumer/program.c"), folder.join("program.c")).unwrap();
    let script = format!(
        "set -e\n\
         . '{bundle}/windlass-env.sh'\n\
         modules='libavcodec libswresample libavutil'\n\
         test \"$('{pkgconf}' --modversion libavcodec)\" = \"$(sed -n 's/^Version: //p' '{bundle}/lib/pkgconfig/libavcodec.pc')\"\n\
         {compile}\n",
        bundle = bundle.display(),
        pkgconf = pkgconf.display(),
        compile = match target.os {
            Os::Windows => format!(
                "clang-cl -MD $('{0}' --msvc-syntax --cflags $modules) program.c \
                 /link $('{0}' --msvc-syntax --libs $modules)",
                pkgconf.display()
            ),
            Os::Linux => format!(
                "clang -o program program.c $('{}' --cflags --libs $modules)",
                pkgconf.display()
            ),
        },
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env_remove("PKG_CONFIG_PATH")
        // No module of the machine can take the place of one of the bundle's.
        .env("PKG_CONFIG_LIBDIR", "/nonexistent")
        .env("PATH", format!("{}:/usr/bin:/bin", toolchain.bin.display()))
        .output()
        .unwrap();
    done(&output);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("warning:"), "{text}");
}
