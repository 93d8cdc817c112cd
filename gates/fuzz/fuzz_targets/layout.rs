//! An image's layout: the index, and a blob that it may name.
#![no_main]

use gates::{Judge, Policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (&[u8], &[u8])| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let (index, blob) = data;
    let blobs = folder.path().join("blobs/sha256");
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).is_ok();
    if std::fs::create_dir_all(&blobs).is_ok()
        && put("oci-layout", b"{}")
        && put("index.json", index)
        && put("blobs/sha256/aa", blob)
    {
        drop(Judge::new(&Policy::foreign()).paths(&[folder.path()]));
    }
});
