//! From the folder of products to what python.org gives out: upstream's own layout program says which file goes where. What it
//! wants beside the products is put there first, and what it left out is missed afterwards.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kit::{Arch, Cx};

use crate::shared::{self, HOME, compile};
use crate::windows::Form;
use crate::windows::externals::{External, dlls};
use crate::windows::plan::Plan;

/// What a layout is made of.
pub(crate) struct Layout<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) externals: &'a [External],
    pub(crate) form: Form,
    /// The prefix of Microsoft's C runtime, which published extension modules want.
    pub(crate) runtime: &'a Path,
    /// This machine's interpreter of the same version.
    pub(crate) python: &'a Path,
}

impl Layout<'_> {
    /// Installs the interpreter.
    ///
    /// # Errors
    /// If a part is not there, or upstream's program fails or leaves out what was built.
    pub(crate) fn install(&self, cx: &Cx) -> Result<()> {
        let out = &self.plan.out;
        for dll in self.externals.iter().flat_map(|external| &external.dlls) {
            copy(dll, out)?;
        }
        let runtime = dlls(&self.runtime.join("bin"))?;
        ensure!(!runtime.is_empty(), "the C runtime has no DLLs");
        for dll in runtime.iter().filter(|dll| name(dll).starts_with("vcruntime")) {
            copy(dll, out)?;
        }
        copy(&self.plan.pyconfig, out)?;
        licence(cx, out)?;
        let home = cx.staged().join(HOME);
        self.lay(cx, &home, &[])?;
        let tests = shared::tests(cx).join(HOME);
        self.lay(cx, &tests, &["--include-tests"])?;
        only_more(&tests, &home)?;
        // Further DLLs of the runtime, such as C++'s, are for extension modules that come without their own.
        for dll in &runtime {
            copy(dll, &home)?;
        }
        if self.form == Form::Embeddable {
            self.steady(cx, &home)?;
        } else {
            // Installers of packages put programs there.
            let scripts = home.join("Scripts");
            std::fs::create_dir_all(&scripts).with_context(|| format!("{}: cannot be made", scripts.display()))?;
        }
        if self.form == Form::Usual {
            compile(cx, self.python, &home.join("Lib"))?;
        }
        self.check(&home, &tests)
    }

    /// Runs upstream's layout program into a folder, with options beside those of the form.
    fn lay(&self, cx: &Cx, into: &Path, more: &[&str]) -> Result<()> {
        let arch = match cx.target().arch {
            Arch::Aarch64 => "arm64",
            _ => "amd64",
        };
        let source = cx.source();
        cx.call(self.python)
            .arg(source.join("PC/layout"))
            .arg("--source")
            .arg(&source)
            .arg("--build")
            .arg(&self.plan.out)
            .args(["--arch", arch])
            .arg("--temp")
            .arg(cx.build().join("layout"))
            .arg("--copy")
            .arg(into)
            .args(self.form.options())
            .args(more)
            .run()
    }

    /// Packs the library again, with its files in the order of their names and the one time that products may carry.
    fn steady(&self, cx: &Cx, home: &Path) -> Result<()> {
        let core = self.plan.core.with_extension("zip");
        cx.call(self.python)
            .arg(cx.file("steady_zip.py")?)
            .arg(home.join(name(&core)))
            .arg(kit::EPOCH_SECONDS.to_string())
            .run()
    }

    /// Misses every extension module that was built and is neither there nor among the tests.
    fn check(&self, home: &Path, tests: &Path) -> Result<()> {
        let built = self.plan.units.iter().map(|unit| &unit.output);
        let modules = built.filter(|path| path.extension().is_some_and(|suffix| suffix == "pyd"));
        let is_there = |name: &str| {
            let folders = [home.join("DLLs"), home.to_owned(), tests.join("DLLs"), tests.to_owned()];
            folders.iter().any(|folder| folder.join(name).is_file())
        };
        let missing: Vec<String> = modules
            .map(|module| name(module))
            .filter(|name| !is_there(name))
            .collect();
        ensure!(missing.is_empty(), "the layout left out {}", missing.join(", "));
        Ok(())
    }
}

/// Takes out of a layout what another one has too.
fn only_more(layout: &Path, other: &Path) -> Result<()> {
    for item in std::fs::read_dir(layout).with_context(|| format!("{}: cannot be read", layout.display()))? {
        let path = item?.path();
        let twin = other.join(name(&path));
        if path.is_dir() && twin.is_dir() {
            only_more(&path, &twin)?;
        } else if twin.exists() {
            std::fs::remove_file(&path).with_context(|| format!("{}: cannot be removed", path.display()))?;
        }
    }
    // One that is empty now had nothing more; another one stays.
    let _ = std::fs::remove_dir(layout);
    Ok(())
}

impl Form {
    /// What is laid out, in the words of upstream's program. Tcl and Tk are not there, nor what stands on them.
    fn options(self) -> &'static [&'static str] {
        match self {
            Form::Usual => &["--include-alias", "--include-dev", "--include-stable", "--include-venv"],
            Form::Embeddable => &[
                "--flat-dlls",
                "--include-alias",
                "--include-stable",
                "--include-underpth",
                "--precompile",
                "--zip-lib",
            ],
            Form::FreeThreaded => &[
                "--include-alias",
                "--include-dev",
                "--include-freethreaded",
                "--include-stable",
                "--include-venv",
            ],
        }
    }
}

/// Upstream's licence with the conditions under which the C runtime may be given on.
fn licence(cx: &Cx, into: &Path) -> Result<()> {
    let mut text = String::new();
    for part in ["LICENSE", "PC/crtlicense.txt"] {
        let path = cx.source().join(part);
        text += &std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        text += "\n";
    }
    let to = into.join("LICENSE.txt");
    std::fs::write(&to, text).with_context(|| format!("{}: cannot be written", to.display()))
}

/// Copies a file into a folder.
fn copy(file: &Path, folder: &Path) -> Result<()> {
    let to: PathBuf = folder.join(name(file));
    std::fs::copy(file, &to).with_context(|| format!("{}: cannot be copied to {}", file.display(), to.display()))?;
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
