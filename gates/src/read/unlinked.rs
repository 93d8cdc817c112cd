//! Where the code of objects is that are not linked yet, and where it leads: a lone object, or a library's, read as a linker would
//! that takes all of them. Addresses are given out here. Nothing is changed in the code; what its relocations will lead to is
//! written down beside it.

use std::collections::{BTreeMap, HashMap, HashSet};

use object::read::archive::ArchiveFile;
use object::read::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SymbolIndex};
use object::{BinaryFormat, RelocationFlags, SectionKind, SymbolKind, SymbolSection};

use super::{Content, Machine, read, text};
use crate::Arch;
use crate::code::{
    Measure,
    layout::{Bind, Binds, Layout},
};

/// Longer than any name of a symbol: Microsoft's linker stops at 4096 characters of a decorated name.
const NAME_BYTES_MAX: usize = 1 << 14;

/// Archives in archives are read to this depth, as in `archive`.
const DEPTH_MAX: usize = 3;

/// Sections lie so far apart that no page, and so no address whose half is still missing, is that of two.
const SECTION_ALIGN: u64 = 1 << 16;

/// How the names begin of sections that describe code.
const DESCRIBING: [&[u8]; 7] = [
    b".debug",
    b".eh_frame",
    b".gcc_except_table",
    b".llvm",
    b".pdata",
    b".stack_sizes",
    b".xdata",
];

/// What stands before the name of an import's slot.
const SLOT: &[u8] = b"__imp_";

/// The layouts of the code of an object, or of an archive's objects together, one for each architecture.
pub(crate) fn code<'data>(data: &'data [u8], measure: &Measure) -> Vec<(Arch, Layout<'data>)> {
    let mut objects = BTreeMap::new();
    collect("", data, 0, &mut objects);
    let one = |(arch, objects): (Arch, Vec<(String, File<'data>)>)| {
        let layout = Linker::new(arch, data.len(), measure).link(objects);
        (arch, layout)
    };
    objects.into_iter().map(one).collect()
}

/// Opens the objects of a file, by their architecture. What cannot be read is the finding of a rule and nothing here.
fn collect<'data>(
    name: &str,
    data: &'data [u8],
    depth: usize,
    objects: &mut BTreeMap<Arch, Vec<(String, File<'data>)>>,
) {
    if data.starts_with(b"!<arch>\n") {
        let archive = ArchiveFile::parse(data).ok().filter(|_| depth < DEPTH_MAX);
        let members = archive.iter().flat_map(ArchiveFile::members).map_while(Result::ok);
        for member in members {
            if let Ok(data) = member.data(data) {
                collect(&text(member.name()), data, depth + 1, objects);
            }
        }
        return;
    }
    let machine = match read(data) {
        Ok(Content::Coff(machine)) => machine,
        Ok(Content::Elf(elf)) if !elf.is_image() => elf.machine,
        _ => return,
    };
    // Libraries for ARM64X have objects for each of the two kinds; none is for both.
    let arch = machine.arch().filter(|_| machine != Machine::Arm64X);
    if let (Some(arch), Ok(file)) = (arch, File::parse(data)) {
        objects.entry(arch).or_default().push((name.to_owned(), file));
    }
}

/// Lays the sections of objects out and finds where their relocations lead.
struct Linker<'a, 'data> {
    arch: Arch,
    measure: &'a Measure,
    layout: Layout<'data>,
    binds: Binds,
    /// The next address to be given out.
    next: u64,
    /// What the objects offer each other.
    offered: HashMap<&'data [u8], u64>,
    /// What they ask for, of each other or of others.
    wanted: HashSet<&'data [u8]>,
    file_bytes: usize,
    /// What may still be read of names, which can overlap, and of relocations, which sections can share.
    name_bytes_left: usize,
    relocations_left: usize,
}

/// Where the sections of one object were laid.
type Bases = HashMap<SectionIndex, u64>;

/// One symbol, as the relocations of its object mean it.
#[derive(Clone, Copy, Default)]
struct Meant {
    address: Option<u64>,
    is_check: bool,
}

impl<'a, 'data> Linker<'a, 'data> {
    fn new(arch: Arch, file_bytes: usize, measure: &'a Measure) -> Linker<'a, 'data> {
        Linker {
            arch,
            measure,
            layout: Layout::default(),
            binds: Binds::default(),
            next: SECTION_ALIGN,
            offered: HashMap::new(),
            wanted: HashSet::new(),
            file_bytes,
            name_bytes_left: 4 * file_bytes,
            relocations_left: file_bytes / 8,
        }
    }

    fn link(mut self, objects: Vec<(String, File<'data>)>) -> Layout<'data> {
        let mut laid = Vec::with_capacity(objects.len());
        let mut open = Vec::new();
        for (name, file) in objects {
            self.binds.objects.push((self.next, name));
            let bases = self.sections(&file);
            self.symbols(&file, &bases, &mut open);
            laid.push((file, bases));
        }
        let mut led_to = HashSet::new();
        for (file, bases) in &laid {
            self.relocations(file, bases, &mut led_to);
        }
        self.layout.binds = Some(self.binds);
        // What no object leads to is there for others; what one leads to is chosen there.
        for (address, name) in open {
            if !led_to.contains(&address) && !self.wanted.contains(name) {
                let shown = self.layout.shown(address);
                self.layout.roots.insert(address, shown);
            }
        }
        self.layout
    }

    fn sections(&mut self, file: &File<'data>) -> Bases {
        let mut bases = Bases::new();
        for section in file.sections() {
            // Those that describe code name every function, and lead to none.
            let name = section.name_bytes().unwrap_or_default();
            if section.kind() == SectionKind::Debug || DESCRIBING.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            bases.insert(section.index(), self.next);
            if let (SectionKind::Text, Ok(bytes)) = (section.kind(), section.data()) {
                self.layout.add_region(self.next, bytes, self.file_bytes);
            }
            let end = self.next.saturating_add(section.size().max(1));
            self.next = end.checked_next_multiple_of(SECTION_ALIGN).unwrap_or(self.next);
        }
        bases
    }

    /// Where functions begin, and what the object offers and asks for. Names of what others may call are added to `open`.
    fn symbols(&mut self, file: &File<'data>, bases: &Bases, open: &mut Vec<(u64, &'data [u8])>) {
        let is_coff = file.format() == BinaryFormat::Coff;
        for symbol in file.symbols() {
            let Some(name) = symbol.name_bytes().ok().and_then(|name| self.name(name)) else {
                continue;
            };
            let SymbolSection::Section(section) = symbol.section() else {
                if symbol.is_undefined() {
                    self.wanted.insert(name);
                }
                continue;
            };
            let Some(base) = bases.get(&section) else { continue };
            let address = base.wrapping_add(symbol.address());
            if symbol.is_global() {
                self.offered.entry(name).or_insert(address);
            }
            if self.measure.is_check(name) {
                self.layout.checks.insert(address);
            }
            // Assemblers leave the type out, and COFF has one for functions alone.
            let is_untyped = symbol.kind() == SymbolKind::Unknown || is_coff && symbol.kind() == SymbolKind::Data;
            let is_function = symbol.kind() == SymbolKind::Text || symbol.is_global() && is_untyped;
            if !is_function || self.layout.code(address).is_none() {
                continue;
            }
            // In COFF a function's size is that of an optional record, which compilers leave out.
            let size = if is_coff { 0 } else { symbol.size() };
            self.layout
                .add_start(address, (size != 0).then(|| address.saturating_add(size)));
            self.layout.names.entry(address).or_insert_with(|| text(name));
            if symbol.is_global() {
                open.push((address, name));
            }
        }
    }

    /// What the relocations lead to; the addresses are added to `led_to`, but for those of functions that lead to themselves.
    fn relocations(&mut self, file: &File<'data>, bases: &Bases, led_to: &mut HashSet<u64>) {
        let mut known: HashMap<SymbolIndex, Meant> = HashMap::new();
        // RISC-V's second halves name the place of the first.
        let (mut halves, mut second) = (HashMap::new(), Vec::new());
        for section in file.sections() {
            let Some(base) = bases.get(&section.index()).copied() else {
                continue;
            };
            let is_text = section.kind() == SectionKind::Text;
            let bytes = section.data().unwrap_or_default();
            for (offset, relocation) in section.relocations() {
                let Some(left) = self.relocations_left.checked_sub(1) else {
                    return;
                };
                self.relocations_left = left;
                let kind = kind(relocation.flags());
                let place = base.wrapping_add(offset);
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let meant = *known.entry(index).or_insert_with(|| self.meant(file, bases, index));
                let addend = match relocation.has_implicit_addend() {
                    true => self.implicit(kind, bytes, offset, relocation.addend()),
                    false => relocation.addend(),
                };
                let to = meant.address.map(|address| address.wrapping_add_signed(addend));
                let bind = Bind {
                    to,
                    from_end: self.arch == Arch::X86_64 && is_relative_x86(kind),
                    is_check: meant.is_check,
                };
                let own = self.layout.starts.range(..=place).next_back().map(|(start, _)| *start);
                // The address behind the instruction is near enough: nothing begins within one.
                let target = to.map(|to| if bind.from_end { to.wrapping_add(4) } else { to });
                led_to.extend(target.filter(|target| !is_text || own != Some(*target)));
                match riscv(self.arch, kind) {
                    _ if !is_text => {}
                    Riscv::Plain => drop(self.binds.at.entry(place).or_insert(bind)),
                    // The jump stands behind the instruction that makes its upper half.
                    Riscv::Call => drop(self.binds.at.entry(place + 4).or_insert(bind)),
                    Riscv::Upper => {
                        halves.insert(place, bind);
                        self.binds.at.entry(place).or_insert(bind);
                    }
                    Riscv::Lower => second.extend(to.map(|first| (place, first))),
                    Riscv::Nothing => {}
                }
            }
        }
        for (place, first) in second {
            if let Some(bind) = halves.get(&first) {
                self.binds.at.entry(place).or_insert(*bind);
            }
        }
    }

    fn meant(&mut self, file: &File<'data>, bases: &Bases, index: SymbolIndex) -> Meant {
        let Ok(symbol) = file.symbol_by_index(index) else {
            return Meant::default();
        };
        let name = symbol
            .name_bytes()
            .ok()
            .and_then(|name| self.name(name))
            .unwrap_or_default();
        let address = match symbol.section() {
            SymbolSection::Section(section) => bases.get(&section).map(|base| base.wrapping_add(symbol.address())),
            _ => self.offered.get(name).copied(),
        };
        Meant {
            address,
            is_check: self.measure.is_check(name.strip_prefix(SLOT).unwrap_or(name)),
        }
    }

    /// What COFF keeps in the place itself, for the relocations that lead to code.
    fn implicit(&self, kind: u32, bytes: &[u8], offset: u64, addend: i64) -> i64 {
        let place = usize::try_from(offset)
            .ok()
            .and_then(|offset| bytes.get(offset..)?.first_chunk());
        let word = i32::from_le_bytes(*place.unwrap_or(&[0; 4]));
        match (self.arch, kind) {
            (Arch::X86_64, COFF_REL32..=COFF_REL32_5) => addend.wrapping_add(word.into()),
            (Arch::Aarch64, COFF_BRANCH26) => i64::from(word << 6 >> 6) * 4,
            (Arch::Aarch64, COFF_BRANCH19) => i64::from(word << 8 >> 13) * 4,
            _ => 0,
        }
    }

    /// A name, while there is room for it.
    fn name(&mut self, name: &'data [u8]) -> Option<&'data [u8]> {
        self.name_bytes_left = self.name_bytes_left.checked_sub(name.len())?;
        (name.len() <= NAME_BYTES_MAX && !name.is_empty()).then_some(name)
    }
}

/// `IMAGE_REL_AMD64_REL32` to `IMAGE_REL_AMD64_REL32_5`.
const COFF_REL32: u32 = COFF | 4;
const COFF_REL32_5: u32 = COFF | 9;

/// `IMAGE_REL_ARM64_BRANCH26` and `IMAGE_REL_ARM64_BRANCH19`.
const COFF_BRANCH26: u32 = COFF | 3;
const COFF_BRANCH19: u32 = COFF | 15;

/// Tells the numbers of COFF's relocations from those of ELF.
const COFF: u32 = 1 << 31;

/// The number of a relocation's type.
fn kind(flags: RelocationFlags) -> u32 {
    match flags {
        RelocationFlags::Elf { r_type } => r_type.0,
        RelocationFlags::Coff { typ } => COFF | u32::from(typ.0),
        _ => u32::MAX,
    }
}

/// Whether a relocation of x86 counts from its place: `R_X86_64_PC32`, `PLT32`, those of the global offset table, and COFF's.
fn is_relative_x86(kind: u32) -> bool {
    matches!(kind, 2 | 4 | 9 | 41 | 42 | COFF_REL32..=COFF_REL32_5)
}

/// How a relocation of RISC-V is to be taken; those of the others are plain.
enum Riscv {
    Plain,
    Call,
    Upper,
    Lower,
    Nothing,
}

fn riscv(arch: Arch, kind: u32) -> Riscv {
    match (arch, kind) {
        (Arch::Aarch64 | Arch::X86_64, _) => Riscv::Plain,
        // CALL, CALL_PLT.
        (_, 18 | 19) => Riscv::Call,
        // GOT_HI20, PCREL_HI20; PCREL_LO12_I, PCREL_LO12_S.
        (_, 20 | 23) => Riscv::Upper,
        (_, 24 | 25) => Riscv::Lower,
        // BRANCH, JAL; HI20, LO12_I, LO12_S; RVC_BRANCH, RVC_JUMP.
        (_, 16 | 17 | 26..=28 | 44 | 45) => Riscv::Plain,
        // Those for the linker's own arithmetic, and the leave to relax.
        _ => Riscv::Nothing,
    }
}
