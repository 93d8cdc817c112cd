//! Where sqlite was installed, and what its installed headers say. Both are empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");

/// Constants of the installed headers, under upstream's names.
#[allow(missing_docs, reason = "upstream's headers document them")]
pub mod headers {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}

#[cfg(all(test, kit_built))]
mod tests {
    use super::{VERSION, headers};

    #[test]
    fn headers_are_of_the_pinned_version() {
        assert_eq!(headers::SQLITE_VERSION.to_str(), Ok(VERSION));
    }
}
