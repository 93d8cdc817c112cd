//! mpdecimal: its own configure, then make. For Windows upstream has makefiles for Microsoft's make alone: their list of
//! files and their definitions are taken.

use anyhow::{Context, Result, ensure};
use kit::{Arch, Configure, Cx, Os, PREFIX};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    match cx.target().os {
        Os::Linux => linux(cx),
        Os::Windows => windows(cx),
    }
}

fn linux(cx: &Cx) -> Result<()> {
    Configure::new(cx)
        .cross()
        .args(["--disable-shared", "--disable-cxx", "--disable-doc"])
        // It goes into shared libraries.
        .env("CFLAGS", "-fPIC")
        .run()?
        .install()
}

fn windows(cx: &Cx) -> Result<()> {
    let source = cx.source().join("libmpdec");
    let makefile = source.join("Makefile.vc");
    let text = std::fs::read_to_string(&makefile).with_context(|| format!("{}: cannot be read", makefile.display()))?;
    let files = c_files(&text);
    ensure!(
        files.len() > 10,
        "{}: its list OBJS was not understood",
        makefile.display()
    );
    let (header, vc_header) = (source.join("mpdecimal.h"), source.join("mpdecimal64vc.h"));
    std::fs::copy(&vc_header, &header).with_context(|| format!("{}: cannot be copied", vc_header.display()))?;
    cx.step("compile");
    cx.call("clang-cl")
        .args([
            "-nologo",
            "-c",
            "-MD",
            "-O2",
            "-DNDEBUG",
            "-D_CRT_SECURE_NO_WARNINGS",
            "-DCONFIG_64",
        ])
        // Words of 128 bits: by instructions on x64, else by the compiler. Microsoft's has neither, which is what MASM is for.
        .args(match cx.target().arch {
            Arch::X86_64 => ["-DASM"].as_slice(),
            _ => &["-DANSI", "-DHAVE_UINT128_T"],
        })
        .args(files.iter().map(|file| source.join(file)))
        .run()?;
    cx.call("llvm-lib")
        .arg("-out:mpdec.lib")
        .args(files.iter().map(|file| file.replace(".c", ".obj")))
        .run()?;
    cx.install(&cx.build().join("mpdec.lib"), "lib/mpdec.lib")?;
    cx.install(&header, "include/mpdecimal.h")?;
    cx.install(&vc_header, "include/mpdecimal64vc.h")?;
    module(cx)
}

/// The C files of the library, out of the list of their objects.
fn c_files(makefile: &str) -> Vec<String> {
    let list = makefile.split_once("\nOBJS =").map_or("", |(_, rest)| rest);
    let list = list.split_once("\n\n").map_or(list, |(list, _)| list);
    list.split_whitespace()
        .filter_map(|word| word.strip_suffix(".obj"))
        .map(|stem| format!("{stem}.c"))
        .collect()
}

/// Upstream's pkg-config module, which its configure writes elsewhere.
fn module(cx: &Cx) -> Result<()> {
    let template = cx.source().join("libmpdec/.pc/libmpdec.pc.in");
    let text = std::fs::read_to_string(&template).with_context(|| format!("{}: cannot be read", template.display()))?;
    let text = text
        .replace("@prefix@", PREFIX)
        .replace("@exec_prefix@", "${prefix}")
        .replace("@libdir@", "${exec_prefix}/lib")
        .replace("@includedir@", "${prefix}/include")
        // There is no library of mathematics beside the C runtime.
        .replace(" -lm\n", "\n");
    let module = cx.build().join("libmpdec.pc");
    std::fs::write(&module, text).with_context(|| format!("{}: cannot be written", module.display()))?;
    cx.install(&module, "lib/pkgconfig/libmpdec.pc")
}
