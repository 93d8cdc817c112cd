//! PE and ELF files whose code is followed and decoded.
#![no_main]

use std::sync::LazyLock;

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;

/// Read once: it takes longer than most inputs.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::standard);

fuzz_target!(|data: &[u8]| {
    let judge = Judge {
        only: vec!["cpu-baseline".to_owned()],
        ..Judge::new(&POLICY)
    };
    let Ok(folder) = tempfile::tempdir() else { return };
    let program = folder.path().join("program");
    if std::fs::write(&program, data).is_ok() {
        drop(judge.paths(&[&program]));
    }
});
