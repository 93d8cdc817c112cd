//! The dynamic symbols and their versions. How many there are only the hash tables tell.

use std::collections::BTreeMap;

use object::elf;
use object::pod::{from_bytes, slice_from_bytes};
use object::read::elf::{FileHeader, Sym};
use object::{Endianness, U16, U32};

use super::dynamic::{self, Tables, string};
use super::{Elf, File, VersionNeed};
use crate::read::names::{Budget, Names};
use crate::read::text;

/// More versions than any library has.
const VERSIONS_MAX: u64 = 1 << 12;

/// `VERSYM_HIDDEN`: only those that ask for this version get it.
const HIDDEN: u16 = 0x8000;

/// The dynamic symbols of a file.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Names,
    /// Versions, and the libraries that they are asked of (empty for the file's own).
    versions: Vec<(String, String)>,
    /// In the order of names and versions.
    defined: Vec<Entry>,
    undefined: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    name: u32,
    /// One more than the place among the versions; zero for none.
    version: u16,
    is_weak: bool,
    /// Whether those that ask for no version get it.
    is_default: bool,
}

/// One dynamic symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version, say `GLIBC_2.17`.
    pub version: Option<&'a str>,
    /// The library that the version is asked of; empty for a defined one.
    pub library: &'a str,
    /// Whether the loader goes on without it.
    pub is_weak: bool,
    /// Whether those that ask for no version get it.
    pub is_default: bool,
}

impl Symbols {
    /// What the file offers.
    pub fn defined(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.defined.iter().map(|entry| self.symbol(entry))
    }

    /// What the file asks for.
    pub fn undefined(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.undefined.iter().map(|entry| self.symbol(entry))
    }

    /// Whether the file offers a symbol: by name alone, or in a version. A definition without a version serves all, as in the
    /// loader of glibc.
    pub fn offers(&self, name: &str, version: Option<&str>) -> bool {
        let start = self.defined.partition_point(|entry| self.names.get(entry.name) < name);
        let same = |entry: &&Entry| self.names.get(entry.name) == name;
        self.defined[start..].iter().take_while(same).any(|entry| {
            let own = self.symbol(entry).version;
            version.is_none() || own.is_none() || own == version
        })
    }

    /// How many the file offers and how many it asks for.
    pub fn counts(&self) -> (usize, usize) {
        (self.defined.len(), self.undefined.len())
    }

    fn symbol(&self, entry: &Entry) -> Symbol<'_> {
        let version = usize::from(entry.version).checked_sub(1);
        let version = version.and_then(|place| self.versions.get(place));
        Symbol {
            name: self.names.get(entry.name),
            version: version.map(|(version, _)| version.as_str()),
            library: version.map_or("", |(_, library)| library),
            is_weak: entry.is_weak,
            is_default: entry.is_default,
        }
    }
}

pub(super) fn read<Header: FileHeader<Endian = Endianness>>(
    file: &File<'_>,
    tables: &Tables,
    strings: &[u8],
    elf: &mut Elf,
) -> Result<(), String> {
    let endian = file.endian;
    // Versions by their number in the table of versions: one more than the place in `versions`.
    let mut places = BTreeMap::new();
    let mut symbols = Symbols::default();
    if let Some((address, count)) = tables.needs {
        needs(file, address, count, strings, elf, &mut |number, version, library| {
            symbols.versions.push((version, library));
            places.insert(number, symbols.versions.len() as u16);
        })?;
    }
    if let Some((address, count)) = tables.definitions {
        definitions(file, address, count, strings, &mut |number, version| {
            symbols.versions.push((version, String::new()));
            places.insert(number, symbols.versions.len() as u16);
        })?;
    }
    let count = count::<Header>(file, tables)?;
    if count == 0 {
        return Ok(());
    }
    let table = file.at(tables.symbols)?;
    let (table, _) = slice_from_bytes::<Header::Sym>(table, count).map_err(|()| "they are cut off".to_owned())?;
    let versions = tables.versions.map(|address| file.at(address)).transpose()?;
    let mut budget = Budget::new();
    for (index, symbol) in table.iter().enumerate().skip(1) {
        if symbol.st_bind() == elf::STB_LOCAL {
            continue;
        }
        let name = string(strings, symbol.st_name(endian).into())?;
        budget.spend(name)?;
        let number = match versions {
            Some(versions) => half(versions, 2 * index, endian)?,
            None => 1,
        };
        let entry = Entry {
            name: symbols.names.push(name),
            version: places.get(&(number & !HIDDEN)).copied().unwrap_or(0),
            is_weak: symbol.st_bind() == elf::STB_WEAK,
            is_default: number & HIDDEN == 0,
        };
        match symbol.st_shndx(endian) {
            elf::SHN_UNDEF => symbols.undefined.push(entry),
            _ => symbols.defined.push(entry),
        }
    }
    symbols.names.shrink();
    let names = &symbols.names;
    symbols.defined.sort_by(|a, b| names.get(a.name).cmp(names.get(b.name)));
    elf.symbols = symbols;
    Ok(())
}

/// One dynamic symbol as it stands in the table.
pub(super) struct Raw<'data> {
    pub name: &'data [u8],
    pub kind: elf::SymbolType,
    pub section: elf::SymbolSection,
    pub address: u64,
    pub size: u64,
}

/// The dynamic symbols in the order of the table, by which relocations name them.
pub(super) fn raw<'data>(file: &File<'data>, table: &[u8]) -> Result<Vec<Raw<'data>>, String> {
    type Header = elf::FileHeader64<Endianness>;
    let (tables, strings) = dynamic::leads::<Header>(file, table)?;
    let count = count::<Header>(file, &tables)?;
    let table = file.at(tables.symbols)?;
    let (table, _) = slice_from_bytes::<elf::Sym64<Endianness>>(table, count).map_err(|()| "they are cut off")?;
    let mut budget = Budget::new();
    let mut symbols = Vec::with_capacity(table.len());
    for symbol in table {
        let name = string(strings, symbol.st_name(file.endian).into())?;
        budget.spend(name)?;
        symbols.push(Raw {
            name,
            kind: symbol.st_type(),
            section: symbol.st_shndx(file.endian),
            address: symbol.st_value(file.endian),
            size: symbol.st_size(file.endian),
        });
    }
    Ok(symbols)
}

/// How many symbols there are: as many as chains in the old hash table, or up to the end of the last chain in the new one.
fn count<Header: FileHeader<Endian = Endianness>>(file: &File<'_>, tables: &Tables) -> Result<usize, String> {
    let endian = file.endian;
    if let Some(address) = tables.hash {
        return Ok(full(file.at(address)?, 4, endian)? as usize);
    }
    let Some(address) = tables.gnu_hash else {
        return Err("no hash table tells how many there are".to_owned());
    };
    let table = file.at(address)?;
    let (buckets, first) = (full(table, 0, endian)? as usize, full(table, 4, endian)? as usize);
    // The Bloom filter's words are as long as an address.
    let words = full(table, 8, endian)? as usize;
    let is_64 = matches!(file.data.get(4), Some(2));
    let start = 16 + words * if is_64 { 8 } else { 4 };
    let mut last = 0;
    for bucket in 0..buckets {
        last = last.max(full(table, start + 4 * bucket, endian)? as usize);
    }
    if last < first {
        // Nothing is offered. binutils then writes 1 for the first hashed symbol, whatever else there is.
        return Ok(before_the_next_table::<Header>(tables).max(first));
    }
    let chains = start + 4 * buckets;
    while full(table, chains + 4 * (last - first), endian)? & 1 == 0 {
        last += 1;
    }
    Ok(last + 1)
}

/// How many symbols fit between their table and the nearest one that follows it.
fn before_the_next_table<Header: FileHeader>(tables: &Tables) -> usize {
    let others = [
        Some(tables.strings),
        tables.versions,
        tables.gnu_hash,
        tables.definitions.map(|(address, _)| address),
        tables.needs.map(|(address, _)| address),
    ];
    let after = others.into_iter().flatten().filter(|address| *address > tables.symbols);
    let bytes = after.min().map_or(0, |next| next - tables.symbols);
    bytes as usize / size_of::<Header::Sym>()
}

/// Walks what is asked of libraries: their names, and a chain of versions for each.
fn needs(
    file: &File<'_>,
    address: u64,
    count: u64,
    strings: &[u8],
    elf: &mut Elf,
    add: &mut dyn FnMut(u16, String, String),
) -> Result<(), String> {
    let endian = file.endian;
    let mut at = address;
    for _ in 0..count.min(VERSIONS_MAX) {
        let (need, _) = from_bytes::<elf::Verneed<Endianness>>(file.at(at)?).map_err(|()| "a version is cut off")?;
        let library = text(string(strings, need.vn_file.get(endian).into())?);
        let mut entry = at.wrapping_add(need.vn_aux.get(endian).into());
        for _ in 0..need.vn_cnt.get(endian).min(VERSIONS_MAX as u16) {
            let (aux, _) =
                from_bytes::<elf::Vernaux<Endianness>>(file.at(entry)?).map_err(|()| "a version is cut off")?;
            let version = text(string(strings, aux.vna_name.get(endian).into())?);
            elf.version_needs.push(VersionNeed {
                library: library.clone(),
                version: version.clone(),
                is_weak: aux.vna_flags.get(endian).contains(elf::VER_FLG_WEAK),
            });
            if elf.version_needs.len() as u64 > VERSIONS_MAX {
                return Err(format!("more than {VERSIONS_MAX} versions"));
            }
            add(aux.vna_other.get(endian).0 & !HIDDEN, version, library.clone());
            entry = entry.wrapping_add(aux.vna_next.get(endian).into());
        }
        if need.vn_next.get(endian) == 0 {
            break;
        }
        at = at.wrapping_add(need.vn_next.get(endian).into());
    }
    Ok(())
}

/// Walks the versions that the file defines; the first name of each is its own.
fn definitions(
    file: &File<'_>,
    address: u64,
    count: u64,
    strings: &[u8],
    add: &mut dyn FnMut(u16, String),
) -> Result<(), String> {
    let endian = file.endian;
    let mut at = address;
    for _ in 0..count.min(VERSIONS_MAX) {
        let (def, _) = from_bytes::<elf::Verdef<Endianness>>(file.at(at)?).map_err(|()| "a version is cut off")?;
        let aux = file.at(at.wrapping_add(def.vd_aux.get(endian).into()))?;
        let (aux, _) = from_bytes::<elf::Verdaux<Endianness>>(aux).map_err(|()| "a version is cut off")?;
        let version = text(string(strings, aux.vda_name.get(endian).into())?);
        // The base definition is the library's own name and no version of a symbol.
        if !def.vd_flags.get(endian).contains(elf::VER_FLG_BASE) {
            add(def.vd_ndx.get(endian).0, version);
        }
        if def.vd_next.get(endian) == 0 {
            break;
        }
        at = at.wrapping_add(def.vd_next.get(endian).into());
    }
    Ok(())
}

fn full(data: &[u8], offset: usize, endian: Endianness) -> Result<u32, String> {
    let bytes = data.get(offset..).ok_or("a table is cut off")?;
    let (value, _) = from_bytes::<U32<Endianness>>(bytes).map_err(|()| "a table is cut off")?;
    Ok(value.get(endian))
}

fn half(data: &[u8], offset: usize, endian: Endianness) -> Result<u16, String> {
    let bytes = data.get(offset..).ok_or("the versions are cut off")?;
    let (value, _) = from_bytes::<U16<Endianness>>(bytes).map_err(|()| "the versions are cut off")?;
    Ok(value.get(endian))
}
