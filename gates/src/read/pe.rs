//! Reading PE: machine, imports, exports, and where its debug information is said to be. Resources, relocations and
//! unwind tables are not looked at.

use std::collections::BTreeMap;

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{
    ExportAddressIndex, ExportTarget, ImageNtHeaders, ImageThunkData, Import as Thunk, ImportTable, PeFile,
};

use super::{Machine, Symbol, text, word};

/// More imports and exports than any DLL has; tables that overlap each other could claim any number.
const ENTRIES_MAX: usize = 1 << 18;

/// More bytes of names than any DLL has, for the same reason.
const NAME_BYTES_MAX: usize = 32 << 20;

/// Where `CHPEMetadataPointer` is in the load configuration of 64-bit files (`IMAGE_LOAD_CONFIG_DIRECTORY64`).
const CHPE_OFFSET: usize = 0xc8;

/// What is known of one program or DLL.
#[derive(Debug)]
pub struct Pe {
    /// The machine that it is for.
    pub machine: Machine,
    /// Whether it is a DLL and not a program.
    pub is_dll: bool,
    /// What the loader has to find, normal imports first.
    pub imports: Vec<Import>,
    /// What others may import.
    pub exports: Exports,
    /// The header's time stamp; a hash of the content where the linker was told so.
    pub time_date_stamp: u32,
    /// The path of its PDB file, as the linker wrote it.
    pub pdb: Option<String>,
    /// What could not be read; the rest is what could.
    pub trouble: Vec<String>,
}

/// One import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The DLL's name as the file spells it.
    pub dll: String,
    /// What is asked for; absent when only the DLL is.
    pub symbol: Option<Symbol>,
    /// Whether it is looked for at the first call and not at the start.
    pub delayed: bool,
}

/// What a DLL exports.
#[derive(Debug, Default)]
pub struct Exports {
    /// The exports by name.
    pub names: BTreeMap<String, Export>,
    /// The exports by number; the named ones too.
    pub ordinals: BTreeMap<u16, Export>,
}

/// Where an export is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Export {
    /// In this file.
    Here,
    /// In another DLL.
    Forward {
        /// That DLL's name, mostly without a suffix.
        dll: String,
        /// What it is called there.
        symbol: Symbol,
    },
}

impl Exports {
    /// The export that an import asks for.
    pub fn get(&self, symbol: &Symbol) -> Option<&Export> {
        match symbol {
            Symbol::Name(name) => self.names.get(name),
            Symbol::Ordinal(ordinal) => self.ordinals.get(ordinal),
        }
    }
}

/// Counts down what a file may make the reader hold.
struct Budget {
    entries: usize,
    name_bytes: usize,
}

impl Budget {
    fn new() -> Budget {
        Budget {
            entries: ENTRIES_MAX,
            name_bytes: NAME_BYTES_MAX,
        }
    }

    fn spend(&mut self, name: &[u8]) -> Result<(), String> {
        let left = (self.entries.checked_sub(1), self.name_bytes.checked_sub(name.len()));
        let (Some(entries), Some(name_bytes)) = left else {
            return Err(format!(
                "more than {ENTRIES_MAX} entries or {NAME_BYTES_MAX} bytes of names"
            ));
        };
        (self.entries, self.name_bytes) = (entries, name_bytes);
        Ok(())
    }
}

/// Reads a PE file.
///
/// # Errors
/// If not even the headers can be read; the text says why.
pub fn read<Headers: ImageNtHeaders>(data: &[u8]) -> Result<Pe, String> {
    let file = PeFile::<Headers>::parse(data).map_err(|why| format!("cannot be read as PE: {why}"))?;
    let header = file.nt_headers().file_header();
    let mut pe = Pe {
        machine: machine(&file, Machine::of_pe(header.machine.get(LE).0)),
        is_dll: header.characteristics.get(LE).0 & pe::IMAGE_FILE_DLL.0 != 0,
        imports: Vec::new(),
        exports: Exports::default(),
        time_date_stamp: header.time_date_stamp.get(LE),
        pdb: None,
        trouble: Vec::new(),
    };
    if let Err(why) = imports(&file, &mut pe.imports) {
        pe.trouble.push(format!("import table: {why}"));
    }
    if let Err(why) = delayed_imports(&file, &mut pe.imports) {
        pe.trouble.push(format!("delay-load import table: {why}"));
    }
    if let Err(why) = exports(&file, &mut pe.exports) {
        pe.trouble.push(format!("export table: {why}"));
    }
    match pdb(&file) {
        Ok(pdb) => pe.pdb = pdb,
        Err(why) => pe.trouble.push(format!("debug directory: {why}")),
    }
    Ok(pe)
}

/// The machine, with hybrid code told apart by its metadata in the load configuration.
fn machine<Headers: ImageNtHeaders>(file: &PeFile<'_, Headers>, header: Machine) -> Machine {
    let load_config = file
        .data_directory(pe::IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG)
        .and_then(|directory| directory.data(file.data(), &file.section_table()).ok());
    // The structure's own first field says how long it is; the directory's is wrong in old files.
    let has_chpe = load_config.is_some_and(|config| {
        let size = usize::from(word(config, 0)) | usize::from(word(config, 2)) << 16;
        let pointer = config.get(CHPE_OFFSET..CHPE_OFFSET + 8);
        size >= CHPE_OFFSET + 8 && pointer.is_some_and(|pointer| pointer.iter().any(|byte| *byte != 0))
    });
    match (header, has_chpe) {
        (Machine::X86_64, true) => Machine::Arm64Ec,
        (Machine::Aarch64, true) => Machine::Arm64X,
        _ => header,
    }
}

fn imports<Headers: ImageNtHeaders>(file: &PeFile<'_, Headers>, all: &mut Vec<Import>) -> Result<(), String> {
    let why = |error: object::Error| error.to_string();
    let Some(table) = file.import_table().map_err(why)? else {
        return Ok(());
    };
    let mut budget = Budget::new();
    let mut descriptors = table.descriptors().map_err(why)?;
    while let Some(descriptor) = descriptors.next().map_err(why)? {
        let dll = descriptor.name.get(LE);
        let dll = table_at(file, dll)?.name(dll).map_err(why)?;
        // Old linkers leave the lookup table out; the address table holds the same until the file is loaded.
        let thunks = match descriptor.original_first_thunk.get(LE) {
            0 => descriptor.first_thunk.get(LE),
            lookup => lookup,
        };
        let mut thunks = table_at(file, thunks)?.thunks(thunks).map_err(why)?;
        add(dll, None, false, &mut budget, all)?;
        while let Some(thunk) = thunks.next::<Headers>().map_err(why)? {
            let import = match thunk.is_ordinal() {
                true => Thunk::Ordinal(thunk.ordinal()),
                false => {
                    let table = table_at(file, thunk.address())?;
                    table.import::<Headers>(thunk).map_err(why)?
                }
            };
            add(dll, Some(import), false, &mut budget, all)?;
        }
    }
    Ok(())
}

/// The import table as seen from the section that holds an address. The parts of one table may lie in several sections:
/// tools that rename the DLLs of a finished file put the new names into a section of their own.
fn table_at<'data, Headers: ImageNtHeaders>(
    file: &PeFile<'data, Headers>,
    address: u32,
) -> Result<ImportTable<'data>, String> {
    match file.section_table().pe_data_containing(file.data(), address) {
        Some((data, start)) => Ok(ImportTable::new(data, start, address)),
        None => Err(format!("address {address:#x} is in no section")),
    }
}

fn delayed_imports<Headers: ImageNtHeaders>(file: &PeFile<'_, Headers>, all: &mut Vec<Import>) -> Result<(), String> {
    let why = |error: object::Error| error.to_string();
    let Some(table) = file.delay_load_import_table().map_err(why)? else {
        return Ok(());
    };
    let mut budget = Budget::new();
    let mut descriptors = table.descriptors().map_err(why)?;
    while let Some(descriptor) = descriptors.next().map_err(why)? {
        if descriptor.attributes.get(LE) & 1 == 0 {
            // Visual C++ 6 wrote addresses instead of offsets; no linker has made such files for 64-bit machines.
            return Err("an entry is of the old layout, with addresses in the place of offsets".to_owned());
        }
        let dll = table.name(descriptor.dll_name_rva.get(LE)).map_err(why)?;
        let thunks = table.thunks(descriptor.import_name_table_rva.get(LE));
        let mut thunks = thunks.map_err(why)?;
        add(dll, None, true, &mut budget, all)?;
        while let Some(thunk) = thunks.next::<Headers>().map_err(why)? {
            let import = match thunk.is_ordinal() {
                true => Thunk::Ordinal(thunk.ordinal()),
                false => {
                    let (hint, name) = table.hint_name(thunk.address()).map_err(why)?;
                    Thunk::Name(hint, name)
                }
            };
            add(dll, Some(import), true, &mut budget, all)?;
        }
    }
    Ok(())
}

fn add(
    dll: &[u8],
    import: Option<Thunk<'_>>,
    delayed: bool,
    budget: &mut Budget,
    all: &mut Vec<Import>,
) -> Result<(), String> {
    budget.spend(dll)?;
    let symbol = match import {
        Some(Thunk::Name(_, name)) => {
            budget.spend(name)?;
            Some(Symbol::Name(text(name)))
        }
        Some(Thunk::Ordinal(ordinal)) => Some(Symbol::Ordinal(ordinal)),
        None => None,
    };
    all.push(Import {
        dll: text(dll),
        symbol,
        delayed,
    });
    Ok(())
}

fn exports<Headers: ImageNtHeaders>(file: &PeFile<'_, Headers>, all: &mut Exports) -> Result<(), String> {
    let why = |error: object::Error| error.to_string();
    let Some(table) = file.export_table().map_err(why)? else {
        return Ok(());
    };
    let mut budget = Budget::new();
    let export = |target: ExportTarget<'_>| match target {
        ExportTarget::Address(_) => Export::Here,
        ExportTarget::ForwardByName(dll, name) => Export::Forward {
            dll: text(dll),
            symbol: Symbol::Name(text(name)),
        },
        ExportTarget::ForwardByOrdinal(dll, ordinal) => Export::Forward {
            dll: text(dll),
            symbol: Symbol::Ordinal(ordinal.0),
        },
    };
    for (index, address) in table.addresses().iter().enumerate() {
        // An address of zero is a number that is not in use.
        if address.get(LE) == 0 {
            continue;
        }
        let index = u16::try_from(index).map_err(|_| "more than 65536 addresses".to_owned())?;
        let ordinal = table.ordinal_from_index(ExportAddressIndex(index)).map_err(why)?;
        let target = table.target_from_address(address.get(LE)).map_err(why)?;
        if let ExportTarget::ForwardByName(dll, name) = target {
            budget.spend(dll)?;
            budget.spend(name)?;
        }
        all.ordinals.insert(ordinal.0, export(target));
    }
    for (pointer, index) in table.name_iter() {
        let name = table.name_from_pointer(pointer).map_err(why)?;
        budget.spend(name)?;
        let target = table.target_by_index(index).map_err(why)?;
        all.names.insert(text(name), export(target));
    }
    Ok(())
}

/// The path that the CodeView entry of the debug directory names.
fn pdb<Headers: ImageNtHeaders>(file: &PeFile<'_, Headers>) -> Result<Option<String>, String> {
    let Some(directory) = file.data_directory(pe::IMAGE_DIRECTORY_ENTRY_DEBUG) else {
        return Ok(None);
    };
    if directory.virtual_address.get(LE) == 0 {
        return Ok(None);
    }
    let entries = directory
        .data(file.data(), &file.section_table())
        .map_err(|error| error.to_string())?;
    for entry in entries.chunks_exact(size_of::<pe::ImageDebugDirectory>()) {
        let (entry, _) = object::from_bytes::<pe::ImageDebugDirectory>(entry).map_err(|()| "truncated".to_owned())?;
        if entry.typ.get(LE) != pe::IMAGE_DEBUG_TYPE_CODEVIEW {
            continue;
        }
        let start = entry.pointer_to_raw_data.get(LE) as usize;
        let record = start
            .checked_add(entry.size_of_data.get(LE) as usize)
            .and_then(|end| file.data().get(start..end))
            .ok_or("a CodeView entry lies outside of the file")?;
        // `RSDS`, a GUID of 16 bytes, an age of 4, then the path.
        if let Some(path) = record.strip_prefix(b"RSDS").and_then(|rest| rest.get(20..)) {
            let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
            return Ok(Some(text(&path[..end])));
        }
    }
    Ok(None)
}
