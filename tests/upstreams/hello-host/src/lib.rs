//! Where hello-host was installed; empty when nothing was built.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");
