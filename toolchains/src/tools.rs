//! Tools of this machine from pinned packages: the compiler, build systems, the assembler. Each is unpacked on its
//! first use into a prefix of its own. Nothing here is looked for on PATH.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use store::archive::{Unpack, unpack};
use store::{Begin, Digest, DigestWriter, Pin, State, tree};

use crate::Progress;

/// The data file, embedded so that an identity needs no file of the checkout.
const DATA: &str = include_str!("../tools.toml");

/// Where the compiler's package keeps programs that it makes for itself, in its prefix.
pub(crate) const ZIG_CACHE: &str = "cache";

/// A resource script that says nothing.
const EMPTY_RESOURCES: &str = "1 VERSIONINFO\nBEGIN\nEND\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: Vec<Tool>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    program: String,
    module: Option<String>,
    pin: Pin,
}

/// The tools of this machine.
#[derive(Clone, Debug)]
pub struct Tools {
    state: State,
}

impl Tools {
    /// Everything that would have to be fetched for all tools.
    pub fn pins() -> Result<Vec<Pin>> {
        Ok(read()?.into_iter().map(|tool| tool.pin).collect())
    }

    /// What has to be fetched for one tool.
    ///
    /// # Errors
    /// If there is no tool of that name.
    pub fn pin(name: &str) -> Result<Pin> {
        Ok(find(name)?.pin)
    }

    /// The identity of all tools; from data only.
    ///
    /// # Errors
    /// If the data file is not well formed.
    pub fn identity() -> Result<Digest> {
        let mut writer = DigestWriter::new("tools");
        for tool in read()? {
            writer.digest(&tool.name, &tool.identity());
        }
        Ok(writer.finish())
    }

    /// The tools in a state folder. Nothing is unpacked yet.
    ///
    /// # Errors
    /// Never at present; kept so that a check may be added.
    pub fn ensure(state: &State, _progress: &dyn Progress) -> Result<Tools> {
        Ok(Tools { state: state.clone() })
    }

    /// The `zig` program: clang, LLD and the LLVM archivers in one static file.
    ///
    /// # Errors
    /// If the package was not fetched or cannot be unpacked; so for all that follow.
    pub fn zig(&self) -> Result<PathBuf> {
        self.program("zig")
    }

    /// The `cmake` program.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn cmake(&self) -> Result<PathBuf> {
        self.program("cmake")
    }

    /// The `ninja` program.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn ninja(&self) -> Result<PathBuf> {
        self.program("ninja")
    }

    /// The `meson` program.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn meson(&self) -> Result<PathBuf> {
        self.program("meson")
    }

    /// The `nasm` program.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn nasm(&self) -> Result<PathBuf> {
        self.program("nasm")
    }

    /// The `pkgconf` program.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn pkgconf(&self) -> Result<PathBuf> {
        self.program("pkgconf")
    }

    /// The folder that holds `libclang.so`, for bindgen's `LIBCLANG_PATH`.
    ///
    /// # Errors
    /// As [`Tools::zig`].
    pub fn libclang_dir(&self) -> Result<PathBuf> {
        self.program("libclang")
    }

    fn program(&self, name: &str) -> Result<PathBuf> {
        let tool = find(name)?;
        let slot = self.state.slot("host", name, &tool.identity());
        let dir = match slot.begin()? {
            Begin::Ready(dir) => dir,
            Begin::Build(partial) => {
                unpack(&self.state.need(&tool.pin)?, partial.path(), &Unpack::default())?;
                tool.finish(partial.path())?;
                partial.commit(BTreeMap::from([("package".into(), tool.pin.file.clone())]))?
            }
        };
        Ok(dir.join(tool.entry()))
    }
}

impl Tool {
    fn identity(&self) -> Digest {
        let mut writer = DigestWriter::new("tool");
        writer
            .field("pin", &self.pin.sha256)
            .field("program", &self.program)
            .field("launcher", self.launcher().unwrap_or_default());
        if self.name == "zig" {
            writer.field("cache", ZIG_CACHE);
        }
        writer.finish()
    }

    /// What callers get, relative to the prefix.
    fn entry(&self) -> String {
        match self.module {
            Some(_) => format!("bin/{}", self.name),
            None => self.program.clone(),
        }
    }

    /// The program of a Python package, which finds its own folder. It is Python itself, for meson has ninja call meson by
    /// the name that it was started with.
    fn launcher(&self) -> Option<String> {
        let module = self.module.as_ref()?;
        Some(format!(
            "#!/usr/bin/env python3\n\
             # {name} of {file}, run from where it was unpacked.\n\
             import os, sys\n\
             sys.dont_write_bytecode = True\n\
             sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), \"..\", \"{program}\"))\n\
             from {module} import main\n\
             sys.exit(main())\n",
            name = self.name,
            file = self.pin.file,
            program = self.program,
        ))
    }

    /// Checks that the package holds what is promised, and makes it callable.
    fn finish(&self, prefix: &Path) -> Result<()> {
        let program = prefix.join(&self.program);
        ensure!(program.exists(), "{}: package has no `{}`", self.pin.file, self.program);
        let Some(launcher) = self.launcher() else {
            make_executable(&program)?;
            return match self.name.as_str() {
                "zig" => compile_rc(&program, prefix),
                _ => Ok(()),
            };
        };
        let path = prefix.join(self.entry());
        tree::write_atomic(&path, launcher.as_bytes())?;
        make_executable(&path)
    }
}

/// Has the compiler make its resource compiler, which it compiles from source on its first use. That takes half a minute, and
/// would be repeated in the empty home folder of every build.
fn compile_rc(zig: &Path, prefix: &Path) -> Result<()> {
    let cache = prefix.join(ZIG_CACHE);
    tree::create_dir(&cache)?;
    tree::write_atomic(&cache.join("empty.rc"), EMPTY_RESOURCES.as_bytes())?;
    let output = Command::new(zig)
        .args(["rc", "/:auto-includes", "none", "/fo", "empty.res", "empty.rc"])
        .current_dir(&cache)
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .output()
        .with_context(|| format!("{}: cannot be started", zig.display()))?;
    ensure!(
        output.status.success(),
        "{}: its resource compiler cannot be made: {}",
        zig.display(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

/// Wheels made by some tools carry programs without the executable bit.
pub(crate) fn make_executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if program.is_dir() {
        return Ok(());
    }
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))
        .with_context(|| format!("{}: cannot be made executable", program.display()))
}

fn read() -> Result<Vec<Tool>> {
    let file: File = toml_edit::de::from_str(DATA).context("tools.toml")?;
    for tool in &file.tool {
        tool.pin.check()?;
    }
    Ok(file.tool)
}

fn find(name: &str) -> Result<Tool> {
    let tools = read()?;
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    let found = tools.into_iter().find(|tool| tool.name == name);
    found.with_context(|| format!("`{name}` is not a tool: wanted one of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_pinned_and_named_once() {
        let names: Vec<String> = read().unwrap().into_iter().map(|tool| tool.name).collect();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        let error = Tools::pin("gcc").unwrap_err().to_string();
        assert!(error.starts_with("`gcc` is not a tool: wanted one of zig, "), "{error}");
    }
}
