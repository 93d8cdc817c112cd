//! A pin: one file that is wanted, by its hash, and the places that have it. It names no registry's host: registry
//! coordinates are resolved by the machine's own apt, pip and cargo settings when something is fetched.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::Digest;

/// One pinned file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The file's name, without a folder.
    pub file: String,
    /// What it must hash to: 64 hexadecimal digits.
    pub sha256: String,
    /// The upstream's own addresses, tried first and in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub url: Vec<String>,
    /// The path below a Debian archive's base address, for example `pool/main/z/zlib/zlib_1.3.1.orig.tar.gz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debian: Option<String>,
    /// The project on a Python package index; the file there has this pin's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pypi: Option<Pypi>,
    /// The package on a cargo registry; the file there is `<name>-<version>.crate`.
    #[serde(default, rename = "crate", skip_serializing_if = "Option::is_none")]
    pub crate_: Option<CrateRef>,
}

/// Coordinates on a Python package index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pypi {
    /// The project's normalised name (PEP 503).
    pub project: String,
    /// The version (PEP 440).
    pub version: String,
}

/// Coordinates on a cargo registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateRef {
    /// The package's name.
    pub name: String,
    /// The exact version.
    pub version: String,
}

impl Pin {
    /// Reads a pin that stands alone in a TOML text.
    ///
    /// # Errors
    /// If the text is not a pin, or [`Pin::check`] refuses it.
    pub fn parse(text: &str) -> Result<Pin> {
        let pin: Pin = toml_edit::de::from_str(text).context("pin cannot be read")?;
        pin.check()?;
        Ok(pin)
    }

    /// Refuses a pin that could not be fetched or would land outside its folder.
    ///
    /// # Errors
    /// If the name has a folder in it, the hash is not one, or no place is named.
    pub fn check(&self) -> Result<()> {
        let plain = !self.file.is_empty() && !self.file.starts_with('.') && !self.file.contains(['/', '\\', '\0']);
        ensure!(plain, "pin `{}`: wanted a plain file name", self.file);
        Digest::from_hex(&self.sha256).with_context(|| format!("pin `{}`", self.file))?;
        let places = self.url.len()
            + usize::from(self.debian.is_some())
            + usize::from(self.pypi.is_some())
            + usize::from(self.crate_.is_some());
        ensure!(
            places > 0,
            "pin `{}`: names no place that has the file (url, debian, pypi or crate)",
            self.file
        );
        if let Some(path) = &self.debian {
            let inside = path.starts_with("pool/") && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            ensure!(
                inside,
                "pin `{}`: `debian` must be a path below `pool/`, found `{path}`",
                self.file
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn pins_that_cannot_work_are_refused_with_the_reason() {
        let cases = [
            (
                "file = '../x'\nsha256 = 'H'\nurl = ['u']",
                "pin `../x`: wanted a plain file name",
            ),
            (
                "file = 'x'\nsha256 = 'H'",
                "pin `x`: names no place that has the file (url, debian, pypi or crate)",
            ),
            (
                "file = 'x'\nsha256 = 'H'\ndebian = 'pool/../x'",
                "pin `x`: `debian` must be a path below `pool/`, found `pool/../x`",
            ),
        ];
        for (text, wanted) in cases {
            assert_eq!(Pin::parse(&text.replace('H', HASH)).unwrap_err().to_string(), wanted);
        }
        let error = Pin::parse("file = 'x'\nsha256 = '12'\nurl = ['u']").unwrap_err();
        assert!(
            format!("{error:#}").starts_with("pin `x`: `12` is not a sha256"),
            "{error:#}"
        );
        assert!(Pin::parse(&format!("file = 'x'\nsha256 = '{HASH}'\nurls = ['u']")).is_err());
    }
}
