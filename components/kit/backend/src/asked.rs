//! Programs in the build's folder that answer for the target when build tools ask them how to build. They run here; what they say comes
//! from the facts of the target's Python alone.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::write;

/// An interpreter that runs here and describes the target.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The interpreter that runs here.
    pub interpreter: &'a Path,
    /// The folder with the Python code of this crate.
    pub driver: &'a Path,
    /// The folder of what the upstream is built with.
    pub requirements: &'a Path,
    /// The file with the facts of the target's Python.
    pub facts: &'a Path,
}

impl Asked<'_> {
    /// Writes it as a program.
    pub(crate) fn write(&self, path: &Path) -> Result<PathBuf> {
        let text = format!(
            "#!/bin/sh\nPYTHONPATH={}${{PYTHONPATH:+:$PYTHONPATH}}:{} WINDLASS_PYTHON_FACTS={} exec {} \"$@\"\n",
            quoted(self.driver),
            quoted(self.requirements),
            quoted(self.facts),
            quoted(self.interpreter)
        );
        program(path, &text)
    }
}

/// Writes a program for the shell.
pub(crate) fn program(path: &Path, text: &str) -> Result<PathBuf> {
    let path = write(path, text)?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o755))
        .with_context(|| format!("{}: cannot be made a program", path.display()))?;
    Ok(path)
}

/// A path as the shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_any_form_reach_the_interpreter_whole() {
        let dir = tempfile::tempdir().unwrap();
        let interpreter = program(
            &dir.path().join("it's"),
            "#!/bin/sh\necho \"$PYTHONPATH $WINDLASS_PYTHON_FACTS $1\"\n",
        )
        .unwrap();
        let asked = Asked {
            interpreter: &interpreter,
            driver: Path::new("/d r"),
            requirements: Path::new("/r"),
            facts: Path::new("/f's.json"),
        };
        let program = asked.write(&dir.path().join("python")).unwrap();
        let told = duct::cmd!(program, "a b").env("PYTHONPATH", "/own").read().unwrap();
        assert_eq!(told, "/d r:/own:/r /f's.json a b");
    }
}
