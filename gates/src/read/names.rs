//! Many names in one block of memory. A table of imports that holds a string of its own for each name costs more time than
//! the reading of it, and several times the memory.

/// A list of names, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

/// Counts down what one table of a file may make the reader hold. Tables that overlap each other can claim any number.
pub(super) struct Budget {
    entries: usize,
    name_bytes: usize,
}

/// More entries than any table has.
const ENTRIES_MAX: usize = 1 << 20;

/// More bytes of names than any table has.
const NAME_BYTES_MAX: usize = 64 << 20;

impl Names {
    /// Adds a name and gives its place. What is not UTF-8 becomes the replacement sign and can match nothing.
    pub(super) fn push(&mut self, name: &[u8]) -> u32 {
        let place = self.ends.len() as u32;
        self.text.push_str(&String::from_utf8_lossy(name));
        self.ends.push(self.text.len() as u32);
        place
    }

    /// The name at a place; empty where there is none.
    pub fn get(&self, place: u32) -> &str {
        let place = place as usize;
        let start = match place.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(place).copied().unwrap_or(start);
        &self.text[start as usize..end as usize]
    }

    /// Every name.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|place| self.get(place))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Gives back the memory that growing took beyond what is needed.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget {
            entries: ENTRIES_MAX,
            name_bytes: NAME_BYTES_MAX,
        }
    }

    /// Pays for an entry with that name.
    pub(super) fn spend(&mut self, name: &[u8]) -> Result<(), String> {
        // A byte that is no UTF-8 takes three as the replacement sign.
        let bytes = name.len() * if name.is_ascii() { 1 } else { 3 };
        let left = (self.entries.checked_sub(1), self.name_bytes.checked_sub(bytes));
        let (Some(entries), Some(name_bytes)) = left else {
            return Err(format!(
                "more than {ENTRIES_MAX} entries or {NAME_BYTES_MAX} bytes of names"
            ));
        };
        (self.entries, self.name_bytes) = (entries, name_bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_were_put() {
        let mut names = Names::default();
        let places = [b"one".as_slice(), b"", b"t\xffo"].map(|name| names.push(name));
        assert_eq!(places.map(|place| names.get(place)), ["one", "", "t\u{fffd}o"]);
        assert_eq!(names.get(3), "");
        assert_eq!(names.iter().count(), names.len());
    }
}
