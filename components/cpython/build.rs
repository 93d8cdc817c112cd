//! cpython: on Windows from upstream's own project files, on Linux by its configure and make. Upstream's tests are installed apart, in
//! the prefix's own folder, from where whoever proves a bundle lays them over it: no device needs them, and among them are private
//! keys, broken archives and programs for other machines.

#[path = "build/linux.rs"]
mod linux;
#[path = "build/shared.rs"]
mod shared;
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
