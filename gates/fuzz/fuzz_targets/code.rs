//! PE and ELF files whose code is followed and decoded.
#![no_main]

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let policy = Policy::standard();
    let judge = Judge {
        only: vec!["cpu-baseline".to_owned()],
        ..Judge::new(&policy)
    };
    let Ok(folder) = tempfile::tempdir() else { return };
    let program = folder.path().join("program");
    if std::fs::write(&program, data).is_ok() {
        drop(judge.paths(&[&program]));
    }
});
