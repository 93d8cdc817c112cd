//! Where the code of a file is and where it is known to begin. Each format fills it in.

use std::collections::{BTreeMap, BTreeSet};

/// Regions that come in the order of their addresses may be this many: the parts of hybrid code, the sections of all objects of a
/// library.
const REGIONS_MAX: usize = 1 << 20;

/// Regions out of order may be this many: the limit of PE's loader for sections.
const REGIONS_OUT_OF_ORDER_MAX: usize = 96;

/// The code of one file. Addresses are the format's own: from the image's beginning in PE, virtual ones in ELF.
#[derive(Default)]
pub(crate) struct Layout<'data> {
    /// Bytes that can be run, by their address, without overlaps.
    regions: Vec<(u64, &'data [u8])>,
    /// How many bytes those are.
    region_bytes: usize,
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
    /// What the linker will put into the code; absent for what is linked.
    pub binds: Option<Binds>,
}

/// Where the instructions of objects lead to, which are not linked yet, and which object an address is in.
#[derive(Default)]
pub(crate) struct Binds {
    /// By the address of what will be changed.
    pub at: BTreeMap<u64, Bind>,
    /// The first address of each object, ascending, with its name.
    pub objects: Vec<(u64, String)>,
}

/// What one place of the code will lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bind {
    /// The address, where it is one of the objects at hand.
    pub to: Option<u64>,
    /// Whether the place itself is to be added to that, and the instruction's end.
    pub from_end: bool,
    /// Whether it tells what the processor has.
    pub is_check: bool,
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
        let most = match place == self.regions.len() {
            true => REGIONS_MAX,
            false => REGIONS_OUT_OF_ORDER_MAX,
        };
        let total = self.region_bytes + bytes.len();
        if is_free && !bytes.is_empty() && total <= file_bytes && self.regions.len() < most {
            self.region_bytes = total;
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

    /// A function's name as people are shown it, or its address; in a library behind the object that it is in.
    pub fn shown(&self, function: u64) -> String {
        let object = self.binds.as_ref().and_then(|binds| {
            let place = binds.objects.partition_point(|(start, _)| *start <= function);
            binds.objects.get(place.checked_sub(1)?)
        });
        let own = |from: u64| match self.names.get(&function) {
            Some(name) => name.clone(),
            None => format!("{:#x}", function - from),
        };
        match object {
            None => own(0),
            Some((from, object)) if object.is_empty() => own(*from),
            Some((from, object)) => format!("{object}:{}", own(*from)),
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
