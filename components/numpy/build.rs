//! numpy: its own backend, meson-python with Cython, and the fork of Meson that it brings along, which knows how one source is
//! compiled for several levels of a processor.

use anyhow::Result;
use backend::Backend;
use kit::{Arch, Cx};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    Backend::new(cx)
        // It would run a program to see it. These are the long doubles of Linux's ABIs.
        .meson_property(
            "longdouble_format",
            match cx.target().arch {
                Arch::X86_64 => "INTEL_EXTENDED_16_BYTES_LE",
                Arch::Aarch64 | Arch::Riscv64 => "IEEE_QUAD_LE",
            },
        )
        // Its own routines; see the absence.
        .setting("setup-args", "-Dblas=none")
        .setting("setup-args", "-Dlapack=none")
        // Nothing above what the target promises; what is above is chosen when it runs.
        .setting("setup-args", "-Dcpu-baseline=none")
        .setting("setup-args", "-Dcpu-dispatch=max")
        .install()
}
