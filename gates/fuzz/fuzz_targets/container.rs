//! Zip, tar, Debian packages and the compressions: unpacked within small limits, each member read.
#![no_main]

use gates::read::container::{Budget, Limits, What, open, sniff};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some(kind) = sniff(data) else { return };
    let limits = Limits {
        member_bytes: 1 << 20,
        total_bytes: 4 << 20,
        members: 1000,
        depth: 3,
    };
    open(kind, data, "x", &mut Budget::new(limits), &mut |_, entry| {
        if let What::File(bytes) = entry.what {
            drop(gates::read::read(&bytes));
        }
    });
});
