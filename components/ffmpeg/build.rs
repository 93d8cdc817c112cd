//! ffmpeg: its own configure, then make; in the msvc form for Windows. Assembly is on: NEON and up to SME on arm64, RVV on
//! riscv64, nasm on x64. Which of it runs is decided on the device.

#[path = "build/record.rs"]
mod record;

use anyhow::{Context, Result, ensure};
use kit::{Configure, Cx, Make, Os};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let licence = Licence::of(cx);
    let configure = Configure::new(cx)
        .arg("--enable-cross-compile")
        .arg(format!("--arch={}", cx.target().arch))
        .args(["--x86asmexe=nasm", "--host-cc=cc"])
        .args(["--enable-shared", "--disable-static"])
        .args(["--disable-debug", "--disable-doc"])
        .args(licence.arguments.iter().copied());
    let make = match cx.target().os {
        Os::Windows => windows(cx, configure)?,
        Os::Linux => linux(configure)?,
    };
    licence.check(cx)?;
    make.install()?;
    record::write(cx)?;
    match cx.target().os {
        Os::Windows => import_libraries(cx),
        Os::Linux => Ok(()),
    }
}

fn linux(configure: Configure<'_>) -> Result<Make<'_>> {
    configure
        .arg("--target-os=linux")
        // By name, so that no path of the build machine is recorded in the libraries' configuration string.
        .args(["--cc=clang", "--cxx=clang++", "--ar=llvm-ar", "--ranlib=llvm-ranlib"])
        .arg("--nm=llvm-nm -g")
        // The linker leaves the symbol table out, so that nothing has to be stripped.
        .args(["--extra-ldflags=-Wl,-s", "--disable-stripping"])
        .run()
}

fn windows<'a>(cx: &Cx, configure: Configure<'a>) -> Result<Make<'a>> {
    // Upstream's script needs Microsoft's lib.exe and dumpbin.exe, and goes on when the symbol dump is empty.
    let makedef = cx.source().join("compat/windows/makedef");
    std::fs::copy(cx.file("makedef")?, &makedef)
        .with_context(|| format!("{}: cannot be replaced", makedef.display()))?;
    let make = configure
        .args(["--target-os=win32", "--toolchain=msvc"])
        .args(["--cc=clang-cl", "--cxx=clang-cl"])
        .args(["--ld=lld-link", "--ar=llvm-ar", "--nm=llvm-nm -g"])
        // clang reads the GNU form of the arm64 assembly; Microsoft's assembler would need a preprocessor.
        .arg("--as=clang")
        // The C runtime is the DLL; there is no static one, which is the compiler's default.
        .arg("--extra-cflags=-MD")
        .args(["--disable-indev=vfwcap", "--disable-filter=gfxcapture"])
        .run()?
        // Upstream reads every source twice to list its headers for the next build; there is none in a fresh folder.
        .arg("CCDEP=")
        .arg("CXXDEP=");
    Ok(make)
}

/// What configure is told of licences, and what it must then call its product.
struct Licence {
    arguments: &'static [&'static str],
    name: &'static str,
}

impl Licence {
    fn of(cx: &Cx) -> Licence {
        match cx.component().variant.as_deref() {
            Some("gpl") => Licence {
                arguments: &["--enable-gpl", "--disable-version3", "--disable-nonfree"],
                name: "GPL version 2 or later",
            },
            // Upstream's defaults, said all the same: the licence must not change with them.
            _ => Licence {
                arguments: &["--disable-gpl", "--disable-version3", "--disable-nonfree"],
                name: "LGPL version 2.1 or later",
            },
        }
    }

    /// Holds what component.toml says of the licence against what configure worked out from the parts that it enabled.
    fn check(&self, cx: &Cx) -> Result<()> {
        let path = cx.build().join("config.h");
        let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix("#define FFMPEG_LICENSE "));
        let found = found.unwrap_or("none").trim_matches('"');
        ensure!(
            found == self.name,
            "licence: configure made `{found}`, wanted `{}` for {}",
            self.name,
            cx.component().license
        );
        Ok(())
    }
}

/// Upstream puts import libraries beside the DLLs; linkers and pkg-config look for them in `lib`.
fn import_libraries(cx: &Cx) -> Result<()> {
    let (bin, lib) = (cx.staged().join("bin"), cx.staged().join("lib"));
    for item in std::fs::read_dir(&bin).with_context(|| format!("{}: cannot be read", bin.display()))? {
        let path = item?.path();
        if path.extension().is_some_and(|suffix| suffix == "lib") {
            let into = lib.join(path.file_name().unwrap_or_default());
            std::fs::rename(&path, &into).with_context(|| format!("{}: cannot be moved", path.display()))?;
        }
    }
    Ok(())
}
