//! hello-cmake: plain CMake, and one file with a flag of its own.

use anyhow::Result;
use kit::{Cmake, Cx, FlagEdit};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    Cmake::new(cx)
        .define("HELLO_TESTS", "OFF")
        .flags(FlagEdit {
            why: "the plug-in counts in steps of two, which only this definition says",
            files: vec!["**/count.cpp".into()],
            add: vec!["-DCOUNT_STEP=2".into()],
            remove: Vec::new(),
            floor: 1,
        })
        .install()
}
