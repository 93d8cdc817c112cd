//! sqlite: its own configure, then make, for the one file of C and for the static library. The DLL for Windows is compiled from
//! that file in one step, as upstream's makefile for Microsoft's make does.

use anyhow::Result;
use kit::{Configure, Cx, Make, Os};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let features: Vec<String> = cx
        .component()
        .items("features")?
        .iter()
        .map(|name| format!("-D{name}"))
        .collect();
    let compiler = match cx.target().os {
        Os::Linux => "clang",
        // Only the one file of C is made, by programs of this machine.
        Os::Windows => "cc",
    };
    cx.step("bootstrap");
    // The interpreter of configure. One that lies here is taken before the machine's.
    cx.call("cc")
        .args(["-O1", "-o", "jimsh0", "../source/autosetup/jimsh0.c"])
        .run()?;
    let make = Configure::new(cx)
        .env("CC", compiler)
        .env("CC_FOR_BUILD", "cc")
        .env("CFLAGS", format!("-O2 -fPIC {}", features.join(" ")))
        .args([
            "--disable-shared",
            "--disable-tcl",
            "--disable-readline",
            "--soname=legacy",
        ])
        .run()?;
    match cx.target().os {
        Os::Linux => make
            .make(&["libsqlite3.a"])?
            .install_only(&["install-lib", "install-headers", "install-pc"]),
        Os::Windows => windows(cx, make, &features),
    }
}

fn windows(cx: &Cx, make: Make<'_>, features: &[String]) -> Result<()> {
    make.make(&["sqlite3.c"])?
        .install_only(&["install-headers", "install-pc"])?;
    cx.step("link");
    cx.call("clang-cl")
        .args(["-nologo", "-O2", "-MD", "-LD", "-DSQLITE_API=__declspec(dllexport)"])
        .args(features)
        .args(["sqlite3.c", "-Fesqlite3.dll"])
        .run()?;
    cx.install(&cx.build().join("sqlite3.dll"), "bin/sqlite3.dll")?;
    cx.install(&cx.build().join("sqlite3.lib"), "lib/sqlite3.lib")
}
