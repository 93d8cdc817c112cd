//! The state folder: where sources lie, how prefixes are named and published, and how archives are unpacked safely.
//! It downloads nothing and builds nothing; whoever does either stands on it.

pub mod archive;
mod digest;
mod pin;
mod slot;
mod state;
pub mod tree;

pub use digest::{Digest, DigestWriter, sha256_file};
pub use pin::{CrateRef, Pin, Pypi};
pub use slot::{Begin, Partial, Record, Slot};
pub use state::State;
