//! Libraries that a wheel brings along, so that it works in any Python of the target and not only beside the prefix that it was built
//! against. They lie in a folder `lib` of the package: on Linux the needs' own libraries look for each other in `$ORIGIN/../lib`.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use kit::{Cx, Os};
use store::tree;
use wheels::{Member, Wheel};

use crate::facts;

/// The libraries of one need.
#[derive(Debug)]
pub struct Carried {
    /// The need.
    pub need: String,
    /// The package of the wheel.
    pub package: String,
    /// The licence of the libraries, as an SPDX expression.
    pub license: String,
}

/// What a package on Windows does before its first module is loaded: Python searches for the DLLs of modules only in folders that it
/// was told of.
const SHIM: &str = "\
def _windlass_libraries():
    import os

    if hasattr(os, \"add_dll_directory\"):
        os.add_dll_directory(os.path.join(os.path.dirname(os.path.abspath(__file__)), \"lib\"))


_windlass_libraries()
del _windlass_libraries

";

impl Carried {
    /// The libraries of the need `need`, for the package `package`.
    pub fn new(need: &str, package: &str, license: &str) -> Carried {
        Carried {
            need: need.to_owned(),
            package: package.to_owned(),
            license: license.to_owned(),
        }
    }

    /// The folder in the wheel.
    pub fn folder(&self) -> String {
        format!("{}/lib", self.package)
    }

    /// Puts the libraries and the texts of their licence into a wheel, and on Windows what tells Python where they are into its package.
    ///
    /// # Errors
    /// If there are none, or the package has no place for that.
    pub fn put(&self, cx: &Cx, wheel: &mut Wheel) -> Result<()> {
        self.put_without_shim(cx, wheel)?;
        match cx.target().os {
            Os::Windows => self.shim(wheel),
            Os::Linux => Ok(()),
        }
    }

    /// The same for a package that tells Python itself.
    ///
    /// # Errors
    /// If there are none.
    pub fn put_without_shim(&self, cx: &Cx, wheel: &mut Wheel) -> Result<()> {
        let need = cx
            .deps()
            .get(&self.need)
            .with_context(|| format!("`{}` is no need of {}", self.need, cx.component().name))?;
        self.put_from(&need.root, cx.target().os, wheel)
    }

    fn put_from(&self, root: &Path, os: Os, wheel: &mut Wheel) -> Result<()> {
        let mut count = 0;
        for (name, path) in libraries(root, os)? {
            let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
            let member = Member {
                bytes,
                executable: os == Os::Linux,
            };
            wheel.add(&format!("{}/{name}", self.folder()), member)?;
            count += 1;
        }
        ensure!(count > 0, "{}: has no shared library in {}", self.need, root.display());
        self.licences(root, wheel)
    }

    /// Has the package tell Python where the libraries are, before anything else but what has to come first.
    fn shim(&self, wheel: &mut Wheel) -> Result<()> {
        let path = format!("{}/__init__.py", self.package);
        let member = wheel
            .get(&path)
            .with_context(|| format!("{}: has no `{path}`", wheel.file()))?;
        let text =
            std::str::from_utf8(&member.bytes).with_context(|| format!("{}: `{path}` is not UTF-8", wheel.file()))?;
        let later = text
            .lines()
            .any(|line| line.trim_start().starts_with("from __future__"));
        let documented = text.trim_start().starts_with(['"', '\'']);
        if later || documented {
            bail!(
                "{}: `{path}` begins with what must stay first, and the shim has no place before it",
                wheel.file()
            );
        }
        let changed = Member {
            bytes: format!("{SHIM}{text}").into_bytes(),
            executable: member.executable,
        };
        wheel.replace(&path, changed)?;
        Ok(())
    }

    /// The wheel is under the licence of the libraries too, and their texts go with it.
    fn licences(&self, root: &Path, wheel: &mut Wheel) -> Result<()> {
        let own = facts::license(wheel)?
            .with_context(|| format!("{}: its metadata name no SPDX expression for its licence", wheel.file()))?;
        spdx::Expression::parse(&self.license).with_context(|| format!("`{}` is no SPDX expression", self.license))?;
        let part = |text: &str| match text.contains(' ') {
            true => format!("({text})"),
            false => text.to_owned(),
        };
        let mut metadata = wheel.metadata()?;
        metadata.set(
            "License-Expression",
            [format!("{} AND {}", part(&own), part(&self.license))],
        );
        let folder = root.join("share/licenses").join(&self.need);
        for entry in tree::list(&folder)? {
            if entry.kind == tree::Kind::Folder {
                continue;
            }
            let text = folder.join(&entry.path);
            let bytes = std::fs::read(&text).with_context(|| format!("{}: cannot be read", text.display()))?;
            let name = format!("{}/{}", self.need, entry.path);
            wheel.add(&format!("{}/licenses/{name}", wheel.info()), Member::plain(bytes))?;
            metadata.add("License-File", name);
        }
        wheel.set_metadata(&metadata)
    }
}

/// The shared libraries of a prefix, by the names that a loader looks for.
fn libraries(root: &Path, os: Os) -> Result<Vec<(String, std::path::PathBuf)>> {
    let folder = match os {
        Os::Windows => root.join("bin"),
        Os::Linux => root.join("lib"),
    };
    let is_library = |name: &str| match os {
        Os::Windows => name.ends_with(".dll"),
        // `libx.so` is for linkers, `libx.so.1.2.3` is what `libx.so.1` leads to.
        Os::Linux => name
            .split_once(".so.")
            .is_some_and(|(_, version)| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())),
    };
    let entries = tree::list(&folder)?
        .into_iter()
        .filter(|entry| !entry.path.contains('/'));
    let libraries = entries.filter(|entry| is_library(&entry.path));
    Ok(libraries
        .map(|entry| (entry.path.clone(), folder.join(&entry.path)))
        .collect())
}

#[cfg(test)]
mod tests {
    use kit::Target;
    use wheels::{Abi, Assembly, Project, Python};

    use super::*;

    fn put(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn wheel(root: &Path, init: &str) -> Wheel {
        put(root, &[("LICENSE", "MIT"), ("pkg/__init__.py", init)]);
        let text = "[project]\nname = 'pkg'\nversion = '1'\nlicense = 'MIT OR Apache-2.0'\n";
        let project = Project::parse(text.as_bytes()).unwrap();
        let python = Python::new(&Target::load("aarch64-pc-windows-msvc").unwrap(), "3.13.15").unwrap();
        let mut assembly = Assembly::new(&python, &project, root, Abi::Pure);
        assembly
            .tree(&root.join("pkg"), "pkg", &wheels::Tree::default())
            .unwrap();
        assembly.finish().unwrap()
    }

    fn carried() -> Carried {
        Carried::new("dep", "pkg", "LGPL-2.1-or-later")
    }

    #[test]
    fn libraries_come_with_their_licence_and_with_what_finds_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("dep");
        put(
            &root,
            &[
                ("bin/a-1.dll", "MZ"),
                ("bin/a.exe", "MZ"),
                ("lib/a.lib", "x"),
                ("lib/libb.so.1.2", "ELF"),
                ("share/licenses/dep/COPYING", "text"),
            ],
        );
        std::os::unix::fs::symlink("libb.so.1.2", root.join("lib/libb.so.1")).unwrap();
        let made = |os: Os| {
            let mut wheel = wheel(&dir.path().join("pkg"), "import pkg.m\n");
            carried().put_from(&root, os, &mut wheel).unwrap();
            if os == Os::Windows {
                carried().shim(&mut wheel).unwrap();
            }
            wheel
        };
        let windows = made(Os::Windows);
        assert!(windows.get("pkg/lib/a-1.dll").is_some() && windows.get("pkg/lib/a.exe").is_none());
        let init = String::from_utf8(windows.get("pkg/__init__.py").unwrap().bytes.clone()).unwrap();
        assert!(init.starts_with(SHIM) && init.ends_with("import pkg.m\n"));
        let metadata = windows.metadata().unwrap();
        assert_eq!(
            metadata.first("License-Expression"),
            Some("(MIT OR Apache-2.0) AND LGPL-2.1-or-later")
        );
        assert_eq!(
            metadata.all("License-File").collect::<Vec<_>>(),
            ["LICENSE", "dep/COPYING"]
        );
        assert!(windows.get("pkg-1.dist-info/licenses/dep/COPYING").is_some());
        let linux = made(Os::Linux);
        assert_eq!(linux.get("pkg/lib/libb.so.1").unwrap().bytes, b"ELF");
        assert!(linux.get("pkg/lib/libb.so.1.2").is_none());
        assert_eq!(linux.get("pkg/__init__.py").unwrap().bytes, b"import pkg.m\n");
    }

    #[test]
    fn what_must_stay_first_is_not_pushed_down() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("dep");
        put(&root, &[("bin/a.dll", "MZ"), ("share/licenses/dep/COPYING", "text")]);
        for init in ["from __future__ import annotations\n", "\"\"\"Words.\"\"\"\n"] {
            let mut wheel = wheel(&dir.path().join("pkg"), init);
            let error = carried().shim(&mut wheel).unwrap_err();
            assert!(error.to_string().contains("must stay first"), "{error}");
        }
    }
}
