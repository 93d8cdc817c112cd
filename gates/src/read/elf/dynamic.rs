//! The dynamic table: what is needed, where it is searched for, and where the loader's other tables are.

use object::Endianness;
use object::elf;
use object::pod::slice_from_all_bytes;
use object::read::elf::{Dyn, FileHeader};

use super::{Elf, File, symbols};
use crate::read::text;

/// Addresses and sizes that the dynamic table tells.
#[derive(Default)]
pub(super) struct Tables {
    pub strings: u64,
    pub strings_size: u64,
    pub symbols: u64,
    pub hash: Option<u64>,
    pub gnu_hash: Option<u64>,
    pub versions: Option<u64>,
    pub definitions: Option<(u64, u64)>,
    pub needs: Option<(u64, u64)>,
}

pub(super) fn read<Header: FileHeader<Endian = Endianness>>(file: &File<'_>, table: &[u8], elf: &mut Elf) {
    let size = size_of::<Header::Dyn>();
    let whole = &table[..table.len() / size * size];
    let Ok(entries) = slice_from_all_bytes::<Header::Dyn>(whole) else {
        return elf.trouble.push("dynamic table: it is cut off".to_owned());
    };
    let endian = file.endian;
    let end = entries.iter().position(|entry| entry.tag(endian) == elf::DT_NULL);
    let Some(end) = end else {
        return elf.trouble.push("dynamic table: it has no end".to_owned());
    };
    let entries = &entries[..end];
    let tables = tables::<Header>(entries, endian, elf);
    let strings = match strings(file, &tables) {
        Ok(strings) => strings,
        Err(why) => return elf.trouble.push(format!("dynamic strings: {why}")),
    };
    for entry in entries {
        names::<Header>(entry, endian, strings, elf);
    }
    if let Err(why) = symbols::read::<Header>(file, &tables, strings, elf) {
        elf.trouble.push(format!("dynamic symbols: {why}"));
    }
}

/// The tables that a dynamic table leads to, and the strings, for who needs no more of them.
pub(super) fn leads<'data, Header: FileHeader<Endian = Endianness>>(
    file: &File<'data>,
    table: &[u8],
) -> Result<(Tables, &'data [u8]), String> {
    let whole = &table[..table.len() / size_of::<Header::Dyn>() * size_of::<Header::Dyn>()];
    let entries = slice_from_all_bytes::<Header::Dyn>(whole).map_err(|()| "it is cut off".to_owned())?;
    let is_last = |entry: &Header::Dyn| entry.tag(file.endian) == elf::DT_NULL;
    let end = entries.iter().position(is_last).unwrap_or(entries.len());
    let tables = tables::<Header>(&entries[..end], file.endian, &mut Elf::default());
    let strings = strings(file, &tables)?;
    Ok((tables, strings))
}

/// Takes the addresses and the flags out of the table.
fn tables<Header: FileHeader<Endian = Endianness>>(
    entries: &[Header::Dyn],
    endian: Endianness,
    elf: &mut Elf,
) -> Tables {
    let mut tables = Tables::default();
    let (mut definitions, mut needs) = ((None, 0), (None, 0));
    for entry in entries {
        let value = entry.val(endian);
        match entry.tag(endian) {
            elf::DT_STRTAB => tables.strings = value,
            elf::DT_STRSZ => tables.strings_size = value,
            elf::DT_SYMTAB => tables.symbols = value,
            elf::DT_HASH => tables.hash = Some(value),
            elf::DT_GNU_HASH => tables.gnu_hash = Some(value),
            elf::DT_VERSYM => tables.versions = Some(value),
            elf::DT_VERDEF => definitions.0 = Some(value),
            elf::DT_VERDEFNUM => definitions.1 = value,
            elf::DT_VERNEED => needs.0 = Some(value),
            elf::DT_VERNEEDNUM => needs.1 = value,
            elf::DT_TEXTREL => elf.hardening.text_relocations = true,
            elf::DT_BIND_NOW => elf.hardening.bind_now = true,
            elf::DT_FLAGS => {
                let has = |flag: elf::DynamicFlags| value & flag.0 != 0;
                elf.hardening.text_relocations |= has(elf::DF_TEXTREL);
                elf.hardening.bind_now |= has(elf::DF_BIND_NOW);
                elf.hardening.static_tls |= has(elf::DF_STATIC_TLS);
            }
            elf::DT_FLAGS_1 => {
                elf.hardening.bind_now |= value & elf::DF_1_NOW.0 != 0;
                elf.hardening.is_pie |= value & elf::DF_1_PIE.0 != 0;
            }
            _ => {}
        }
    }
    tables.definitions = definitions.0.map(|address| (address, definitions.1));
    tables.needs = needs.0.map(|address| (address, needs.1));
    tables
}

fn strings<'data>(file: &File<'data>, tables: &Tables) -> Result<&'data [u8], String> {
    let strings = file.at(tables.strings)?;
    usize::try_from(tables.strings_size)
        .ok()
        .and_then(|size| strings.get(..size))
        .ok_or_else(|| "they are cut off".to_owned())
}

/// Takes the names out of one entry.
fn names<Header: FileHeader<Endian = Endianness>>(
    entry: &Header::Dyn,
    endian: Endianness,
    strings: &[u8],
    elf: &mut Elf,
) {
    let tag = entry.tag(endian);
    let names = [elf::DT_NEEDED, elf::DT_SONAME, elf::DT_RPATH, elf::DT_RUNPATH];
    if !names.contains(&tag) {
        return;
    }
    let name = match string(strings, entry.val(endian)) {
        Ok(name) => text(name),
        Err(why) => return elf.trouble.push(format!("dynamic table: {why}")),
    };
    let folders = |name: &str| name.split(':').map(str::to_owned).collect::<Vec<_>>();
    match tag {
        elf::DT_NEEDED => elf.needed.push(name),
        elf::DT_SONAME => elf.soname = Some(name),
        elf::DT_RPATH => elf.rpath.extend(folders(&name)),
        _ => elf.runpath.extend(folders(&name)),
    }
}

/// The string at an offset of the string table.
pub(super) fn string(strings: &[u8], offset: u64) -> Result<&[u8], String> {
    let rest = usize::try_from(offset).ok().and_then(|offset| strings.get(offset..));
    let rest = rest.ok_or_else(|| format!("a name at {offset:#x} lies outside of the strings"))?;
    match memchr::memchr(0, rest) {
        Some(end) => Ok(&rest[..end]),
        None => Err(format!("the name at {offset:#x} has no end")),
    }
}
