//! bzip2: its makefile, which builds beside the sources. Of what it installs, the library and its header are taken.

use anyhow::Result;
use kit::{Cx, Make, Os};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let (pic, library) = match cx.target().os {
        Os::Windows => ("", "libbz2.lib"),
        // It goes into shared libraries.
        Os::Linux => ("-fPIC", "libbz2.a"),
    };
    let make = Make::in_source(cx)
        .arg("CC=clang")
        .arg("AR=llvm-ar")
        .arg("RANLIB=llvm-ranlib")
        // Upstream's, without debug information. Files of more than 2 GiB are `long long` on 64-bit targets anyway.
        .arg(format!("CFLAGS=-Wall -Winline -O2 {pic} -D_FILE_OFFSET_BITS=64"));
    make.make(&["libbz2.a"]).map(drop)?;
    cx.install(&cx.source().join("libbz2.a"), &format!("lib/{library}"))?;
    cx.install(&cx.source().join("bzlib.h"), "include/bzlib.h")
}
