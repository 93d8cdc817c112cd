//! Import libraries, made from the tables of what real Windows exports; what only an emulator offers cannot be linked.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use gates::windows::{Dll, Export, Exports, Family};
use store::tree;

use super::compile::{check, joined};
use super::{Assembly, Import};
use crate::Arch;

/// Makes one library for every system DLL, and those that `sysroot.toml` names.
pub(super) fn make(assembly: &Assembly) -> Result<()> {
    tree::create_dir(&assembly.into.join("obj/def"))?;
    let exports = exports(assembly.target.arch);
    let dlls: Vec<&Dll> = exports
        .dlls()
        .filter(|dll| dll.family() == Family::System && dll.name().ends_with(".dll"))
        .filter(|dll| named(dll).next().is_some())
        .collect();
    assembly.in_parallel(&dlls, |dll| {
        let stem = dll.name().trim_end_matches(".dll");
        from_dll(assembly, dll, &|_| true, &assembly.lib().join(format!("{stem}.lib")))
    })?;
    for import in &assembly.data.import {
        from_list(assembly, exports, import)?;
    }
    Ok(())
}

fn exports(arch: Arch) -> &'static Exports {
    Exports::of(match arch {
        Arch::Aarch64 => gates::Arch::Aarch64,
        Arch::X86_64 => gates::Arch::X86_64,
        Arch::Riscv64 => gates::Arch::Riscv64,
    })
}

fn named(dll: &Dll) -> impl Iterator<Item = (&'static str, &Export)> {
    dll.exports()
        .iter()
        .filter_map(|export| export.name.map(|name| (name, export)))
}

/// One library that binds to several DLLs: a library each, then all members in one.
fn from_list(assembly: &Assembly, exports: &Exports, import: &Import) -> Result<()> {
    let mut parts: Vec<PathBuf> = Vec::new();
    let prefix = import.only.as_deref().unwrap_or_default().trim_end_matches('*');
    let wanted = |name: &str| name.starts_with(prefix) && !import.but.iter().any(|but| but == name);
    for name in &import.dlls {
        // A DLL may be there for one architecture alone.
        let Some(dll) = exports.dll(name) else { continue };
        let part = assembly
            .into
            .join("obj/def")
            .join(format!("{}.{name}.lib", import.file));
        from_dll(assembly, dll, &wanted, &part)?;
        parts.push(part);
    }
    ensure!(
        !parts.is_empty(),
        "{}: none of its DLLs is in the tables of Windows' exports",
        import.file
    );
    let mut command = assembly.zig("lib");
    command
        .arg("/nologo")
        .arg(joined("/out:", &assembly.lib().join(&import.file)))
        .args(&parts);
    check(&mut command, &import.file)
}

fn from_dll(assembly: &Assembly, dll: &Dll, wanted: &dyn Fn(&str) -> bool, library: &Path) -> Result<()> {
    use std::fmt::Write;
    let mut text = format!("LIBRARY \"{}\"\nEXPORTS\n", dll.name());
    for (name, export) in named(dll).filter(|(name, _)| wanted(name)) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    \"{name}\"{}", if export.data { " DATA" } else { "" });
    }
    let file = library.file_name().unwrap_or_default().to_string_lossy();
    let definition = assembly.into.join("obj/def").join(format!("{file}.def"));
    std::fs::write(&definition, text).with_context(|| format!("{}: cannot be written", definition.display()))?;
    from_definition(assembly, &definition, library)
}

/// Makes an import library of a module-definition file.
pub(super) fn from_definition(assembly: &Assembly, definition: &Path, library: &Path) -> Result<()> {
    let machine = assembly
        .target
        .coff_machine
        .as_deref()
        .context("target has no COFF machine")?;
    let mut command = assembly.zig("dlltool");
    command
        .args(["-m", machine, "-d"])
        .arg(definition)
        .arg("-l")
        .arg(library);
    check(&mut command, &definition.display().to_string())
}
