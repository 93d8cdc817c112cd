//! The lines that a build script prints for cargo, and nobody else's business.

use std::fmt::Display;
use std::path::Path;

use anyhow::{Context, Result};

use crate::deps::Prefix;

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
    pub(crate) prefix: &'a Prefix,
    /// The same component for the machine that builds, if it has that role.
    pub(crate) host: Option<&'a Prefix>,
    /// Whether there is no such component for the machine that builds.
    pub(crate) foreign: bool,
}

impl Metadata<'_> {
    /// Prints the values.
    ///
    /// # Errors
    /// If a path has a colon, for a list of paths could not be told apart then.
    pub(crate) fn announce(&self) -> Result<()> {
        let (root, digest) = (self.prefix.root.display(), &self.prefix.digest);
        println!("cargo::metadata=name={}", self.name);
        println!("cargo::metadata=include={root}/include");
        of_prefix("", self.prefix)?;
        if let Some(host) = self.host {
            of_prefix("host_", host)?;
        }
        if self.foreign {
            println!("cargo::metadata=foreign=1");
        }
        println!("cargo::rustc-env=KIT_PREFIX={root}");
        println!("cargo::rustc-env=KIT_DIGEST={digest}");
        println!("cargo::rustc-env=KIT_VERSION={}", self.version);
        println!("cargo::rustc-cfg=kit_built");
        Ok(())
    }
}

/// What dependents are told of one prefix.
fn of_prefix(role: &str, prefix: &Prefix) -> Result<()> {
    let closure = std::env::join_paths(&prefix.closure).context("a prefix has a colon in its path")?;
    println!("cargo::metadata={role}root={}", prefix.root.display());
    println!("cargo::metadata={role}digest={}", prefix.digest);
    println!("cargo::metadata={role}closure={}", closure.to_string_lossy());
    Ok(())
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
