//! Where the code of a PE file is and where its functions begin: the table of unwinding, the exports, the start address, and what
//! the relocations say is an address. Addresses count from the image's beginning. What the loader changes in an ARM64X file for
//! emulated programs, its other exports and its other start address among it, is not applied.

use object::LittleEndian as LE;
use object::pe::{self, ImageNtHeaders64, ImageSectionHeader};
use object::read::pe::PeFile;

use super::super::{Machine, names::Budget, word};
use super::image::Image;
use super::parts::{self, Hybrid};
use crate::Arch;
use crate::code::{Measure, layout::Layout};

/// The layouts of a file's code by architecture: one, or two of hybrid code. Empty for 32-bit files and for what cannot be read.
pub(crate) fn code<'data>(data: &'data [u8], machine: Machine, measure: &Measure) -> Vec<(Arch, Layout<'data>)> {
    let file = PeFile::<ImageNtHeaders64>::parse(data);
    let (Ok(file), Some(arch)) = (file, machine.arch()) else {
        return Vec::new();
    };
    let image = Image::new(&file);
    let mut layouts = match parts::hybrid(&image) {
        Some(hybrid) => hybrids(&image, &hybrid, data.len()),
        None => vec![(arch, whole(&image, data.len()))],
    };
    let entry = file.nt_headers().optional_header.address_of_entry_point.get(LE);
    // The table of unwinding has the form of the header's machine, as a processor of that kind reads it.
    let header = Machine::of_pe(file.nt_headers().file_header.machine.get(LE).0);
    for (arch, layout) in &mut layouts {
        if header.arch() == Some(*arch) {
            unwinding(
                &image,
                directory(&image, pe::IMAGE_DIRECTORY_ENTRY_EXCEPTION),
                *arch,
                layout,
            );
        }
        exports(&image, measure, layout);
        slots(&image, measure, layout);
        relocated(&image, layout);
        if layout.code(entry.into()).is_some() {
            layout.add_entry(entry.into());
        }
    }
    layouts
}

/// All sections that can be run.
fn whole<'data>(image: &Image<'data>, file_bytes: usize) -> Layout<'data> {
    let mut layout = Layout::default();
    let is_code = |section: &&ImageSectionHeader| {
        let characteristics = section.characteristics.get(LE);
        characteristics.contains(pe::IMAGE_SCN_MEM_EXECUTE)
    };
    for section in image.sections.iter().filter(is_code) {
        let address = section.virtual_address.get(LE);
        if let Ok(bytes) = image.at(address) {
            layout.add_region(address.into(), bytes, file_bytes);
        }
    }
    layout
}

/// The parts of hybrid code for ARM, of either kind, and those for x64. Each begins with a function.
fn hybrids<'data>(image: &Image<'data>, hybrid: &Hybrid<'_>, file_bytes: usize) -> Vec<(Arch, Layout<'data>)> {
    let (mut arm, mut x64) = (Layout::default(), Layout::default());
    for range in &hybrid.ranges {
        let layout = if range.is_x64 { &mut x64 } else { &mut arm };
        let bytes = image.at(range.start).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(range.size as usize)];
        layout.add_region(range.start.into(), bytes, file_bytes);
        layout.add_start(range.start.into(), None);
    }
    unwinding(image, hybrid.unwinding, Arch::Aarch64, &mut arm);
    let entries = hybrid.entries.chunks_exact(12);
    let entries = entries.flat_map(|entry| [dword(entry, 0), dword(entry, 8)]);
    let redirected = hybrid.redirections.chunks_exact(4).map(|address| dword(address, 0));
    for start in entries.chain(redirected) {
        arm.add_start(start.into(), None);
        x64.add_start(start.into(), None);
    }
    let both = [(Arch::Aarch64, arm), (Arch::X86_64, x64)];
    both.into_iter()
        .filter(|(_, layout)| !layout.starts.is_empty())
        .collect()
}

/// The functions of a table of unwinding. On ARM an entry holds the length, or leads to a record that does, in words.
fn unwinding(image: &Image<'_>, table: &[u8], arch: Arch, layout: &mut Layout<'_>) {
    if arch == Arch::X86_64 {
        for entry in table.chunks_exact(12) {
            layout.add_start(dword(entry, 0).into(), Some(dword(entry, 4).into()));
        }
        return;
    }
    for entry in table.chunks_exact(8) {
        let (start, data) = (dword(entry, 0), dword(entry, 4));
        let words = match data & 3 {
            0 => image.at(data).ok().map(|record| dword(record, 0) & 0x3_ffff),
            _ => Some(data >> 2 & 0x7ff),
        };
        let end = words.map(|words| u64::from(start) + 4 * u64::from(words));
        layout.add_start(start.into(), end);
    }
}

fn exports(image: &Image<'_>, measure: &Measure, layout: &mut Layout<'_>) {
    let Some((address, _)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_EXPORT) else {
        return;
    };
    let Ok(table) = image.at(address) else { return };
    let list = |offset: usize| image.at(dword(table, offset)).unwrap_or_default();
    let (addresses, names, places) = (list(28), list(32), list(36));
    let (count, named) = (dword(table, 20) as usize, dword(table, 24) as usize);
    for (place, address) in addresses.chunks_exact(4).take(count).enumerate() {
        let address = dword(address, 0).into();
        if layout.code(address).is_some() {
            layout.roots.insert(address, format!("ordinal {place}"));
            layout.add_start(address, None);
        }
    }
    let mut budget = Budget::new();
    for (name, place) in names.chunks_exact(4).zip(places.chunks_exact(2)).take(named) {
        let at = 4 * usize::from(word(place, 0));
        let address: u64 = dword(addresses, at).into();
        let (Ok(name), Some(_)) = (image.name(dword(name, 0)), layout.roots.get(&address)) else {
            continue;
        };
        if budget.spend(name).is_err() {
            return;
        }
        if measure.is_check(name) {
            layout.checks.insert(address);
        }
        let name = super::super::text(name);
        layout.names.insert(address, name.clone());
        layout.roots.insert(address, name);
    }
}

/// The slots that the loader fills with addresses of what tells the processor's extensions.
fn slots(image: &Image<'_>, measure: &Measure, layout: &mut Layout<'_>) {
    let mut tables = Vec::new();
    // Both kinds of descriptors have 32-bit fields; where the lookup table and the address table stand in them differs.
    for (index, size, lookup, addresses) in [
        (pe::IMAGE_DIRECTORY_ENTRY_IMPORT, 20, 0, 16),
        (pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, 32, 16, 12),
    ] {
        for entry in directory(image, index).chunks_exact(size) {
            tables.push((dword(entry, lookup), dword(entry, addresses)));
        }
    }
    let mut budget = Budget::new();
    for (lookup, addresses) in tables {
        let lookup = if lookup == 0 { addresses } else { lookup };
        for (place, thunk) in image.at(lookup).unwrap_or_default().chunks_exact(8).enumerate() {
            let (low, high) = (dword(thunk, 0), dword(thunk, 4));
            if low == 0 && high == 0 {
                break;
            }
            let name = low.checked_add(2).filter(|_| high == 0).map(|name| image.name(name));
            let name = name.and_then(Result::ok).unwrap_or_default();
            if budget.spend(name).is_err() {
                return;
            }
            if measure.is_check(name) {
                layout.checks.insert(u64::from(addresses) + 8 * place as u64);
            }
        }
    }
}

/// What data holds addresses of: the places of 64-bit relocations.
fn relocated(image: &Image<'_>, layout: &mut Layout<'_>) {
    let mut blocks = directory(image, pe::IMAGE_DIRECTORY_ENTRY_BASERELOC);
    while blocks.len() >= 8 {
        let (page, size) = (dword(blocks, 0), dword(blocks, 4) as usize);
        let Some(block) = blocks.get(8..size) else { break };
        for entry in block.chunks_exact(2) {
            let entry = word(entry, 0);
            let place = page.wrapping_add(u32::from(entry & 0xfff));
            if entry >> 12 != pe::IMAGE_REL_BASED_DIR64.0 {
                continue;
            }
            let bytes = image.at(place).unwrap_or_default();
            let value = u64::from(dword(bytes, 0)) | u64::from(dword(bytes, 4)) << 32;
            if let Some(address) = value.checked_sub(image.base) {
                layout.pointed.insert(address);
            }
        }
        blocks = &blocks[size..];
    }
}

/// The bytes of a directory; empty where there is none.
fn directory<'data>(image: &Image<'data>, index: usize) -> &'data [u8] {
    let Some((address, size)) = image.directory(index) else {
        return &[];
    };
    let bytes = image.at(address).unwrap_or_default();
    &bytes[..bytes.len().min(size as usize)]
}

/// The little-endian 32 bits at an offset; zero beyond the end.
fn dword(data: &[u8], offset: usize) -> u32 {
    u32::from(word(data, offset)) | u32::from(word(data, offset + 2)) << 16
}
