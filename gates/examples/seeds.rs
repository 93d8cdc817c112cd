//! Writes the seeds of the fuzz targets, which are made by code and so not kept: `cargo run -p gates --example seeds -- FOLDER`
//! fills one folder for each of the names below, to be handed to `cargo fuzz run` as a corpus.
#![allow(clippy::unwrap_used, reason = "a panic is how a tool of developers fails")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

/// The names of the seeds' folders. `pe`, `elf` and `archive` are for the target `native`, `code` for `code`.
const TARGETS: [&str; 8] = [
    "pe",
    "elf",
    "code",
    "archive",
    "container",
    "wheel",
    "layout",
    "metadata",
];

fn main() {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.expect("the folder to write to is the one argument");
    for target in TARGETS {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder).unwrap();
        for (place, sample) in support::samples(target).iter().enumerate() {
            std::fs::write(folder.join(place.to_string()), sample).unwrap();
        }
    }
}
