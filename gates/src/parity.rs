//! Parity: what bundles for different targets offer, read from their contents and said in words that do not depend on the system,
//! and where they differ. Nothing is run. The rule `parity` holds the promises of components against each other; this looks at
//! what is really there, down to exported symbols and the parts that a component recorded.

mod declared;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use declared::{Declared, DeclaredError};

use crate::manifest::{Absence, Kind};
use crate::platform::{Os, Platform};
use crate::subject::name;
use crate::{Baseline, Subject};

/// The folder of a bundle in which components record their parts: a file `<component>.toml` of lists of names.
pub(crate) const RECORDS: &str = "share/windlass/";

/// The list in a record that is of the architecture: kinds of vector code. Other architectures have others.
const OF_ARCHITECTURE: &str = "simd";

/// What one bundle offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The triple.
    pub target: String,
    /// Names by group: `libraries`, `exports of avcodec`, `ffmpeg decoders` and so on.
    pub groups: BTreeMap<String, BTreeSet<String>>,
    platform: Option<Platform>,
    absences: Vec<Absence>,
}

/// The comparison of several bundles.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Table {
    /// The triples, sorted.
    pub targets: Vec<String>,
    /// For each group and name, the targets that have it, by their places in `targets`.
    pub groups: BTreeMap<String, BTreeMap<String, Vec<usize>>>,
    /// What not every target has.
    pub differences: Vec<Difference>,
    /// Declarations that covered nothing although the targets that they are about were compared, or whose day is past.
    pub faults: Vec<String>,
}

/// One thing that not every target has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The group.
    pub group: String,
    /// The name.
    pub name: String,
    /// The target that lacks it.
    pub lacks: String,
    /// The targets that have it.
    pub has: Vec<String>,
    /// Why that is right; absent when nobody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Offer {
    /// What a bundle offers; nothing where the subject is no bundle.
    ///
    /// # Errors
    /// If a component's record cannot be read; the text names it.
    pub fn of(subject: &Subject) -> Result<Option<Offer>, String> {
        let Some(manifest) = &subject.manifest else {
            return Ok(None);
        };
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut add = |group: &str, name: String| {
            groups.entry(group.to_owned()).or_default().insert(name);
        };
        // What is published is told by its wheel.
        for component in manifest.components.iter().filter(|component| !component.published) {
            let variant = component
                .variant
                .iter()
                .map(|variant| format!(" ({variant})"))
                .collect::<String>();
            add(
                "components",
                format!("{} {}{variant}", component.name, component.version),
            );
        }
        for file in &manifest.files {
            match file.kind {
                Kind::Program => add("programs", stem(name(&file.path), &[".exe"])),
                Kind::Library => add("libraries", library(&file.path)),
                Kind::Plugin => add("plug-ins", library(&file.path)),
                Kind::StaticLibrary => add("static libraries", library(&file.path)),
                Kind::PkgConfig => add("pkg-config modules", stem(name(&file.path), &[".pc"])),
                Kind::Header => add("headers", file.path.trim_start_matches("include/").to_owned()),
                // A wheel is its project and version; interpreter and platform are the target's.
                Kind::File if file.path.ends_with(".whl") => {
                    let words: Vec<&str> = name(&file.path).splitn(3, '-').take(2).collect();
                    add("wheels", words.join(" "));
                }
                Kind::File if file.path.starts_with("share/") => add("data", file.path.clone()),
                // How programs are linked, and how a shell is set up, is each system's own.
                Kind::ImportLibrary | Kind::Script | Kind::Licence | Kind::File => {}
            }
        }
        for (path, names) in Baseline::of(subject).0 {
            let group = format!("exports of {}", library(&path));
            names.into_iter().for_each(|name| add(&group, name));
        }
        let records = subject.files.iter().filter(|(path, _)| path.starts_with(RECORDS));
        for (path, file) in records {
            let component = stem(name(path), &[".toml"]);
            let text = file.text.as_deref().unwrap_or_default();
            let lists: BTreeMap<String, Vec<String>> = toml_edit::de::from_str(text)
                .map_err(|why| format!("{path}: no record of a component's parts: {why}"))?;
            for (list, names) in lists {
                let group = format!("{component} {}", list.replace('-', " "));
                names.into_iter().for_each(|name| add(&group, name));
            }
        }
        let absences = manifest.components.iter().flat_map(|component| &component.absences);
        let absences = absences.chain(&manifest.absences);
        Ok(Some(Offer {
            target: manifest.target.clone(),
            groups,
            platform: subject.platform,
            absences: absences.cloned().collect(),
        }))
    }

    /// Whether another bundle can be expected to have the names of a group too.
    fn is_comparable(&self, group: &str, other: &Offer) -> bool {
        let arch = |offer: &Offer| offer.platform.map(|platform| platform.arch);
        let is_elf = |offer: &Offer| offer.platform.map(|platform| platform.os != Os::Windows);
        match group {
            // Of a library that nobody else has, one finding is enough.
            _ if group.starts_with("exports of ") && !other.groups.contains_key(group) => false,
            _ if group.ends_with(&format!(" {OF_ARCHITECTURE}")) => arch(self) == arch(other),
            // An archive of objects is made where the system has no other way to link.
            "static libraries" => is_elf(self) == is_elf(other),
            _ => true,
        }
    }

    /// Why the bundle does not have something, in the words of its component.
    fn absence(&self, name: &str) -> Option<&Absence> {
        let mut all = self.absences.iter();
        all.find(|absence| {
            absence
                .what
                .split_whitespace()
                .any(|word| word.eq_ignore_ascii_case(name))
        })
    }
}

/// Compares bundles. `declared` are differences that are known; `today` decides which of them still hold, as `2027-06-30`.
pub fn compare(offers: &[Offer], declared: &[Declared], today: &str) -> Table {
    let mut offers: Vec<&Offer> = offers.iter().collect();
    offers.sort_by(|a, b| a.target.cmp(&b.target));
    let targets: Vec<String> = offers.iter().map(|offer| offer.target.clone()).collect();
    let mut groups: BTreeMap<String, BTreeMap<String, Vec<usize>>> = BTreeMap::new();
    for (place, offer) in offers.iter().enumerate() {
        for (group, names) in &offer.groups {
            let rows = groups.entry(group.clone()).or_default();
            names
                .iter()
                .for_each(|name| rows.entry(name.clone()).or_default().push(place));
        }
    }
    let mut used = BTreeSet::new();
    let mut differences = Vec::new();
    for (group, rows) in &groups {
        for (name, places) in rows {
            for (place, offer) in offers.iter().enumerate().filter(|(place, _)| !places.contains(place)) {
                let has: Vec<String> = places
                    .iter()
                    .filter(|other| offers[**other].is_comparable(group, offers[place]))
                    .map(|other| targets[*other].clone())
                    .collect();
                if has.is_empty() {
                    continue;
                }
                let covering = declared
                    .iter()
                    .position(|declared| declared.holds(today) && declared.covers(group, name, &offer.target));
                used.extend(covering);
                let reason = covering.map(|at| declared[at].reason.clone());
                let reason = reason.or_else(|| offer.absence(name).map(|absence| absence.reason.clone()));
                differences.push(Difference {
                    group: group.clone(),
                    name: name.clone(),
                    lacks: offer.target.clone(),
                    has,
                    reason,
                });
            }
        }
    }
    let faults = declared.iter().enumerate().filter_map(|(at, declared)| {
        if !declared.holds(today) {
            return Some(format!(
                "{declared}: ended on {}, wanted none that is out of date",
                declared.until
            ));
        }
        (!used.contains(&at) && declared.is_about(&targets))
            .then(|| format!("{declared}: covers nothing, wanted only declarations that are needed"))
    });
    Table {
        faults: faults.collect(),
        targets,
        groups,
        differences,
    }
}

impl Table {
    /// The differences that nobody declared.
    pub fn undeclared(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.reason.is_none())
    }

    /// How many names of a group a target has.
    pub fn count(&self, group: &str, place: usize) -> usize {
        let rows = self.groups.get(group).into_iter().flat_map(BTreeMap::values);
        rows.filter(|places| places.contains(&place)).count()
    }
}

/// A library's name as its users say it: `avcodec` for `bin/avcodec-63.dll`, `lib/libavcodec.so.63` and `lib/libavcodec.a`.
fn library(path: &str) -> String {
    let file = name(path);
    let (stem, is_unix) = match file.split_once(".so") {
        Some((stem, _)) => (stem, true),
        None => match file.rsplit_once('.') {
            Some((stem, ending)) => (stem, ending == "a"),
            None => (file, false),
        },
    };
    let stem = stem.strip_prefix("lib").filter(|_| is_unix).unwrap_or(stem);
    match stem.rsplit_once('-') {
        Some((plain, number)) if !is_unix && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            plain.to_owned()
        }
        _ => stem.to_owned(),
    }
}

/// A file's name without one of these endings.
fn stem(file: &str, endings: &[&str]) -> String {
    let short = endings.iter().find_map(|ending| file.strip_suffix(ending));
    short.unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(target: &str, groups: &[(&str, &[&str])]) -> Offer {
        let group = |(group, names): &(&str, &[&str])| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            ((*group).to_owned(), names)
        };
        Offer {
            target: target.to_owned(),
            groups: groups.iter().map(group).collect(),
            platform: Platform::of_triple(target),
            absences: Vec::new(),
        }
    }

    const ARM: &str = "aarch64-pc-windows-msvc";
    const X64: &str = "x86_64-pc-windows-msvc";
    const LINUX: &str = "aarch64-unknown-linux-gnu";

    fn told(table: &Table) -> Vec<String> {
        let line = |difference: &Difference| {
            let reason = difference.reason.as_deref().unwrap_or("undeclared");
            format!(
                "{} {} {}: {reason}",
                difference.lacks, difference.group, difference.name
            )
        };
        table.differences.iter().map(line).collect()
    }

    #[test]
    fn libraries_have_one_name_on_every_system() {
        for path in [
            "bin/avcodec-63.dll",
            "lib/libavcodec.so.63.1.100",
            "lib/libavcodec.a",
            "avcodec.lib",
        ] {
            assert_eq!(library(path), "avcodec", "{path}");
        }
        assert_eq!(library("bin/onnx-tf.dll"), "onnx-tf");
        assert_eq!(library("lib/libc++.so.1"), "c++");
    }

    #[test]
    fn a_difference_is_undeclared_until_somebody_says_why() {
        let arm = offer(ARM, &[("ffmpeg filters", &["scale", "gfx"]), ("libraries", &["a"])]);
        let mut x64 = offer(X64, &[("ffmpeg filters", &["scale"]), ("libraries", &["a"])]);
        let all = |x64: &Offer| [arm.clone(), x64.clone()];
        let table = compare(&all(&x64), &[], "2027-01-01");
        assert_eq!(told(&table), [format!("{X64} ffmpeg filters gfx: undeclared")]);
        assert_eq!(
            (table.count("ffmpeg filters", 0), table.count("ffmpeg filters", 1)),
            (2, 1)
        );
        let declared = Declared::parse(&format!(
            "[[difference]]\ngroup = 'ffmpeg *'\nname = 'gfx'\nlacking = ['{X64}']\nreason = 'no driver'\nuntil = '2027-06-30'\n"
        ))
        .unwrap();
        let table = compare(&all(&x64), &declared, "2027-06-30");
        assert_eq!(told(&table), [format!("{X64} ffmpeg filters gfx: no driver")]);
        assert_eq!(table.faults, [""; 0]);
        // A day later it does not hold any more, and says so.
        let table = compare(&all(&x64), &declared, "2027-07-01");
        assert_eq!(table.undeclared().count(), 1);
        assert_eq!(
            table.faults,
            ["`gfx` of `ffmpeg *`: ended on 2027-06-30, wanted none that is out of date"]
        );
        // What a component says of itself is a reason too.
        x64.absences = vec![Absence {
            what: "gfx filter".into(),
            reason: "not here".into(),
        }];
        assert_eq!(
            told(&compare(&all(&x64), &[], "2027-01-01")),
            [format!("{X64} ffmpeg filters gfx: not here")]
        );
    }

    #[test]
    fn a_declaration_that_covers_nothing_is_a_fault_only_where_it_could_have_covered_something() {
        let declared = Declared::parse(
            "[[difference]]\ngroup = 'x'\nname = '*'\nlacking = ['*-linux-*']\nreason = 'r'\nuntil = '2027-06-30'\n",
        )
        .unwrap();
        let (arm, linux) = (offer(ARM, &[]), offer(LINUX, &[]));
        let x64 = offer(X64, &[]);
        assert_eq!(compare(&[arm.clone(), x64], &declared, "2027-01-01").faults, [""; 0]);
        assert_eq!(
            compare(&[arm, linux], &declared, "2027-01-01").faults,
            ["`*` of `x`: covers nothing, wanted only declarations that are needed"]
        );
    }

    #[test]
    fn vector_code_is_compared_within_an_architecture_alone() {
        let simd: &[&str] = &["neon"];
        let arm = offer(ARM, &[("ffmpeg simd", simd)]);
        let none: &[(&str, &[&str])] = &[("ffmpeg simd", &[])];
        let table = compare(&[arm, offer(X64, none), offer(LINUX, none)], &[], "2027-01-01");
        assert_eq!(told(&table), [format!("{LINUX} ffmpeg simd neon: undeclared")]);
    }
}
