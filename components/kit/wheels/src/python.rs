//! The Python of a target as wheels see it: tags (PEP 425, PEP 600), the suffix of extension modules, and the values that markers are
//! evaluated with (PEP 508). All of it follows from the target and a version; no interpreter is asked.

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use gates::Platform;
use gates::wheel::{self, Name};
use pep508_rs::MarkerEnvironment;
use pep508_rs::pep440_rs::Version;
use toolchains::{Arch, Os, Target};

/// The oldest glibc that a manylinux tag can name for a target: 2.17 everywhere, but x86-64 has had wheels since 2.5 (PEP 513).
const GLIBC_FIRST: u16 = 17;
const GLIBC_FIRST_X86_64: u16 = 5;

/// The names that manylinux tags had before they held a version (PEP 600, "legacy manylinux tags").
const LEGACY: [(u16, &str); 3] = [(17, "manylinux2014"), (12, "manylinux2010"), (5, "manylinux1")];

/// CPython of one version on one target.
#[derive(Clone, Debug)]
pub struct Python {
    target: Target,
    version: String,
    minor: u16,
    glibc: Option<(u16, u16)>,
    environment: MarkerEnvironment,
}

impl Python {
    /// The Python of that version, as `3.13.15`, on a target.
    ///
    /// # Errors
    /// If `version` is no version of CPython 3 with three numbers.
    pub fn new(target: &Target, version: &str) -> Result<Python> {
        let numbers: Vec<u16> = version.split('.').map_while(|number| number.parse().ok()).collect();
        let [3, minor, _] = numbers[..] else {
            bail!("`{version}` is no version of Python, wanted one like 3.13.15");
        };
        let platform = Platform::of_triple(target.rust_triple())
            .with_context(|| format!("{}: the judge knows no such platform", target.triple))?;
        Ok(Python {
            environment: wheel::environment(platform, version).map_err(|why| anyhow!("Python {why}"))?,
            glibc: target.glibc()?,
            target: target.clone(),
            version: version.to_owned(),
            minor,
        })
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The whole version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The first two numbers of the version: `3.13`.
    pub fn short(&self) -> String {
        format!("3.{}", self.minor)
    }

    /// The tag of the implementation: `cp313`.
    pub fn tag(&self) -> String {
        format!("cp3{}", self.minor)
    }

    /// What markers are evaluated with.
    pub fn environment(&self) -> &MarkerEnvironment {
        &self.environment
    }

    /// Whether a `Requires-Python` allows it; what cannot be understood is an error.
    ///
    /// # Errors
    /// If the text is no list of specifiers.
    pub fn fits(&self, requires_python: &str) -> Result<bool> {
        let specifiers = pep508_rs::pep440_rs::VersionSpecifiers::from_str(requires_python)
            .map_err(|why| anyhow!("Requires-Python `{requires_python}` cannot be understood: {why}"))?;
        let version = Version::from_str(&self.version).map_err(|why| anyhow!("{why}"))?;
        Ok(specifiers.contains(&version))
    }

    /// The architecture as wheels' platform tags spell it.
    fn arch(&self) -> &'static str {
        match (self.target.os, self.target.arch) {
            (Os::Windows, Arch::Aarch64) => "arm64",
            (Os::Windows, _) => "amd64",
            (Os::Linux, Arch::Aarch64) => "aarch64",
            (Os::Linux, Arch::X86_64) => "x86_64",
            (Os::Linux, Arch::Riscv64) => "riscv64",
        }
    }

    /// The platform tag of what is built here: `win_arm64`, `manylinux_2_31_aarch64`.
    pub fn platform(&self) -> String {
        match self.glibc {
            Some((major, minor)) => format!("manylinux_{major}_{minor}_{}", self.arch()),
            None => format!("win_{}", self.arch()),
        }
    }

    /// What `sysconfig.get_platform()` says on the target: `win-arm64`, `linux-aarch64`.
    pub fn sysconfig_platform(&self) -> String {
        match self.target.os {
            Os::Windows => format!("win-{}", self.arch()),
            Os::Linux => format!("linux-{}", self.arch()),
        }
    }

    /// The platform in the names of modules (`MULTIARCH`): `win_arm64`, `aarch64-linux-gnu`.
    pub fn multiarch(&self) -> String {
        match self.target.os {
            Os::Windows => format!("win_{}", self.arch()),
            Os::Linux => format!("{}-linux-gnu", self.arch()),
        }
    }

    /// `SOABI`: `cp313-win_arm64`, `cpython-313-aarch64-linux-gnu`.
    pub fn soabi(&self) -> String {
        let implementation = match self.target.os {
            Os::Windows => "cp",
            Os::Linux => "cpython-",
        };
        format!("{implementation}3{}-{}", self.minor, self.multiarch())
    }

    /// `EXT_SUFFIX`: what follows a module's name.
    pub fn ext_suffix(&self) -> String {
        format!(".{}{}", self.soabi(), self.shlib_suffix())
    }

    /// What follows the name of a module for the stable ABI.
    pub fn stable_suffix(&self) -> &'static str {
        match self.target.os {
            Os::Windows => ".pyd",
            Os::Linux => ".abi3.so",
        }
    }

    /// `.pyd` or `.so`.
    pub fn shlib_suffix(&self) -> &'static str {
        match self.target.os {
            Os::Windows => ".pyd",
            Os::Linux => ".so",
        }
    }

    /// The import library that a module links to on Windows, without its suffix: `python3` for the stable ABI.
    pub fn import_library(&self, is_stable: bool) -> String {
        match is_stable {
            true => "python3".to_owned(),
            false => format!("python3{}", self.minor),
        }
    }

    /// The platform tags that can be installed, best first; `any` is not among them.
    pub fn platforms(&self) -> Vec<String> {
        let arch = self.arch();
        let Some((major, newest)) = self.glibc else {
            return vec![self.platform()];
        };
        let first = match self.target.arch {
            Arch::X86_64 => GLIBC_FIRST_X86_64,
            _ => GLIBC_FIRST,
        };
        let mut platforms = Vec::new();
        for minor in (first..=newest).rev() {
            platforms.push(format!("manylinux_{major}_{minor}_{arch}"));
            let legacy = LEGACY.iter().find(|(glibc, _)| *glibc == minor);
            // The old names were never given to architectures that came later.
            if let Some((_, name)) = legacy
                && self.target.arch != Arch::Riscv64
            {
                platforms.push(format!("{name}_{arch}"));
            }
        }
        platforms.push(format!("linux_{arch}"));
        platforms
    }

    /// Every tag that can be installed, best first, in the order of the reference implementation (`packaging.tags`).
    pub fn tags(&self) -> Vec<String> {
        let (own, platforms) = (self.tag(), self.platforms());
        let mut tags = Vec::new();
        let mut put = |python: &str, abi: &str| {
            tags.extend(platforms.iter().map(|platform| format!("{python}-{abi}-{platform}")));
        };
        put(&own, &own);
        put(&own, "abi3");
        put(&own, "none");
        // The stable ABI begins with Python 3.2.
        for minor in (2..self.minor).rev() {
            put(&format!("cp3{minor}"), "abi3");
        }
        let generic: Vec<String> = std::iter::once(format!("py3{}", self.minor))
            .chain(["py3".to_owned()])
            .chain((0..self.minor).rev().map(|minor| format!("py3{minor}")))
            .collect();
        for python in &generic {
            put(python, "none");
        }
        tags.push(format!("{own}-none-any"));
        tags.extend(generic.iter().map(|python| format!("{python}-none-any")));
        tags
    }

    /// The place of a wheel's best tag in [`Python::tags`]; absent if it cannot be installed.
    pub fn rank(&self, name: &Name) -> Option<usize> {
        let own = name.tags();
        self.tags().iter().position(|tag| own.contains(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(triple: &str) -> Python {
        Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap()
    }

    #[test]
    fn every_target_has_facts_of_its_own() {
        let facts = |triple: &str| {
            let python = python(triple);
            let machine = python.environment().platform_machine().to_owned();
            [
                python.platform(),
                python.ext_suffix(),
                python.soabi(),
                python.sysconfig_platform(),
                machine,
            ]
        };
        for (triple, wanted) in [
            (
                "aarch64-pc-windows-msvc",
                [
                    "win_arm64",
                    ".cp313-win_arm64.pyd",
                    "cp313-win_arm64",
                    "win-arm64",
                    "ARM64",
                ],
            ),
            (
                "x86_64-pc-windows-msvc",
                [
                    "win_amd64",
                    ".cp313-win_amd64.pyd",
                    "cp313-win_amd64",
                    "win-amd64",
                    "AMD64",
                ],
            ),
            (
                "aarch64-unknown-linux-gnu",
                [
                    "manylinux_2_31_aarch64",
                    ".cpython-313-aarch64-linux-gnu.so",
                    "cpython-313-aarch64-linux-gnu",
                    "linux-aarch64",
                    "aarch64",
                ],
            ),
            (
                "x86_64-unknown-linux-gnu",
                [
                    "manylinux_2_31_x86_64",
                    ".cpython-313-x86_64-linux-gnu.so",
                    "cpython-313-x86_64-linux-gnu",
                    "linux-x86_64",
                    "x86_64",
                ],
            ),
            (
                "riscv64gc-unknown-linux-gnu",
                [
                    "manylinux_2_41_riscv64",
                    ".cpython-313-riscv64-linux-gnu.so",
                    "cpython-313-riscv64-linux-gnu",
                    "linux-riscv64",
                    "riscv64",
                ],
            ),
        ] {
            assert_eq!(facts(triple), wanted.map(str::to_owned), "{triple}");
        }
    }

    #[test]
    fn tags_are_those_of_the_reference_implementation() {
        let tags = python("x86_64-unknown-linux-gnu").tags();
        assert_eq!(tags[0], "cp313-cp313-manylinux_2_31_x86_64");
        assert_eq!(tags.last().unwrap(), "py30-none-any");
        for known in [
            "cp313-cp313-manylinux2014_x86_64",
            "cp313-cp313-manylinux1_x86_64",
            "cp32-abi3-manylinux_2_5_x86_64",
            "py3-none-linux_x86_64",
            "cp313-none-any",
        ] {
            assert!(tags.iter().any(|tag| tag == known), "{known}");
        }
        for newer in ["cp313-cp313-manylinux_2_34_x86_64", "cp314-abi3-manylinux_2_17_x86_64"] {
            assert!(!tags.iter().any(|tag| tag == newer), "{newer}");
        }
        let riscv = python("riscv64gc-unknown-linux-gnu").tags();
        assert!(!riscv.iter().any(|tag| tag.contains("manylinux2014")));
    }

    #[test]
    fn wheels_are_ranked_by_their_best_tag() {
        let python = python("aarch64-pc-windows-msvc");
        let rank = |file: &str| python.rank(&Name::parse(file).unwrap());
        let own = rank("a-1-cp313-cp313-win_arm64.whl").unwrap();
        let stable = rank("a-1-cp39-abi3-win_arm64.whl").unwrap();
        let pure = rank("a-1-py2.py3-none-any.whl").unwrap();
        assert!(own < stable && stable < pure);
        for foreign in [
            "a-1-cp313-cp313-win_amd64.whl",
            "a-1-cp313-cp313t-win_arm64.whl",
            "a-1-cp314-cp314-win_arm64.whl",
            "a-1-py2-none-any.whl",
        ] {
            assert_eq!(rank(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn versions_are_read_and_compared() {
        let target = Target::load("x86_64-pc-windows-msvc").unwrap();
        let why = Python::new(&target, "3.13").unwrap_err().to_string();
        assert_eq!(why, "`3.13` is no version of Python, wanted one like 3.13.15");
        let python = python("x86_64-pc-windows-msvc");
        assert!(python.fits(">=3.12").unwrap() && !python.fits(">=3.14,<4").unwrap());
        assert!(python.fits("3").is_err());
        assert_eq!(python.environment().python_version().to_string(), "3.13");
        assert_eq!(python.environment().python_full_version().to_string(), "3.13.15");
    }
}
