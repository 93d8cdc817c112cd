//! Reading native files: what a file is by its bytes, and the parts of it that rules judge. Hostile and truncated input is
//! described, never trusted: nothing here panics, and nothing grows beyond a fixed multiple of the input.

pub mod archive;
pub mod container;
pub mod elf;
mod names;
pub mod pe;
pub(crate) mod unlinked;

use std::fmt;

use object::FileKind;
use object::read::coff::{ImportFile, ImportName};

pub use names::Names;

use crate::Arch;

/// What a file or a member of an archive is.
#[derive(Debug)]
pub enum Content {
    /// A program or a DLL.
    Pe(Box<pe::Pe>),
    /// An object for the linker.
    Coff(Machine),
    /// One entry of an import library.
    ShortImport(ShortImport),
    /// A library of objects or of imports.
    Archive(archive::Archive),
    /// A Linux program, library or object.
    Elf(Box<elf::Elf>),
    /// What files are packed into; its members are judged by themselves.
    Container(container::Kind),
    /// No native code: text, data, images.
    Other,
}

/// The machine that code is for, as its headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Machine {
    /// 64-bit ARM.
    Aarch64,
    /// 64-bit ARM in the ABI of emulated x64 programs: the header says x64, the load configuration knows better.
    Arm64Ec,
    /// Both kinds of 64-bit ARM in one file: the header says ARM64, and there is metadata of hybrid code.
    Arm64X,
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86.
    X86,
    /// 32-bit ARM.
    Arm,
    /// 64-bit RISC-V.
    Riscv64,
    /// A number that no format assigns, or that stands for no machine.
    Unknown(u16),
}

/// One entry of an import library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortImport {
    /// The machine that it is for.
    pub machine: Machine,
    /// The DLL's file name.
    pub dll: String,
    symbol: Result<String, u16>,
}

/// What an import asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol<'a> {
    /// An export by its name.
    Name(&'a str),
    /// An export by its number.
    Ordinal(u16),
}

/// Understands a file. Containers are named, not opened.
///
/// # Errors
/// If it begins like a native file and is none that can be read; the text says what and why.
pub fn read(data: &[u8]) -> Result<Content, String> {
    if let Some(kind) = container::sniff(data) {
        return Ok(Content::Container(kind));
    }
    let cannot = |format: &'static str| move |why: object::Error| format!("cannot be read as {format}: {why}");
    match FileKind::parse(data) {
        Ok(FileKind::Pe64) => pe::read::<object::pe::ImageNtHeaders64>(data).map(|pe| Content::Pe(Box::new(pe))),
        Ok(FileKind::Pe32) => pe::read::<object::pe::ImageNtHeaders32>(data).map(|pe| Content::Pe(Box::new(pe))),
        Ok(FileKind::Archive) => archive::read(data).map(Content::Archive),
        Ok(FileKind::Elf64 | FileKind::Elf32) => elf::read(data).map(|elf| Content::Elf(Box::new(elf))),
        Ok(FileKind::CoffImport) => {
            let import = ImportFile::parse(data).map_err(cannot("a short import"))?;
            Ok(Content::ShortImport(ShortImport {
                machine: Machine::of_pe(word(data, 6)),
                dll: text(import.dll()),
                symbol: match import.import() {
                    ImportName::Name(name) => Ok(text(name)),
                    ImportName::Ordinal(ordinal) => Err(ordinal),
                },
            }))
        }
        Ok(FileKind::Coff) => {
            object::coff::CoffFile::<&[u8]>::parse(data).map_err(cannot("COFF"))?;
            Ok(Content::Coff(Machine::of_pe(word(data, 0))))
        }
        Ok(FileKind::CoffBig) => {
            object::coff::CoffBigFile::<&[u8]>::parse(data).map_err(cannot("COFF"))?;
            Ok(Content::Coff(Machine::of_pe(word(data, 6))))
        }
        Ok(other) => Err(format!("is of a format that no rule judges: {other:?}")),
        Err(why) => match magic(data) {
            Some(format) => Err(format!("cannot be read as {format}: {why}")),
            None if is_apple(data) => Err("is of a format that no rule judges: Mach-O".to_owned()),
            None => Ok(Content::Other),
        },
    }
}

/// The format that the first bytes announce, for files that turned out not to be of it.
fn magic(data: &[u8]) -> Option<&'static str> {
    let formats: [(&[u8], &str); 6] = [
        (b"MZ", "PE"),
        (b"!<arch>", "an archive"),
        (b"!<thin>", "an archive"),
        (b"\x7fELF", "ELF"),
        (b"BC\xc0\xde", "anything but LLVM bitcode, which is not for a machine"),
        (b"\x00\x00\xff\xff", "COFF"),
    ];
    formats
        .iter()
        .find(|(bytes, _)| data.starts_with(bytes))
        .map(|(_, format)| *format)
}

/// Whether native code for Apple's systems begins: of one machine in both byte orders, or of several. Java's classes have the
/// last magic too; their version, 45 or more, stands where the number of parts would.
fn is_apple(data: &[u8]) -> bool {
    let is_java = || data.get(7).is_none_or(|parts| *parts >= 45);
    match data.get(..4) {
        Some(b"\xfe\xed\xfa\xce" | b"\xfe\xed\xfa\xcf" | b"\xce\xfa\xed\xfe" | b"\xcf\xfa\xed\xfe") => true,
        Some(b"\xca\xfe\xba\xbe") => !is_java(),
        _ => false,
    }
}

impl ShortImport {
    /// What is taken from the DLL.
    pub fn symbol(&self) -> Symbol<'_> {
        match &self.symbol {
            Ok(name) => Symbol::Name(name),
            Err(ordinal) => Symbol::Ordinal(*ordinal),
        }
    }
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::Unknown(0)
    }
}

impl Machine {
    /// The machine of a COFF header's number, before any hybrid metadata is looked at.
    pub fn of_pe(number: u16) -> Machine {
        match number {
            0xaa64 => Machine::Aarch64,
            0xa641 => Machine::Arm64Ec,
            0xa64e => Machine::Arm64X,
            0x8664 => Machine::X86_64,
            0x014c => Machine::X86,
            0x01c0 | 0x01c2 | 0x01c4 => Machine::Arm,
            0x5064 => Machine::Riscv64,
            other => Machine::Unknown(other),
        }
    }

    /// Whether it is plain code of an architecture, with no emulation and no hybrid.
    pub fn is(self, arch: Arch) -> bool {
        self.arch() == Some(arch) && !matches!(self, Machine::Arm64Ec | Machine::Arm64X)
    }

    /// The architecture of the processor that runs it; absent for those that are no target of ours.
    pub fn arch(self) -> Option<Arch> {
        match self {
            Machine::Aarch64 | Machine::Arm64Ec | Machine::Arm64X => Some(Arch::Aarch64),
            Machine::X86_64 => Some(Arch::X86_64),
            Machine::Riscv64 => Some(Arch::Riscv64),
            Machine::X86 | Machine::Arm | Machine::Unknown(_) => None,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Machine::Aarch64 => "aarch64",
            Machine::Arm64Ec => "arm64ec",
            Machine::Arm64X => "arm64x",
            Machine::X86_64 => "x86_64",
            Machine::X86 => "x86",
            Machine::Arm => "arm",
            Machine::Riscv64 => "riscv64",
            Machine::Unknown(number) => return write!(f, "unknown machine {number:#06x}"),
        })
    }
}

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Name(name) => write!(f, "`{name}`"),
            Symbol::Ordinal(ordinal) => write!(f, "ordinal {ordinal}"),
        }
    }
}

/// Bytes of a name as text; what is not UTF-8 becomes the replacement sign and can match nothing.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The little-endian 16 bits at an offset; zero beyond the end.
fn word(data: &[u8], offset: usize) -> u16 {
    match data.get(offset..offset + 2) {
        Some(&[low, high]) => u16::from_le_bytes([low, high]),
        _ => 0,
    }
}
