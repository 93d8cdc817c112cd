//! What is the same on both systems: where the interpreter and upstream's tests lie, and how the library is compiled.

use std::path::{Path, PathBuf};

use anyhow::Result;
use kit::Cx;

/// The interpreter's folder in the prefix, and so in the bundle.
pub(crate) const HOME: &str = "python";

/// Where upstream's tests are installed, laid out as the prefix is.
pub(crate) fn tests(cx: &Cx) -> PathBuf {
    cx.staged().join(kit::OWN_FOLDER).join("tests")
}

/// Compiles the library once everything in it is final, so that a bundle stays as it is when it is used. The files' times say nothing
/// here, so each is compared by its hash. One process, for what is written depends on what the process has seen before.
pub(crate) fn compile(cx: &Cx, python: &Path, library: &Path) -> Result<()> {
    cx.step("compile");
    cx.call(python)
        .args([
            "-I",
            "-m",
            "compileall",
            "-q",
            "-f",
            "--invalidation-mode",
            "checked-hash",
        ])
        .args(["-x", "bad_coding|badsyntax|site-packages"])
        .arg("-s")
        .arg(cx.staged())
        .args(["-p", kit::PREFIX])
        .arg(library)
        .run()
}
