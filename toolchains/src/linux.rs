//! The Linux targets' system roots, unpacked from pinned Debian packages. A root holds glibc, libstdc++ and the kernel's headers,
//! and nothing of this machine.

mod wrappers;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use object::{FileKind, Object};
use serde::Deserialize;
use store::archive::{Unpack, unpack};
use store::{Begin, Digest, DigestWriter, Pin, State, tree};

pub(crate) use wrappers::{header_arguments, wrappers};

use crate::{Arch, Progress, Target};

/// The data file, embedded so that an identity needs no file of the checkout.
const DATA: &str = include_str!("../linux/linux.toml");

/// What of the packages is of use; the rest is documentation and configuration.
const WANTED: [&str; 4] = ["lib/**", "lib64/**", "usr/include/**", "usr/lib/**"];

/// `linux.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    root: Vec<Root>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Root {
    arch: Arch,
    multiarch: String,
    #[serde(rename = "suite")]
    _suite: String,
    glibc: String,
    gcc: String,
    pub(crate) interpreter: String,
    without: Vec<String>,
    pin: Vec<Pin>,
}

impl Root {
    /// The root of a Linux target.
    pub(crate) fn of(target: &Target) -> Result<Root> {
        let file: File = toml_edit::de::from_str(DATA).context("linux.toml")?;
        match file.root.into_iter().find(|root| root.arch == target.arch) {
            Some(root) => Ok(root),
            None => bail!("linux.toml: has no system root for {}", target.arch),
        }
    }

    pub(crate) fn pins(&self) -> &[Pin] {
        &self.pin
    }

    /// The identity of the root, from data alone.
    pub(crate) fn identity(&self) -> Digest {
        let mut writer = DigestWriter::new("linux-sysroot");
        writer.field("data", DATA).field("code", include_str!("linux.rs"));
        for pin in &self.pin {
            writer.field("pin", &pin.sha256);
        }
        writer.finish()
    }

    /// The folder of GCC's start-up objects and libraries, below the root.
    fn gcc_folder(&self) -> String {
        format!("usr/lib/gcc/{}/{}", self.multiarch, self.gcc)
    }

    /// The system root, unpacked if it is not there.
    pub(crate) fn ensure(&self, state: &State, target: &Target, progress: &dyn Progress) -> Result<PathBuf> {
        // The levels of a target share it.
        match state.slot(target.rust_triple(), "sysroot", &self.identity()).begin()? {
            Begin::Ready(dir) => Ok(dir),
            Begin::Build(partial) => {
                self.assemble(state, partial.path(), progress)
                    .with_context(|| format!("{}: system root cannot be assembled", target.triple))?;
                partial.commit(BTreeMap::from([("glibc".into(), self.glibc.clone())]))
            }
        }
    }

    fn assemble(&self, state: &State, into: &Path, progress: &dyn Progress) -> Result<()> {
        let package = into.join("package");
        for (done, pin) in self.pin.iter().enumerate() {
            progress.step(&format!("sysroot: unpacking {}", pin.file));
            progress.count(done as u64, self.pin.len() as u64);
            unpack(&state.need(pin)?, &package, &Unpack::default().only(WANTED))?;
            self.check(&package).with_context(|| pin.file.clone())?;
            merge(&package, into).with_context(|| pin.file.clone())?;
            tree::remove(&package)?;
        }
        // Since Debian 12 the packages have `/usr` alone, and the link is made by the system's installer.
        if !into.join("lib").exists() {
            symlink("usr/lib", into.join("lib")).context("lib: cannot be linked")?;
        }
        self.leave_out(into)?;
        links_lead_somewhere(into)?;
        let interpreter = into.join(self.interpreter.trim_start_matches('/'));
        ensure!(
            interpreter.is_file(),
            "{}: is in none of the packages",
            self.interpreter
        );
        let start = into.join(self.gcc_folder()).join("crtbeginS.o");
        ensure!(start.is_file(), "{}: is in none of the packages", start.display());
        Ok(())
    }

    /// Every object and library of a package must be for the target.
    fn check(&self, package: &Path) -> Result<()> {
        for entry in tree::list(package)? {
            if !matches!(entry.kind, tree::Kind::File | tree::Kind::Program) {
                continue;
            }
            let bytes =
                fs::read(package.join(&entry.path)).with_context(|| format!("{}: cannot be read", entry.path))?;
            if !matches!(FileKind::parse(&*bytes), Ok(FileKind::Elf64 | FileKind::Elf32)) {
                continue;
            }
            let found = object::File::parse(&*bytes)
                .with_context(|| format!("`{}` is no ELF file", entry.path))?
                .architecture();
            let wanted = match self.arch {
                Arch::Aarch64 => object::Architecture::Aarch64,
                Arch::X86_64 => object::Architecture::X86_64,
                Arch::Riscv64 => object::Architecture::Riscv64,
            };
            ensure!(
                found == wanted,
                "is for another architecture: `{}` is for {found:?}, wanted {wanted:?}",
                entry.path
            );
        }
        Ok(())
    }

    fn leave_out(&self, root: &Path) -> Result<()> {
        let patterns = globs(&self.without)?;
        let mut used = false;
        for entry in tree::list(root)? {
            if entry.kind == tree::Kind::Link && patterns.is_match(&entry.path) {
                used = true;
                fs::remove_file(root.join(&entry.path))
                    .with_context(|| format!("{}: cannot be removed", entry.path))?;
            }
        }
        ensure!(
            used || self.without.is_empty(),
            "linux.toml: `without` matches nothing in the packages"
        );
        Ok(())
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
    }
    Ok(set.build()?)
}

/// Moves everything of a package into the root. Two packages must not bring the same file.
fn merge(package: &Path, into: &Path) -> Result<()> {
    for entry in tree::list(package)? {
        let (from, to) = (package.join(&entry.path), into.join(&entry.path));
        if entry.kind == tree::Kind::Folder {
            tree::create_dir(&to)?;
            continue;
        }
        ensure!(
            to.symlink_metadata().is_err(),
            "`{}` is in another package too",
            entry.path
        );
        fs::rename(&from, &to).with_context(|| format!("{}: cannot be moved", from.display()))?;
    }
    Ok(())
}

/// A link that leads nowhere would make the linker pick the static library beside it, without a word.
fn links_lead_somewhere(root: &Path) -> Result<()> {
    let broken: Vec<String> = tree::list(root)?
        .into_iter()
        .filter(|entry| entry.kind == tree::Kind::Link && !root.join(&entry.path).exists())
        .map(|entry| entry.path)
        .collect();
    ensure!(
        broken.is_empty(),
        "links lead nowhere: {}\n\nhint: name in linux.toml the package that has what they lead to, or leave them out by `without`",
        broken.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests;
