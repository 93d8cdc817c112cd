//! Where the code of an ELF file is and where its functions begin: symbols, the index of unwinding, what relocations say is an
//! address, the start address. Section headers are looked at for one thing alone, the names of functions that the dynamic symbols
//! do not have; without them fewer functions have a name and all are found.

use std::collections::BTreeMap;

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, Sym};

use super::{File, load, symbols};
use crate::code::{Measure, layout::Layout};
use crate::read::names::Budget;
use crate::read::text;

type Header = FileHeader64<Endianness>;

/// The entries of the dynamic table, by their tag; of several the last.
type Dynamic = BTreeMap<u64, u64>;

/// Tags of the dynamic table that lead to relocations.
const RELATIVE_TABLES: [(i64, i64); 2] = [(7, 8), (23, 2)];
const DT_RELR: u64 = 36;
const DT_RELRSZ: u64 = 35;

/// The layout of a file's code; absent for 32-bit and big-endian files and for what cannot be read.
pub(crate) fn code<'data>(data: &'data [u8], measure: &Measure) -> Option<Layout<'data>> {
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok().filter(|endian| *endian == Endianness::Little)?;
    let headers = header.program_headers(endian, data).ok()?;
    let file = File {
        data,
        endian,
        loads: headers.iter().filter_map(|header| load(header, endian)).collect(),
    };
    // Linkers put constants into the segment of the code, unless they were told to part them.
    let mut layout = Layout::default();
    layout.is_mixed = true;
    for header in headers {
        let is_code = header.p_type(endian) == elf::PT_LOAD && header.p_flags(endian).contains(elf::PF_X);
        if let Some(bytes) = header.data(endian, data).ok().filter(|_| is_code) {
            layout.add_region(header.p_vaddr(endian), bytes, data.len());
        }
    }
    for header in headers {
        match header.p_type(endian) {
            elf::PT_DYNAMIC => {
                let table = header.data(endian, data).unwrap_or_default();
                dynamic(&file, table, measure, &mut layout);
            }
            elf::PT_GNU_EH_FRAME => unwinding(&file, header.p_vaddr(endian), &mut layout),
            _ => {}
        }
    }
    static_symbols(header, data, measure, &mut layout);
    layout.add_entry(header.e_entry(endian));
    Some(layout)
}

fn dynamic(file: &File<'_>, table: &[u8], measure: &Measure, layout: &mut Layout<'_>) {
    let entries = table.chunks_exact(16).map(|entry| (quad(entry, 0), quad(entry, 8)));
    let dynamic: Dynamic = entries.take_while(|(tag, _)| *tag != 0).collect();
    let symbols = symbols::raw(file, table).unwrap_or_default();
    for symbol in &symbols {
        let is_here = symbol.section != elf::SHN_UNDEF;
        let is_function = matches!(symbol.kind, elf::STT_FUNC | elf::STT_GNU_IFUNC);
        if is_here && is_function {
            add_function(layout, symbol.address, symbol.size, symbol.name);
            if layout.code(symbol.address).is_some() {
                layout.roots.insert(symbol.address, text(symbol.name));
            }
        }
        if is_here && measure.is_check(symbol.name) {
            layout.checks.insert(symbol.address);
        }
    }
    let mut slot = |place: u64, symbol: usize| {
        if symbols.get(symbol).is_some_and(|symbol| measure.is_check(symbol.name)) {
            layout.checks.insert(place);
        }
    };
    let mut pointed = Vec::new();
    for (tag, size) in RELATIVE_TABLES {
        let (Some(address), Some(size)) = (dynamic.get(&(tag as u64)), dynamic.get(&(size as u64))) else {
            continue;
        };
        let bytes = file.at(*address).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(*size as usize)];
        for entry in bytes.chunks_exact(24) {
            let (place, info, addend) = (quad(entry, 0), quad(entry, 8), quad(entry, 16));
            match (info >> 32) as usize {
                0 => pointed.push(addend),
                symbol => slot(place, symbol),
            }
        }
    }
    layout.pointed.extend(pointed);
    if let (Some(address), Some(size)) = (dynamic.get(&DT_RELR), dynamic.get(&DT_RELRSZ)) {
        let bytes = file.at(*address).unwrap_or_default();
        relative(file, &bytes[..bytes.len().min(*size as usize)], layout);
    }
}

/// Relative relocations in their short form: an address, then words whose bits say which of the 63 places after it are meant.
fn relative(file: &File<'_>, table: &[u8], layout: &mut Layout<'_>) {
    let mut next = 0_u64;
    let mut take = |place: u64| {
        let bytes = file.at(place).unwrap_or_default();
        layout.pointed.insert(quad(bytes, 0));
    };
    for entry in table.chunks_exact(8) {
        let entry = quad(entry, 0);
        if entry & 1 == 0 {
            take(entry);
            next = entry.wrapping_add(8);
            continue;
        }
        for bit in 1..64_u64 {
            if entry >> bit & 1 == 1 {
                take(next.wrapping_add(8 * (bit - 1)));
            }
        }
        next = next.wrapping_add(8 * 63);
    }
}

/// The functions of `.eh_frame_hdr`, in the one form that linkers write: counts of four bytes, addresses relative to the header. The
/// length stands in the record that an entry leads to, where that has the common form too.
fn unwinding(file: &File<'_>, address: u64, layout: &mut Layout<'_>) {
    let header = file.at(address).unwrap_or_default();
    if !header.starts_with(&[1, 0x1b, 3, 0x3b]) {
        return;
    }
    let count = dword(header, 8) as usize;
    let table = header.get(12..).unwrap_or_default();
    let there = |from: u64, offset: u32| from.wrapping_add_signed(i64::from(offset as i32));
    for entry in table.chunks_exact(8).take(count) {
        let (start, record) = (there(address, dword(entry, 0)), there(address, dword(entry, 4)));
        let bytes = file.at(record).unwrap_or_default();
        let is_common = bytes.len() >= 16 && there(record.wrapping_add(8), dword(bytes, 8)) == start;
        let end = is_common.then(|| start.saturating_add(dword(bytes, 12).into()));
        layout.add_start(start, end);
    }
}

/// The names of functions in the table for debuggers.
fn static_symbols(header: &Header, data: &[u8], measure: &Measure, layout: &mut Layout<'_>) {
    let endian = Endianness::Little;
    let symbols = header
        .sections(endian, data)
        .and_then(|sections| sections.symbols(endian, data, elf::SHT_SYMTAB));
    let Ok(symbols) = symbols else { return };
    let mut budget = Budget::new();
    for symbol in symbols.iter() {
        let name = symbol.name(endian, symbols.strings()).unwrap_or_default();
        if budget.spend(name).is_err() {
            return;
        }
        if symbol.st_type() == elf::STT_FUNC && symbol.st_shndx(endian) != elf::SHN_UNDEF {
            add_function(layout, symbol.st_value(endian), symbol.st_size(endian), name);
        }
        if measure.is_check(name) && symbol.st_value(endian) != 0 {
            layout.checks.insert(symbol.st_value(endian));
        }
    }
}

fn add_function(layout: &mut Layout<'_>, start: u64, size: u64, name: &[u8]) {
    if layout.code(start).is_some() {
        layout.add_start(start, (size != 0).then(|| start.saturating_add(size)));
        layout.names.entry(start).or_insert_with(|| text(name));
    }
}

/// The little-endian 32 bits at an offset; zero beyond the end.
fn dword(data: &[u8], offset: usize) -> u32 {
    quad(data, offset) as u32
}

/// The little-endian 64 bits at an offset; what is beyond the end is zero.
fn quad(data: &[u8], offset: usize) -> u64 {
    let bytes = data.get(offset..).unwrap_or_default();
    bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}
