//! Assembling a wheel from a package's tree and binaries that were cross-built elsewhere, for upstreams whose own backend cannot
//! package for another machine. What the wheel is for comes from the target; that the binaries are for it is checked here, before a
//! judge ever sees it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use object::{Architecture, FileKind, Object};
use store::tree;
use toolchains::{Arch, Os};

use crate::archive::Member;
use crate::project::Project;
use crate::python::Python;
use crate::wheel::Wheel;

/// Which Pythons a wheel's binaries run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// There are none: the wheel is for every platform.
    Pure,
    /// Libraries and programs, and no module: any Python of the platform.
    Libraries,
    /// Modules for the stable ABI of CPython 3, from this minor version on.
    Stable(u16),
    /// Modules for the one version.
    Version,
}

/// Which files of a folder are taken.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Shell patterns over the paths in the folder; empty takes all.
    pub only: Vec<String>,
    /// Shell patterns of what is left out all the same.
    pub without: Vec<String>,
}

/// What Python writes while it runs is no part of a package.
const NEVER: [&str; 2] = ["**/__pycache__/**", "**/*.py[co]"];

/// A wheel that is being put together.
#[derive(Debug)]
pub struct Assembly<'a> {
    python: &'a Python,
    project: &'a Project,
    root: &'a Path,
    abi: Abi,
    members: BTreeMap<String, Member>,
    found: Vec<(&'static str, Vec<String>)>,
    version: Option<String>,
}

impl<'a> Assembly<'a> {
    /// Begins with the project whose `pyproject.toml`, readme and licences lie in `root`.
    pub fn new(python: &'a Python, project: &'a Project, root: &'a Path, abi: Abi) -> Assembly<'a> {
        Assembly {
            python,
            project,
            root,
            abi,
            members: BTreeMap::new(),
            found: Vec::new(),
            version: project.version.clone(),
        }
    }

    /// The version, where the project's file leaves it to the backend.
    pub fn version(&mut self, version: &str) -> &mut Self {
        self.version = Some(version.to_owned());
        self
    }

    /// Values of a field of the metadata that the project calls dynamic.
    pub fn found(&mut self, key: &'static str, values: impl IntoIterator<Item = String>) -> &mut Self {
        self.found.push((key, values.into_iter().collect()));
        self
    }

    /// Takes the files of a folder over and returns how many there were.
    ///
    /// # Errors
    /// If none matches, one is a link, or one has a path that is taken.
    pub fn tree(&mut self, folder: &Path, into: &str, which: &Tree) -> Result<usize> {
        let (only, without) = (set(&which.only)?, set(&which.without)?);
        let never = set(&NEVER.map(str::to_owned))?;
        let mut count = 0;
        for entry in tree::list(folder)? {
            let path = &entry.path;
            let is_wanted = (which.only.is_empty() || only.is_match(path)) && !without.is_match(path);
            if entry.kind == tree::Kind::Folder || !is_wanted || never.is_match(path) {
                continue;
            }
            let file = folder.join(path);
            ensure!(
                entry.kind != tree::Kind::Link,
                "{}: is a link, which a wheel cannot hold",
                file.display()
            );
            let member = Member {
                bytes: std::fs::read(&file).with_context(|| format!("{}: cannot be read", file.display()))?,
                executable: entry.kind == tree::Kind::Program,
            };
            let place = match into {
                "" => path.clone(),
                into => format!("{into}/{path}"),
            };
            self.file(&place, member)?;
            count += 1;
        }
        ensure!(
            count > 0,
            "{}: holds none of the files that are wanted",
            folder.display()
        );
        Ok(count)
    }

    /// Adds one file.
    ///
    /// # Errors
    /// If its path is taken or no plain one.
    pub fn file(&mut self, path: &str, member: Member) -> Result<()> {
        crate::archive::check_path(path)?;
        let old = self.members.insert(path.to_owned(), member);
        ensure!(old.is_none(), "{}: two files want to be `{path}`", self.project.name);
        Ok(())
    }

    /// Adds an extension module by its dotted name; its suffix is the target's, whatever the file was called where it was built.
    ///
    /// # Errors
    /// If the file cannot be read, or the wheel is for no modules.
    pub fn module(&mut self, name: &str, file: &Path) -> Result<()> {
        let suffix = match self.abi {
            Abi::Version => self.python.ext_suffix(),
            Abi::Stable(_) => self.python.stable_suffix().to_owned(),
            Abi::Pure | Abi::Libraries => {
                bail!("{}: `{name}` is a module, and the wheel is for none", self.project.name)
            }
        };
        let bytes = std::fs::read(file).with_context(|| format!("{}: cannot be read", file.display()))?;
        self.file(&format!("{}{suffix}", name.replace('.', "/")), Member::plain(bytes))
    }

    /// The wheel.
    ///
    /// # Errors
    /// If native code is for another machine or is where there should be none, a module is named for another Python, there is none
    /// where the tag says so, or the metadata cannot be had.
    pub fn finish(self) -> Result<Wheel> {
        let name = &self.project.name;
        self.check().with_context(|| name.clone())?;
        let version = self
            .version
            .as_deref()
            .with_context(|| format!("{name}: has no version"))?;
        let metadata = self
            .project
            .metadata(self.root, version, &self.found)
            .with_context(|| name.clone())?;
        let project = gates::wheel::normal_name(name).replace('-', "_");
        let version = metadata.first("Version").unwrap_or(version).replace('-', "_");
        let file = format!("{project}-{version}-{}.whl", self.tag());
        let mut wheel = Wheel::made(&file, &metadata, self.abi == Abi::Pure)?;
        let info = wheel.info().to_owned();
        for (path, member) in self.members {
            wheel.add(&path, member)?;
        }
        if let Some(text) = self.project.entry_points() {
            wheel.add(&format!("{info}/entry_points.txt"), Member::plain(text))?;
        }
        for licence in metadata.all("License-File") {
            let path = self.root.join(licence);
            let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
            wheel.add(&format!("{info}/licenses/{licence}"), Member::plain(bytes))?;
        }
        Ok(wheel)
    }

    fn tag(&self) -> String {
        let platform = self.python.platform();
        match self.abi {
            Abi::Pure => "py3-none-any".to_owned(),
            Abi::Libraries => format!("py3-none-{platform}"),
            Abi::Stable(minor) => format!("cp3{minor}-abi3-{platform}"),
            Abi::Version => format!("{0}-{0}-{platform}", self.python.tag()),
        }
    }

    fn check(&self) -> Result<()> {
        let mut natives = 0;
        for (path, member) in &self.members {
            self.check_suffix(path)?;
            let Some(found) = machine(&member.bytes) else { continue };
            natives += 1;
            ensure!(
                self.abi != Abi::Pure,
                "`{path}` is native code, and the wheel is for any platform"
            );
            let wanted = self.wanted();
            ensure!(found == wanted, "`{path}` is for {found:?}, wanted {wanted:?}");
        }
        ensure!(
            natives > 0 || self.abi == Abi::Pure,
            "the wheel would be for {} alone and has no native code",
            self.python.platform()
        );
        Ok(())
    }

    fn wanted(&self) -> (Os, Architecture) {
        let target = self.python.target();
        let arch = match target.arch {
            Arch::Aarch64 => Architecture::Aarch64,
            Arch::X86_64 => Architecture::X86_64,
            Arch::Riscv64 => Architecture::Riscv64,
        };
        (target.os, arch)
    }

    /// A module that is named for another Python or another platform would never be found.
    fn check_suffix(&self, path: &str) -> Result<()> {
        let file = path.rsplit('/').next().unwrap_or(path);
        let Some((stem, _)) = file
            .rsplit_once('.')
            .filter(|(_, suffix)| matches!(*suffix, "pyd" | "so"))
        else {
            return Ok(());
        };
        let is_tagged = stem
            .rsplit_once('.')
            .is_some_and(|(_, tag)| tag.starts_with("cpython-") || (tag.starts_with("cp3") && tag.contains('-')));
        let wanted = self.python.ext_suffix();
        ensure!(
            !is_tagged || file.ends_with(&wanted),
            "`{path}` is a module of another Python, wanted the suffix {wanted}"
        );
        Ok(())
    }
}

/// What native code is for; absent for what is none.
fn machine(bytes: &[u8]) -> Option<(Os, Architecture)> {
    let os = match FileKind::parse(bytes).ok()? {
        FileKind::Pe32 | FileKind::Pe64 | FileKind::Coff => Os::Windows,
        FileKind::Elf32 | FileKind::Elf64 => Os::Linux,
        _ => return None,
    };
    let file = object::File::parse(bytes).ok()?;
    Some((os, file.architecture()))
}

fn set(patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.with_context(|| format!("`{pattern}` is no pattern"))?);
    }
    Ok(set.build()?)
}

#[cfg(test)]
mod tests {
    use toolchains::Target;

    use super::*;

    /// An object file of a machine: enough to be known as one.
    fn native(format: object::BinaryFormat, architecture: Architecture) -> Vec<u8> {
        object::write::Object::new(format, architecture, object::Endianness::Little)
            .write()
            .unwrap()
    }

    fn source() -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("LICENSE", "MIT");
        put("python/foo/__init__.py", "");
        put("python/foo/__pycache__/__init__.cpython-311.pyc", "");
        put("python/foo/tests/test_x.py", "");
        put(
            "pyproject.toml",
            "[project]\nname = 'foo-bar'\ndynamic = ['version']\ndependencies = ['numpy']\nlicense = 'MIT'\n[project.scripts]\nfoo = 'foo:main'\n",
        );
        let project = Project::read(dir.path()).unwrap();
        (dir, project)
    }

    fn python(triple: &str) -> Python {
        Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap()
    }

    #[test]
    fn a_package_and_a_module_become_a_wheel_of_the_target() {
        let (dir, project) = source();
        let module = dir.path().join("core.cpython-311-x86_64-linux-gnu.so");
        for (triple, format, arch, abi, wanted, member) in [
            (
                "aarch64-pc-windows-msvc",
                object::BinaryFormat::Coff,
                Architecture::Aarch64,
                Abi::Version,
                "foo_bar-2.0-cp313-cp313-win_arm64.whl",
                "foo/core.cp313-win_arm64.pyd",
            ),
            (
                "riscv64gc-unknown-linux-gnu",
                object::BinaryFormat::Elf,
                Architecture::Riscv64,
                Abi::Stable(12),
                "foo_bar-2.0-cp312-abi3-manylinux_2_41_riscv64.whl",
                "foo/core.abi3.so",
            ),
        ] {
            std::fs::write(&module, native(format, arch)).unwrap();
            let python = python(triple);
            let mut assembly = Assembly::new(&python, &project, dir.path(), abi);
            let which = Tree {
                without: vec!["foo/tests/**".into()],
                ..Tree::default()
            };
            assert_eq!(assembly.tree(&dir.path().join("python"), "", &which).unwrap(), 1);
            assembly.module("foo.core", &module).unwrap();
            assembly.version("2.0");
            let wheel = assembly.finish().unwrap();
            assert_eq!(wheel.file(), wanted);
            let paths: Vec<&String> = wheel.members().keys().collect();
            let info = ["METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE"];
            let mut all: Vec<String> = info.map(|name| format!("foo_bar-2.0.dist-info/{name}")).to_vec();
            all.extend(["foo/__init__.py".into(), member.into()]);
            all.sort();
            assert_eq!(paths, all.iter().collect::<Vec<_>>());
            assert_eq!(wheel.metadata().unwrap().first("Requires-Dist"), Some("numpy"));
        }
    }

    #[test]
    fn what_would_not_run_on_the_target_is_refused() {
        let (dir, project) = source();
        let python = python("aarch64-pc-windows-msvc");
        let why = |abi: Abi, path: &str, bytes: Vec<u8>| {
            let mut assembly = Assembly::new(&python, &project, dir.path(), abi);
            assembly.version("1");
            assembly.file(path, Member::plain(bytes)).unwrap();
            format!("{:#}", assembly.finish().unwrap_err())
        };
        let x64 = || native(object::BinaryFormat::Coff, Architecture::X86_64);
        let arm = || native(object::BinaryFormat::Coff, Architecture::Aarch64);
        assert_eq!(
            why(Abi::Version, "foo/m.pyd", x64()),
            "foo-bar: `foo/m.pyd` is for (Windows, X86_64), wanted (Windows, Aarch64)"
        );
        assert_eq!(
            why(Abi::Pure, "foo/m.pyd", arm()),
            "foo-bar: `foo/m.pyd` is native code, and the wheel is for any platform"
        );
        assert_eq!(
            why(Abi::Version, "foo/m.cp311-win_amd64.pyd", arm()),
            "foo-bar: `foo/m.cp311-win_amd64.pyd` is a module of another Python, wanted the suffix .cp313-win_arm64.pyd"
        );
        assert_eq!(
            why(Abi::Version, "foo/x.py", b"".to_vec()),
            "foo-bar: the wheel would be for win_arm64 alone and has no native code"
        );
    }

    #[test]
    fn two_files_of_one_path_and_links_are_refused() {
        let (dir, project) = source();
        let python = python("aarch64-pc-windows-msvc");
        let mut assembly = Assembly::new(&python, &project, dir.path(), Abi::Pure);
        assembly.file("a", Member::plain("")).unwrap();
        assert_eq!(
            assembly.file("a", Member::plain("")).unwrap_err().to_string(),
            "foo-bar: two files want to be `a`"
        );
        std::os::unix::fs::symlink("__init__.py", dir.path().join("python/foo/link.py")).unwrap();
        let error = assembly
            .tree(&dir.path().join("python"), "", &Tree::default())
            .unwrap_err();
        assert!(error.to_string().contains("is a link"), "{error}");
        let which = Tree {
            only: vec!["*.none".into()],
            ..Tree::default()
        };
        assert!(assembly.tree(dir.path(), "", &which).is_err());
    }
}
