//! What a release offered, kept to be compared with the next one: the exported names of each library, by its path.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Subject;

/// Exported names by the path of the library, without the version that a library's file name may end with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baseline(pub BTreeMap<String, BTreeSet<String>>);

impl Baseline {
    /// Understands the text of a record.
    ///
    /// # Errors
    /// If it is not JSON of that form; the text says why.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        serde_json::from_str(text).map_err(|why| format!("not a record of exports: {why}"))
    }

    /// The record as text: sorted, indented by two, closed by a line feed.
    ///
    /// # Panics
    /// Never: the type holds nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("names are always JSON");
        text.push('\n');
        text
    }

    /// What a subject offers.
    pub fn of(subject: &Subject) -> Baseline {
        let mut record = BTreeMap::new();
        for (path, pe) in subject.images().filter(|(_, pe)| !pe.exports.is_empty()) {
            let names = pe.exports.names().map(str::to_owned).collect();
            record.insert(path.to_owned(), names);
        }
        for (path, elf) in subject.elves().filter(|(_, elf)| elf.soname.is_some()) {
            let names = elf.symbols.defined().map(|symbol| symbol.name.to_owned()).collect();
            record.insert(path.to_owned(), names);
        }
        Baseline(record)
    }
}
