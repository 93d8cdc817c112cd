//! Where the code of a file is and where it is known to begin. Each format fills it in.

use std::collections::{BTreeMap, BTreeSet};

/// More regions than any file has: the limit of PE's loader.
const REGIONS_MAX: usize = 96;

/// The code of one file. Addresses are the format's own: from the image's beginning in PE, virtual ones in ELF.
#[derive(Default)]
pub(crate) struct Layout<'data> {
    /// Bytes that can be run, by their address, without overlaps.
    regions: Vec<(u64, &'data [u8])>,
    /// Where functions begin and, if that is known, end.
    pub starts: BTreeMap<u64, Option<u64>>,
    /// What others may call: exports and where the program starts, with their names.
    pub roots: BTreeMap<u64, String>,
    /// Addresses that data holds; not all of them are of functions.
    pub pointed: BTreeSet<u64>,
    /// Whether regions hold data too, so that only what lies among the known functions is taken for code because something points
    /// to it.
    pub is_mixed: bool,
    /// Names of functions, exported or not.
    pub names: BTreeMap<u64, String>,
    /// Functions, variables and slots of imports that tell what the processor has.
    pub checks: BTreeSet<u64>,
}

impl<'data> Layout<'data> {
    /// Adds bytes that can be run; what overlaps others, or would be more than the file holds, is left out.
    pub fn add_region(&mut self, address: u64, bytes: &'data [u8], file_bytes: usize) {
        let place = self.regions.partition_point(|(start, _)| *start < address);
        let end = |(start, bytes): &(u64, &[u8])| start.saturating_add(bytes.len() as u64);
        let is_free = place
            .checked_sub(1)
            .is_none_or(|before| end(&self.regions[before]) <= address)
            && self
                .regions
                .get(place)
                .is_none_or(|(start, _)| end(&(address, bytes)) <= *start);
        let total: usize = self.regions.iter().map(|(_, bytes)| bytes.len()).sum();
        if is_free && total + bytes.len() <= file_bytes && self.regions.len() < REGIONS_MAX {
            self.regions.insert(place, (address, bytes));
        }
    }

    /// Adds where a function begins.
    pub fn add_start(&mut self, start: u64, end: Option<u64>) {
        if self.code(start).is_some() {
            let known = self.starts.entry(start).or_default();
            *known = known.or(end);
        }
    }

    /// Adds where the program or library starts; 0 for one that does not.
    pub fn add_entry(&mut self, entry: u64) {
        if entry != 0 {
            self.roots
                .entry(entry)
                .or_insert_with(|| "the start address".to_owned());
            self.add_start(entry, None);
        }
    }

    /// Whether what something points to may be a function.
    pub fn may_begin(&self, address: u64) -> bool {
        let known = || {
            let (first, _) = self.starts.first_key_value()?;
            let (last, end) = self.starts.last_key_value()?;
            Some(*first..end.unwrap_or(*last).max(*last))
        };
        let is_among = || known().is_none_or(|range| range.contains(&address));
        self.code(address).is_some() && (!self.is_mixed || is_among())
    }

    /// The bytes from an address to the end of its region; absent for what is no code.
    pub fn code(&self, address: u64) -> Option<&'data [u8]> {
        let place = self
            .regions
            .partition_point(|(start, _)| *start <= address)
            .checked_sub(1)?;
        let (start, bytes) = self.regions[place];
        bytes
            .get(usize::try_from(address - start).ok()?..)
            .filter(|rest| !rest.is_empty())
    }
}
