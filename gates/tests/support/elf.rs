//! Small ELF files made of readable code: a header, program headers, and one segment that holds everything the loader reads.

/// A program or a library to be written.
#[derive(Clone)]
pub struct Elf {
    /// The number of the machine: 183 is 64-bit ARM, 62 x86-64, 243 RISC-V.
    pub machine: u16,
    /// 2 a program with fixed addresses, 3 what can be loaded anywhere.
    pub kind: u16,
    pub interpreter: Option<&'static str>,
    pub soname: Option<&'static str>,
    pub needed: Vec<&'static str>,
    pub rpath: Option<&'static str>,
    pub runpath: Option<&'static str>,
    pub symbols: Vec<Symbol>,
    /// Flags of the stack's header: 6 data, 7 code too; absent for no header.
    pub stack: Option<u32>,
    pub relro: bool,
    pub bind_now: bool,
    pub textrel: bool,
    pub static_tls: bool,
    pub tls_bytes: u64,
    pub align: u64,
    /// Flags of the one segment: 5 code, 7 code that can be written to.
    pub flags: u32,
    /// RISC-V's instruction set in the build attributes.
    pub riscv_arch: Option<&'static str>,
    /// The level of x86-64 in the property notes.
    pub x86_level: Option<u32>,
    /// What the linker calls this link alone.
    pub build_id: Option<[u8; 20]>,
    /// The code; the program starts at its beginning, and every symbol leads there.
    pub code: Vec<u8>,
}

/// A dynamic symbol.
#[derive(Clone, Copy)]
pub struct Symbol {
    pub name: &'static str,
    /// The library that is asked for it and the version; the library is empty for a version that the file defines.
    pub version: Option<(&'static str, &'static str)>,
    pub is_defined: bool,
    pub is_weak: bool,
}

impl Symbol {
    pub fn defined(name: &'static str) -> Symbol {
        Symbol {
            name,
            version: None,
            is_defined: true,
            is_weak: false,
        }
    }

    pub fn wanted(name: &'static str, library: &'static str, version: &'static str) -> Symbol {
        Symbol {
            version: Some((library, version)),
            is_defined: false,
            ..Symbol::defined(name)
        }
    }

    pub fn unversioned(name: &'static str) -> Symbol {
        Symbol {
            is_defined: false,
            ..Symbol::defined(name)
        }
    }
}

impl Elf {
    pub fn library(soname: &'static str) -> Elf {
        Elf {
            machine: 183,
            kind: 3,
            interpreter: None,
            soname: Some(soname),
            needed: vec!["libc.so.6"],
            rpath: None,
            runpath: None,
            symbols: vec![
                Symbol::defined("answer"),
                Symbol::wanted("memcpy", "libc.so.6", "GLIBC_2.17"),
            ],
            stack: Some(6),
            relro: true,
            bind_now: true,
            textrel: false,
            static_tls: false,
            tls_bytes: 0,
            align: 0x1_0000,
            flags: 5,
            riscv_arch: None,
            x86_level: None,
            build_id: None,
            code: Vec::new(),
        }
    }

    pub fn program(needed: &[&'static str]) -> Elf {
        Elf {
            kind: 2,
            interpreter: Some("/lib/ld-linux-aarch64.so.1"),
            soname: None,
            needed: needed.to_vec(),
            runpath: Some("$ORIGIN/../lib"),
            symbols: vec![
                Symbol::unversioned("answer"),
                Symbol::wanted("exit", "libc.so.6", "GLIBC_2.17"),
            ],
            ..Elf::library("")
        }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut image = Image::new(10);
        let code = match self.code.is_empty() {
            true => 0,
            false => image.put(&self.code),
        };
        let strings = Strings::of(self);
        let strtab = image.put(&strings.text);
        let hash = image.put(&[0, self.symbols.len() as u32 + 1].map(u32::to_le_bytes).concat());
        let symtab = image.put(&self.symbol_table(&strings, code));
        let (versym, verneed, needs, verdef, defs) = self.versions(&strings, &mut image);
        let mut dynamic: Vec<(u64, u64)> = self.needed.iter().map(|library| (1, strings.at(library))).collect();
        dynamic.extend([
            (5, strtab),
            (10, strings.text.len() as u64),
            (6, symtab),
            (11, 24),
            (4, hash),
        ]);
        dynamic.extend(self.soname.map(|name| (14, strings.at(name))));
        dynamic.extend(self.rpath.map(|path| (15, strings.at(path))));
        dynamic.extend(self.runpath.map(|path| (29, strings.at(path))));
        if self.symbols.iter().any(|symbol| symbol.version.is_some()) {
            dynamic.push((0x6fff_fff0, versym));
            dynamic.extend([(0x6fff_fffe, verneed), (0x6fff_ffff, needs)]);
            dynamic.extend([(0x6fff_fffc, verdef), (0x6fff_fffd, defs)]);
        }
        let flags = u64::from(self.bind_now) * 8 + u64::from(self.textrel) * 4 + u64::from(self.static_tls) * 16;
        dynamic.extend([(30, flags), (0, 0)]);
        let table: Vec<u8> = dynamic
            .iter()
            .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat())
            .collect();
        let dynamic = (image.put(&table), table.len() as u64);
        self.headers(image, dynamic, code)
    }

    fn headers(&self, mut image: Image, dynamic: (u64, u64), code: u64) -> Vec<u8> {
        image.segment(2, 6, dynamic.0, dynamic.1, 8);
        if let Some(interpreter) = self.interpreter {
            let text = [interpreter.as_bytes(), b"\0"].concat();
            let at = image.put(&text);
            image.segment(3, 4, at, text.len() as u64, 1);
        }
        if let Some(flags) = self.stack {
            image.segment(0x6474_e551, flags, 0, 0, 16);
        }
        if self.relro {
            image.segment(0x6474_e552, 4, dynamic.0, dynamic.1, 1);
        }
        if self.tls_bytes > 0 {
            image.segment(7, 4, 0, 0, 8);
            image.memory_bytes(self.tls_bytes);
        }
        if let Some(arch) = self.riscv_arch {
            let attributes = riscv_attributes(arch);
            let at = image.put(&attributes);
            image.segment(0x7000_0003, 4, at, attributes.len() as u64, 1);
        }
        if let Some(level) = self.x86_level {
            let note = x86_note(level);
            let at = image.put(&note);
            image.segment(0x6474_e553, 4, at, note.len() as u64, 8);
        }
        if let Some(id) = self.build_id {
            // A name of 4 bytes, the id, and the type.
            let note = [&[4_u32, 20, 3].map(u32::to_le_bytes).concat()[..], b"GNU\0", &id].concat();
            let at = image.put(&note);
            image.segment(4, 4, at, note.len() as u64, 4);
        }
        let size = image.bytes.len() as u64;
        image.segment(1, self.flags, 0, size, self.align);
        image.finish(self, code)
    }

    fn symbol_table(&self, strings: &Strings, code: u64) -> Vec<u8> {
        let mut table = vec![0; 24];
        for symbol in &self.symbols {
            table.extend((strings.at(symbol.name) as u32).to_le_bytes());
            // A function, global or weak; defined in section 1 or nowhere.
            table.push(2 | if symbol.is_weak { 0x20 } else { 0x10 });
            table.push(0);
            table.extend(u16::from(symbol.is_defined).to_le_bytes());
            table.extend(
                [if symbol.is_defined { code } else { 0 }, 0]
                    .map(u64::to_le_bytes)
                    .concat(),
            );
        }
        table
    }

    /// The tables of versions: a number for each symbol, what is asked of libraries, what is defined.
    fn versions(&self, strings: &Strings, image: &mut Image) -> (u64, u64, u64, u64, u64) {
        let mut numbers: Vec<(&str, &str)> = Vec::new();
        let mut versym = vec![0, 0];
        for symbol in &self.symbols {
            let number = match symbol.version {
                None => 1,
                Some(version) => match numbers.iter().position(|known| *known == version) {
                    Some(place) => place + 2,
                    None => {
                        numbers.push(version);
                        numbers.len() + 1
                    }
                },
            };
            versym.extend((number as u16).to_le_bytes());
        }
        let (mut needs, mut defs) = (Vec::new(), Vec::new());
        let (mut need_count, mut def_count) = (0, 0);
        for (place, (library, version)) in numbers.iter().enumerate() {
            let (number, name) = (place as u16 + 2, strings.at(version) as u32);
            if library.is_empty() {
                // Version 1, no flags, number, one name, hash, where the name is, where the next is.
                defs.extend([1_u16, 0, number, 1].map(u16::to_le_bytes).concat());
                defs.extend([0_u32, 20, 28, name, 0].map(u32::to_le_bytes).concat());
                def_count += 1;
            } else {
                needs.extend([1_u16, 1].map(u16::to_le_bytes).concat());
                needs.extend([strings.at(library) as u32, 16, 32, 0].map(u32::to_le_bytes).concat());
                needs.extend([0_u16, number].map(u16::to_le_bytes).concat());
                needs.extend([name, 0].map(u32::to_le_bytes).concat());
                need_count += 1;
            }
        }
        (
            image.put(&versym),
            image.put(&needs),
            need_count,
            image.put(&defs),
            def_count,
        )
    }
}

/// The string table.
struct Strings {
    text: Vec<u8>,
}

impl Strings {
    fn of(elf: &Elf) -> Strings {
        let versions = elf.symbols.iter().filter_map(|symbol| symbol.version);
        let versions = versions.flat_map(|(library, version)| [library, version]);
        let names = elf.symbols.iter().map(|symbol| symbol.name);
        let folders = [elf.soname, elf.rpath, elf.runpath].into_iter().flatten();
        let mut text = vec![0];
        for name in elf.needed.iter().copied().chain(folders).chain(names).chain(versions) {
            text.extend(name.bytes().chain([0]));
        }
        Strings { text }
    }

    fn at(&self, name: &str) -> u64 {
        let wanted = [b"\0", name.as_bytes(), b"\0"].concat();
        let place = self.text.windows(wanted.len()).position(|window| window == wanted);
        place.unwrap() as u64 + 1
    }
}

/// A file whose addresses are its offsets.
struct Image {
    bytes: Vec<u8>,
    headers: Vec<u8>,
    room: usize,
}

impl Image {
    fn new(segments: usize) -> Image {
        Image {
            bytes: vec![0; 64 + 56 * segments],
            headers: Vec::new(),
            room: segments,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        at as u64
    }

    fn segment(&mut self, kind: u32, flags: u32, at: u64, size: u64, align: u64) {
        self.headers.extend([kind, flags].map(u32::to_le_bytes).concat());
        self.headers
            .extend([at, at, at, size, size, align].map(u64::to_le_bytes).concat());
    }

    /// Gives the last segment more memory than it has bytes.
    fn memory_bytes(&mut self, bytes: u64) {
        let at = self.headers.len() - 16;
        self.headers[at..at + 8].copy_from_slice(&bytes.to_le_bytes());
    }

    fn finish(mut self, elf: &Elf, entry: u64) -> Vec<u8> {
        let count = self.headers.len() / 56;
        assert!(count <= self.room, "more segments than room was left for");
        let mut header = b"\x7fELF\x02\x01\x01".to_vec();
        header.resize(16, 0);
        header.extend([elf.kind, elf.machine].map(u16::to_le_bytes).concat());
        header.extend(1_u32.to_le_bytes());
        header.extend([entry, 64, 0].map(u64::to_le_bytes).concat());
        header.extend(0_u32.to_le_bytes());
        header.extend([64_u16, 56, count as u16, 64, 0, 0].map(u16::to_le_bytes).concat());
        self.bytes[..64].copy_from_slice(&header);
        self.bytes[64..64 + self.headers.len()].copy_from_slice(&self.headers);
        self.bytes
    }
}

/// A note of the properties of x86: what is used first, which nobody judges, then what is needed, one bit for each level.
fn x86_note(level: u32) -> Vec<u8> {
    let property = |kind: u32, bits: u32| [kind, 4, bits, 0].map(u32::to_le_bytes).concat();
    let properties = [property(0xc001_0002, 0xf), property(0xc000_8002, (1 << level) - 1)].concat();
    let header = [4, properties.len() as u32, 5].map(u32::to_le_bytes).concat();
    [header, b"GNU\0".to_vec(), properties].concat()
}

/// Build attributes that name an instruction set.
fn riscv_attributes(arch: &str) -> Vec<u8> {
    let attribute = [&[5], arch.as_bytes(), b"\0"].concat();
    let file = [&[1], &(attribute.len() as u32 + 5).to_le_bytes()[..], &attribute].concat();
    let length = (4 + 6 + file.len()) as u32;
    [b"A".as_slice(), &length.to_le_bytes(), b"riscv\0", &file].concat()
}
