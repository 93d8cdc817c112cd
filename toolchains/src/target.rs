//! The targets, as data. What a target is called in CMake's or meson's words stands in its file, once.

use std::fmt;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;

/// A processor architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arch {
    /// 64-bit ARM.
    Aarch64,
    /// 64-bit x86.
    #[serde(rename = "x86_64")]
    X86_64,
    /// 64-bit RISC-V.
    Riscv64,
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arch::Aarch64 => "aarch64",
            Arch::X86_64 => "x86_64",
            Arch::Riscv64 => "riscv64",
        })
    }
}

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Os {
    /// Windows with the MSVC ABI.
    Windows,
    /// Linux with glibc.
    Linux,
}

/// Who made the system root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Assembled here from open packages.
    Open,
    /// Microsoft's SDK, fetched after its licence was accepted.
    Xwin,
}

impl std::str::FromStr for Provider {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Provider> {
        match name {
            "open" => Ok(Provider::Open),
            "xwin" => Ok(Provider::Xwin),
            _ => bail!("`{name}` is not a provider of system roots: wanted `open` or `xwin`"),
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Provider::Open => "open",
            Provider::Xwin => "xwin",
        })
    }
}

/// One target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its triple, as rustc and clang spell it.
    pub triple: String,
    /// Its architecture.
    pub arch: Arch,
    /// Its operating system.
    pub os: Os,
    /// `CMAKE_SYSTEM_PROCESSOR`.
    pub system_processor: String,
    /// Meson's `cpu_family`.
    pub cpu_family: String,
    /// The machine in the words of llvm-dlltool; Windows targets only.
    pub coff_machine: Option<String>,
    text: &'static str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    /// `works`, or `planned` for a target that is known but cannot be built for yet.
    state: State,
    arch: Arch,
    os: Os,
    system_processor: String,
    cpu_family: String,
    coff_machine: Option<String>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum State {
    Works,
    Planned,
}

/// Every target's file, by triple.
const FILES: [(&str, &str); 5] = [
    (
        "aarch64-pc-windows-msvc",
        include_str!("../targets/aarch64-pc-windows-msvc.toml"),
    ),
    (
        "aarch64-unknown-linux-gnu",
        include_str!("../targets/aarch64-unknown-linux-gnu.toml"),
    ),
    (
        "riscv64gc-unknown-linux-gnu",
        include_str!("../targets/riscv64gc-unknown-linux-gnu.toml"),
    ),
    (
        "x86_64-pc-windows-msvc",
        include_str!("../targets/x86_64-pc-windows-msvc.toml"),
    ),
    (
        "x86_64-unknown-linux-gnu",
        include_str!("../targets/x86_64-unknown-linux-gnu.toml"),
    ),
];

impl Target {
    /// The triples that can be built for, sorted.
    pub fn all() -> Vec<Target> {
        FILES
            .iter()
            .filter_map(|(triple, _)| Target::load(triple).ok())
            .collect()
    }

    /// The target of that triple.
    ///
    /// # Errors
    /// If there is none of that name, or it cannot be built for yet; both say what can be.
    pub fn load(triple: &str) -> Result<Target> {
        let Some((_, text)) = FILES.iter().find(|(name, _)| *name == triple) else {
            let nearest = FILES
                .iter()
                .map(|(name, _)| *name)
                .min_by_key(|name| distance(name, triple))
                .unwrap_or_default();
            bail!("`{triple}` is not a target\n\nhint: did you mean `{nearest}`?");
        };
        let raw: Raw = toml_edit::de::from_str(text)?;
        ensure!(
            raw.state == State::Works,
            "`{triple}` cannot be built for yet: it is planned\n\nhint: use `aarch64-pc-windows-msvc` or `x86_64-pc-windows-msvc`"
        );
        Ok(Target {
            triple: triple.to_owned(),
            arch: raw.arch,
            os: raw.os,
            system_processor: raw.system_processor,
            cpu_family: raw.cpu_family,
            coff_machine: raw.coff_machine,
            text,
        })
    }

    /// The text of the target's file; a part of every identity made for the target.
    pub(crate) fn text(&self) -> &'static str {
        self.text
    }
}

/// The edit distance of two names (Levenshtein): how many letters must be added, dropped or changed.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, right) in b.bytes().enumerate() {
            let changed = corner + usize::from(left != right);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_targets_work_and_the_others_say_that_they_do_not() {
        let names: Vec<String> = Target::all().into_iter().map(|target| target.triple).collect();
        assert_eq!(names, ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"]);
        let error = Target::load("riscv64gc-unknown-linux-gnu").unwrap_err().to_string();
        assert!(error.contains("cannot be built for yet"), "{error}");
    }

    #[test]
    fn a_misspelt_target_is_guessed() {
        let error = Target::load("arch64-pc-windows-msvc").unwrap_err().to_string();
        assert!(
            error.ends_with("hint: did you mean `aarch64-pc-windows-msvc`?"),
            "{error}"
        );
    }
}
