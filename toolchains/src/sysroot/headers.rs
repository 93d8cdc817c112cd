//! Headers of the system root: Wine's, which are written for the MSVC ABI, under our overlay that fills their gaps.
//! clang's own headers and libc++'s stay in the compiler's package.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use store::archive::{Unpack, unpack};
use store::tree;

use super::{Assembly, SOURCES, guids};

/// Puts `include/{crt,overlay,msvcrt,windows}` and the GUID libraries in place.
pub(super) fn install(assembly: &Assembly, package: &Path) -> Result<()> {
    let unpacked = assembly.into.join("obj/package");
    unpack(package, &unpacked, &Unpack::default())?;
    let include = assembly.into.join("include");
    for folder in ["msvcrt", "windows"] {
        tree::copy(
            &unpacked.join("usr/include/wine/wine").join(folder),
            &include.join(folder),
        )?;
    }
    for name in &assembly.data.without {
        let path = include.join(name);
        fs::remove_file(&path)
            .with_context(|| format!("{}: header that sysroot.toml leaves out is not there", path.display()))?;
    }
    tree::copy(&Path::new(SOURCES).join("overlay"), &include.join("overlay"))?;
    tree::copy(&Path::new(SOURCES).join("crt/include"), &include.join("crt"))?;
    guid_libraries(assembly, &unpacked)
}

fn guid_libraries(assembly: &Assembly, unpacked: &Path) -> Result<()> {
    tree::create_dir(&assembly.lib())?;
    let arch = assembly.target.arch;
    let from = unpacked.join(format!("usr/lib/{arch}-linux-gnu/wine/{arch}-windows"));
    let names = &assembly.data.guid;
    assembly.in_parallel(names, |name| {
        guids::make(
            assembly,
            &from.join(format!("lib{name}.a")),
            &assembly.lib().join(format!("{name}.lib")),
        )
    })
}
