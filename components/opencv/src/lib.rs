//! Where OpenCV was installed. Empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");
