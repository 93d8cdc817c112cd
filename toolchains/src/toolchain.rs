//! A target's compiler: wrapper scripts in one folder, called by name, around the programs of the pinned package. They find
//! their system root from their own place, so a moved state folder still works and no path of this machine is an argument
//! that a build could record.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use store::{Begin, Digest, DigestWriter, Pin, State, tree};

use crate::{Progress, Provider, Target, Tools, sysroot, tools};

/// The compiler and the system root of a target.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The target that it compiles for.
    pub target: Target,
    /// The folder of the wrappers.
    pub bin: PathBuf,
    /// The system root.
    pub sysroot: PathBuf,
    /// The identity of the wrappers and everything behind them.
    pub digest: Digest,
}

/// How sources are read, the same for the runtimes and for whatever is built with them.
pub(crate) fn dialect() -> [&'static str; 8] {
    [
        // The headers of the package are named one by one, after libc++'s.
        "-nobuiltininc",
        // The MSVC release whose ABI and headers are imitated: Visual Studio 2022 17.14.
        "-fms-compatibility-version=19.44",
        // Wine's headers: the UCRT, not msvcrt.dll; `WCHAR` is `wchar_t`; `__try` and its kin are the compiler's.
        "-D_UCRT",
        "-DWINE_UNICODE_NATIVE",
        "-DUSE_COMPILER_EXCEPTIONS",
        // No time in object headers.
        "/Brepro",
        "-Wno-unused-command-line-argument",
        // What libc++ wants to be told about the target.
        "/FIsite.h",
    ]
}

impl Toolchain {
    /// What has to be fetched for a target.
    ///
    /// # Errors
    /// If the provider cannot serve the target.
    pub fn pins(target: &Target, provider: Provider) -> Result<Vec<Pin>> {
        check(provider)?;
        sysroot::pins(target)
    }

    /// The identity that [`Toolchain::ensure`] would give; from data alone, nothing is unpacked.
    ///
    /// # Errors
    /// If the sources of the system root cannot be read.
    pub fn identity(target: &Target, provider: Provider) -> Result<Digest> {
        check(provider)?;
        let mut writer = DigestWriter::new("toolchain");
        writer
            .digest("sysroot", &sysroot::identity(target)?)
            .digest("tools", &Tools::identity()?);
        for (name, text) in wrappers(target, "SYSROOT", "ZIG") {
            writer.field(name, text);
        }
        Ok(writer.finish())
    }

    /// The toolchain of a target, assembled if it is not there; `jobs` compilers run at a time.
    ///
    /// # Errors
    /// If a source was not fetched or a part cannot be built.
    pub fn ensure(
        state: &State,
        target: &Target,
        provider: Provider,
        jobs: usize,
        progress: &dyn Progress,
    ) -> Result<Toolchain> {
        let digest = Toolchain::identity(target, provider)?;
        let tools = Tools::ensure(state, progress)?;
        let sysroot = sysroot::ensure(state, target, &tools, jobs, progress)?;
        let slot = state.slot(&target.triple, "toolchain", &digest);
        let dir = match slot.begin()? {
            Begin::Ready(dir) => dir,
            Begin::Build(partial) => {
                let prefix = state.root().join("prefix");
                let below = |path: &std::path::Path| match path.strip_prefix(&prefix) {
                    Ok(below) => below.display().to_string(),
                    Err(_) => path.display().to_string(),
                };
                let zig = below(&tools.zig()?);
                for (name, text) in wrappers(target, &below(&sysroot), &zig) {
                    let path = partial.path().join("bin").join(name);
                    tree::write_atomic(&path, text.as_bytes())?;
                    tools::make_executable(&path)?;
                }
                partial.commit(BTreeMap::from([("sysroot".into(), below(&sysroot))]))?
            }
        };
        Ok(Toolchain {
            target: target.clone(),
            bin: dir.join("bin"),
            sysroot,
            digest,
        })
    }
}

fn check(provider: Provider) -> Result<()> {
    if provider == Provider::Xwin {
        bail!(
            "provider `xwin` is not available in this release: it needs Microsoft's SDK\n\nhint: use the default provider, `open`"
        );
    }
    Ok(())
}

/// The scripts, by name. `sysroot` and `zig` are paths below the folder of all prefixes.
fn wrappers(target: &Target, sysroot: &str, zig: &str) -> Vec<(&'static str, String)> {
    let zig_lib = zig.trim_end_matches("zig").to_owned() + "lib";
    // From `<prefix>/<target>/toolchain/<digest>/bin/<name>` to `<prefix>`.
    let head = format!("#!/bin/sh\np=${{0%/*}}/../../../..\ns=$p/{sysroot}\nz=$p/{zig_lib}\n");
    // The driver's cl form takes the option of the other form behind `/clang:`.
    let map = |form: &str| {
        format!(
            "-fdebug-compilation-dir=/windlass/work {form}-ffile-prefix-map=\"$p=/windlass\" \
             ${{WINDLASS_WORK:+\"{form}-ffile-prefix-map=$WINDLASS_WORK=/windlass/work\"}}"
        )
    };
    let run = |program: &str, arguments: &str| format!("{head}exec \"$p/{zig}\" {program} {arguments}\n");
    let include = "/imsvc\"$z/libcxx/include\" /imsvc\"$z/include\" /imsvc\"$s/include/crt\" /imsvc\"$s/include/overlay\" \
                   /imsvc\"$s/include/msvcrt\" /imsvc\"$s/include/windows\"";
    let triple = &target.triple;
    let cl = run(
        "clang",
        &format!(
            "--driver-mode=cl --target={triple} -no-canonical-prefixes -fuse-ld=lld {} {} {include} \"$@\"",
            map("/clang:"),
            dialect().join(" ")
        ),
    );
    let gnu = run(
        "clang",
        &format!(
            "--target={triple} -nostdlibinc -isystem \"$z/include\" {} \"$@\"",
            map("")
        ),
    );
    // Ours last: what the caller names is found first.
    let link = run(
        "lld-link",
        "\"$@\" -nologo -Brepro -libpath:\"$s/lib\" -defaultlib:compiler-rt.lib",
    );
    // The form follows the output's name: `.res`, or an object, which would be for x64 on every target.
    let rc = run(
        "rc",
        &format!(
            "/:target {} /:auto-includes none /i \"$s/include/overlay\" /i \"$s/include/msvcrt\" \
             /i \"$s/include/windows\" \"$@\"",
            target.arch
        ),
    );
    let lib = run("lib", "\"$@\"");
    // The recipe's own program knows symbol tables; see `kit`.
    let tool =
        |name: &str| format!("#!/bin/sh\nexec \"${{WINDLASS_TOOL:?names the kit's host tool}}\" tool {name} \"$@\"\n");
    vec![
        ("clang", gnu),
        ("clang-cl", cl),
        // Microsoft's names, for upstreams that spell them out.
        ("lib.exe", lib.clone()),
        ("rc.exe", rc.clone()),
        ("lld-link", link),
        ("llvm-ar", run("ar", "\"$@\"")),
        ("llvm-dlltool", run("dlltool", "\"$@\"")),
        ("llvm-lib", lib),
        ("llvm-mt", tool("mt")),
        ("llvm-nm", tool("nm")),
        ("llvm-ranlib", run("ranlib", "\"$@\"")),
        ("llvm-rc", rc),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wrapper_holds_a_path_of_this_machine() {
        let target = Target::load("aarch64-pc-windows-msvc").unwrap();
        for (name, text) in wrappers(&target, "T/sysroot/D", "host/zig/D/ziglang/zig") {
            let absolute = text
                .split_whitespace()
                .any(|word| word.starts_with("/home") || word.starts_with("/tmp"));
            assert!(!absolute && text.starts_with("#!/bin/sh\n"), "{name}: {text}");
        }
    }

    #[test]
    fn the_licence_of_another_provider_is_never_taken_for_granted() {
        let target = Target::load("x86_64-pc-windows-msvc").unwrap();
        let error = Toolchain::identity(&target, Provider::Xwin).unwrap_err().to_string();
        assert!(error.contains("`xwin` is not available"), "{error}");
    }
}
