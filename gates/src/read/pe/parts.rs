//! The smaller parts of a PE file: the load configuration with what it says of hybrid code and of control flow, the debug
//! directory, the resources, and where signatures lie.

use object::LittleEndian as LE;
use object::pe;

use super::super::{Machine, text, word};
use super::image::Image;

/// Where `GuardFlags` is in the load configuration of 64-bit files (`IMAGE_LOAD_CONFIG_DIRECTORY64`).
const GUARD_FLAGS_OFFSET: usize = 0x90;

/// Where `CHPEMetadataPointer` is in it.
const CHPE_OFFSET: usize = 0xc8;

/// `IMAGE_GUARD_CF_INSTRUMENTED`: calls through pointers are checked.
const GUARD_CF: u32 = 0x100;

/// `IMAGE_GUARD_EH_CONTINUATION_TABLE_PRESENT`.
const GUARD_EH: u32 = 0x40_0000;

/// The newest version of hybrid metadata that is known (`IMAGE_ARM64EC_METADATA`); the oldest is 1.
const CHPE_VERSION_MAX: u32 = 2;

/// How long that metadata is at least, up to `ExtraRFETableSize`.
const CHPE_BYTES_MIN: usize = 72;

/// The longest hash of the entry for reproducible links.
const HASH_BYTES_MAX: usize = 64;

/// The length of the record that ends a zip archive.
const ZIP_END_BYTES: usize = 22;

/// More entries of resources than any file has.
const RESOURCES_MAX: usize = 1 << 16;

/// What is said of control flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// Calls through pointers are checked (`/guard:cf`).
    pub cf: bool,
    /// Where an exception may continue is listed (`/guard:ehcont`).
    pub eh: bool,
}

/// What a file of hybrid code says of it.
pub(super) struct Hybrid<'data> {
    /// Where each kind of code is, in the order of the map.
    pub ranges: Vec<Range>,
    /// The table of unwinding of the code for ARM64EC, in the form for ARM.
    pub unwinding: &'data [u8],
    /// Ranges of x64 code and where they are entered: start, end, entry, each of four bytes.
    pub entries: &'data [u8],
    /// What is called from x64 code and what is meant by it for ARM64EC, each of four bytes.
    pub redirections: &'data [u8],
}

/// A part of the code of a hybrid file.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub start: u32,
    pub size: u32,
    /// Whether it is x86's, and not ARM's of either kind.
    pub is_x64: bool,
}

/// What the resources hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The numbers of the types: 16 a version, 24 a manifest. Types with a name are not here.
    pub types: Vec<u16>,
    /// How many resources there are.
    pub count: usize,
}

/// The machine, with hybrid code told apart by its metadata, and what is said of control flow.
pub(super) fn load_config(image: &Image<'_>, header: Machine) -> Result<(Machine, Guard), String> {
    let nothing = (header, Guard::default());
    let Some((address, _)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG) else {
        return Ok(nothing);
    };
    let config = image.at(address)?;
    // The structure's own first field says how long it is; the directory's is wrong in old files.
    let size = dword(config, 0) as usize;
    let config = config.get(..size).ok_or("it is longer than its section")?;
    if !image.is_64 {
        return Ok(nothing);
    }
    let flags = dword(config, GUARD_FLAGS_OFFSET);
    let guard = Guard {
        cf: flags & GUARD_CF != 0,
        eh: flags & GUARD_EH != 0,
    };
    let machine = match (hybrid_of(image, config)?, header) {
        (Some(_), Machine::X86_64) => Machine::Arm64Ec,
        (Some(_), Machine::Aarch64) => Machine::Arm64X,
        _ => header,
    };
    Ok((machine, guard))
}

/// The metadata of hybrid code; absent where there is none, or where it cannot be read.
pub(super) fn hybrid<'data>(image: &Image<'data>) -> Option<Hybrid<'data>> {
    let (address, _) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG)?;
    let config = image.at(address).ok()?;
    let config = config.get(..dword(config, 0) as usize)?;
    hybrid_of(image, config).ok().flatten()
}

fn hybrid_of<'data>(image: &Image<'data>, config: &[u8]) -> Result<Option<Hybrid<'data>>, String> {
    let pointer = u64::from(dword(config, CHPE_OFFSET)) | u64::from(dword(config, CHPE_OFFSET + 4)) << 32;
    if pointer == 0 {
        return Ok(None);
    }
    let metadata = image.at(image.relative(pointer)?)?;
    let version = dword(metadata, 0);
    if !(1..=CHPE_VERSION_MAX).contains(&version) {
        return Err(format!("its hybrid metadata is of version {version}"));
    }
    if metadata.len() < CHPE_BYTES_MIN {
        return Err("its hybrid metadata is cut off".to_owned());
    }
    let table = |at: usize, count: usize, size: usize| match dword(metadata, count) as usize {
        0 => Ok(&[][..]),
        count => image
            .at(dword(metadata, at))?
            .get(..count.saturating_mul(size))
            .ok_or_else(|| "a table of its hybrid metadata is cut off".to_owned()),
    };
    let map = table(4, 8, 8)?;
    if map.is_empty() {
        return Err("its hybrid metadata maps no code".to_owned());
    }
    // The kind stands in the two lowest bits of the start: 0 is ARM64, 1 ARM64EC, 2 x64.
    let range = |entry: &[u8]| match (dword(entry, 0), dword(entry, 4)) {
        (start, _) if start & 3 == 3 => Err(format!(
            "its hybrid metadata maps code of an unknown kind at {start:#x}"
        )),
        (start, size) => Ok(Range {
            start: start & !3,
            size,
            is_x64: start & 3 == 2,
        }),
    };
    Ok(Some(Hybrid {
        ranges: map.chunks_exact(8).map(range).collect::<Result<_, _>>()?,
        unwinding: table(64, 68, 1)?,
        entries: table(12, 48, 12)?,
        redirections: table(16, 52, 8)?,
    }))
}

/// What the debug directory says.
#[derive(Default)]
pub(super) struct Debug {
    /// The path that the first CodeView entry names.
    pub pdb: Option<String>,
    /// Whether there is an entry that calls the header's time stamp a hash.
    pub is_reproducible: bool,
    /// What no other link has: the GUID and age of that entry, or else the hash of the reproducible one; empty without.
    pub build_id: Vec<u8>,
}

/// Reads the debug directory.
pub(super) fn debug(image: &Image<'_>) -> Result<Debug, String> {
    let (mut debug, mut hash) = (Debug::default(), Vec::new());
    let Some((address, size)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_DEBUG) else {
        return Ok(debug);
    };
    let entries = image.at(address)?.get(..size as usize).ok_or("it is cut off")?;
    for entry in entries.chunks_exact(size_of::<pe::ImageDebugDirectory>()) {
        let (entry, _) = object::pod::from_bytes::<pe::ImageDebugDirectory>(entry).map_err(|()| "truncated")?;
        let start = entry.pointer_to_raw_data.get(LE) as usize;
        let end = start.checked_add(entry.size_of_data.get(LE) as usize);
        let record = end.and_then(|end| image.data.get(start..end));
        match entry.typ.get(LE) {
            pe::IMAGE_DEBUG_TYPE_REPRO => {
                debug.is_reproducible = true;
                // A length of 4 bytes and a hash of 32, which not every linker writes.
                hash = record.and_then(|record| record.get(4..)).unwrap_or_default().to_vec();
            }
            pe::IMAGE_DEBUG_TYPE_CODEVIEW if debug.pdb.is_none() => {
                let record = record.ok_or("a CodeView entry lies outside of the file")?;
                // `RSDS`, a GUID of 16 bytes, an age of 4, then the path.
                let Some(rest) = record.strip_prefix(b"RSDS").filter(|rest| rest.len() >= 20) else {
                    continue;
                };
                let (id, path) = rest.split_at(20);
                debug.build_id = id.to_vec();
                let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
                debug.pdb = Some(text(&path[..end]));
            }
            _ => {}
        }
    }
    let has_guid = debug.build_id.iter().take(16).any(|byte| *byte != 0);
    if !has_guid {
        hash.truncate(HASH_BYTES_MAX);
        debug.build_id = hash;
    }
    Ok(debug)
}

/// Walks the three levels of resources: type, name, language.
pub(super) fn resources(image: &Image<'_>) -> Result<Resources, String> {
    let mut resources = Resources::default();
    let Some((address, _)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_RESOURCE) else {
        return Ok(resources);
    };
    let section = image.at(address)?;
    let mut left = RESOURCES_MAX;
    for (id, child) in directory(section, 0, &mut left)? {
        if id & 0x8000_0000 == 0 {
            resources.types.push(id as u16);
        }
        let Some(names) = child else { continue };
        for (_, child) in directory(section, names, &mut left)? {
            let languages = child.map(|languages| directory(section, languages, &mut left));
            resources.count += languages.transpose()?.map_or(1, |languages| languages.len());
        }
    }
    Ok(resources)
}

/// One entry of a directory of resources: its number or name, and the offset of the directory below it, if there is one.
type Below = (u32, Option<u32>);

fn directory(section: &[u8], offset: u32, left: &mut usize) -> Result<Vec<Below>, String> {
    let table = section.get(offset as usize..).filter(|table| table.len() >= 16);
    let table = table.ok_or_else(|| format!("a directory at {offset:#x} lies outside of its section"))?;
    let count = usize::from(word(table, 12)) + usize::from(word(table, 14));
    let entries = table.get(16..16 + 8 * count).ok_or("a directory is cut off")?;
    *left = left
        .checked_sub(count)
        .ok_or_else(|| format!("more than {RESOURCES_MAX} entries"))?;
    let below = |entry: &[u8]| {
        let (id, child) = (dword(entry, 0), dword(entry, 4));
        (id, (child & 0x8000_0000 != 0).then_some(child & 0x7fff_ffff))
    };
    Ok(entries.chunks_exact(8).map(below).collect())
}

/// Whether a program ends with a zip archive, behind its sections. Its last record has 22 bytes and no comment there.
pub(super) fn has_archive(image: &Image<'_>) -> bool {
    let end = |section: &pe::ImageSectionHeader| {
        let (start, size) = (section.pointer_to_raw_data.get(LE), section.size_of_raw_data.get(LE));
        u64::from(start) + u64::from(size)
    };
    let end = image.sections.iter().map(end).max().unwrap_or(0);
    let record = image.data.len().checked_sub(ZIP_END_BYTES);
    let record = record.filter(|record| *record as u64 >= end);
    record.is_some_and(|record| image.data[record..].starts_with(b"PK\x05\x06"))
}

/// Whether there are signatures. Their directory is the one whose address counts from the beginning of the file.
pub(super) fn security(image: &Image<'_>) -> Result<bool, String> {
    let Some((offset, size)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_SECURITY) else {
        return Ok(false);
    };
    let start = offset as usize;
    let certificates = start
        .checked_add(size as usize)
        .and_then(|end| image.data.get(start..end))
        .ok_or("it lies outside of the file")?;
    // A length of 4 bytes, a revision of 2 (0x100 or 0x200) and a type of 2 are before each certificate.
    match (dword(certificates, 0) as usize, word(certificates, 4)) {
        (length, 0x100 | 0x200) if (8..=certificates.len()).contains(&length) => Ok(true),
        (length, revision) => Err(format!(
            "a certificate of {length} bytes and revision {revision:#x} in {} bytes",
            certificates.len()
        )),
    }
}

/// The little-endian 32 bits at an offset; zero beyond the end.
fn dword(data: &[u8], offset: usize) -> u32 {
    u32::from(word(data, offset)) | u32::from(word(data, offset + 2)) << 16
}
