//! ffmpeg: its own configure in the msvc form, then make. Assembly is on: NEON and up to SME on arm64, nasm on x64.

#[path = "build/record.rs"]
mod record;

use anyhow::{Context, Result, ensure};
use kit::{Configure, Cx};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    // Upstream's script needs Microsoft's lib.exe and dumpbin.exe, and goes on when the symbol dump is empty.
    let makedef = cx.source().join("compat/windows/makedef");
    std::fs::copy(cx.file("makedef")?, &makedef)
        .with_context(|| format!("{}: cannot be replaced", makedef.display()))?;

    let arch = if cx.target().triple.starts_with("aarch64") {
        "aarch64"
    } else {
        "x86_64"
    };
    let licence = Licence::of(cx);
    let make = Configure::new(cx)
        .args(["--enable-cross-compile", "--target-os=win32", "--toolchain=msvc"])
        .arg(format!("--arch={arch}"))
        // By name, so that no path of the build machine is recorded in the libraries' configuration string.
        .args([
            "--cc=clang-cl",
            "--cxx=clang-cl",
            "--ld=lld-link",
            "--ar=llvm-ar",
            "--nm=llvm-nm -g",
        ])
        // clang reads the GNU form of the arm64 assembly; Microsoft's assembler would need a preprocessor.
        .args(["--as=clang", "--x86asmexe=nasm", "--host-cc=cc"])
        // The C runtime is the DLL; there is no static one, which is the compiler's default.
        .arg("--extra-cflags=-MD")
        .args([
            "--enable-shared",
            "--disable-static",
            "--disable-debug",
            "--disable-doc",
        ])
        .args(["--disable-indev=vfwcap", "--disable-filter=gfxcapture"])
        .args(licence.arguments.iter().copied())
        .run()?
        // Upstream reads every source twice to list its headers for the next build; there is none in a fresh folder.
        .arg("CCDEP=")
        .arg("CXXDEP=");
    licence.check(cx)?;
    make.install()?;
    record::write(cx)?;
    import_libraries(cx)
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
