//! Zip, tar, Debian packages and the compressions, as they are or made around parts: unpacked within small limits, each member read.
#![no_main]

#[path = "../../tests/support/parts.rs"]
#[allow(dead_code, reason = "each target uses its part")]
mod parts;

use gates::read::container::{Budget, Limits, What, open, sniff};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    member_bytes: 1 << 20,
    total_bytes: 4 << 20,
    members: 1000,
    depth: 3,
};

fuzz_target!(|data: &[u8]| {
    let data = parts::container(data);
    let Some(kind) = sniff(&data) else { return };
    open(kind, &data, "x", &mut Budget::new(LIMITS), &mut |_, entry| {
        if let What::File(bytes) = entry.what {
            drop(gates::read::read(&bytes));
        }
    });
});
