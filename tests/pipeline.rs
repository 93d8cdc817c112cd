//! The small upstreams through everything, for each target: fetched, built, bundled, judged and run. A run counts by what it
//! prints, which only the real work can have computed; an exit status is no evidence.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;
use std::process::{Command, Output};

use pipeline::{TARGETS, done, root};

/// A text that no upstream knows.
const TEXT: &str = "capstan and windlass";

#[test]
fn x86_64_pc_windows_msvc() {
    pipeline(TARGETS[0]);
}

#[test]
fn aarch64_pc_windows_msvc() {
    pipeline(TARGETS[1]);
}

#[test]
fn x86_64_unknown_linux_gnu() {
    pipeline("x86_64-unknown-linux-gnu");
}

#[test]
fn aarch64_unknown_linux_gnu() {
    pipeline("aarch64-unknown-linux-gnu");
}

#[test]
fn riscv64gc_unknown_linux_gnu() {
    pipeline("riscv64gc-unknown-linux-gnu");
}

#[test]
fn riscv64gc_unknown_linux_gnu_rva23u64() {
    pipeline("riscv64gc-unknown-linux-gnu+rva23u64");
}

fn pipeline(target: &str) {
    // Not where `bundle` puts it by itself: that is the user's.
    let out = tempfile::tempdir().unwrap();
    let bundle = out.path().join("bundle");
    let (folder, out) = (text(&bundle), text(out.path()));
    let only = "hello-make,hello-cmake,hello-meson,hello-host";
    done(&xtask(&["bundle", "--target", target, "--only", only, "--out", out]));
    done(&xtask(&["gate", "--bundle", folder]));
    let run = |name: &str, arguments: &[&str]| -> String {
        let words = ["run", "--target", target, "--bundle", folder, "--", name];
        done(&xtask(&[&words, arguments].concat())).replace("\r\n", "\n")
    };
    let drive = if target.contains("windows") { "Z:" } else { "" };
    let plugins = |name: &str| format!("{drive}{folder}/lib/{name}");
    assert_eq!(
        run("hello-make", &[TEXT, &plugins("hello-make")]),
        format!(
            "hello-make: library says {:08x}\nhello-make: plug-in says {:08x}\n",
            fold(TEXT),
            fold(&TEXT.to_uppercase())
        )
    );
    assert_eq!(
        run("hello-cmake", &[TEXT, &plugins("hello-cmake")]),
        format!(
            "hello-cmake: 3 words, last `windlass`, counted 6\nhello-cmake: caught `no words in the text` of {}\n",
            TEXT.len()
        )
    );
    let sum = fold("a").wrapping_add(fold(TEXT));
    assert_eq!(
        run("hello-meson", &[&plugins("hello-meson"), "a", TEXT]),
        format!("hello-meson: sum {sum:08x}, twice {:08x}\n", sum.wrapping_mul(2))
    );
    // The table is made while building, so by this machine.
    assert_eq!(
        run("hello-host", &[]),
        format!(
            "hello-host: 30 squares, sum 9455, made on {} linux\n",
            std::env::consts::ARCH
        )
    );
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn xtask(arguments: &[&str]) -> Output {
    Command::new("cargo")
        .args(["run", "--quiet", "--package", "xtask", "--"])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap()
}

/// FNV-1a, 32 bits: what the upstreams' library computes, computed here by itself.
fn fold(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
