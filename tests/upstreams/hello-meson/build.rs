//! hello-meson: plain Meson.

use anyhow::Result;
use kit::{Cx, Meson};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    Meson::new(cx).option("factor", "2").install()
}
