//! Where the wheel of NumPy was installed, in the folder `wheels`; empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");
