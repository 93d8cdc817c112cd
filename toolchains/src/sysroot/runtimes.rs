//! The compiler's own runtimes for the target: compiler-rt's builtins and libc++, from the sources in its package.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use store::tree;

use super::Assembly;
use super::compile::{archive, check, joined};

/// Builds `compiler-rt.lib` and `libc++.lib`.
pub(super) fn build(assembly: &Assembly) -> Result<()> {
    builtins(assembly)?;
    libcxx(assembly)
}

/// 128-bit arithmetic, 16-byte atomics and their kin; linked last, so that the C runtime's own functions win.
pub(super) fn builtins(assembly: &Assembly) -> Result<()> {
    let library = assembly.lib().join("compiler-rt.lib");
    let mut command = assembly.zig("build-lib");
    command
        .args([
            "-target",
            &format!("{}-windows-msvc", assembly.target.arch),
            "-O",
            "ReleaseFast",
            "-fstrip",
        ])
        .args(["--name", "compiler-rt", "-fno-compiler-rt"])
        .arg(joined("-femit-bin=", &library))
        .arg("compiler_rt.zig")
        .current_dir(assembly.zig_lib());
    check(&mut command, "compiler-rt")
}

/// libc++ for the MSVC ABI, static. Exceptions, type information and `operator new`'s users are the vcruntime's.
fn libcxx(assembly: &Assembly) -> Result<()> {
    let sources = assembly.zig_lib().join("libcxx/src");
    let files = list(&sources)?;
    ensure!(
        files.len() > 50,
        "libc++: found {} sources in {}, wanted more than 50",
        files.len(),
        sources.display()
    );
    let object = |file: &str| {
        assembly
            .into
            .join("obj/libcxx")
            .join(format!("{}.obj", file.replace('/', "_")))
    };
    tree::create_dir(&assembly.into.join("obj/libcxx"))?;
    assembly.in_parallel(&files, |file| {
        let mut command = assembly.clang_cl(true);
        command
            // Bigint tables and the like are warned about upstream; `/w` keeps failures readable.
            .args(["/c", "/O2", "/MD", "/GS-", "/EHsc", "/GR", "/std:c++latest", "/w"])
            .args([
                "-D_LIBCPP_BUILDING_LIBRARY",
                "-D_CRTBLD",
                "-DNOMINMAX",
                "-I.",
                "-Iinclude",
                "-I../libc",
            ])
            .arg(joined("/Fo", &object(file)))
            .arg("--")
            .arg(file)
            .current_dir(&sources);
        check(&mut command, &format!("libc++: {file}"))
    })?;
    let objects: Vec<PathBuf> = files.iter().map(|file| object(file)).collect();
    archive(assembly, &assembly.lib().join("libc++.lib"), &objects)
}

/// The translation units for a Windows target, sorted. Time zones need a database that Windows does not have.
fn list(sources: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in ["", "filesystem", "ryu", "support/win32"] {
        let dir = sources.join(folder);
        for item in std::fs::read_dir(&dir).with_context(|| format!("{}: cannot be read", dir.display()))? {
            let name = item?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".cpp") {
                files.push(if folder.is_empty() {
                    name
                } else {
                    format!("{folder}/{name}")
                });
            }
        }
    }
    files.sort();
    Ok(files)
}
