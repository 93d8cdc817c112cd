//! What the upstream's backend made: whether it is one wheel, for the target, and silent about the machine that built it.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use gates::wheel::Name;
use kit::Os;
use memchr::memmem::Finder;
use store::tree;
use wheels::{Python, Wheel};

/// The one wheel in the folder that the backend was given.
pub fn wheel(folder: &Path, python: &Python) -> Result<Wheel> {
    let files: Vec<String> = tree::list(folder)?.into_iter().map(|entry| entry.path).collect();
    let [file] = &files[..] else {
        bail!("the backend made {}, wanted one wheel", files.join(", "));
    };
    let mut wheel = Wheel::open(&folder.join(file))?;
    if let Some(fault) = wheel.faults().first() {
        bail!("{file}: `{}` {}", fault.path, fault.what);
    }
    tag(&mut wheel, python)?;
    check_suffixes(&wheel, python)?;
    Ok(wheel)
}

/// Backends that know nothing of manylinux name the machine alone. Which glibc it is for, the toolchain decided.
fn tag(wheel: &mut Wheel, python: &Python) -> Result<()> {
    let Name {
        pythons,
        abis,
        platforms,
        ..
    } = &wheel.name;
    if *platforms == [python.sysconfig_platform().replace('-', "_")] {
        let tag = format!("{}-{}-{}", pythons.join("."), abis.join("."), python.platform());
        wheel.retag(&tag)?;
    }
    ensure!(
        python.rank(&wheel.name).is_some() && (wheel.name.is_any() || wheel.name.platforms == [python.platform()]),
        "{}: is not for {}, wanted a tag like {}",
        wheel.file(),
        python.target().triple,
        python.tags().first().map_or("", String::as_str)
    );
    Ok(())
}

/// Every module has the name under which the target's Python looks for it.
fn check_suffixes(wheel: &Wheel, python: &Python) -> Result<()> {
    let suffixes = [python.ext_suffix(), python.stable_suffix().to_owned()];
    let foreign = wheel.members().keys().find(|path| {
        let is_module = path.ends_with(".pyd") || (path.ends_with(".so") && python.target().os == Os::Linux);
        is_module && !suffixes.iter().any(|suffix| path.ends_with(suffix.as_str()))
    });
    match foreign {
        None => Ok(()),
        Some(path) => bail!(
            "{}: `{path}` has the suffix of another Python, wanted {}",
            wheel.file(),
            python.ext_suffix()
        ),
    }
}

/// What was built must not name where: a wheel is compressed, and whoever searches finished prefixes does not see into it.
pub fn knows_no_folder(wheel: &Wheel, folders: &[&Path]) -> Result<()> {
    for folder in folders {
        let text = folder.display().to_string();
        let finder = Finder::new(text.as_bytes());
        let mut members = wheel.members().iter();
        if let Some((path, _)) = members.find(|(_, member)| finder.find(&member.bytes).is_some()) {
            bail!("{}: `{path}` names {text}, where it was built", wheel.file());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kit::Target;
    use wheels::{Abi, Assembly, Member, Project};

    use super::*;

    fn python(triple: &str) -> Python {
        Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap()
    }

    const RISCV64: &str = "riscv64gc-unknown-linux-gnu";

    /// A wheel for `triple` with one module, as a backend leaves it in a folder, under another tag.
    fn made(triple: &str, tag: &str, module: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("LICENSE"), "MIT").unwrap();
        let text = "[project]\nname = 'pkg'\nversion = '1'\nlicense = 'MIT'\n";
        let project = Project::parse(text.as_bytes()).unwrap();
        let mut wheel = Assembly::new(&python(triple), &project, dir.path(), Abi::Pure)
            .finish()
            .unwrap();
        wheel
            .add(module, Member::plain(b"built in /made/source/m.c".to_vec()))
            .unwrap();
        wheel.retag(tag).unwrap();
        let into = tempfile::tempdir().unwrap();
        std::fs::write(into.path().join(wheel.file()), wheel.write().unwrap()).unwrap();
        into
    }

    /// One for riscv64, under the tag of the machine alone.
    fn of_a_machine() -> tempfile::TempDir {
        made(
            RISCV64,
            "cp313-cp313-linux_riscv64",
            "pkg/m.cpython-313-riscv64-linux-gnu.so",
        )
    }

    #[test]
    fn a_machine_alone_becomes_the_platform_of_the_target() {
        let folder = of_a_machine();
        let wheel = wheel(folder.path(), &python(RISCV64)).unwrap();
        assert_eq!(wheel.file(), "pkg-1-cp313-cp313-manylinux_2_41_riscv64.whl");
        assert_eq!(
            wheel.wheel().unwrap().first("Tag"),
            Some("cp313-cp313-manylinux_2_41_riscv64")
        );
    }

    #[test]
    fn what_is_of_another_machine_or_python_is_refused() {
        let triple = "aarch64-unknown-linux-gnu";
        let error = |tag: &str, module: &str| {
            let folder = made(triple, tag, module);
            wheel(folder.path(), &python(triple)).unwrap_err().to_string()
        };
        let text = error("cp313-cp313-linux_x86_64", "pkg/m.cpython-313-aarch64-linux-gnu.so");
        assert!(
            text.contains("is not for aarch64-unknown-linux-gnu, wanted a tag like cp313-cp313-manylinux_"),
            "{text}"
        );
        let text = error("cp311-cp311-linux_aarch64", "pkg/m.cpython-313-aarch64-linux-gnu.so");
        assert!(text.contains("is not for aarch64-unknown-linux-gnu"), "{text}");
        let text = error("cp313-cp313-linux_aarch64", "pkg/m.cpython-313-x86_64-linux-gnu.so");
        assert!(
            text.contains("`pkg/m.cpython-313-x86_64-linux-gnu.so` has the suffix of another Python"),
            "{text}"
        );
    }

    #[test]
    fn a_folder_of_the_build_in_any_member_is_a_fault() {
        let folder = of_a_machine();
        let wheel = wheel(folder.path(), &python(RISCV64)).unwrap();
        assert!(knows_no_folder(&wheel, &[Path::new("/made/build")]).is_ok());
        let error = knows_no_folder(&wheel, &[Path::new("/made/build"), Path::new("/made/source")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "pkg-1-cp313-cp313-manylinux_2_41_riscv64.whl: `pkg/m.cpython-313-riscv64-linux-gnu.so` names /made/source, where it was built"
        );
    }
}
