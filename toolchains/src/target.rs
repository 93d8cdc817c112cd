//! The targets, as data. What a target is called in CMake's or meson's words stands in its file, once.

use std::fmt;

use anyhow::{Result, bail};
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
    /// Its name: the triple, as rustc spells it, and behind a `+` the level of CPUs if it is not the first.
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
    /// What the compiler may take for granted of the CPU; none for the compiler's own choice.
    pub level: Option<Level>,
    /// The CPU that an emulator imitates when a run names none; none where nothing is emulated.
    pub emulated_cpu: Option<String>,
    text: &'static str,
}

/// A level of CPUs: what code that asks no CPU may use.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Level {
    /// What it is called behind a target's triple, after a `+`.
    pub name: String,
    /// The same in the words of clang's `-march`.
    pub march: String,
    /// The CPU that an emulator imitates when a run names none, where the target's would not do.
    pub emulated_cpu: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    arch: Arch,
    os: Os,
    system_processor: String,
    cpu_family: String,
    coff_machine: Option<String>,
    /// As in [`Target`].
    emulated_cpu: Option<String>,
    /// The levels that can be built for; the first one is meant where a target is named without.
    #[serde(default)]
    level: Vec<Level>,
}

/// What of the system roots' file is a fact about the target; the root itself reads the rest.
#[derive(Deserialize)]
struct Roots {
    root: Vec<RootFacts>,
}

#[derive(Deserialize)]
struct RootFacts {
    arch: Arch,
    glibc: String,
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

    /// The target of that name: a triple, or a triple and a level (`riscv64gc-unknown-linux-gnu+rva23u64`).
    ///
    /// # Errors
    /// If there is none of that name; the likeliest one is named.
    pub fn load(name: &str) -> Result<Target> {
        let (triple, level) = match name.split_once('+') {
            Some((triple, level)) => (triple, Some(level)),
            None => (name, None),
        };
        let Some((_, text)) = FILES.iter().find(|(known, _)| *known == triple) else {
            let nearest = FILES
                .iter()
                .map(|(name, _)| *name)
                .min_by_key(|known| distance(known, triple))
                .unwrap_or_default();
            bail!("`{triple}` is not a target\n\nhint: did you mean `{nearest}`?");
        };
        let raw: Raw = toml_edit::de::from_str(text)?;
        let level = find_level(&raw.level, name, level)?;
        let own_cpu = level.as_ref().and_then(|level| level.emulated_cpu.clone());
        Ok(Target {
            level,
            triple: name.to_owned(),
            arch: raw.arch,
            os: raw.os,
            system_processor: raw.system_processor,
            cpu_family: raw.cpu_family,
            coff_machine: raw.coff_machine,
            emulated_cpu: own_cpu.or(raw.emulated_cpu),
            text,
        })
    }

    /// The target whose programs run on this machine without a runner. What builds are helped with, such as code generators, is
    /// made for it.
    ///
    /// # Errors
    /// If no target is for this machine's architecture.
    pub fn of_this_machine() -> Result<Target> {
        let arch = std::env::consts::ARCH;
        let own = Target::all()
            .into_iter()
            .find(|target| target.os == Os::Linux && target.arch.to_string() == arch);
        match own {
            Some(target) => Ok(target),
            None => bail!("this machine is {arch}, wanted one of aarch64, riscv64, x86_64 to build tools for"),
        }
    }

    /// The triple alone, without a level.
    pub fn rust_triple(&self) -> &str {
        self.triple.split('+').next().unwrap_or_default()
    }

    /// The version of the C library in the target's system root, the oldest that a product meets; none on Windows.
    ///
    /// # Errors
    /// If the roots' file has none for the target.
    pub fn glibc(&self) -> Result<Option<(u16, u16)>> {
        if self.os != Os::Linux {
            return Ok(None);
        }
        let file: Roots = toml_edit::de::from_str(include_str!("../linux/linux.toml"))?;
        let root = file.root.iter().find(|root| root.arch == self.arch);
        let numbers = root.and_then(|root| root.glibc.split_once('.'));
        match numbers.map(|(major, minor)| (major.parse(), minor.parse())) {
            Some((Ok(major), Ok(minor))) => Ok(Some((major, minor))),
            _ => bail!("linux.toml: says of {} no version of glibc like 2.31", self.arch),
        }
    }

    /// The text of the target's file; a part of every identity made for the target.
    pub(crate) fn text(&self) -> &'static str {
        self.text
    }
}

/// The level that is meant: the first where none is named. The first is not named, so that a target has one name.
fn find_level(levels: &[Level], target: &str, wanted: Option<&str>) -> Result<Option<Level>> {
    let Some(wanted) = wanted else {
        return Ok(levels.first().cloned());
    };
    let others: Vec<&str> = levels.iter().skip(1).map(|level| &*level.name).collect();
    match levels.iter().skip(1).find(|level| level.name == wanted) {
        Some(level) => Ok(Some(level.clone())),
        None if others.is_empty() => bail!("`{target}`: the target has no levels of CPUs to choose from"),
        None => bail!(
            "`{target}`: there is no level `{wanted}`, wanted one of {}, or none for `{}`",
            others.join(", "),
            levels[0].name
        ),
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
    fn every_target_can_be_loaded() {
        let names: Vec<String> = Target::all().into_iter().map(|target| target.triple).collect();
        assert_eq!(
            names,
            [
                "aarch64-pc-windows-msvc",
                "aarch64-unknown-linux-gnu",
                "riscv64gc-unknown-linux-gnu",
                "x86_64-pc-windows-msvc",
                "x86_64-unknown-linux-gnu"
            ]
        );
    }

    #[test]
    fn a_level_is_named_behind_the_triple() {
        let level = |name: &str| Target::load(name).unwrap().level.unwrap().march;
        assert_eq!(level("riscv64gc-unknown-linux-gnu"), "rv64gc");
        assert_eq!(level("riscv64gc-unknown-linux-gnu+rva23u64"), "rva23u64");
        for (name, wanted) in [
            (
                "riscv64gc-unknown-linux-gnu+rva22",
                "`riscv64gc-unknown-linux-gnu+rva22`: there is no level `rva22`, wanted one of rva23u64, or none for `rv64gc`",
            ),
            (
                "aarch64-pc-windows-msvc+sve",
                "`aarch64-pc-windows-msvc+sve`: the target has no levels of CPUs to choose from",
            ),
        ] {
            assert_eq!(Target::load(name).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn linux_targets_know_their_c_library() {
        let glibc = |name: &str| Target::load(name).unwrap().glibc().unwrap();
        assert_eq!(glibc("riscv64gc-unknown-linux-gnu+rva23u64"), Some((2, 41)));
        assert_eq!(glibc("aarch64-unknown-linux-gnu"), Some((2, 31)));
        assert_eq!(glibc("aarch64-pc-windows-msvc"), None);
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
