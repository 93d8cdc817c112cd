//! From the folder of products to what python.org gives out: upstream's own layout program says which file goes where. What it
//! wants beside the products is put there first, and what it left out is missed afterwards.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kit::{Arch, Cx};

use crate::windows::Form;
use crate::windows::externals::{External, dlls};
use crate::windows::plan::Plan;

/// Where it is installed in the prefix.
const HOME: &str = "python";

/// Beginnings of the names of extension modules that only tests want.
const TESTS: [&str; 3] = ["_ctypes_test", "_test", "xxlimited"];

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
        self.lay(cx, &home)?;
        // Further DLLs of the runtime, such as C++'s, are for extension modules that come without their own.
        for dll in &runtime {
            copy(dll, &home)?;
        }
        match self.form {
            Form::Embeddable => self.steady(cx, &home)?,
            Form::Usual | Form::FreeThreaded => {
                // Installers of packages put programs there.
                let scripts = home.join("Scripts");
                std::fs::create_dir_all(&scripts).with_context(|| format!("{}: cannot be made", scripts.display()))?;
            }
        }
        self.check(&home)
    }

    /// Runs upstream's layout program into a folder.
    fn lay(&self, cx: &Cx, into: &Path) -> Result<()> {
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

    /// Misses every extension module that was built and is not there; those for tests alone may be left out with the tests.
    fn check(&self, home: &Path) -> Result<()> {
        let built = self.plan.units.iter().map(|unit| &unit.output);
        let modules = built.filter(|path| path.extension().is_some_and(|suffix| suffix == "pyd"));
        let missing: Vec<String> = modules
            .map(|module| name(module))
            .filter(|name| !home.join("DLLs").join(name).is_file() && !home.join(name).is_file())
            .filter(|name| self.form != Form::Embeddable || !TESTS.iter().any(|head| name.starts_with(head)))
            .collect();
        ensure!(missing.is_empty(), "the layout left out {}", missing.join(", "));
        Ok(())
    }
}

impl Form {
    /// What is laid out, in the words of upstream's program. Tcl and Tk are not there, nor what stands on them.
    fn options(self) -> &'static [&'static str] {
        match self {
            Form::Usual => &[
                "--include-alias",
                "--include-dev",
                "--include-stable",
                "--include-tests",
                "--include-venv",
            ],
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
                "--include-tests",
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
