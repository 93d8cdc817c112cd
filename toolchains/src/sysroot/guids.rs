//! Libraries of GUIDs, as Microsoft's are: one COMDAT for each, so that a source which defines the same GUID itself
//! (`INITGUID`, `__declspec(selectany)`) does not collide with the library.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, SectionIndex};

use super::Assembly;
use super::compile::{archive, check};

/// The size of a GUID in bytes (RFC 9562, section 4).
const SIZE: usize = 16;

/// Makes `library` of the GUIDs in `source`, an archive of objects.
pub(super) fn make(assembly: &Assembly, source: &Path, library: &Path) -> Result<()> {
    let guids = read(source).with_context(|| format!("{}: GUIDs cannot be read", source.display()))?;
    ensure!(!guids.is_empty(), "{}: holds no GUID", source.display());
    let text = assembly
        .into
        .join("obj")
        .join(library.file_name().unwrap_or_default())
        .with_extension("S");
    store::tree::write_atomic(&text, render(&guids).as_bytes())?;
    let object = text.with_extension("obj");
    let mut command = assembly.zig("clang");
    command
        .arg(format!("--target={}", assembly.target.triple))
        .arg("-c")
        .arg(&text)
        .arg("-o")
        .arg(&object);
    check(&mut command, &text.display().to_string())?;
    archive(assembly, library, &[object])
}

/// Name and bytes of every GUID, sorted by name. Structures that refer to something else are no GUIDs.
fn read(source: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let bytes = std::fs::read(source)?;
    let mut guids = BTreeMap::new();
    for member in ArchiveFile::parse(&*bytes)?.members() {
        let data = member?.data(&*bytes)?;
        let file = object::File::parse(data)?;
        for symbol in file
            .symbols()
            .filter(|symbol| symbol.is_global() && symbol.is_definition())
        {
            let Some(index) = symbol.section_index() else { continue };
            if let Some(guid) = guid_at(&file, index, symbol.address())? {
                guids.insert(symbol.name()?.to_owned(), guid);
            }
        }
    }
    Ok(guids)
}

fn guid_at(file: &object::File, index: SectionIndex, address: u64) -> Result<Option<Vec<u8>>> {
    let section = file.section_by_index(index)?;
    if !section.name()?.starts_with(".rdata") || section.relocations().next().is_some() {
        return Ok(None);
    }
    let start = usize::try_from(address - section.address()).map_err(|_| anyhow!("symbol outside its section"))?;
    Ok(section.data()?.get(start..start + SIZE).map(<[u8]>::to_vec))
}

fn render(guids: &BTreeMap<String, Vec<u8>>) -> String {
    let mut text = String::new();
    for (name, bytes) in guids {
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            ".section .rdata${name},\"dr\",discard,\"{name}\"\n.globl \"{name}\"\n.p2align 2\n\"{name}\":\n.byte {}",
            list.join(",")
        );
    }
    text
}
