//! What wheels and packages say of themselves: headers, lists, names.
#![no_main]

use gates::wheel::{Fields, Name, normal_name, record};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let fields = Fields::parse(text);
    drop((fields.first("Name").map(normal_name), record(text), Name::parse(text)));
});
