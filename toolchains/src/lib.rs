//! Host side of every target: the targets, their compilers, system roots and runners. It builds no component.

mod linux;
mod render;
pub mod runner;
mod spelling;
mod sysroot;
mod target;
mod toolchain;
mod tools;
mod windows;
mod xwin;

pub use runner::{RunOptions, Runner};
pub use target::{Arch, Level, Os, Provider, Target};
pub use toolchain::Toolchain;
pub use tools::Tools;
pub use windows::{DEFECTS, Defect};
pub use xwin::Sdk;

/// Where long steps tell how far they are. Drawing is the caller's.
pub trait Progress: Sync {
    /// A step begins; `what` is a short phrase such as `sysroot: compiling libc++`.
    fn step(&self, what: &str);
    /// `done` of `total` parts of the step are done.
    fn count(&self, done: u64, total: u64);
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &str) {}
    fn count(&self, _done: u64, _total: u64) {}
}
