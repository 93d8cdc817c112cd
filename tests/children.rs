//! Programs for another machine that start programs for it: an emulator runs one program, and the kernel has to know of it for the
//! others. What the programs of Windows start is Wine's, and is tried with the interpreters.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::Command;

use pipeline::{done, root};
use store::State;
use toolchains::{Provider, RunOptions, Runner, Silent, Target, Toolchain};

#[test]
fn riscv64_linux() {
    starts_itself("riscv64gc-unknown-linux-gnu", "riscv64");
}

#[test]
fn arm64_linux() {
    starts_itself("aarch64-unknown-linux-gnu", "aarch64");
}

fn starts_itself(triple: &str, machine: &str) {
    let (state, target) = (State::locate().unwrap(), Target::load(triple).unwrap());
    let toolchain = Toolchain::ensure(&state, &target, Provider::Open, 2, &Silent).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("a program");
    let mut compile = Command::new(toolchain.bin.join("clang"));
    compile
        .arg("-o")
        .arg(&program)
        .arg(root().join("tests/children/program.c"));
    done(&compile.output().unwrap());
    let runner = Runner::ensure(&state, &target, &Silent).unwrap();
    let started = runner
        .command::<&str>(&program, &[], &RunOptions::default())
        .unwrap()
        .output()
        .unwrap();
    assert_eq!(done(&started), format!("another name on {machine}\n7\n").repeat(2));
}
