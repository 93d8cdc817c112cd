//! The three tables of what the loader has to find: the import table, the table of what is looked for at the first call,
//! in its layout of today and in Visual C++ 6's, and the table of what was bound to addresses when the file was made.

use object::LittleEndian as LE;
use object::pe::{self, ImageBoundImportDescriptor, ImageDelayloadDescriptor, ImageImportDescriptor};

use super::super::names::{Budget, Names};
use super::super::{Symbol, word};
use super::image::Image;

/// Everything that a file imports.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    dlls: Vec<Dll>,
    symbols: Vec<Entry>,
    names: Names,
}

#[derive(Clone, Copy, Debug)]
struct Dll {
    name: u32,
    /// Its first symbol; those of the next DLL begin where its own end.
    first: u32,
    delayed: bool,
    is_bound: bool,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Name(u32),
    Ordinal(u16),
}

/// What is imported from one DLL.
#[derive(Clone, Copy, Debug)]
pub struct FromDll<'a> {
    /// The DLL's name as the file spells it.
    pub dll: &'a str,
    /// Whether it is looked for at the first call and not at the start.
    pub delayed: bool,
    /// Whether the addresses were written down when the file was made, for one version of the DLL.
    pub is_bound: bool,
    symbols: &'a [Entry],
    names: &'a Names,
}

impl Imports {
    /// What is imported, DLL by DLL, normal imports first. A DLL without symbols is loaded all the same.
    pub fn iter(&self) -> impl Iterator<Item = FromDll<'_>> {
        self.dlls.iter().enumerate().map(|(index, dll)| {
            let end = self
                .dlls
                .get(index + 1)
                .map_or(self.symbols.len(), |next| next.first as usize);
            FromDll {
                dll: self.names.get(dll.name),
                delayed: dll.delayed,
                is_bound: dll.is_bound,
                symbols: &self.symbols[dll.first as usize..end],
                names: &self.names,
            }
        })
    }

    /// How many symbols are imported.
    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    fn begin(&mut self, name: &[u8], delayed: bool, is_bound: bool) {
        let name = self.names.push(name);
        self.dlls.push(Dll {
            name,
            first: self.symbols.len() as u32,
            delayed,
            is_bound,
        });
    }
}

impl<'a> FromDll<'a> {
    /// The symbols that are asked for.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'a>> + use<'a> {
        let names = self.names;
        self.symbols.iter().map(move |entry| match *entry {
            Entry::Name(name) => Symbol::Name(names.get(name)),
            Entry::Ordinal(ordinal) => Symbol::Ordinal(ordinal),
        })
    }
}

pub(super) fn normal(image: &Image<'_>, imports: &mut Imports) -> Result<(), String> {
    let Some((mut address, _)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_IMPORT) else {
        return Ok(());
    };
    let mut budget = Budget::new();
    loop {
        let descriptor: &ImageImportDescriptor = image.structure(address)?;
        let dll = descriptor.name.get(LE);
        if dll == 0 || descriptor.first_thunk.get(LE) == 0 {
            // The loader stops at either zero.
            break;
        }
        let dll = image.name(dll)?;
        budget.spend(dll)?;
        imports.begin(dll, false, descriptor.time_date_stamp.get(LE) != 0);
        // Old linkers leave the lookup table out; the address table holds the same until the file is loaded.
        let thunks = match descriptor.original_first_thunk.get(LE) {
            0 => descriptor.first_thunk.get(LE),
            lookup => lookup,
        };
        symbols(image, thunks, Base::Image, &mut budget, imports)?;
        address = next(address, size_of::<ImageImportDescriptor>())?;
    }
    imports.names.shrink();
    Ok(())
}

/// What the addresses of a delay-load table count from.
#[derive(Clone, Copy)]
enum Base {
    /// The image's beginning: the layout of today.
    Image,
    /// Zero: the layout of Visual C++ 6.
    Zero,
}

impl Base {
    fn relative(self, image: &Image<'_>, address: u64) -> Result<u32, String> {
        match self {
            Base::Image => u32::try_from(address).map_err(|_| format!("address {address:#x} is not in the image")),
            Base::Zero => image.relative(address),
        }
    }
}

pub(super) fn delayed(image: &Image<'_>, imports: &mut Imports) -> Result<(), String> {
    let Some((mut address, _)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT) else {
        return Ok(());
    };
    let mut budget = Budget::new();
    loop {
        let descriptor: &ImageDelayloadDescriptor = image.structure(address)?;
        if descriptor.dll_name_rva.get(LE) == 0 {
            break;
        }
        let base = match descriptor.attributes.get(LE) & 1 {
            0 => Base::Zero,
            _ => Base::Image,
        };
        let dll = image.name(base.relative(image, descriptor.dll_name_rva.get(LE).into())?)?;
        budget.spend(dll)?;
        imports.begin(dll, true, descriptor.time_date_stamp.get(LE) != 0);
        let thunks = base.relative(image, descriptor.import_name_table_rva.get(LE).into())?;
        symbols(image, thunks, base, &mut budget, imports)?;
        address = next(address, size_of::<ImageDelayloadDescriptor>())?;
    }
    imports.names.shrink();
    Ok(())
}

/// Reads a list of what is taken from the DLL that was added last.
fn symbols(
    image: &Image<'_>,
    address: u32,
    base: Base,
    budget: &mut Budget,
    imports: &mut Imports,
) -> Result<(), String> {
    let bytes = image.at(address)?;
    let size = if image.is_64 { 8 } else { 4 };
    for thunk in bytes.chunks_exact(size) {
        let mut value = [0; 8];
        value[..size].copy_from_slice(thunk);
        let value = u64::from_le_bytes(value);
        if value == 0 {
            return Ok(());
        }
        if value >> (8 * size - 1) == 1 {
            budget.spend(b"")?;
            imports.symbols.push(Entry::Ordinal(value as u16));
            continue;
        }
        // A hint of two bytes stands before the name.
        let name = image.name(next(base.relative(image, value)?, 2)?)?;
        budget.spend(name)?;
        let name = imports.names.push(name);
        imports.symbols.push(Entry::Name(name));
    }
    Err(format!("the list at {address:#x} has no end"))
}

/// Checks the table of bound imports: each names a DLL that is also in the import table. Its offsets count from its own beginning.
pub(super) fn bound(image: &Image<'_>, imports: &mut Imports) -> Result<(), String> {
    let Some((address, size)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT) else {
        return Ok(());
    };
    let table = image.at(address)?;
    let table = table.get(..size as usize).ok_or("it is cut off")?;
    let mut entries = table.chunks_exact(size_of::<ImageBoundImportDescriptor>());
    // References to DLLs that forwarders lead to follow the entry, in the same layout.
    let mut references = 0;
    for entry in &mut entries {
        let (stamp, name) = (word(entry, 0) | word(entry, 2), word(entry, 4));
        if stamp == 0 && name == 0 {
            return Ok(());
        }
        let dll = image.name(next(address, name.into())?)?;
        let dll = String::from_utf8_lossy(dll).into_owned();
        match references {
            0 => {
                references = word(entry, 6);
                let mut all = imports.dlls.iter();
                if !all.any(|known| imports.names.get(known.name).eq_ignore_ascii_case(&dll)) {
                    return Err(format!("`{dll}` is bound and not imported"));
                }
            }
            _ => references -= 1,
        }
    }
    Err("it has no end".to_owned())
}

fn next(address: u32, bytes: usize) -> Result<u32, String> {
    let next = u32::try_from(bytes).ok().and_then(|bytes| address.checked_add(bytes));
    next.ok_or_else(|| format!("the table at {address:#x} has no end"))
}
