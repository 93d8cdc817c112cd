//! Reading ELF as the loader does: through program headers and the dynamic table. Section headers can be stripped or lie, so
//! they are not looked at; of objects for the linker, which have nothing else, only the machine is known.

mod code;
mod dynamic;
mod symbols;

pub(crate) use code::code;
pub use symbols::{Symbol, Symbols};

use std::ops::RangeInclusive;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind};

use super::{Machine, text};

/// The program header that leads to RISC-V's build attributes (`PT_RISCV_ATTRIBUTES` of the psABI).
const PT_RISCV_ATTRIBUTES: u32 = 0x7000_0003;

/// The property that says which level of x86-64 is needed (`GNU_PROPERTY_X86_ISA_1_NEEDED` of the psABI).
const X86_ISA_NEEDED: u32 = 0xc000_8002;

/// The type of the note that holds the build id (`NT_GNU_BUILD_ID`), and the longest that is kept: a SHA-512.
const NT_GNU_BUILD_ID: u32 = 3;
const BUILD_ID_BYTES_MAX: usize = 64;

/// What is known of one ELF file.
#[derive(Debug, Default)]
pub struct Elf {
    /// The machine that it is for.
    pub machine: Machine,
    /// What it is for the linker and the loader.
    pub kind: Kind,
    /// The loader that a program names.
    pub interpreter: Option<String>,
    /// Its name for those that need it.
    pub soname: Option<String>,
    /// The libraries that the loader has to find.
    pub needed: Vec<String>,
    /// Folders that are searched first, for this file and for what it needs (`DT_RPATH`).
    pub rpath: Vec<String>,
    /// Folders that are searched for this file alone (`DT_RUNPATH`).
    pub runpath: Vec<String>,
    /// The dynamic symbols, with their versions.
    pub symbols: Symbols,
    /// Versions that are asked of libraries.
    pub version_needs: Vec<VersionNeed>,
    /// What is loaded, and how.
    pub segments: Vec<Segment>,
    /// What the file lets the system do for its safety.
    pub hardening: Hardening,
    /// Bytes of thread-local data.
    pub tls_bytes: u64,
    /// RISC-V's instruction set as the build attributes name it, say `rv64i2p1_m2p0_a2p1`.
    pub riscv_arch: Option<String>,
    /// The level of x86-64 that the property notes need (`GNU_PROPERTY_X86_ISA_1_NEEDED`).
    pub x86_level: Option<u32>,
    /// What the linker calls this link alone (`NT_GNU_BUILD_ID`); empty where it says nothing.
    pub build_id: Vec<u8>,
    /// What could not be read or what the loader would refuse; the rest is what could be read.
    pub trouble: Vec<String>,
}

/// What an ELF file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// An object for the linker.
    #[default]
    Object,
    /// A program with fixed addresses.
    Program,
    /// A library, or a program that can be loaded anywhere.
    Shared,
    /// Anything else: a core dump, a kernel's own.
    Other,
}

/// A version that is asked of a library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionNeed {
    /// The library, as it is spelt among the needed ones.
    pub library: String,
    /// The version, say `GLIBC_2.17`.
    pub version: String,
    /// Whether the loader only warns when it is not there.
    pub is_weak: bool,
}

/// One loaded segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether its pages can be written to.
    pub is_writable: bool,
    /// Whether its pages can be run.
    pub is_executable: bool,
    /// The page size that it can live with.
    pub align: u64,
}

/// What a file lets the system do for its safety.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardening {
    /// Whether the stack's pages can be run; absent where the file does not say (and the kernel takes it for a yes).
    pub executable_stack: Option<bool>,
    /// Whether pages that the loader has finished become read-only.
    pub relro: bool,
    /// Whether everything is bound before the first instruction.
    pub bind_now: bool,
    /// Whether the loader has to write into code.
    pub text_relocations: bool,
    /// Whether it takes thread-local memory that only a program's start has plenty of.
    pub static_tls: bool,
    /// Whether it is a program that can be loaded anywhere.
    pub is_pie: bool,
}

impl Elf {
    /// Whether it is loaded as a program or as a library.
    pub fn is_image(&self) -> bool {
        matches!(self.kind, Kind::Program | Kind::Shared)
    }

    /// Whether it is started and not loaded.
    pub fn is_program(&self) -> bool {
        self.kind == Kind::Program || self.interpreter.is_some() && self.hardening.is_pie
    }
}

/// Reads an ELF file.
///
/// # Errors
/// If not even the headers can be read; the text says why.
pub fn read(data: &[u8]) -> Result<Elf, String> {
    let read = match FileKind::parse(data) {
        Ok(FileKind::Elf64) => of_class::<FileHeader64<Endianness>>(data, 64),
        _ => of_class::<FileHeader32<Endianness>>(data, 32),
    };
    read.map_err(|why| format!("cannot be read as ELF: {why}"))
}

fn of_class<Header: FileHeader<Endian = Endianness>>(data: &[u8], class: u32) -> Result<Elf, String> {
    let why = |error: object::Error| error.to_string();
    let header = Header::parse(data).map_err(why)?;
    let endian = header.endian().map_err(why)?;
    let mut elf = Elf {
        machine: machine(header.e_machine(endian).0, class, endian),
        kind: match header.e_type(endian) {
            elf::ET_REL => Kind::Object,
            elf::ET_EXEC => Kind::Program,
            elf::ET_DYN => Kind::Shared,
            _ => Kind::Other,
        },
        ..Elf::default()
    };
    if !elf.is_image() {
        return Ok(elf);
    }
    let headers = header.program_headers(endian, data).map_err(why)?;
    let file = File {
        data,
        endian,
        loads: headers.iter().filter_map(|header| load(header, endian)).collect(),
    };
    if file.loads.is_empty() {
        elf.trouble.push("program headers: nothing is loaded".to_owned());
    }
    let mut table = None;
    for header in headers {
        let range = range(header, endian);
        let content = usize::try_from(range.0)
            .ok()
            .zip(usize::try_from(range.1).ok())
            .and_then(|(start, size)| data.get(start..start.checked_add(size)?));
        let Some(content) = content else {
            elf.trouble.push(format!(
                "program headers: a segment of {:#x} bytes at {:#x} lies outside of the file",
                range.1, range.0
            ));
            continue;
        };
        segment::<Header>(header, endian, content, &mut elf);
        if header.p_type(endian) == elf::PT_DYNAMIC {
            table = Some(content);
        }
    }
    if let Some(table) = table {
        dynamic::read::<Header>(&file, table, &mut elf);
    }
    Ok(elf)
}

/// Big-endian variants of the known numbers, and the short-pointer ABIs of 64-bit processors, are other machines.
fn machine(number: u16, class: u32, endian: Endianness) -> Machine {
    match (number, class, endian) {
        (183, 64, Endianness::Little) => Machine::Aarch64,
        (62, 64, _) => Machine::X86_64,
        (243, 64, Endianness::Little) => Machine::Riscv64,
        (3, 32, _) => Machine::X86,
        (40, 32, Endianness::Little) => Machine::Arm,
        (other, _, _) => Machine::Unknown(other),
    }
}

/// A file whose program headers could be read.
struct File<'data> {
    data: &'data [u8],
    endian: Endianness,
    loads: Vec<Load>,
}

/// Addresses that are filled from the file, and the offset that they begin at.
struct Load {
    addresses: RangeInclusive<u64>,
    offset: u64,
}

impl<'data> File<'data> {
    /// The bytes of the file from an address to the end of its segment.
    fn at(&self, address: u64) -> Result<&'data [u8], String> {
        let found = self.loads.iter().find_map(|load| {
            if !load.addresses.contains(&address) {
                return None;
            }
            let start = load.offset.checked_add(address - load.addresses.start())?;
            let end = start.checked_add(load.addresses.end() - address + 1)?;
            let end = end.min(self.data.len() as u64);
            self.data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        });
        found.ok_or_else(|| format!("address {address:#x} is in no segment"))
    }
}

fn load<Header: ProgramHeader<Endian = Endianness>>(header: &Header, endian: Endianness) -> Option<Load> {
    let (offset, size) = range(header, endian);
    let start: u64 = header.p_vaddr(endian).into();
    if header.p_type(endian) != elf::PT_LOAD || size == 0 {
        return None;
    }
    Some(Load {
        addresses: start..=start.checked_add(size - 1)?,
        offset,
    })
}

fn range<Header: ProgramHeader<Endian = Endianness>>(header: &Header, endian: Endianness) -> (u64, u64) {
    (header.p_offset(endian).into(), header.p_filesz(endian).into())
}

/// Takes from one program header what it says.
fn segment<Header: FileHeader<Endian = Endianness>>(
    header: &Header::ProgramHeader,
    endian: Endianness,
    content: &[u8],
    elf: &mut Elf,
) {
    let flags = header.p_flags(endian);
    let is_executable = flags.contains(elf::PF_X);
    match header.p_type(endian) {
        elf::PT_LOAD => {
            let (offset, address): (u64, u64) = (header.p_offset(endian).into(), header.p_vaddr(endian).into());
            let align: u64 = header.p_align(endian).into();
            if align > 1 && (!align.is_power_of_two() || offset % align != address % align) {
                let place = format!("{offset:#x} of the file and {address:#x} in memory");
                elf.trouble.push(format!(
                    "program headers: {place} do not agree by an alignment of {align:#x}"
                ));
            }
            elf.segments.push(Segment {
                is_writable: flags.contains(elf::PF_W),
                is_executable,
                align,
            });
        }
        elf::PT_INTERP => elf.interpreter = Some(text(content.split(|byte| *byte == 0).next().unwrap_or(content))),
        elf::PT_GNU_STACK => elf.hardening.executable_stack = Some(is_executable),
        elf::PT_GNU_RELRO => elf.hardening.relro = true,
        elf::PT_TLS => elf.tls_bytes = header.p_memsz(endian).into(),
        other if other.0 == PT_RISCV_ATTRIBUTES && elf.machine == Machine::Riscv64 => {
            match riscv_arch(content) {
                Some(arch) => elf.riscv_arch = Some(arch),
                None => elf
                    .trouble
                    .push("build attributes: they cannot be understood".to_owned()),
            };
        }
        elf::PT_NOTE if elf.build_id.is_empty() => elf.build_id = build_id(content).unwrap_or_default().to_vec(),
        elf::PT_GNU_PROPERTY if elf.machine == Machine::X86_64 => elf.x86_level = x86_level(content),
        _ => {}
    }
}

/// The level that the property notes of x86 need: a note has a header of 12 bytes and the name `GNU`, a property a type, a length,
/// and data in units of 8 bytes. Bit 0 is the first level.
fn x86_level(content: &[u8]) -> Option<u32> {
    let word = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let size = word(content, 4)? as usize;
    let mut rest = content.strip_prefix(&[4, 0, 0, 0])?.get(12..)?.get(..size)?;
    while let (Some(kind), Some(size)) = (word(rest, 0), word(rest, 4)) {
        if kind == X86_ISA_NEEDED {
            return word(rest, 8)?.checked_ilog2().map(|bit| bit + 1);
        }
        rest = rest.get(8 + (size as usize).checked_next_multiple_of(8)?..)?;
    }
    None
}

/// The build id among the notes of a segment. A note has the lengths of its name and content, a type, then both in units of 4 bytes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    let word = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    loop {
        let (name, size, kind) = (word(notes, 0)?, word(notes, 4)?, word(notes, 8)?);
        let start = 12 + (name as usize).checked_next_multiple_of(4)?;
        let content = notes.get(start..)?.get(..size as usize)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..start) == Some(b"GNU\0") {
            return Some(&content[..content.len().min(BUILD_ID_BYTES_MAX)]);
        }
        notes = notes.get(start + (size as usize).checked_next_multiple_of(4)?..)?;
    }
}

/// The instruction set in RISC-V's build attributes: format `A`, then the vendor's block, then one for the whole file (tag 1), in
/// which odd tags have strings and even ones numbers. `Tag_RISCV_arch` is 5.
fn riscv_arch(content: &[u8]) -> Option<String> {
    let block = content.strip_prefix(b"A")?.get(4..)?.strip_prefix(b"riscv\0")?;
    let mut rest = block.strip_prefix(&[1])?.get(4..)?;
    while !rest.is_empty() {
        let tag = leb(&mut rest)?;
        if tag % 2 == 0 {
            leb(&mut rest)?;
            continue;
        }
        let end = rest.iter().position(|byte| *byte == 0)?;
        if tag == 5 {
            return Some(text(&rest[..end]));
        }
        rest = &rest[end + 1..];
    }
    None
}

/// An unsigned number in the variable length of DWARF.
fn leb(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
