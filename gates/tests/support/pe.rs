//! Small PE files, objects and archives made of readable code, so that a fixture says what is in it. They are complete as far as
//! the judge reads them; nothing of them can be run.

use std::collections::BTreeMap;

use object::pe;
use object::write::pe::{NtHeaders, Writer};

use super::archive;

pub const ARM64: u16 = 0xaa64;
pub const X64: u16 = 0x8664;

/// What is imported from one DLL; a number is an ordinal.
pub type Imports = (&'static str, &'static [&'static str]);

/// A program or a DLL to be written.
#[derive(Clone)]
pub struct Image {
    pub machine: u16,
    pub is_dll: bool,
    pub imports: Vec<Imports>,
    pub delayed: Vec<Imports>,
    /// Names, and where each is forwarded to, if it is. The ordinals are 1, 2, … in this order.
    pub exports: Vec<(&'static str, Option<&'static str>)>,
    /// Delayed imports are written in Visual C++ 6's layout, with addresses that count from zero.
    pub delayed_old: bool,
    /// Names of the bound import table.
    pub bound: Vec<&'static str>,
    /// Parts of hybrid code: start, length, and kind (0 for ARM64, 1 ARM64EC, 2 x64). None for code of one kind.
    pub code_map: Vec<(u32, u32, u32)>,
    pub pdb: Option<&'static str>,
    /// Each byte of the PDB's GUID.
    pub guid: u8,
    /// The time stamp of the header, and whether the debug directory says that it is a hash.
    pub stamp: (u32, bool),
    /// `DllCharacteristics`.
    pub characteristics: u16,
    /// Whether the code can be written to.
    pub writable_code: bool,
    /// Types of resources.
    pub resources: Vec<u16>,
    /// The code; the program starts at its beginning, which is at 0x1000, and every export leads there.
    pub code: Vec<u8>,
    /// More bytes at the end of the data.
    pub data: Vec<u8>,
    /// A certificate after the sections.
    pub certificate: Option<Vec<u8>>,
    pub base: u64,
}

impl Image {
    pub fn program(imports: &[Imports]) -> Image {
        Image {
            machine: ARM64,
            is_dll: false,
            imports: imports.to_vec(),
            delayed: Vec::new(),
            exports: Vec::new(),
            delayed_old: false,
            bound: Vec::new(),
            code_map: Vec::new(),
            pdb: None,
            guid: 7,
            stamp: (0, false),
            characteristics: 0x8160,
            writable_code: false,
            resources: Vec::new(),
            code: vec![0; 16],
            data: Vec::new(),
            certificate: None,
            base: 0x1_8000_0000,
        }
    }

    pub fn dll(exports: &[(&'static str, Option<&'static str>)]) -> Image {
        Image {
            is_dll: true,
            exports: exports.to_vec(),
            ..Image::program(&[])
        }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(true, 0x1000, 0x200, &mut bytes);
        writer.reserve_dos_header_and_stub();
        writer.reserve_nt_headers(16);
        writer.reserve_section_headers(2);
        let code = writer.reserve_text_section(self.code.len() as u32);
        // The tables hold their own addresses, so their size is found by writing them once for nothing.
        let address = 0x2000;
        let size = Tables::of(self, address, 0).bytes.len() as u32;
        let range = writer.reserve_rdata_section(size);
        assert_eq!(range.virtual_address, address);
        let tables = Tables::of(self, address, range.file_offset);
        for (index, address, size) in &tables.directories {
            writer.set_data_directory(*index, *address, *size);
        }
        writer.write_dos_header_and_stub().unwrap();
        writer.write_nt_headers(self.headers());
        writer.write_section_headers();
        writer.write_section(code.file_offset, &self.code);
        writer.write_section(range.file_offset, &tables.bytes);
        self.finish(bytes)
    }

    /// What the writer of `object` cannot say.
    fn finish(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let nt = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
        if let Some(certificate) = &self.certificate {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            let directory = nt + 24 + 112 + 8 * pe::IMAGE_DIRECTORY_ENTRY_SECURITY;
            let (at, size) = (bytes.len() as u32, certificate.len() as u32);
            bytes[directory..directory + 4].copy_from_slice(&at.to_le_bytes());
            bytes[directory + 4..directory + 8].copy_from_slice(&size.to_le_bytes());
            bytes.extend(certificate);
        }
        if self.writable_code {
            // The first section's characteristics.
            let at = nt + 24 + 240 + 36;
            bytes[at + 3] |= 0x80;
        }
        bytes
    }

    fn headers(&self) -> NtHeaders {
        let dll = if self.is_dll {
            pe::IMAGE_FILE_DLL
        } else {
            Default::default()
        };
        NtHeaders {
            machine: pe::Machine(self.machine),
            time_date_stamp: self.stamp.0,
            characteristics: pe::IMAGE_FILE_EXECUTABLE_IMAGE | dll,
            major_linker_version: 14,
            minor_linker_version: 0,
            address_of_entry_point: 0x1000,
            image_base: self.base,
            major_operating_system_version: 6,
            minor_operating_system_version: 2,
            major_image_version: 0,
            minor_image_version: 0,
            major_subsystem_version: 6,
            minor_subsystem_version: 2,
            subsystem: pe::IMAGE_SUBSYSTEM_WINDOWS_CUI,
            dll_characteristics: pe::DllFlags(self.characteristics),
            size_of_stack_reserve: 0x10_0000,
            size_of_stack_commit: 0x1000,
            size_of_heap_reserve: 0x10_0000,
            size_of_heap_commit: 0x1000,
        }
    }
}

/// The one data section of an image: its bytes and the directories that point into them.
struct Tables {
    address: u32,
    bytes: Vec<u8>,
    directories: Vec<(usize, u32, u32)>,
}

impl Tables {
    fn of(image: &Image, address: u32, file_offset: u32) -> Tables {
        let mut tables = Tables {
            address,
            bytes: vec![0; 8],
            directories: Vec::new(),
        };
        tables.imports(&image.imports);
        tables.delayed(&image.delayed, if image.delayed_old { image.base } else { 0 });
        tables.bound(&image.bound);
        tables.exports(&image.exports);
        tables.load_config(&image.code_map, image.base);
        tables.debug(image, file_offset);
        tables.resources(&image.resources);
        tables.put(&image.data);
        tables
    }

    fn here(&self) -> u32 {
        self.address + self.bytes.len() as u32
    }

    fn put(&mut self, bytes: &[u8]) -> u32 {
        let at = self.here();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        at
    }

    fn name(&mut self, name: &str) -> u32 {
        self.put(&[name.as_bytes(), b"\0"].concat())
    }

    fn directory(&mut self, index: usize, address: u32) {
        self.directories.push((index, address, self.here() - address));
    }

    fn thunks(&mut self, symbols: &[&str]) -> u32 {
        self.thunks_from(symbols, 0)
    }

    fn thunks_from(&mut self, symbols: &[&str], base: u64) -> u32 {
        let mut thunks: Vec<u8> = Vec::new();
        for symbol in symbols {
            let thunk = match symbol.parse::<u16>() {
                Ok(ordinal) => pe::IMAGE_ORDINAL_FLAG64 | u64::from(ordinal),
                // Two bytes of a hint stand before the name.
                Err(_) => base + u64::from(self.put(&[b"\0\0", symbol.as_bytes(), b"\0"].concat())),
            };
            thunks.extend(thunk.to_le_bytes());
        }
        thunks.extend([0; 8]);
        self.put(&thunks)
    }

    fn imports(&mut self, imports: &[Imports]) {
        let mut descriptors = Vec::new();
        for (dll, symbols) in imports {
            let (name, thunks) = (self.name(dll), self.thunks(symbols));
            descriptors.extend([thunks, 0, 0, name, thunks].map(u32::to_le_bytes).concat());
        }
        if !descriptors.is_empty() {
            descriptors.extend([0; 20]);
            let at = self.put(&descriptors);
            self.directory(pe::IMAGE_DIRECTORY_ENTRY_IMPORT, at);
        }
    }

    /// The layout of today counts from the image's beginning; the old one from zero, so the base is added.
    fn delayed(&mut self, imports: &[Imports], base: u64) {
        let base32 = base as u32;
        let mut descriptors = Vec::new();
        for (dll, symbols) in imports {
            let name = self.name(dll) + base32;
            let thunks = self.thunks_from(symbols, base) + base32;
            let attributes = u32::from(base == 0);
            let fields = [attributes, name, self.address + base32, thunks, thunks, 0, 0, 0];
            descriptors.extend(fields.map(u32::to_le_bytes).concat());
        }
        if !descriptors.is_empty() {
            descriptors.extend([0; 32]);
            let at = self.put(&descriptors);
            self.directory(pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, at);
        }
    }

    fn bound(&mut self, names: &[&str]) {
        if names.is_empty() {
            return;
        }
        let mut table = Vec::new();
        let mut texts = Vec::new();
        for name in names {
            let offset = (8 * (names.len() + 1) + texts.len()) as u16;
            table.extend(7_u32.to_le_bytes());
            table.extend(offset.to_le_bytes());
            table.extend([0, 0]);
            texts.extend(name.bytes().chain([0]));
        }
        table.extend([0; 8]);
        table.extend(texts);
        let at = self.put(&table);
        self.directory(pe::IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT, at);
    }

    fn resources(&mut self, types: &[u16]) {
        if types.is_empty() {
            return;
        }
        let at = self.here();
        // A directory of types, and one below each with a single name, that has a single language.
        let directory = |count: u16| [[0; 12].as_slice(), &[0, 0], &count.to_le_bytes()].concat();
        let mut bytes = directory(types.len() as u16);
        let names = 16 + 8 * types.len();
        for (index, kind) in types.iter().enumerate() {
            bytes.extend(u32::from(*kind).to_le_bytes());
            bytes.extend((0x8000_0000 | (names + 48 * index) as u32).to_le_bytes());
        }
        for index in 0..types.len() {
            let languages = (names + 48 * index + 24) as u32;
            bytes.extend(directory(1));
            bytes.extend([1_u32, 0x8000_0000 | languages].map(u32::to_le_bytes).concat());
            bytes.extend(directory(1));
            bytes.extend([1033_u32, 8].map(u32::to_le_bytes).concat());
        }
        self.put(&bytes);
        self.directory(pe::IMAGE_DIRECTORY_ENTRY_RESOURCE, at);
    }

    fn exports(&mut self, exports: &[(&str, Option<&str>)]) {
        if exports.is_empty() {
            return;
        }
        let at = self.put(&[0; 40]);
        let dll = self.name("fixture.dll");
        let mut addresses = Vec::new();
        let mut names = BTreeMap::new();
        for (index, (name, forward)) in exports.iter().enumerate() {
            // An address within the directory is the text of a forwarder, any other is code.
            let address = forward.map_or(0x1000, |forward| self.name(forward));
            addresses.extend(address.to_le_bytes());
            names.insert(*name, (self.name(name), index as u16));
        }
        let addresses = self.put(&addresses);
        let pointers: Vec<u8> = names.values().flat_map(|(name, _)| name.to_le_bytes()).collect();
        let pointers = self.put(&pointers);
        let ordinals: Vec<u8> = names.values().flat_map(|(_, index)| index.to_le_bytes()).collect();
        let ordinals = self.put(&ordinals);
        let count = exports.len() as u32;
        let fields = [0, 0, 0, dll, 1, count, count, addresses, pointers, ordinals];
        let start = (at - self.address) as usize;
        self.bytes[start..start + 40].copy_from_slice(&fields.map(u32::to_le_bytes).concat());
        self.directory(pe::IMAGE_DIRECTORY_ENTRY_EXPORT, at);
    }

    fn load_config(&mut self, code_map: &[(u32, u32, u32)], base: u64) {
        let mut config = [0; 0x140];
        config[..4].copy_from_slice(&0x140_u32.to_le_bytes());
        if !code_map.is_empty() {
            let ranges = code_map.iter().flat_map(|(start, size, kind)| [start | kind, *size]);
            let ranges: Vec<u8> = ranges.flat_map(u32::to_le_bytes).collect();
            let map = self.put(&ranges);
            // Metadata of version 1: after the map and its length there is nothing.
            let mut metadata = [1, map, code_map.len() as u32].map(u32::to_le_bytes).concat();
            metadata.resize(80, 0);
            let metadata = base + u64::from(self.put(&metadata));
            config[0xc8..0xd0].copy_from_slice(&metadata.to_le_bytes());
        }
        let at = self.put(&config);
        self.directory(pe::IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG, at);
    }

    fn debug(&mut self, image: &Image, file_offset: u32) {
        let hash = [0, 0, 0, pe::IMAGE_DEBUG_TYPE_REPRO.0, 0, 0, 0];
        let Some(pdb) = image.pdb else {
            if image.stamp.1 {
                let at = self.put(&hash.map(u32::to_le_bytes).concat());
                self.directories.push((pe::IMAGE_DIRECTORY_ENTRY_DEBUG, at, 28));
            }
            return;
        };
        let record = [
            b"RSDS".as_slice(),
            &[image.guid; 16],
            &[1, 0, 0, 0],
            pdb.as_bytes(),
            b"\0",
        ]
        .concat();
        let address = self.put(&record);
        let raw = file_offset + (address - self.address);
        let fields = [
            0,
            0,
            0,
            pe::IMAGE_DEBUG_TYPE_CODEVIEW.0,
            record.len() as u32,
            address,
            raw,
        ];
        let at = self.here();
        self.put(&fields.map(u32::to_le_bytes).concat());
        self.directories.push((pe::IMAGE_DIRECTORY_ENTRY_DEBUG, at, 28));
    }
}

/// Instructions of four bytes as code.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// An object without sections.
pub fn coff(machine: u16) -> Vec<u8> {
    let mut bytes = machine.to_le_bytes().to_vec();
    bytes.resize(20, 0);
    bytes
}

/// One entry of an import library.
pub fn short_import(machine: u16, dll: &str, symbol: &str) -> Vec<u8> {
    let names = [symbol.as_bytes(), b"\0", dll.as_bytes(), b"\0"].concat();
    let mut bytes = vec![0, 0, 0xff, 0xff, 0, 0];
    bytes.extend(machine.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend((names.len() as u32).to_le_bytes());
    // No hint; code, imported by its name.
    bytes.extend([0, 0, 1 << 2, 0]);
    bytes.extend(names);
    bytes
}

/// An archive whose members are files beside it.
pub fn thin_archive(members: &[&str]) -> Vec<u8> {
    let members: Vec<(&str, Vec<u8>)> = members.iter().map(|name| (*name, Vec::new())).collect();
    [b"!<thin>\n", &archive(&members)[8..]].concat()
}
