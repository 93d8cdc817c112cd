//! The export table: what other files may import, by name and by number, and what is forwarded to other DLLs.

use object::LittleEndian as LE;
use object::pe::{self, ImageExportDirectory};

use super::super::Symbol;
use super::super::names::{Budget, Names};
use super::image::Image;

/// What a DLL exports.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    /// The DLL's name for itself.
    pub dll: String,
    names: Names,
    /// Places of names, in the order of the names' bytes.
    by_name: Vec<(u32, Target)>,
    /// In the order of the numbers.
    by_ordinal: Vec<(u16, Target)>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Here,
    /// The place of the forwarder's text among the names.
    Forward(u32),
}

/// Where an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export<'a> {
    /// In this file.
    Here,
    /// In another DLL.
    Forward {
        /// That DLL's name, mostly without a suffix.
        dll: &'a str,
        /// What it is called there.
        symbol: Symbol<'a>,
    },
}

impl Exports {
    /// The export that an import asks for.
    pub fn get(&self, symbol: Symbol<'_>) -> Option<Export<'_>> {
        let target = match symbol {
            Symbol::Name(name) => {
                let found = self
                    .by_name
                    .binary_search_by(|(place, _)| self.names.get(*place).cmp(name));
                self.by_name[found.ok()?].1
            }
            Symbol::Ordinal(ordinal) => {
                let found = self.by_ordinal.binary_search_by_key(&ordinal, |(own, _)| *own);
                self.by_ordinal[found.ok()?].1
            }
        };
        Some(self.export(target))
    }

    /// The exported names, in the order of their bytes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter().map(|(place, _)| self.names.get(*place))
    }

    /// The exports by number, those with a name too.
    pub fn ordinals(&self) -> impl Iterator<Item = (u16, Export<'_>)> {
        self.by_ordinal
            .iter()
            .map(|(ordinal, target)| (*ordinal, self.export(*target)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_ordinal.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_ordinal.is_empty()
    }

    fn export(&self, target: Target) -> Export<'_> {
        let Target::Forward(place) = target else {
            return Export::Here;
        };
        // The reader lets only texts with a full stop in. The loader splits at the last one.
        let text = self.names.get(place);
        let (dll, symbol) = text.rsplit_once('.').unwrap_or((text, ""));
        let ordinal = symbol.strip_prefix('#').and_then(|number| number.parse().ok());
        Export::Forward {
            dll,
            symbol: ordinal.map_or(Symbol::Name(symbol), Symbol::Ordinal),
        }
    }
}

pub(super) fn read(image: &Image<'_>, exports: &mut Exports) -> Result<(), String> {
    let Some((start, size)) = image.directory(pe::IMAGE_DIRECTORY_ENTRY_EXPORT) else {
        return Ok(());
    };
    let directory: &ImageExportDirectory = image.structure(start)?;
    let base = directory.base.get(LE);
    let addresses = words(
        image,
        directory.address_of_functions.get(LE),
        directory.number_of_functions.get(LE),
        4,
    )?;
    let pointers = words(
        image,
        directory.address_of_names.get(LE),
        directory.number_of_names.get(LE),
        4,
    )?;
    let indices = words(
        image,
        directory.address_of_name_ordinals.get(LE),
        directory.number_of_names.get(LE),
        2,
    )?;
    let mut budget = Budget::new();
    // A forwarder's text lies within the directory, everything else outside of it.
    let is_forward = |address: u32| address.checked_sub(start).is_some_and(|offset| offset < size);
    let mut targets = Vec::with_capacity(addresses.len() / 4);
    for (index, address) in addresses.chunks_exact(4).enumerate() {
        let address = dword(address);
        // An address of zero is a number that is not in use.
        let target = match address {
            0 => None,
            _ if is_forward(address) => {
                let text = image.name(address)?;
                if !text.contains(&b'.') {
                    return Err(format!("the forwarder at {address:#x} names no symbol"));
                }
                budget.spend(text)?;
                Some(Target::Forward(exports.names.push(text)))
            }
            _ if image.is_inside(address) => Some(Target::Here),
            _ => return Err(format!("address {address:#x} is in no section")),
        };
        targets.push(target);
        let ordinal = u16::try_from(u64::from(base) + index as u64);
        if let Some(target) = target {
            budget.spend(b"")?;
            let ordinal = ordinal.map_err(|_| "an ordinal is above 65535".to_owned())?;
            exports.by_ordinal.push((ordinal, target));
        }
    }
    exports.by_name.reserve_exact(pointers.len() / 4);
    for (pointer, index) in pointers.chunks_exact(4).zip(indices.chunks_exact(2)) {
        let name = image.name(dword(pointer))?;
        budget.spend(name)?;
        let index = usize::from(index[0]) | usize::from(index[1]) << 8;
        let target = targets.get(index).copied().flatten();
        let target = target.ok_or_else(|| format!("`{}` has no address", String::from_utf8_lossy(name)))?;
        let place = exports.names.push(name);
        exports.by_name.push((place, target));
    }
    finish(image, directory.name.get(LE), exports)
}

/// The loader looks names up by halving and so needs them sorted; what is out of order cannot be imported by its name.
fn finish(image: &Image<'_>, dll: u32, exports: &mut Exports) -> Result<(), String> {
    exports.names.shrink();
    let names = &exports.names;
    let is_before = |a: &(u32, Target), b: &(u32, Target)| names.get(a.0) < names.get(b.0);
    let is_sorted = exports.by_name.is_sorted_by(is_before);
    if !is_sorted {
        exports.by_name.sort_by(|a, b| names.get(a.0).cmp(names.get(b.0)));
    }
    exports.dll = match dll {
        0 => String::new(),
        dll => super::super::text(image.name(dll)?),
    };
    match is_sorted {
        true => Ok(()),
        false => Err("the names are not in order, or one stands twice".to_owned()),
    }
}

/// The bytes of a table of `count` numbers.
fn words<'data>(image: &Image<'data>, address: u32, count: u32, bytes: usize) -> Result<&'data [u8], String> {
    if count == 0 {
        return Ok(&[]);
    }
    let table = image.at(address)?;
    let end = (count as usize).checked_mul(bytes);
    end.and_then(|end| table.get(..end))
        .ok_or_else(|| format!("the table at {address:#x} is cut off"))
}

fn dword(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
