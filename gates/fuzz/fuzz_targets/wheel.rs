//! A file that is judged as a wheel, by every rule.
#![no_main]

use std::sync::LazyLock;

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;

/// Read once: it takes longer than most inputs.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::foreign);

fuzz_target!(|data: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let wheel = folder.path().join("pkg-1.0-cp313-cp313-win_arm64.whl");
    if std::fs::write(&wheel, data).is_ok() {
        drop(Judge::new(&POLICY).paths(&[&wheel]));
    }
});
