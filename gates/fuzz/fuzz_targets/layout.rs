//! An image's layout: the index, and blobs that it names by their place. What stands between the files, `tests/support/samples.rs`
//! says, which makes the seeds.
#![no_main]

use std::sync::LazyLock;

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;

/// Read once: it takes longer than most inputs.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::foreign);

fuzz_target!(|data: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let blobs = folder.path().join("blobs/sha256");
    if std::fs::create_dir_all(&blobs).is_err() || std::fs::write(folder.path().join("oci-layout"), b"{}").is_err() {
        return;
    }
    let mut rest = data;
    let mut path = folder.path().join("index.json");
    for place in 0.. {
        let end = rest.windows(2).position(|window| window == b"\xff\n");
        if std::fs::write(&path, &rest[..end.unwrap_or(rest.len())]).is_err() {
            return;
        }
        let Some(end) = end else { break };
        rest = &rest[end + 2..];
        path = blobs.join(place.to_string());
    }
    drop(Judge::new(&POLICY).paths(&[folder.path()]));
});
