//! The lines that a build script prints for cargo, and nobody else's business.

use std::fmt::Display;
use std::path::Path;

use store::Digest;

/// Asks cargo to look again when something below `path` changes. Only a look: the digest decides whether to build.
pub(crate) fn watch_path(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Asks cargo to look again when a variable changes.
pub(crate) fn watch_variable(name: &str) {
    println!("cargo::rerun-if-env-changed={name}");
}

/// Tells the compiler of the condition that holds in a component's crate when the component was built.
pub(crate) fn may_be_built() {
    println!("cargo::rustc-check-cfg=cfg(kit_built)");
}

/// Says that nothing was built, because nobody asked.
pub(crate) fn stub() {
    println!("cargo::rustc-env=KIT_PREFIX=");
    println!("cargo::rustc-env=KIT_VERSION=");
}

/// What dependents and xtask are told of a finished prefix. Printed last, for of two values cargo keeps the later one.
pub(crate) struct Metadata<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) root: &'a Path,
    pub(crate) digest: &'a Digest,
    pub(crate) closure: &'a str,
}

impl Metadata<'_> {
    /// Prints the values.
    pub(crate) fn announce(&self) {
        let root = self.root.display();
        println!("cargo::metadata=name={}", self.name);
        println!("cargo::metadata=root={root}");
        println!("cargo::metadata=include={root}/include");
        println!("cargo::metadata=digest={}", self.digest);
        println!("cargo::metadata=closure={}", self.closure);
        println!("cargo::rustc-env=KIT_PREFIX={root}");
        println!("cargo::rustc-env=KIT_DIGEST={}", self.digest);
        println!("cargo::rustc-env=KIT_VERSION={}", self.version);
        println!("cargo::rustc-cfg=kit_built");
    }
}

/// Something that the user should know although the build goes on.
pub(crate) fn warning(text: impl Display) {
    for line in text.to_string().lines().filter(|line| !line.is_empty()) {
        println!("cargo::warning={line}");
    }
}

/// Why the script fails. Cargo shows each line after `error:`, so a remedy stays on a line of its own.
pub(crate) fn error(text: impl Display) {
    for line in text.to_string().lines().filter(|line| !line.is_empty()) {
        println!("cargo::error={line}");
    }
}
