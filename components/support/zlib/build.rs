//! zlib: its own CMake project.

use anyhow::{Context, Result};
use kit::{Cmake, Cx, PREFIX};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    Cmake::new(cx)
        .define("ZLIB_BUILD_EXAMPLES", "OFF")
        // It goes into shared libraries.
        .define("CMAKE_POSITION_INDEPENDENT_CODE", "ON")
        // The default is a folder for what is the same on every machine.
        .define("INSTALL_PKGCONFIG_DIR", format!("{PREFIX}/lib/pkgconfig"))
        .install()?;
    // The one manual page repeats the header.
    let manual = cx.staged().join("share");
    std::fs::remove_dir_all(&manual).with_context(|| format!("{}: cannot be removed", manual.display()))
}
