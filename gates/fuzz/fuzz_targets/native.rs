//! PE, COFF, ELF and archives of them: whatever the bytes are taken for is read whole.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| drop(gates::read::read(data)));
