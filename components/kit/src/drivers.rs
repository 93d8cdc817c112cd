//! The drivers of the upstreams' build systems. Each takes arguments and ends in an installation below the stage; none
//! knows an upstream, and none decides what is built.

mod cmake;
mod configure;
mod flags;
mod make;
mod meson;
#[cfg(test)]
mod tests;

use std::panic::AssertUnwindSafe;

use anyhow::{Result, anyhow};

pub use cmake::Cmake;
pub use configure::Configure;
pub use flags::FlagEdit;
pub use make::Make;
pub use meson::Meson;

use crate::worker::panic_text;

/// Calls a driver crate that panics instead of returning an error.
fn caught<T>(what: &str, call: impl FnOnce() -> T) -> Result<T> {
    std::panic::catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic_text(&*panic);
        // The crates say on their last line that a script must exit, which is of no use to a reader.
        let line = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no message");
        anyhow!("{what}: {line}")
    })
}
