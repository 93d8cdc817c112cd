//! The Windows targets' compilers: what each provider's system root looks like to the wrappers, the wrappers, and what makes
//! the spelling of headers and libraries indifferent. The roots themselves are made in `sysroot` and `xwin`.

use std::path::Path;

use anyhow::Result;
use store::{DigestWriter, tree};

use crate::toolchain::{AS_CALLED, QUIET, head, kit_tool, path_maps};
use crate::tools::ZIG_CACHE;
use crate::{Arch, Provider, Sdk, Target, spelling, sysroot};

/// How sources are read with every provider.
const COMMON: [&str; 4] = [
    // The headers of the package are named one by one, after libc++'s.
    "-nobuiltininc",
    // The MSVC release whose ABI and headers are imitated, or used: Visual Studio 2022 17.14.
    "-fms-compatibility-version=19.44",
    // No time in object headers.
    "/Brepro",
    "-Wno-unused-command-line-argument",
];

/// What the open system root's headers want besides.
const OPEN: [&str; 4] = [
    // Wine's headers: the UCRT, not msvcrt.dll; `WCHAR` is `wchar_t`; `__try` and its kin are the compiler's.
    "-D_UCRT",
    "-DWINE_UNICODE_NATIVE",
    "-DUSE_COMPILER_EXCEPTIONS",
    // What libc++ wants to be told about the target.
    "/FIsite.h",
];

/// How sources are read with the open system root, the same for its runtimes and for whatever is built with them.
pub(crate) fn dialect() -> impl Iterator<Item = &'static str> {
    COMMON.into_iter().chain(OPEN)
}

/// A defect of the compiler in use, and the options that go round it. `tests/wrappers.rs` holds a source for each and fails when the compiler
/// in use no longer has the defect: then it goes from this list.
pub struct Defect {
    /// The architecture that it is a defect of.
    pub arch: Arch,
    /// What the compiler says of a source that meets it.
    pub message: &'static str,
    /// The options that go round it, in every form of the driver.
    pub options: [&'static str; 2],
}

/// Under `/EHa` clang puts a `nop` between the beginning of a region and an instruction that may trap, which it does not count when it
/// measures code. Since there is at least one other instruction for each, no distance is more than twice what was measured.
/// Source: LLVM, AsmPrinter.cpp (EH_LABEL) and AArch64InstrInfo::getInstSizeInBytes.
pub const DEFECTS: [Defect; 2] = [
    // The distances in a jump table of bytes.
    Defect {
        arch: Arch::Aarch64,
        message: "is out of range",
        options: ["-mllvm", "-aarch64-enable-compress-jump-tables=false"],
    },
    // The distance of a test of one bit to where it branches, which has 14 bits; the other branches reach beyond what compiles.
    Defect {
        arch: Arch::Aarch64,
        message: "fixup value out of range",
        options: ["-mllvm", "-aarch64-tbz-offset-bits=13"],
    },
];

/// The options that go round the compiler's defects for a target.
fn workarounds(target: &Target) -> String {
    let met = DEFECTS.iter().filter(|defect| defect.arch == target.arch);
    met.flat_map(|defect| defect.options).collect::<Vec<_>>().join(" ")
}

/// The name of the file that leads every spelling of a header to the right one, in a toolchain's folder.
const HEADER_MAP: &str = "headers.hmap";
/// The same for libraries.
const LIBRARY_OVERLAY: &str = "libraries.yaml";

/// A provider's system root as the wrappers see it. Folders are below the root, in the order in which they are searched.
pub(crate) struct Root {
    provider: Provider,
    include: Vec<String>,
    lib: Vec<String>,
    /// What the resource compiler searches.
    resources: Vec<String>,
}

impl Root {
    pub(crate) fn of(target: &Target, provider: Provider) -> Result<Root> {
        let include = |names: &[&str]| names.iter().map(|name| format!("include/{name}")).collect();
        Ok(match provider {
            Provider::Open => Root {
                provider,
                include: include(&["crt", "overlay", "msvcrt", "windows"]),
                lib: vec!["lib".to_owned()],
                resources: include(&["overlay", "msvcrt", "windows"]),
            },
            Provider::Xwin => {
                let sdk = Sdk::load(target)?;
                Root {
                    provider,
                    include: sdk.include(),
                    lib: sdk.lib(),
                    resources: sdk.include(),
                }
            }
        })
    }

    /// Adds what the root is made of to an identity.
    pub(crate) fn identify(&self, target: &Target, writer: &mut DigestWriter) -> Result<()> {
        match self.provider {
            Provider::Open => writer.digest("sysroot", &sysroot::identity(target)?),
            Provider::Xwin => writer
                .digest("sysroot", &Sdk::load(target)?.identity())
                .field("builtins", sysroot::BUILTINS),
        };
        Ok(())
    }

    /// How sources are read.
    fn dialect(&self) -> Vec<&'static str> {
        match self.provider {
            Provider::Open => dialect().collect(),
            Provider::Xwin => COMMON.to_vec(),
        }
    }
}

/// The C half of what the wrapper of clang-cl says, in the words of the driver's plain form.
pub(crate) fn header_arguments(target: &Target, root: &Root, sysroot: &Path, zig: &Path) -> Vec<String> {
    let mut arguments = vec![format!("--target={}", target.triple), "-nostdlibinc".to_owned()];
    // What only the driver's cl form knows starts with a slash.
    let common = root.dialect().into_iter().filter(|argument| !argument.starts_with('/'));
    arguments.extend(common.map(str::to_owned));
    let builtin = zig.with_file_name("lib").join("include");
    for folder in std::iter::once(builtin).chain(root.include.iter().map(|folder| sysroot.join(folder))) {
        arguments.extend(["-isystem".to_owned(), folder.display().to_string()]);
    }
    arguments
}

/// Writes what makes the spelling of headers and libraries indifferent. `sysroot` is its path and that below all prefixes.
pub(crate) fn spell(into: &Path, root: &Root, sysroot: (&Path, &str), zig: &Path) -> Result<()> {
    let (sysroot, below) = sysroot;
    let mut headers = vec![zig.with_file_name("lib").join("include")];
    headers.extend(root.include.iter().map(|folder| sysroot.join(folder)));
    tree::write_atomic(&into.join(HEADER_MAP), &spelling::header_map(&headers)?)?;
    // From `<prefix>/<target>/toolchain/<digest>` to `<prefix>`.
    let relative = |folder: &String| (sysroot.join(folder), format!("../../../{below}/{folder}"));
    let libraries: Vec<_> = root.lib.iter().map(relative).collect();
    let overlay = spelling::library_overlay(&libraries)?;
    tree::write_atomic(&into.join(LIBRARY_OVERLAY), overlay.as_bytes())
}

/// A dialect in the words of the driver's other form.
fn gnu_form(dialect: Vec<&'static str>) -> Vec<&'static str> {
    let words = dialect.into_iter().map(|word| match word {
        "/Brepro" => "-mno-incremental-linker-compatible",
        "/FIsite.h" => "-include site.h",
        word => word,
    });
    words.collect()
}

/// An option for each of some folders of the system root.
fn in_root(option: &str, folders: &[String]) -> String {
    let each = folders.iter().map(|folder| format!(" {option}\"$s/{folder}\""));
    each.collect()
}

/// The scripts, by name. `sysroot` and `zig` are paths below the folder of all prefixes.
pub(crate) fn wrappers(target: &Target, root: &Root, sysroot: &str, zig: &str) -> Vec<(&'static str, String)> {
    let head = head(sysroot, zig);
    let run = |program: &str, arguments: &str| format!("{head}exec \"$p/{zig}\" {program} {arguments}\n");
    // Microsoft's C++ library lies beside its C runtime.
    let libcxx = match root.provider {
        Provider::Open => "/imsvc\"$z/libcxx/include\" ",
        Provider::Xwin => "",
    };
    let triple = &target.triple;
    let cl = run(
        "clang",
        &format!(
            "--driver-mode=cl --target={triple} {QUIET} -no-canonical-prefixes -fuse-ld=lld {} {} {} \
             /imsvc\"$t/{HEADER_MAP}\" {libcxx}/imsvc\"$z/include\"{} {AS_CALLED} \"$@\"",
            path_maps("/clang:"),
            root.dialect().join(" "),
            workarounds(target),
            in_root("/imsvc", &root.include),
        ),
    );
    // For makefiles and configure scripts that know no other form of a compiler: the same ABI, headers and runtime. The C runtime is
    // the DLL, which is asked for by the objects; the driver's own request for the static one is left out.
    let gnu = run(
        "clang",
        &format!(
            "--target={triple} {QUIET} -no-canonical-prefixes -fuse-ld=lld -B\"$t/bin\" -nostartfiles -fms-runtime-lib=dll {} {} {} \
             -nostdlibinc -isystem \"$t/{HEADER_MAP}\" -isystem \"$z/include\"{} {AS_CALLED} \"$@\"",
            path_maps(""),
            gnu_form(root.dialect()).join(" "),
            workarounds(target),
            in_root("-isystem ", &root.include),
        ),
    );
    // Ours last: what the caller names is found first.
    let link = run(
        "lld-link",
        &format!(
            "\"$@\" -nologo -Brepro -vfsoverlay:\"$t/{LIBRARY_OVERLAY}\"{} -libpath:\"$t/lib\" -defaultlib:compiler-rt.lib",
            in_root("-libpath:", &root.lib)
        ),
    );
    // The form follows the output's name: `.res`, or an object, which would be for x64 on every target.
    let arguments = format!(
        "/:target {} /:auto-includes none{} \"$@\"",
        target.arch,
        in_root("/i ", &root.resources)
    );
    // The package compiled its resource compiler when it was unpacked, and looks for it in this folder.
    let rc = format!("{head}export ZIG_GLOBAL_CACHE_DIR=\"$z/../../{ZIG_CACHE}\"\nexec \"$p/{zig}\" rc {arguments}\n");
    let lib = run("lib", "\"$@\"");
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
        ("llvm-mt", kit_tool("mt")),
        ("llvm-nm", kit_tool("nm")),
        ("llvm-ranlib", run("ranlib", "\"$@\"")),
        ("llvm-rc", rc),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn rendered(triple: &str, provider: Provider) -> BTreeMap<&'static str, String> {
        let target = Target::load(triple).unwrap();
        let root = Root::of(&target, provider).unwrap();
        wrappers(&target, &root, "T/root/D", "host/zig/D/ziglang/zig")
            .into_iter()
            .collect()
    }

    #[test]
    fn no_wrapper_holds_a_path_of_this_machine() {
        for provider in [Provider::Open, Provider::Xwin] {
            for (name, text) in rendered("aarch64-pc-windows-msvc", provider) {
                let absolute = text
                    .split_whitespace()
                    .any(|word| word.starts_with("/home") || word.starts_with("/tmp"));
                assert!(!absolute && text.starts_with("#!/bin/sh\n"), "{name}: {text}");
            }
        }
    }

    #[test]
    fn each_provider_has_its_own_headers_and_libraries_and_nothing_of_the_other() {
        let open = rendered("aarch64-pc-windows-msvc", Provider::Open);
        let xwin = rendered("aarch64-pc-windows-msvc", Provider::Xwin);
        for (name, ours, microsofts) in [
            (
                "clang-cl",
                "/imsvc\"$s/include/windows\"",
                "/imsvc\"$s/sdk/include/um\"",
            ),
            ("clang-cl", "/FIsite.h", "/imsvc\"$s/crt/include\""),
            (
                "clang-cl",
                "/imsvc\"$z/libcxx/include\"",
                "/imsvc\"$s/sdk/include/ucrt\"",
            ),
            (
                "clang",
                "-isystem \"$s/include/windows\"",
                "-isystem \"$s/sdk/include/um\"",
            ),
            ("clang", "-include site.h", "-isystem \"$s/crt/include\""),
            ("rc.exe", "/i \"$s/include/windows\"", "/i \"$s/sdk/include/um\""),
            ("lld-link", "-libpath:\"$s/lib\"", "-libpath:\"$s/crt/lib/aarch64\""),
        ] {
            let (open, xwin) = (&open[name], &xwin[name]);
            assert!(open.contains(ours) && !open.contains(microsofts), "{name}: {open}");
            assert!(xwin.contains(microsofts) && !xwin.contains(ours), "{name}: {xwin}");
        }
        for name in ["llvm-ar", "llvm-nm", "llvm-mt"] {
            assert_eq!(open[name], xwin[name], "{name}");
        }
    }
}
