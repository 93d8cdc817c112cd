//! An image's layout that is made around its parts: the index, and blobs that it names by their place.
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
    let blobs = FOLDER.path().join("blobs/sha256");
    if std::fs::create_dir_all(&blobs).is_err() {
        return;
    }
    for (path, bytes) in parts::layout(data) {
        if std::fs::write(FOLDER.path().join(path), bytes).is_err() {
            return;
        }
    }
    drop(Judge::new(&POLICY).paths(&[FOLDER.path()]).to_json());
    drop(std::fs::remove_dir_all(&blobs));
});
