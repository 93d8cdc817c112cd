//! Headers of the system root: Wine's, which are written for the MSVC ABI, under our overlay that fills their gaps.
//! clang's own headers and libc++'s stay in the compiler's package.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use store::archive::{Unpack, unpack};
use store::tree;

use super::{Assembly, Edit, SOURCES, guids};

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
    for edit in &assembly.data.edit {
        apply(edit, &include)?;
    }
    for (header, names) in &assembly.data.forward {
        for name in names {
            forward(&include.join("windows").join(name), header)?;
        }
    }
    tree::copy(&Path::new(SOURCES).join("overlay"), &include.join("overlay"))?;
    tree::copy(&Path::new(SOURCES).join("crt/include"), &include.join("crt"))?;
    guid_libraries(assembly, &unpacked)
}

/// Makes one edit. The text that it looks for must be there as often as it says: the list was written for one release of the package.
fn apply(edit: &Edit, include: &Path) -> Result<()> {
    let path = include.join(&edit.header);
    let text = fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let found = text.matches(&edit.find).count();
    ensure!(
        found == edit.times,
        "{}: found what sysroot.toml edits {found} times, wanted {}:\n{}",
        path.display(),
        edit.times,
        edit.find.trim_end()
    );
    tree::write_atomic(&path, text.replace(&edit.find, &edit.replace).as_bytes())
}

/// Makes a header that is the name of another.
fn forward(path: &Path, header: &str) -> Result<()> {
    ensure!(
        !path.exists(),
        "{}: sysroot.toml makes this header, but the package has it",
        path.display()
    );
    tree::write_atomic(path, format!("#pragma once\n#include <{header}>\n").as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(find: &str, times: usize) -> Edit {
        let text = format!("header = 'x.h'\nwhy = ''\nfind = '{find}'\ntimes = {times}\nreplace = 'long'\n");
        toml_edit::de::from_str(&text).unwrap()
    }

    #[test]
    fn an_edit_is_made_only_where_it_was_meant() {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("x.h");
        fs::write(&header, "int a; int b;\n").unwrap();
        for (find, times, found) in [("int", 1, 2), ("short", 1, 0), ("int", 3, 2)] {
            let error = apply(&edit(find, times), folder.path()).unwrap_err().to_string();
            assert!(
                error.contains(&format!("found what sysroot.toml edits {found} times, wanted {times}")),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&header).unwrap(), "int a; int b;\n");
        }
        apply(&edit("int", 2), folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&header).unwrap(), "long a; long b;\n");
    }

    #[test]
    fn a_header_that_the_package_has_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heapapi.h");
        forward(&path, "windows.h").unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "#pragma once\n#include <windows.h>\n"
        );
        let error = forward(&path, "windows.h").unwrap_err().to_string();
        assert!(error.contains("the package has it"), "{error}");
    }
}
