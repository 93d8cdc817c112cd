//! The three upstreams through everything, for each target: fetched, built, bundled, judged and run. A run counts by what it
//! prints, which only the real work can have computed; an exit status is no evidence.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::{Command, Output};

use pipeline::{TARGETS, root, said};

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

fn pipeline(target: &str) {
    let upstreams = ["hello-make", "hello-cmake", "hello-meson"];
    let only: Vec<&str> = upstreams.iter().flat_map(|name| ["--only", name]).collect();
    done(&xtask(&[&["bundle", "--target", target], &only[..]].concat()));
    done(&xtask(&["gate", "--target", target]));
    let bundle = root().join("target/windlass").join(target);
    let run = |name: &str, arguments: &[&str]| -> String {
        let program = bundle.join("bin").join(format!("{name}.exe"));
        let program = program.to_str().unwrap().to_owned();
        let words = [&["run", "--target", target, "--", &program], arguments].concat();
        done(&xtask(&words)).replace("\r\n", "\n")
    };
    let folder = |name: &str| format!("Z:{}/lib/{name}", bundle.display());
    assert_eq!(
        run("hello-make", &[TEXT, &folder("hello-make")]),
        format!(
            "hello-make: library says {:08x}\nhello-make: plug-in says {:08x}\n",
            fold(TEXT),
            fold(&TEXT.to_uppercase())
        )
    );
    assert_eq!(
        run("hello-cmake", &[TEXT, &folder("hello-cmake")]),
        format!(
            "hello-cmake: 3 words, last `windlass`, counted 6\nhello-cmake: caught `no words in the text` of {}\n",
            TEXT.len()
        )
    );
    let sum = fold("a").wrapping_add(fold(TEXT));
    assert_eq!(
        run("hello-meson", &[&folder("hello-meson"), "a", TEXT]),
        format!("hello-meson: sum {sum:08x}, twice {:08x}\n", sum.wrapping_mul(2))
    );
}

fn xtask(arguments: &[&str]) -> Output {
    Command::new("cargo")
        .args(["run", "--quiet", "--package", "xtask", "--"])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap()
}

/// The standard output of a command that must have succeeded.
fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// FNV-1a, 32 bits: what the upstreams' library computes, computed here by itself.
fn fold(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
