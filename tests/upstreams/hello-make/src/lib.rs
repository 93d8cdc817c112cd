//! Where hello-make was installed, and what its header says; both are empty when nothing was built.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// Constants of the installed header, under upstream's names.
#[allow(missing_docs, reason = "upstream's header documents them")]
pub mod headers {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}

#[cfg(kit_built)]
const _: () = assert!(headers::GREET_ABI == 1, "component.toml promises `greet-1`");
