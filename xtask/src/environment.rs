//! The only place of xtask that reads the environment: where the checkout is, and what apt, pip and cargo were told.
//! It resolves nothing; the values go to whoever needs them.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// The checkout's root: `WORKSPACE_ROOT` as cargo sets it, else the folder above this package.
///
/// # Errors
/// If neither is there, because the program was moved and is not started through cargo.
pub fn root() -> Result<PathBuf> {
    let root = match text("WORKSPACE_ROOT") {
        Some(root) => PathBuf::from(root),
        None => match PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent() {
            Some(root) => root.to_owned(),
            None => bail!("the checkout's root is not known"),
        },
    };
    root.canonicalize()
        .with_context(|| format!("{}: checkout is not there\n\nhint: cargo xtask --help", root.display()))
}

/// The cargo that started this program, else the one on PATH.
pub fn cargo() -> String {
    text("CARGO").unwrap_or_else(|| "cargo".to_owned())
}

/// Where cargo keeps what it downloads.
pub fn cargo_home() -> Option<PathBuf> {
    match text("CARGO_HOME") {
        Some(home) => Some(home.into()),
        None => text("HOME").map(|home| PathBuf::from(home).join(".cargo")),
    }
}

/// `WINDLASS_JOBS`, else the number of processors.
///
/// # Errors
/// If the variable is not a number above 0.
pub fn jobs() -> Result<usize> {
    match text("WINDLASS_JOBS") {
        Some(value) => match value.parse() {
            Ok(jobs) if jobs > 0 => Ok(jobs),
            _ => bail!("WINDLASS_JOBS: wanted a number above 0, found `{value}`"),
        },
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// The time that documents name, in seconds after 1970: `SOURCE_DATE_EPOCH`, else the one time that products carry.
///
/// # Errors
/// If the variable is not a number.
pub fn epoch() -> Result<u64> {
    match text("SOURCE_DATE_EPOCH") {
        Some(value) => match value.parse() {
            Ok(seconds) => Ok(seconds),
            Err(_) => bail!("SOURCE_DATE_EPOCH: wanted seconds after 1970, found `{value}`"),
        },
        None => Ok(kit::EPOCH_SECONDS),
    }
}

/// A variable that is set to something.
pub fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The variables that `cargo run` adds about this package, which a cargo that is started from here must not see as its
/// own.
pub fn of_this_package() -> Vec<String> {
    env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        .collect()
}

/// The folders of PATH.
pub fn path() -> Vec<PathBuf> {
    env::var_os("PATH").map_or_else(Vec::new, |path| env::split_paths(&path).collect())
}
