//! Compiles the start-up libraries exactly as `sysroot/crt/crt.toml` lists them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::compile::{archive, check, joined};
use super::{Assembly, SOURCES, imports};
use crate::Arch;

/// `crt.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    // Installed with the other headers.
    #[serde(rename = "headers")]
    _headers: Vec<String>,
    flags: Flags,
    library: Vec<Library>,
    object: Vec<Object>,
    import: Vec<Import>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Flags {
    c: Vec<String>,
    cxx: Vec<String>,
    asm: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    file: String,
    sources: Vec<String>,
    #[serde(default)]
    aarch64: Vec<String>,
    #[serde(default)]
    x86_64: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    file: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Import {
    file: String,
    definition: String,
}

/// Builds every library, loose object and import library of the list.
pub(super) fn build(assembly: &Assembly) -> Result<()> {
    let folder = Path::new(SOURCES).join("crt");
    let text = std::fs::read_to_string(folder.join("crt.toml")).context("crt.toml: cannot be read")?;
    let data: Data = toml_edit::de::from_str(&text).context("crt.toml")?;
    for library in &data.library {
        let own = match assembly.target.arch {
            Arch::Aarch64 => &library.aarch64,
            _ => &library.x86_64,
        };
        let sources: Vec<&String> = library.sources.iter().chain(own).collect();
        let stem = library.file.trim_end_matches(".lib");
        let object = |source: &str| object_path(assembly, stem, source);
        assembly.in_parallel(&sources, |source| {
            compile(assembly, &data.flags, source, &object(source))
        })?;
        let objects: Vec<PathBuf> = sources.iter().map(|source| object(source)).collect();
        archive(assembly, &assembly.lib().join(&library.file), &objects)?;
    }
    for object in &data.object {
        compile(
            assembly,
            &data.flags,
            &object.source,
            &assembly.lib().join(&object.file),
        )?;
    }
    for import in &data.import {
        imports::from_definition(
            assembly,
            &folder.join(&import.definition),
            &assembly.lib().join(&import.file),
        )?;
    }
    Ok(())
}

fn object_path(assembly: &Assembly, library: &str, source: &str) -> PathBuf {
    let name = source.trim_start_matches("src/").replace('/', "_");
    assembly.into.join("obj").join(library).join(format!("{name}.obj"))
}

fn compile(assembly: &Assembly, flags: &Flags, source: &str, object: &Path) -> Result<()> {
    if let Some(parent) = object.parent() {
        store::tree::create_dir(parent)?;
    }
    let path = Path::new(SOURCES).join("crt").join(source);
    let mut command = if source.ends_with(".S") {
        let mut command = assembly.zig("clang");
        command
            .arg(format!("--target={}", assembly.target.triple))
            .args(&flags.asm);
        command.arg("-c").arg(&path).arg("-o").arg(object);
        command
    } else {
        let cxx = source.ends_with(".cpp");
        let mut command = assembly.clang_cl(cxx);
        command.args(if cxx { &flags.cxx } else { &flags.c });
        command.arg(format!("/clang:-ffile-prefix-map={SOURCES}=/windlass/sysroot"));
        // A path such as `/work/x.c` would otherwise be read as the option `/w`.
        command.arg("/c").arg(joined("/Fo", object)).arg("--").arg(&path);
        command
    };
    check(&mut command, source)
}
