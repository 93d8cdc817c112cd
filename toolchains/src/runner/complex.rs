//! The complex functions of C99. Wine's `ucrtbase.dll` exports them, but behind nearly all of their names is a stub that ends the
//! program; numpy's published modules import dozens. They are compiled here into a DLL of their own, and Wine's names are turned into
//! forwarders to it: a program that asks for none of them never loads it and sees the DLL that it has always seen. What is a stub is
//! read from the code, so that a Wine which knows a function keeps its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader, PeFile64};
use object::{LittleEndian as LE, Object, ObjectSymbol, SymbolKind};

use crate::Arch;

/// What is compiled here.
pub(super) const SOURCE: &str = include_str!("../../runner/complex.c");
/// The header of it and of musl's sources.
pub(super) const HEADER: &str = include_str!("../../runner/complex_impl.h");
/// What both call.
pub(super) const UCRTBASE: &str = include_str!("../../runner/ucrtbase.def");
/// Those of musl's sources that are right, below `libc/musl/src/complex` of the compiler's package.
pub(super) const MUSL: [&str; 9] = [
    "__cexp", "ccos", "ccosh", "cexp", "cproj", "csin", "csinh", "ctan", "ctanh",
];
/// The DLL's name, without its suffix.
pub(super) const MODULE: &str = "windlass-complex";

/// The functions that object files define.
pub(super) fn defined(objects: &[std::path::PathBuf]) -> Result<BTreeSet<String>> {
    let mut functions = BTreeSet::new();
    for path in objects {
        let bytes = fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let file = object::File::parse(&*bytes).with_context(|| format!("{}: is no object file", path.display()))?;
        for symbol in file.symbols() {
            if symbol.is_global() && symbol.is_definition() && symbol.kind() == SymbolKind::Text {
                functions.insert(symbol.name()?.to_owned());
            }
        }
    }
    Ok(functions)
}

/// Turns every stub of a DLL for which there is a function into a forwarder to [`MODULE`], and gives the functions that are wanted.
pub(super) fn forward(dll: &Path, arch: Arch, functions: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let mut bytes = fs::read(dll).with_context(|| format!("{}: cannot be read", dll.display()))?;
    let wanted = redirect(&mut bytes, arch, functions)
        .with_context(|| format!("{}: its stubs cannot be led to functions", dll.display()))?;
    fs::write(dll, bytes).with_context(|| format!("{}: cannot be written", dll.display()))?;
    Ok(wanted)
}

/// The function behind a name: `long double` is `double` on Windows.
fn serves<'a>(name: &str, functions: &'a BTreeSet<String>) -> Option<&'a str> {
    let double = match (name.strip_prefix("_LC"), name.strip_suffix('l')) {
        (Some(rest), _) => format!("_C{rest}"),
        (None, double) => double.unwrap_or(name).to_owned(),
    };
    let found = functions.get(name).or_else(|| functions.get(&double));
    found.map(String::as_str)
}

fn redirect(bytes: &mut Vec<u8>, arch: Arch, functions: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let (mut wanted, mut forwarders) = (BTreeSet::new(), BTreeMap::new());
    let file = PeFile64::parse(&**bytes)?;
    let table = file.export_table()?.context("there is no export table")?;
    let image = Image::of(&file, bytes);
    // A forwarder is told by where it lies, and they all move.
    for (index, address) in table.addresses().iter().enumerate() {
        if let Some(text) = image.forwarder(address.get(LE)) {
            forwarders.insert(index, text.to_owned());
        }
    }
    for (name, index) in table.name_iter() {
        let address = table.address_by_index(index)?;
        let name = std::str::from_utf8(table.name_from_pointer(name)?)?;
        if let Some(function) = serves(name, functions).filter(|_| image.is_stub(arch, address, name)) {
            wanted.insert(function.to_owned());
            forwarders.insert(index.0 as usize, format!("{MODULE}.{function}").into_bytes());
        }
    }
    ensure!(
        !wanted.is_empty(),
        "it has none; the package is another one, and needs no change any more"
    );
    let layout = image.layout()?;
    let addresses = image
        .offset(table.directory().address_of_functions.get(LE))
        .context("its export addresses lie nowhere")?;
    layout.append(bytes, addresses, &forwarders)?;
    Ok(wanted)
}

/// A DLL as the loader sees it.
struct Image<'a> {
    bytes: &'a [u8],
    headers: &'a object::pe::ImageNtHeaders64,
    /// Where the headers are in the file.
    headers_at: usize,
    sections: Vec<object::pe::ImageSectionHeader>,
    /// Address and size of the export directory.
    exports: (u32, u32),
}

impl<'a> Image<'a> {
    fn of(file: &PeFile64<'a>, bytes: &'a [u8]) -> Image<'a> {
        let exports = file.data_directory(object::pe::IMAGE_DIRECTORY_ENTRY_EXPORT);
        Image {
            bytes,
            headers: file.nt_headers(),
            headers_at: file.dos_header().nt_headers_offset() as usize,
            sections: file.section_table().iter().copied().collect(),
            exports: exports.map_or((0, 0), |directory| directory.address_range()),
        }
    }

    /// The place in the file of what is at an address.
    fn offset(&self, address: u32) -> Option<usize> {
        let found = self.sections.iter().find_map(|section| {
            let inside = address.checked_sub(section.virtual_address.get(LE))?;
            (inside < section.size_of_raw_data.get(LE)).then(|| section.pointer_to_raw_data.get(LE) + inside)
        });
        usize::try_from(found?).ok()
    }

    fn at(&self, address: u32) -> Option<&'a [u8]> {
        self.bytes.get(self.offset(address)?..)
    }

    fn text(&self, address: u32) -> Option<&'a [u8]> {
        text(self.at(address)?)
    }

    fn forwarder(&self, address: u32) -> Option<&'a [u8]> {
        let (start, size) = self.exports;
        let inside = address.checked_sub(start).is_some_and(|inside| inside < size);
        if inside { self.text(address) } else { None }
    }

    /// Whether the code at an address is what `winebuild` writes for a function that Wine does not have: it takes the address of the
    /// DLL's name and that of the function's own name, and calls what ends the program.
    fn is_stub(&self, arch: Arch, address: u32, name: &str) -> bool {
        let named = self.at(address).and_then(|code| match arch {
            Arch::X86_64 => stub_x64(code, address),
            Arch::Aarch64 => stub_arm64(code, address),
            Arch::Riscv64 => None,
        });
        let texts = named.map(|texts| texts.map(|address| self.text(address)));
        texts == Some([Some(b"ucrtbase.dll"), Some(name.as_bytes())])
    }

    fn layout(&self) -> Result<Layout> {
        let optional = self.headers_at + 24;
        let sections_at = optional + usize::from(self.headers.file_header().size_of_optional_header.get(LE));
        let header = self.headers.optional_header();
        let directory = self.at(self.exports.0).and_then(|bytes| bytes.get(..40));
        let directory = directory.context("its export directory lies nowhere")?;
        let layout = Layout {
            headers_at: self.headers_at,
            optional,
            sections: self.sections.len(),
            section_at: sections_at + 40 * self.sections.len(),
            file_alignment: header.file_alignment(),
            section_alignment: header.section_alignment(),
            image_size: header.size_of_image(),
            directory: directory.to_vec(),
        };
        let room = self.bytes.get(layout.section_at..header.size_of_headers() as usize);
        ensure!(
            room.is_some_and(|room| room.len() >= 40 && room[..40].iter().all(|byte| *byte == 0)),
            "there is no room for one more section header"
        );
        Ok(layout)
    }
}

/// What stands before the first zero.
fn text(bytes: &[u8]) -> Option<&[u8]> {
    bytes.split(|byte| *byte == 0).next()
}

/// The two names that a stub takes, by address.
fn stub_x64(code: &[u8], address: u32) -> Option<[u32; 2]> {
    let code = code.first_chunk::<24>()?;
    // sub rsp, 40; lea rcx, [rip + …]; lea rdx, [rip + …]; call …; nop
    let shape = [
        (0, &[0x48, 0x83, 0xec, 0x28, 0x48, 0x8d, 0x0d][..]),
        (11, &[0x48, 0x8d, 0x15]),
        (18, &[0xe8]),
        (23, &[0x90]),
    ];
    if !shape.iter().all(|(at, bytes)| code[*at..].starts_with(bytes)) {
        return None;
    }
    let beyond = |at: usize| {
        let distance = i32::from_le_bytes(*code[at..].first_chunk()?);
        address.checked_add(at as u32 + 4)?.checked_add_signed(distance)
    };
    Some([beyond(7)?, beyond(14)?])
}

/// The two names that a stub takes, by address.
fn stub_arm64(code: &[u8], address: u32) -> Option<[u32; 2]> {
    let code = code.first_chunk::<20>()?;
    let word = |number: usize| code[number * 4..].first_chunk().copied().map(u32::from_le_bytes);
    // adrp xN, …; add xN, xN, #…
    let pair = |number: usize, register: u32| {
        let (page, add) = (word(number)?, word(number + 1)?);
        if page & 0x9f00_001f != 0x9000_0000 | register || add & 0xffc0_03ff != 0x9100_0000 | register << 5 | register {
            return None;
        }
        let pages = (page >> 5 & 0x7_ffff) << 2 | page >> 29 & 3;
        // Twenty-one bits with a sign, then twelve of zero.
        let distance = ((pages << 11) as i32 >> 11) << 12;
        let here = address.checked_add(number as u32 * 4)? & !0xfff;
        here.checked_add_signed(distance)?.checked_add(add >> 10 & 0xfff)
    };
    // b …
    let names = [pair(0, 0)?, pair(2, 1)?];
    (word(4)? >> 26 == 5).then_some(names)
}

/// Where a section more goes.
struct Layout {
    headers_at: usize,
    optional: usize,
    sections: usize,
    section_at: usize,
    file_alignment: u32,
    section_alignment: u32,
    image_size: u32,
    directory: Vec<u8>,
}

impl Layout {
    /// Puts the export directory with the texts of all forwarders into a section of its own; the loader takes for a forwarder what lies
    /// beside the directory.
    fn append(&self, bytes: &mut Vec<u8>, addresses: usize, forwarders: &BTreeMap<usize, Vec<u8>>) -> Result<()> {
        let address = self.image_size.next_multiple_of(self.section_alignment);
        let mut data = self.directory.clone();
        for (index, text) in forwarders {
            let entry = addresses + index * 4;
            put(bytes, entry, &[address + u32::try_from(data.len())?]);
            data.extend_from_slice(text);
            data.push(0);
        }
        let size = u32::try_from(data.len())?;
        data.resize(size.next_multiple_of(self.file_alignment) as usize, 0);
        let file = u32::try_from(bytes.len())?.next_multiple_of(self.file_alignment);
        bytes.resize(file as usize, 0);
        bytes.extend_from_slice(&data);
        bytes[self.section_at..self.section_at + 8].copy_from_slice(b".forward");
        // VirtualSize, VirtualAddress, SizeOfRawData, PointerToRawData; initialised data that may be read.
        put(
            bytes,
            self.section_at + 8,
            &[size, address, u32::try_from(data.len())?, file, 0, 0, 0, 0x4000_0040],
        );
        bytes[self.headers_at + 6..self.headers_at + 8]
            .copy_from_slice(&u16::try_from(self.sections + 1)?.to_le_bytes());
        let end = (address + size).next_multiple_of(self.section_alignment);
        put(bytes, self.optional + 56, &[end]); // SizeOfImage
        put(bytes, self.optional + 112, &[address, size]); // the first data directory, that of exports
        Ok(())
    }
}

fn put(bytes: &mut [u8], at: usize, words: &[u32]) {
    for (number, word) in words.iter().enumerate() {
        bytes[at + number * 4..at + number * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_double_is_served_as_a_double() {
        let functions = ["cexp", "cexpf", "_Cmulcc", "cproj", "creal"].map(String::from).into();
        for (name, function) in [
            ("cexp", Some("cexp")),
            ("cexpf", Some("cexpf")),
            ("cexpl", Some("cexp")),
            ("_LCmulcc", Some("_Cmulcc")),
            ("creal", Some("creal")),
            ("creall", Some("creal")),
            ("_ismbbalnum_l", None),
            ("imaxdiv", None),
        ] {
            assert_eq!(serves(name, &functions), function, "{name}");
        }
    }

    #[test]
    fn code_is_a_stub_only_if_it_names_the_dll_and_its_own_export() {
        // The texts lie at 0x2000, behind the code of either processor, which lies at 0x1000.
        let x64 = [
            &[0x48, 0x83, 0xec, 0x28, 0x48, 0x8d, 0x0d][..],
            &(0x2000_u32 - 0x100b).to_le_bytes(),
            &[0x48, 0x8d, 0x15],
            &(0x200d_u32 - 0x1012).to_le_bytes(),
            &[0xe8, 1, 2, 3, 4, 0x90],
        ]
        .concat();
        let arm64 = [0xb000_0000_u32, 0x9100_0000, 0xb000_0001, 0x9100_3421, 0x1402_2c3e];
        let arm64 = arm64.map(u32::to_le_bytes).concat();
        for (arch, code) in [(Arch::X86_64, x64), (Arch::Aarch64, arm64)] {
            let mut bytes = code.clone();
            bytes.resize(0x1000, 0);
            bytes.extend_from_slice(b"ucrtbase.dll\0cexp\0");
            let stub = |bytes: &[u8], name: &str| {
                let texts = match arch {
                    Arch::X86_64 => stub_x64(bytes, 0x1000),
                    _ => stub_arm64(bytes, 0x1000),
                };
                let text = |address: u32| text(bytes.get(address as usize - 0x1000..)?);
                texts.is_some_and(|texts| texts.map(text) == [Some(&b"ucrtbase.dll"[..]), Some(name.as_bytes())])
            };
            assert!(stub(&bytes, "cexp"), "{arch}");
            assert!(!stub(&bytes, "csin"), "{arch}");
            // Whatever bit of the code is another one, it is no stub, unless it is only another distance to what ends the program.
            let called = match arch {
                Arch::X86_64 => 19..23,
                _ => 16..20,
            };
            for at in (0..code.len()).filter(|at| !called.contains(at)) {
                let mut other = bytes.clone();
                other[at] ^= 0x10;
                assert!(!stub(&other, "cexp"), "{arch}: byte {at}");
            }
            assert!(!stub(&bytes[..10], "cexp"), "{arch}");
        }
    }

    #[test]
    fn what_is_no_dll_is_refused() {
        for size in [0, 64, 4096] {
            assert!(redirect(&mut vec![0; size], Arch::X86_64, &BTreeSet::new()).is_err());
        }
    }
}
