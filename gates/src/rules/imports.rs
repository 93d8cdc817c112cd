//! `imports-closed`: every import of every program and DLL, by symbol, is an export of the file that the Windows loader
//! would take: the one beside it, one on the bundle's PATH, an API set, a system DLL. Forwarders are followed.

use std::collections::BTreeSet;

use super::Case;
use crate::ordinals;
use crate::policy;
use crate::read::Symbol;
use crate::read::pe::{Export, FromDll, Pe};
use crate::report::{Finding, Report};
use crate::subject::{self, folder};
use crate::windows::{Dll, Exports, Family};
use crate::{Arch, Kind};

const RULE: &str = "imports-closed";

/// A forwarder that leads to a forwarder, and so on, is followed this far; Windows itself never needs more than three.
const FORWARDS_MAX: usize = 8;

/// So many names of DLLs are put into a hint.
const HOMES_MAX: usize = 5;

/// Hints are looked for while there are fewer findings than this: each means a look at every DLL.
const HINTS_MAX: usize = 50;

/// The file that the loader takes for a DLL's name.
enum Home<'a> {
    /// A DLL of the subject.
    Own(&'a str, &'a Pe),
    /// A DLL of Windows or an API set.
    Windows(&'static Dll),
    /// A DLL that the policy allows to come from elsewhere, and from where.
    External(&'a str),
    /// None; the text says what there is instead.
    None(String),
}

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(platform) = case.subject.platform.filter(|platform| platform.is_windows()) else {
        return;
    };
    let walk = Walk::new(case, platform.arch);
    let mut client_only = BTreeSet::new();
    for (path, pe) in case.subject.images() {
        for from in pe.imports.iter() {
            walk.one_dll(path, from, report);
            let dll = from.dll.to_ascii_lowercase();
            if case.policy.imports.client_only.contains(&dll) {
                client_only.insert(dll);
            }
        }
    }
    for dll in client_only {
        report.note(format!(
            "{}needs {dll}, which Windows Server Core lacks",
            case.subject.path
        ));
    }
    walk.declared_loads(report);
}

/// Where the loader finds each DLL that a file needs: its name, the file of the subject if it is one, and words for people.
pub(crate) fn homes_of<'a>(case: &'a Case<'a>, path: &str, pe: &Pe) -> Vec<(String, Option<&'a str>, String)> {
    let Some(platform) = case.subject.platform else {
        return Vec::new();
    };
    let walk = Walk::new(case, platform.arch);
    let home = |from: FromDll<'_>| match walk.home(path, from.dll) {
        Home::Own(found, _) => (from.dll.to_owned(), Some(found), found.to_owned()),
        Home::Windows(dll) => (from.dll.to_owned(), None, format!("Windows' {}", dll.name())),
        Home::External(reason) => (from.dll.to_owned(), None, reason.to_owned()),
        Home::None(instead) => (from.dll.to_owned(), None, format!("MISSING: {instead}")),
    };
    pe.imports.iter().map(home).collect()
}

/// The walk over the imports of one subject.
struct Walk<'a> {
    case: &'a Case<'a>,
    arch: Arch,
    /// Folders that are searched for every file.
    homes: Vec<&'a str>,
    /// Folders of programs that load Python's modules: the loader searches that of the program.
    interpreters: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn new(case: &'a Case<'a>, arch: Arch) -> Walk<'a> {
        let images = case.subject.images().map(|(path, _)| path);
        let interpreters = images.filter(|path| subject::name(path).eq_ignore_ascii_case("python.exe"));
        Walk {
            case,
            arch,
            homes: homes(case),
            interpreters: interpreters.map(folder).collect(),
        }
    }
}

/// The folders of the subject that are on PATH, or that a package adds to the search.
fn homes<'a>(case: &Case<'a>) -> Vec<&'a str> {
    let mut all: Vec<&str> = case.subject.files.keys().map(|path| folder(path)).collect();
    all.dedup();
    all.sort_unstable();
    all.dedup();
    let is_home = |folder: &&str| {
        let mut patterns = case.policy.imports.dll_homes.iter();
        patterns.any(|pattern| policy::is_match(pattern, folder))
    };
    all.into_iter().filter(is_home).collect()
}

impl<'a> Walk<'a> {
    /// Judges the imports of one file from one DLL.
    fn one_dll(&self, path: &str, from: FromDll<'_>, report: &mut Report) {
        let dll = from.dll;
        match self.home(path, dll) {
            Home::External(reason) => {
                // Nobody can look into it; that is what the policy took upon itself.
                report.counts.resolved += from.symbols().count();
                report.note(format!("{}: needs {dll}, which {reason}", self.case.shown(path)));
            }
            Home::None(instead) => {
                let missing = self.missing_dll(path, from, &instead, report.findings.len());
                report.add(missing);
            }
            home => {
                for symbol in from.symbols() {
                    match self.resolve(&home, symbol, 0) {
                        Ok(()) => report.counts.resolved += 1,
                        Err(why) => {
                            let missing = self.missing_symbol(path, dll, symbol, &why, report.findings.len());
                            report.add(missing);
                        }
                    }
                }
            }
        }
    }

    /// The file that the loader takes for a name in an import of the file at `path`.
    fn home(&self, path: &str, dll: &str) -> Home<'a> {
        let dll = &with_suffix(dll);
        let subject = self.case.subject;
        // `LOAD_LIBRARY_SEARCH_DEFAULT_DIRS`, with which Python loads its modules, has the application's folder in it.
        let applications = self.interpreters.iter().filter(|_| path.ends_with(".pyd"));
        let folders = std::iter::once(folder(path)).chain(applications.copied());
        for folder in folders.chain(self.homes.iter().copied()) {
            let Some(found) = subject.in_folder(folder, dll) else {
                continue;
            };
            return match subject.pe(found) {
                Some(pe) => Home::Own(found, pe),
                None => Home::None(format!("{found} is no DLL that can be read")),
            };
        }
        if let Some(home) = self.outer(dll) {
            return home;
        }
        let allowed = &self.case.policy.imports;
        let name = dll.to_ascii_lowercase();
        let mut with_python = allowed.with_python.iter();
        let is_with_python = subject.kind == Kind::Wheel && with_python.any(|pattern| policy::is_match(pattern, &name));
        match Exports::of(self.arch).dll(dll) {
            Some(known) if known.family() != Family::VcRedist || allowed.vc_redist || is_with_python => {
                return Home::Windows(known);
            }
            Some(_) => {
                return Home::None("it comes with Microsoft's C++ redistributable and not with Windows".to_owned());
            }
            None if is_with_python => return Home::External("comes with Python"),
            None => {}
        }
        if let Some(external) = self.case.policy.external(dll) {
            return Home::External(&external.reason);
        }
        Home::None(match subject.anywhere(dll).first() {
            Some(elsewhere) => format!("{elsewhere} is in a folder that the loader does not search"),
            None => "it is neither here nor in Windows".to_owned(),
        })
    }

    /// A wheel in a bundle finds the DLLs of the bundle.
    fn outer(&self, dll: &str) -> Option<Home<'a>> {
        let bundle = self.case.all.iter().find(|other| other.manifest.is_some())?;
        if bundle.path == self.case.subject.path || !self.case.subject.path.starts_with(&bundle.path) {
            return None;
        }
        let mut homes = self.case.policy.imports.dll_homes.iter();
        let found = homes.find_map(|folder| bundle.in_folder(folder, dll))?;
        Some(Home::Own(found, bundle.pe(found)?))
    }

    /// Follows one import to the export; the error says where the way ended.
    fn resolve(&self, home: &Home<'_>, symbol: Symbol<'_>, depth: usize) -> Result<(), String> {
        match home {
            Home::Windows(dll) => {
                let known = match symbol {
                    Symbol::Name(name) => dll.export(name),
                    Symbol::Ordinal(ordinal) => dll
                        .ordinal(ordinal)
                        .or_else(|| dll.export(ordinals::name(dll.name(), ordinal)?)),
                };
                known
                    .map(|_| ())
                    .ok_or_else(|| format!("Windows' {} does not export it", dll.name()))
            }
            Home::Own(path, pe) => match pe.exports.get(symbol) {
                None => Err(format!("{path} does not export it")),
                Some(Export::Here) => Ok(()),
                Some(Export::Forward { dll, symbol }) if depth < FORWARDS_MAX => {
                    let next = self.home(path, dll);
                    let why = |why: String| format!("{path} forwards it to {symbol} of {dll}: {why}");
                    self.resolve(&next, symbol, depth + 1).map_err(why)
                }
                Some(Export::Forward { .. }) => Err(format!("{path} forwards it in a circle")),
            },
            Home::External(_) => Ok(()),
            Home::None(instead) => Err(instead.clone()),
        }
    }

    fn missing_dll(&self, path: &str, from: FromDll<'_>, instead: &str, before: usize) -> Finding {
        let dll = from.dll;
        let symbols: Vec<Symbol<'_>> = from.symbols().collect();
        let first = symbols.first().map(|first| format!(" for {first}")).unwrap_or_default();
        let more = match symbols.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let found = format!("needs `{dll}`{first}{more}: {instead}");
        let missing = self.case.finding(RULE, path, found, "a DLL that the loader finds");
        let missing = missing.cause(format!("`{}`: {instead}", dll.to_ascii_lowercase()));
        missing.hint(match self.others(dll, symbols.first().copied(), before) {
            others if others.is_empty() => self.case.rebuild(path),
            others => with_command(
                format!("the symbol is in {}", others.join(", ")),
                &self.case.rebuild(path),
            ),
        })
    }

    fn missing_symbol(&self, path: &str, dll: &str, symbol: Symbol<'_>, why: &str, before: usize) -> Finding {
        let found = format!("needs {symbol} of `{dll}`: {why}");
        let missing = self.case.finding(RULE, path, found, "an export of that DLL");
        let missing = missing.cause(format!("{symbol} of `{}`: {why}", dll.to_ascii_lowercase()));
        missing.hint(match self.others(dll, Some(symbol), before) {
            others if others.is_empty() => with_command("no known DLL has it".to_owned(), &self.case.rebuild(path)),
            others => with_command(format!("it is in {}", others.join(", ")), &self.case.rebuild(path)),
        })
    }

    /// The other DLLs, of the subject first, that export a symbol.
    fn others(&self, dll: &str, symbol: Option<Symbol<'_>>, before: usize) -> Vec<String> {
        let Some(Symbol::Name(name)) = symbol.filter(|_| before < HINTS_MAX) else {
            return Vec::new();
        };
        let exports_it = |(_, pe): &(&str, &Pe)| pe.exports.get(Symbol::Name(name)).is_some();
        let own = self.case.subject.images().filter(exports_it);
        let own = own.map(|(path, _)| path.to_owned());
        let of_windows = Exports::of(self.arch).homes(name).into_iter().map(str::to_owned);
        let other = |home: &String| !home.eq_ignore_ascii_case(&with_suffix(dll));
        own.chain(of_windows).filter(other).take(HOMES_MAX).collect()
    }

    /// The names that components hand to `LoadLibrary` by themselves.
    fn declared_loads(&self, report: &mut Report) {
        let manifest = self.case.subject.manifest.as_ref();
        for component in manifest.iter().flat_map(|manifest| &manifest.components) {
            for load in component.loads.iter().filter(|load| !load.optional) {
                let from = load.from.as_deref().unwrap_or("bin/");
                if let Home::None(instead) = self.home(from, &load.name) {
                    let found = format!("loads `{}` at run time: {instead}", load.name);
                    let missing = self.case.finding(RULE, from, found, "a DLL that the loader finds");
                    report.add(missing.owner(&component.name));
                }
            }
        }
    }
}

fn with_command(hint: String, command: &str) -> String {
    match command {
        "" => hint,
        command => format!("{hint}; {command}"),
    }
}

/// The name with `.dll`, which the loader adds where there is no suffix.
fn with_suffix(dll: &str) -> String {
    let last = dll.rsplit(['/', '\\']).next().unwrap_or(dll);
    match last.contains('.') && !last.to_ascii_lowercase().ends_with(".") {
        true => dll.to_owned(),
        false => format!("{}.dll", dll.trim_end_matches('.')),
    }
}
