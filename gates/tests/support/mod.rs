//! Fixtures: small native files, packages and bundles made of readable code.
#![allow(dead_code, unused_imports, reason = "each test file uses its part")]
#![allow(
    clippy::unwrap_used,
    reason = "a panic is how a fixture that cannot be made fails its test"
)]

mod elf;
mod pack;
mod pe;
mod random;
mod samples;
mod tree;

pub use elf::{Elf, Symbol};
pub use pack::{Member, PLAIN, Wheel, deb, layout, layout_of, tar, tar_of, zip};
pub use pe::{ARM64, Image, Imports, X64, archive, coff, short_import, thin_archive, words};
pub use random::Random;
pub use samples::{BETWEEN, WHEEL, layers, samples};
pub use tree::{LINUX, TARGET, Tree, helper, judge_tree, lines, sha256};
