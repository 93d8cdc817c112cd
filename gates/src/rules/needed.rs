//! `needed-closed`: every library that an ELF file needs is where the loader looks for it, and every symbol that it asks for is
//! offered by one of them, in the version that it asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::Case;
use crate::linux::{Base, Library};
use crate::policy;
use crate::read::elf::{Elf, Symbol};
use crate::report::Report;
use crate::subject::{Subject, folder};
use crate::{Kind, Platform};

const RULE: &str = "needed-closed";

/// Where the loader finds a needed library.
#[derive(Clone)]
enum Provider<'a> {
    /// A file of this or of another subject.
    File(&'a Subject, &'a str, &'a Elf),
    /// The base system.
    Base(&'static Library),
    /// Nobody can look into it; the text says where it comes from.
    Elsewhere(String),
    /// None; the text says what there is instead.
    None(String),
}

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(platform) = case.subject.platform.filter(|_| case.subject.is_linux()) else {
        return;
    };
    let mut walk = Walk::new(case, platform);
    walk.inherited = inherited(case);
    walk.loaded = walk.found_by_any();
    for (path, elf) in case.subject.elves() {
        walk.file(path, elf, report);
    }
}

/// Where the loader finds each library that a file needs: its name, the file of the subject if it is one, and words for people.
pub(crate) fn homes_of<'a>(case: &'a Case<'a>, path: &'a str, elf: &'a Elf) -> Vec<(String, Option<&'a str>, String)> {
    let Some(platform) = case.subject.platform else {
        return Vec::new();
    };
    let walk = Walk::new(case, platform);
    let home = |library: &String| match walk.provider(case.subject, path, elf, library) {
        Provider::File(_, found, _) => (library.clone(), Some(found), found.to_owned()),
        Provider::Base(_) => (library.clone(), None, format!("the base of {platform}")),
        Provider::Elsewhere(reason) => (library.clone(), None, reason),
        Provider::None(instead) => (library.clone(), None, format!("MISSING: {instead}")),
    };
    elf.needed.iter().map(home).collect()
}

/// The folder that a search path relative to the file's own leads to.
fn from_origin(path: &str, named: &str) -> Option<String> {
    let rest = named
        .strip_prefix("$ORIGIN")
        .or_else(|| named.strip_prefix("${ORIGIN}"))?;
    Some(format!("{}{rest}", folder(path)))
}

fn inherited(case: &Case<'_>) -> Vec<String> {
    let loaders = case.subject.elves().filter(|(_, elf)| elf.runpath.is_empty());
    let folders: BTreeSet<String> = loaders
        .flat_map(|(path, elf)| elf.rpath.iter().filter_map(move |named| from_origin(path, named)))
        .collect();
    folders.into_iter().collect()
}

struct Walk<'a> {
    case: &'a Case<'a>,
    platform: Platform,
    base: &'static Base,
    /// Folders that the loader searches by itself.
    homes: Vec<&'a str>,
    /// Folders that `DT_RPATH` of some file names, for whatever that file loads.
    inherited: Vec<String>,
    /// Libraries of the subject that one of its files finds, by the name that it needs them by.
    loaded: BTreeMap<&'a str, &'a str>,
}

fn homes<'a>(case: &Case<'a>) -> Vec<&'a str> {
    let files = case.subject.files.keys().chain(case.subject.links.keys());
    let all: BTreeSet<&str> = files.map(|path| folder(path)).collect();
    let is_home = |folder: &&str| {
        let mut patterns = case.policy.elf.homes.iter();
        patterns.any(|pattern| policy::is_match(pattern, folder))
    };
    all.into_iter().filter(is_home).collect()
}

impl<'a> Walk<'a> {
    fn new(case: &'a Case<'a>, platform: Platform) -> Walk<'a> {
        Walk {
            case,
            platform,
            base: Base::of(platform),
            homes: homes(case),
            inherited: Vec::new(),
            loaded: BTreeMap::new(),
        }
    }

    fn found_by_any(&self) -> BTreeMap<&'a str, &'a str> {
        let mut loaded = BTreeMap::new();
        for (path, elf) in self.case.subject.elves() {
            for library in &elf.needed {
                if let Some(Provider::File(_, found, _)) = self.searched(self.case.subject, path, elf, library) {
                    loaded.insert(library.as_str(), found);
                }
            }
        }
        loaded
    }

    fn file(&self, path: &'a str, elf: &'a Elf, report: &mut Report) {
        let mut providers: Vec<(&str, Provider<'_>)> = Vec::new();
        for library in &elf.needed {
            let provider = self.provider(self.case.subject, path, elf, library);
            match &provider {
                Provider::None(instead) => {
                    let found = format!("needs `{library}`: {instead}");
                    let missing = self.case.finding(RULE, path, found, "a library that the loader finds");
                    let missing = missing.cause(format!("`{library}`: {instead}"));
                    report.add(missing.hint(self.case.rebuild(path)));
                }
                Provider::Elsewhere(reason) => {
                    report.note(format!("{}: needs {library}, which {reason}", self.case.shown(path)));
                }
                Provider::File(..) | Provider::Base(_) => {}
            }
            providers.push((library, provider));
        }
        self.symbols(path, elf, &self.closure(providers), report);
    }

    /// The loader looks in the folders that the file names, in its own list, and then takes what the system has. A library that is
    /// loaded already is not searched for again: tools that repair wheels rely on that.
    fn provider(&self, subject: &'a Subject, path: &str, elf: &Elf, library: &str) -> Provider<'a> {
        if let Some(provider) = self.searched(subject, path, elf, library) {
            return provider;
        }
        if let Some(found) = self.loaded.get(library)
            && let Some(elf) = self.case.subject.elf(found)
        {
            return Provider::File(self.case.subject, found, elf);
        }
        let is_slim = self
            .case
            .policy
            .elf
            .not_in_base
            .iter()
            .any(|lacking| lacking == library);
        if let Some(library) = self.base.library(library).filter(|_| !is_slim) {
            return Provider::Base(library);
        }
        if let Some(external) = self.case.policy.external_library(library) {
            return Provider::Elsewhere(external.reason.clone());
        }
        self.beyond(subject, library)
    }

    /// What lies in the folders that are searched.
    fn searched(&self, subject: &'a Subject, path: &str, elf: &Elf, library: &str) -> Option<Provider<'a>> {
        let named = elf.rpath.iter().chain(&elf.runpath);
        let named = named.filter_map(|named| from_origin(path, named));
        // A file with a RUNPATH does not inherit what those that load it have as RPATH.
        let inherited = self.inherited.iter().filter(|_| elf.runpath.is_empty()).cloned();
        let homes = self.homes.iter().map(|home| (*home).to_owned());
        let mut folders = named.chain(inherited).chain(homes);
        let found = folders.find_map(|folder| subject.follow(&format!("{folder}/{library}")))?;
        Some(match subject.elf(found) {
            Some(elf) => Provider::File(subject, found, elf),
            None => Provider::None(format!("{found} is no library that can be read")),
        })
    }

    /// What is neither beside the file nor in the base system: other packages, the libraries of every desktop.
    fn beyond(&self, subject: &Subject, library: &str) -> Provider<'a> {
        let is_wheel = subject.kind == Kind::Wheel;
        if is_wheel && self.case.policy.elf.desktop.iter().any(|known| known == library) {
            return Provider::Elsewhere("every desktop system has, by the standard for wheels".to_owned());
        }
        if subject.kind == Kind::Deb {
            let others = self.case.all.iter().filter(|other| {
                other.kind == Kind::Deb && other.platform == Some(self.platform) && other.path != subject.path
            });
            for other in others {
                let mut places = other.anywhere(library).into_iter();
                let linked = || {
                    let mut links = other.links.keys();
                    links.find(|link| crate::subject::name(link) == library)
                };
                let place = places.next().or_else(|| other.follow(linked()?));
                if let Some((path, elf)) = place.and_then(|path| Some((path, other.elf(path)?))) {
                    return Provider::File(other, path, elf);
                }
            }
            let depends = subject.deb.as_ref().and_then(|deb| deb.first("Depends"));
            if depends.is_some_and(|depends| !depends.is_empty()) {
                return Provider::Elsewhere("another package brings".to_owned());
            }
        }
        Provider::None(match subject.anywhere(library).first() {
            Some(elsewhere) => format!("{elsewhere} is in a folder that the loader does not search"),
            None => format!("it is neither here nor in the base of {}", self.platform),
        })
    }

    /// The needed libraries, and those that they need, and so on: all of them offer their symbols to all.
    fn closure(&self, first: Vec<(&'a str, Provider<'a>)>) -> Vec<(&'a str, Provider<'a>)> {
        let mut all = first;
        let mut known: BTreeSet<&str> = all.iter().map(|(library, _)| *library).collect();
        let mut next = 0;
        while let Some((_, provider)) = all.get(next).cloned() {
            next += 1;
            let Provider::File(subject, path, elf) = provider else {
                continue;
            };
            for library in elf
                .needed
                .iter()
                .filter(|library| !known.contains(library.as_str()))
                .collect::<Vec<_>>()
            {
                known.insert(library);
                all.push((library, self.provider(subject, path, elf, library)));
            }
        }
        all
    }

    fn symbols(&self, path: &str, elf: &Elf, providers: &[(&str, Provider<'_>)], report: &mut Report) {
        // Where one library cannot be looked into, a symbol without a version may be its.
        let is_open = providers
            .iter()
            .any(|(_, provider)| matches!(provider, Provider::Elsewhere(_) | Provider::None(_)));
        for symbol in elf.symbols.undefined().filter(|symbol| !symbol.is_weak) {
            match self.missing(elf, symbol, providers, is_open) {
                None => report.counts.resolved += 1,
                Some(why) => {
                    let wrong = self
                        .case
                        .finding(RULE, path, format!("asks for {why}"), "a symbol that is offered");
                    report.add(wrong.cause(why).hint(self.case.rebuild(path)));
                }
            }
        }
    }

    /// Why a symbol has nobody who offers it.
    fn missing(
        &self,
        elf: &Elf,
        symbol: Symbol<'_>,
        providers: &[(&str, Provider<'_>)],
        is_open: bool,
    ) -> Option<String> {
        let Symbol {
            name, version, library, ..
        } = symbol;
        if let Some(version) = version.filter(|_| !library.is_empty()) {
            // The loader compares versions by their names alone: symbols have moved between glibc's libraries.
            let offers = providers.iter().any(|(known, provider)| match provider {
                Provider::File(_, _, other) => other.symbols.offers(name, Some(version)),
                Provider::Base(base) => base.offers(name, Some(version)),
                // What is missing was told; what is elsewhere cannot be looked into.
                Provider::Elsewhere(_) | Provider::None(_) => *known == library,
            });
            let is_elsewhere = is_open && !providers.iter().any(|(known, _)| *known == library);
            let offers = offers || is_elsewhere;
            return (!offers).then(|| format!("`{name}` in version {version} of {library}, which does not offer it"));
        }
        let is_offered = providers.iter().any(|(_, provider)| match provider {
            Provider::File(_, _, other) => other.symbols.offers(name, None),
            Provider::Base(base) => base.offers(name, None),
            Provider::Elsewhere(_) | Provider::None(_) => false,
        });
        let is_host = || {
            let mut patterns = self.case.policy.elf.host_symbols.iter();
            !elf.is_program() && patterns.any(|pattern| policy::is_match(pattern, name))
        };
        let is_missing = !is_offered && !is_open && !is_host();
        is_missing.then(|| format!("`{name}`, which no needed library offers"))
    }
}
