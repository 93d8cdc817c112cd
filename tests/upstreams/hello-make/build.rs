//! hello-make: its own configure script, then make.

use anyhow::Result;
use kit::{Configure, Cx};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let system = if cx.target().triple.contains("windows") {
        "windows"
    } else {
        "linux"
    };
    Configure::new(cx).arg(format!("--system={system}")).run()?.install()
}
