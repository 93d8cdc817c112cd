//! Small native files and bundles made of readable code, so that a fixture says what is in it. They are complete as far as
//! the judge reads them; nothing of them can be run.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::unwrap_used,
    reason = "a panic is how a fixture that cannot be made fails its test"
)]

use std::collections::BTreeMap;

use gates::manifest::{self, Component, Kind, Manifest, Promise, Provider, Role};
use object::pe;
use object::write::pe::{NtHeaders, Writer};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub const ARM64: u16 = 0xaa64;
pub const X64: u16 = 0x8664;

/// The target of every fixture.
pub const TARGET: &str = "aarch64-pc-windows-msvc";

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
    /// Whether there is metadata of hybrid code.
    pub has_chpe: bool,
    pub pdb: Option<&'static str>,
}

impl Image {
    pub fn program(imports: &[Imports]) -> Image {
        Image {
            machine: ARM64,
            is_dll: false,
            imports: imports.to_vec(),
            delayed: Vec::new(),
            exports: Vec::new(),
            has_chpe: false,
            pdb: None,
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
        let code = writer.reserve_text_section(16);
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
        writer.write_section(code.file_offset, &[0; 16]);
        writer.write_section(range.file_offset, &tables.bytes);
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
            time_date_stamp: 0,
            characteristics: pe::IMAGE_FILE_EXECUTABLE_IMAGE | dll,
            major_linker_version: 14,
            minor_linker_version: 0,
            address_of_entry_point: 0x1000,
            image_base: 0x1_8000_0000,
            major_operating_system_version: 6,
            minor_operating_system_version: 2,
            major_image_version: 0,
            minor_image_version: 0,
            major_subsystem_version: 6,
            minor_subsystem_version: 2,
            subsystem: pe::IMAGE_SUBSYSTEM_WINDOWS_CUI,
            dll_characteristics: Default::default(),
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
        tables.delayed(&image.delayed);
        tables.exports(&image.exports);
        tables.load_config(image.has_chpe);
        tables.debug(image.pdb, file_offset);
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
        let mut thunks: Vec<u8> = Vec::new();
        for symbol in symbols {
            let thunk = match symbol.parse::<u16>() {
                Ok(ordinal) => pe::IMAGE_ORDINAL_FLAG64 | u64::from(ordinal),
                // Two bytes of a hint stand before the name.
                Err(_) => u64::from(self.put(&[b"\0\0", symbol.as_bytes(), b"\0"].concat())),
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

    fn delayed(&mut self, imports: &[Imports]) {
        let mut descriptors = Vec::new();
        for (dll, symbols) in imports {
            let (name, thunks) = (self.name(dll), self.thunks(symbols));
            descriptors.extend(
                [1, name, self.address, thunks, thunks, 0, 0, 0]
                    .map(u32::to_le_bytes)
                    .concat(),
            );
        }
        if !descriptors.is_empty() {
            descriptors.extend([0; 32]);
            let at = self.put(&descriptors);
            self.directory(pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, at);
        }
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

    fn load_config(&mut self, has_chpe: bool) {
        let mut config = [0; 0x140];
        config[..4].copy_from_slice(&0x140_u32.to_le_bytes());
        config[0xc8] = u8::from(has_chpe);
        let at = self.put(&config);
        self.directory(pe::IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG, at);
    }

    fn debug(&mut self, pdb: Option<&str>, file_offset: u32) {
        let Some(pdb) = pdb else { return };
        let record = [b"RSDS".as_slice(), &[7; 16], &[1, 0, 0, 0], pdb.as_bytes(), b"\0"].concat();
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

/// An archive of members with short names.
pub fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        bytes.extend(
            format!(
                "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                format!("{name}/"),
                0,
                0,
                0,
                644,
                data.len()
            )
            .bytes(),
        );
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

/// A bundle to be written and then judged.
pub struct Tree {
    pub files: BTreeMap<String, (Kind, Vec<u8>)>,
    pub component: Component,
    /// What is changed after the manifest has been written.
    pub afterwards: BTreeMap<String, Option<Vec<u8>>>,
}

impl Tree {
    /// A bundle that has a bit of everything, and nothing wrong.
    pub fn good() -> Tree {
        let mut tree = Tree {
            files: BTreeMap::new(),
            component: component(),
            afterwards: BTreeMap::new(),
        };
        let mut program = Image::program(&[
            ("helper.dll", &["answer", "2", "heap"]),
            ("KERNEL32.dll", &["ExitProcess"]),
            ("api-ms-win-crt-runtime-l1-1-0.dll", &["_initterm"]),
        ]);
        program.delayed = vec![("USER32.dll", &["MessageBoxW"])];
        program.pdb = Some("app.pdb");
        tree.promise("bin/app.exe", Kind::Program, program.write());
        tree.promise("bin/helper.dll", Kind::Library, helper().write());
        let members = [
            ("helper.dll", short_import(ARM64, "helper.dll", "answer")),
            ("head.obj", coff(ARM64)),
        ];
        tree.promise("lib/helper.lib", Kind::ImportLibrary, archive(&members));
        tree.promise(
            "lib/parts.lib",
            Kind::StaticLibrary,
            archive(&[("part.obj", coff(ARM64))]),
        );
        let module = "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\n\nName: helper\nDescription: /slash/ in prose\nVersion: 1.2\nLibs: -L${libdir} -lhelper\n";
        tree.promise("lib/pkgconfig/helper.pc", Kind::PkgConfig, module.into());
        tree.promise("include/helper.h", Kind::Header, b"int answer(void);\n".to_vec());
        tree.add(
            "licences/helper/LICENSE",
            Kind::Licence,
            b"Do what you like.\n".to_vec(),
        );
        tree
    }

    pub fn add(&mut self, path: &str, kind: Kind, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), (kind, bytes));
    }

    pub fn promise(&mut self, path: &str, kind: Kind, bytes: Vec<u8>) {
        let path_of_promise = path.to_owned();
        self.component.ships.push(Promise {
            kind,
            path: path_of_promise,
        });
        self.add(path, kind, bytes);
    }

    pub fn replace(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.get_mut(path).unwrap().1 = bytes.into();
    }

    pub fn manifest(&self) -> Manifest {
        let file = |(path, (kind, bytes)): (&String, &(Kind, Vec<u8>))| manifest::File {
            path: path.clone(),
            size: bytes.len() as u64,
            sha256: sha256(bytes),
            kind: *kind,
            owner: "helper".to_owned(),
        };
        Manifest {
            schema: manifest::SCHEMA,
            target: TARGET.to_owned(),
            provider: Provider::Open,
            components: vec![self.component.clone()],
            files: self.files.iter().map(file).collect(),
            tools: Vec::new(),
        }
    }

    pub fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        for (path, (_, bytes)) in &self.files {
            put(path, bytes);
        }
        put(manifest::FILE, self.manifest().to_json().as_bytes());
        for (path, bytes) in &self.afterwards {
            match bytes {
                Some(bytes) => put(path, bytes),
                None => std::fs::remove_file(folder.path().join(path)).unwrap(),
            }
        }
        folder
    }
}

/// The DLL of the good bundle.
pub fn helper() -> Image {
    Image::dll(&[("answer", None), ("second", None), ("heap", Some("KERNEL32.HeapAlloc"))])
}

fn component() -> Component {
    Component {
        name: "helper".into(),
        version: "1.2".into(),
        license: "MIT".into(),
        homepage: None,
        digest: "ab".repeat(32),
        roles: vec![Role::Target],
        sources: Vec::new(),
        ships: Vec::new(),
        licence_files: vec!["licences/helper/LICENSE".into()],
        needs: Vec::new(),
        loads: Vec::new(),
        absences: Vec::new(),
        exceptions: Vec::new(),
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
