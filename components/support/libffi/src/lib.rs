//! Where libffi was installed, and what its installed headers say. Both are empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");

/// Constants of the installed headers, under upstream's names.
#[allow(missing_docs, reason = "upstream's headers document them")]
pub mod headers {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}
