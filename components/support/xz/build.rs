//! xz: its own CMake project, of which liblzma alone is wanted.

use anyhow::Result;
use kit::{Cmake, Cx};

/// The programs, each with a switch of its own.
const PROGRAMS: [&str; 5] = ["LZMADEC", "LZMAINFO", "SCRIPTS", "XZ", "XZDEC"];

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let project = Cmake::new(cx)
        .define("BUILD_SHARED_LIBS", "OFF")
        // It goes into shared libraries.
        .define("CMAKE_POSITION_INDEPENDENT_CODE", "ON")
        .define("XZ_NLS", "OFF")
        .define("XZ_DOC", "OFF");
    PROGRAMS
        .iter()
        .fold(project, |project, name| {
            project.define(format!("XZ_TOOL_{name}"), "OFF")
        })
        .install()
}
