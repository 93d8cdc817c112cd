//! PE and ELF files whose code is followed and decoded.
#![no_main]

use std::sync::LazyLock;

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Read once: it takes longer than most inputs.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::standard);

/// Made once: a folder takes longer than most inputs too.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder can be made"));

fuzz_target!(|data: &[u8]| {
    let judge = Judge {
        only: vec!["cpu-baseline".to_owned()],
        ..Judge::new(&POLICY)
    };
    let program = FOLDER.path().join("program");
    if std::fs::write(&program, data).is_ok() {
        drop(judge.paths(&[&program]).to_json());
    }
});
