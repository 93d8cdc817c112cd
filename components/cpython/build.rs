//! cpython: on Windows from upstream's own project files, on Linux by its configure and make.

#[path = "build/linux.rs"]
mod linux;
#[path = "build/windows.rs"]
mod windows;

use anyhow::Result;
use kit::{Cx, Os};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    match cx.target().os {
        Os::Windows => windows::build(cx),
        Os::Linux => linux::build(cx),
    }
}
