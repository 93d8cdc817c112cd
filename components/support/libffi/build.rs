//! libffi: its own configure, then make. For Windows by the same way, up to the DLL: libtool has words for two linkers there,
//! and LLD is neither.

use anyhow::{Context, Result};
use kit::{Configure, Cx, Os};

/// The DLL's name as CPython's own build for Windows has it, after the version of its interface.
const DLL: &str = "libffi-8";

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let configure = Configure::new(cx)
        .cross()
        .args(["--disable-shared", "--disable-docs"])
        // Else GCC would be asked for a folder of its own below `lib`.
        .arg("--disable-multi-os-directory");
    match cx.target().os {
        // It goes into shared libraries.
        Os::Linux => configure.arg("--with-pic").run()?.install(),
        Os::Windows => {
            configure
                .env("CC", "clang")
                .env("AR", "llvm-ar")
                .env("NM", "llvm-nm")
                .env("RANLIB", "llvm-ranlib")
                // The objects say what the DLL exports.
                .env("CPPFLAGS", "-DFFI_BUILDING_DLL")
                // Windows reads other unwind data; see the patch.
                .env("libffi_cv_as_cfi_pseudo_op", "no")
                .run()?
                .install()?;
            link(cx)
        }
    }
}

fn link(cx: &Cx) -> Result<()> {
    let archive = cx.staged().join("lib/libffi.lib");
    cx.step("link");
    cx.call("lld-link")
        .args(["-dll", &format!("-out:{DLL}.dll"), &format!("-implib:{DLL}.lib")])
        .arg(format!("-wholearchive:{}", archive.display()))
        .run()?;
    cx.install(&cx.build().join(format!("{DLL}.dll")), &format!("bin/{DLL}.dll"))?;
    cx.install(&cx.build().join(format!("{DLL}.lib")), &format!("lib/{DLL}.lib"))?;
    std::fs::remove_file(&archive).with_context(|| format!("{}: cannot be removed", archive.display()))
}
