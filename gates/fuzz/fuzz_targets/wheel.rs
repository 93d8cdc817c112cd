//! A wheel that is made around its parts, judged by every rule.
#![no_main]

#[path = "../../tests/support/parts.rs"]
#[allow(dead_code, reason = "each target uses its part")]
mod parts;

use std::sync::LazyLock;

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Read once: it takes longer than most inputs.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::foreign);

/// Made once: a folder takes longer than most inputs too.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder can be made"));

fuzz_target!(|data: &[u8]| {
    let Some((name, wheel)) = parts::wheel(data) else { return };
    let path = FOLDER.path().join(name);
    if std::fs::write(&path, wheel).is_ok() {
        drop(Judge::new(&POLICY).paths(&[&path]).to_json());
        drop(std::fs::remove_file(&path));
    }
});
