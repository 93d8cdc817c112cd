//! Reading ELF as far as the machine. Its rules need more and get it when there is a Linux bundle to judge.

use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::FileHeader;
use object::{Endianness, FileKind};

use super::Machine;

/// What is known of one ELF file.
#[derive(Debug)]
pub struct Elf {
    /// The machine that it is for.
    pub machine: Machine,
}

/// Reads the header.
///
/// # Errors
/// If the header cannot be read; the text says why.
pub fn read(data: &[u8]) -> Result<Elf, String> {
    let (machine, class) = match FileKind::parse(data) {
        Ok(FileKind::Elf64) => (machine::<FileHeader64<Endianness>>(data), 64),
        _ => (machine::<FileHeader32<Endianness>>(data), 32),
    };
    let machine = machine.map_err(|why| format!("cannot be read as ELF: {why}"))?;
    Ok(Elf {
        machine: match (machine, class) {
            (183, 64) => Machine::Aarch64,
            (62, 64) => Machine::X86_64,
            (243, 64) => Machine::Riscv64,
            (3, 32) => Machine::X86,
            (40, 32) => Machine::Arm,
            (other, _) => Machine::Unknown(other),
        },
    })
}

fn machine<Header: FileHeader<Endian = Endianness>>(data: &[u8]) -> object::Result<u16> {
    let header = Header::parse(data)?;
    // Big-endian variants of the known numbers are other machines.
    match header.endian()? {
        Endianness::Little => Ok(header.e_machine(Endianness::Little).0),
        Endianness::Big => Ok(0),
    }
}
