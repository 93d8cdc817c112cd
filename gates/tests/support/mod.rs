//! Fixtures: small native files, packages and bundles made of readable code.
#![allow(dead_code, unused_imports, reason = "each test file uses its part")]
#![allow(
    clippy::unwrap_used,
    reason = "a panic is how a fixture that cannot be made fails its test"
)]

mod elf;
mod pack;
pub mod parts;
mod pe;
mod random;
mod samples;
mod tree;
mod unlinked;

pub use elf::{Elf, Symbol};
pub use pack::{Member, PLAIN, Wheel, deb, layout, layout_of, tar, tar_of, zip};
pub use parts::archive;
pub use pe::{ARM64, Image, Imports, X64, coff, short_import, thin_archive, words};
pub use random::Random;
pub use samples::{layers, samples};
pub use tree::{LINUX, TARGET, Tree, helper, judge_tree, lines, sha256};
pub use unlinked::{Function, Lead, object_of};
