//! Where cpython was installed; empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");

#[cfg(test)]
#[path = "../build/shared.rs"]
#[allow(dead_code, reason = "only the recipe builds")]
mod shared;
#[cfg(test)]
#[path = "../build/windows.rs"]
#[allow(dead_code, reason = "only the recipe builds")]
mod windows;
