//! Reading PE: machine, headers that the loader heeds, imports, exports, and where debug information is said to be.
//! Relocations and unwind tables are not looked at.

mod code;
mod exports;
mod image;
mod imports;
mod parts;

pub(crate) use code::code;
pub use exports::{Export, Exports};
pub use imports::{FromDll, Imports};
pub use parts::{Guard, Resources};

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader, PeFile};

use super::Machine;
use image::Image;

/// What is known of one program or DLL.
#[derive(Debug)]
pub struct Pe {
    /// The machine that it is for.
    pub machine: Machine,
    /// Whether it is a DLL and not a program.
    pub is_dll: bool,
    /// What the loader has to find.
    pub imports: Imports,
    /// What others may import.
    pub exports: Exports,
    /// The sections, in their order.
    pub sections: Vec<Section>,
    /// `DllCharacteristics`: what the file lets the system do for its safety.
    pub dll_characteristics: u16,
    /// The subsystem's number: 2 with windows, 3 for the console, 1 a driver.
    pub subsystem: u16,
    /// What the load configuration says of control flow.
    pub guard: Guard,
    /// The header's time stamp; a hash of the content where the linker was told so.
    pub time_date_stamp: u32,
    /// Whether the debug directory says that the stamp is a hash (`/Brepro`).
    pub is_reproducible: bool,
    /// The path of its PDB file, as the linker wrote it.
    pub pdb: Option<String>,
    /// What the linker calls this link alone: the PDB's GUID and age, or the hash of a reproducible link; empty where it says nothing.
    pub build_id: Vec<u8>,
    /// The resources.
    pub resources: Resources,
    /// Whether it carries signatures (Authenticode). They are not verified.
    pub is_signed: bool,
    /// Whether a zip archive hangs on it, as launchers of scripts have it: the same program with another script each.
    pub has_archive: bool,
    /// What could not be read or what the loader would refuse; the rest is what could be read.
    pub trouble: Vec<String>,
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name, at most eight bytes.
    pub name: String,
    /// Whether the loaded pages can be written to.
    pub is_writable: bool,
    /// Whether the loaded pages can be run.
    pub is_executable: bool,
}

/// Reads a PE file.
///
/// # Errors
/// If not even the headers can be read; the text says why.
pub fn read<Headers: ImageNtHeaders>(data: &[u8]) -> Result<Pe, String> {
    let file = PeFile::<Headers>::parse(data).map_err(|why| format!("cannot be read as PE: {why}"))?;
    let header = file.nt_headers().file_header();
    let optional = file.nt_headers().optional_header();
    let image = Image::new(&file);
    let mut pe = Pe {
        machine: Machine::of_pe(header.machine.get(LE).0),
        is_dll: header.characteristics.get(LE).0 & pe::IMAGE_FILE_DLL.0 != 0,
        imports: Imports::default(),
        exports: Exports::default(),
        sections: sections(&image),
        dll_characteristics: optional.dll_characteristics().0,
        subsystem: optional.subsystem().0,
        guard: Guard::default(),
        time_date_stamp: header.time_date_stamp.get(LE),
        is_reproducible: false,
        pdb: None,
        build_id: Vec::new(),
        resources: Resources::default(),
        is_signed: false,
        has_archive: false,
        trouble: image.layout_trouble(),
    };
    if header.characteristics.get(LE).0 & pe::IMAGE_FILE_EXECUTABLE_IMAGE.0 == 0 {
        pe.trouble.push("headers: the link was not finished".to_owned());
    }
    pe.has_archive = !pe.is_dll && parts::has_archive(&image);
    tables(&image, &mut pe);
    Ok(pe)
}

/// Reads the tables that the directories lead to. One that cannot be read is trouble and does not stop the others.
fn tables(image: &Image<'_>, pe: &mut Pe) {
    let mut trouble = Vec::new();
    let mut note = |table: &str, result: Result<(), String>| {
        if let Err(why) = result {
            trouble.push(format!("{table}: {why}"));
        }
    };
    note("import table", imports::normal(image, &mut pe.imports));
    note("delay-load import table", imports::delayed(image, &mut pe.imports));
    note("bound import table", imports::bound(image, &mut pe.imports));
    note("export table", exports::read(image, &mut pe.exports));
    note(
        "load configuration",
        parts::load_config(image, pe.machine).map(|(machine, guard)| (pe.machine, pe.guard) = (machine, guard)),
    );
    note(
        "debug directory",
        parts::debug(image).map(|debug| {
            pe.is_reproducible = debug.is_reproducible;
            pe.pdb = debug.pdb;
            // A linker that writes no hash there has put one into the stamp, of 32 bits.
            let is_stamped = debug.build_id.is_empty() && debug.is_reproducible && pe.time_date_stamp != 0;
            pe.build_id = match is_stamped {
                true => pe.time_date_stamp.to_le_bytes().to_vec(),
                false => debug.build_id,
            };
        }),
    );
    note(
        "resources",
        parts::resources(image).map(|resources| pe.resources = resources),
    );
    note(
        "security directory",
        parts::security(image).map(|is_signed| pe.is_signed = is_signed),
    );
    pe.trouble.extend(trouble);
}

fn sections(image: &Image<'_>) -> Vec<Section> {
    let section = |header: &pe::ImageSectionHeader| {
        let characteristics = header.characteristics.get(LE);
        let end = header
            .name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(header.name.len());
        Section {
            name: super::text(&header.name[..end]),
            is_writable: characteristics.contains(pe::IMAGE_SCN_MEM_WRITE),
            is_executable: characteristics.contains(pe::IMAGE_SCN_MEM_EXECUTE),
        }
    };
    image.sections.iter().map(section).collect()
}
