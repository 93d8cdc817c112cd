//! hello-host: plain CMake; a table in its source is made by a program of its own, which for other machines is the host role's.

use anyhow::Result;
use kit::{Cmake, Cx};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let cmake = Cmake::new(cx);
    match cx.host() {
        Some(host) => cmake.define("SQUARES", host.join("bin/squares").display().to_string()),
        None => cmake,
    }
    .install()
}
