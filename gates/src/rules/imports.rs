//! `imports-closed`: every import of every program and DLL, by symbol, is an export of the file that the Windows loader
//! would take: the one beside it, one on the bundle's PATH, an API set, a system DLL. Forwarders are followed.

use super::{finding, rebuild};
use crate::bundle::Bundle;
use crate::policy::Policy;
use crate::read::{
    Content, Symbol,
    pe::{Export, Import, Pe},
};
use crate::report::{Finding, Report};
use crate::windows::{Dll, Exports, Family};

const RULE: &str = "imports-closed";

/// A forwarder that leads to a forwarder, and so on, is followed this far; Windows itself never needs more than three.
const FORWARDS_MAX: usize = 8;

/// So many names of DLLs are put into a hint.
const HOMES_MAX: usize = 5;

/// The file that the loader takes for a DLL's name.
enum Home<'bundle> {
    /// A DLL of the bundle.
    Bundled(&'bundle str, &'bundle Pe),
    /// A DLL of Windows or an API set.
    Windows(&'static Dll),
    /// A DLL that the policy allows to come from elsewhere.
    External,
    /// None; the text says what there is instead.
    None(String),
}

pub(super) fn check(bundle: &Bundle, policy: &Policy, report: &mut Report) {
    if !bundle.manifest.target.contains("-windows-") {
        return;
    }
    for (path, pe) in bundle.images() {
        let mut start = 0;
        while let Some(first) = pe.imports.get(start) {
            let count = pe.imports[start..]
                .iter()
                .take_while(|import| import.dll == first.dll)
                .count();
            let imports = &pe.imports[start..start + count];
            from_one_dll(bundle, policy, path, &first.dll, imports, report);
            start += count;
        }
    }
    declared_loads(bundle, policy, report);
}

/// Judges the imports of one file from one DLL.
fn from_one_dll(bundle: &Bundle, policy: &Policy, path: &str, dll: &str, imports: &[Import], report: &mut Report) {
    let symbols: Vec<&Symbol> = imports.iter().filter_map(|import| import.symbol.as_ref()).collect();
    match home(bundle, policy, path, dll) {
        Home::External => {
            // Nobody can look into it; that is what the policy took upon itself.
            report.counts.resolved += symbols.len();
            let reason = policy.external(dll).map_or("", |external| external.reason.as_str());
            report.notes.push(format!("{path}: needs {dll}, which {reason}"));
        }
        Home::None(instead) => report.add(missing_dll(bundle, path, dll, &symbols, &instead)),
        home => {
            for symbol in symbols {
                match resolve(bundle, policy, &home, symbol, 0) {
                    Ok(()) => report.counts.resolved += 1,
                    Err(why) => report.add(missing_symbol(bundle, path, dll, symbol, &why)),
                }
            }
        }
    }
}

/// The file that the loader takes for a name in an import of the file at `path`.
fn home<'bundle>(bundle: &'bundle Bundle, policy: &Policy, path: &str, dll: &str) -> Home<'bundle> {
    let dll = &with_suffix(dll);
    let own_folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let homes = policy.imports.dll_homes.iter().map(String::as_str);
    for folder in std::iter::once(own_folder).chain(homes) {
        let Some(path) = bundle.in_folder(folder, dll) else {
            continue;
        };
        return match &bundle.files[path].content {
            Ok(Content::Pe(pe)) => Home::Bundled(path, pe),
            _ => Home::None(format!("{path} is no DLL that can be read")),
        };
    }
    match Exports::of(bundle.arch).dll(dll) {
        Some(known) if known.family() != Family::VcRedist || policy.imports.vc_redist => return Home::Windows(known),
        Some(_) => return Home::None("it comes with Microsoft's C++ redistributable and not with Windows".to_owned()),
        None => {}
    }
    if policy.external(dll).is_some() {
        return Home::External;
    }
    Home::None(match bundle.anywhere(dll).first() {
        Some(elsewhere) => format!("{elsewhere} is in a folder that the loader does not search"),
        None => "it is neither in the bundle nor in Windows".to_owned(),
    })
}

/// Follows one import to the export; the error says where the way ended.
fn resolve(bundle: &Bundle, policy: &Policy, home: &Home<'_>, symbol: &Symbol, depth: usize) -> Result<(), String> {
    match home {
        Home::Windows(dll) => {
            let known = match symbol {
                Symbol::Name(name) => dll.export(name),
                Symbol::Ordinal(ordinal) => dll.ordinal(*ordinal),
            };
            known
                .map(|_| ())
                .ok_or_else(|| format!("Windows' {} does not export it", dll.name()))
        }
        Home::Bundled(path, pe) => match pe.exports.get(symbol) {
            None => Err(format!("{path} does not export it")),
            Some(Export::Here) => Ok(()),
            Some(Export::Forward { dll, symbol }) if depth < FORWARDS_MAX => {
                let next = self::home(bundle, policy, path, dll);
                let why = |why: String| format!("{path} forwards it to {symbol} of {dll}: {why}");
                resolve(bundle, policy, &next, symbol, depth + 1).map_err(why)
            }
            Some(Export::Forward { .. }) => Err(format!("{path} forwards it in a circle")),
        },
        Home::External => Ok(()),
        Home::None(instead) => Err(instead.clone()),
    }
}

fn missing_dll(bundle: &Bundle, path: &str, dll: &str, symbols: &[&Symbol], instead: &str) -> Finding {
    let first = symbols.first().map(|first| format!(" for {first}")).unwrap_or_default();
    let more = match symbols.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let found = format!("needs `{dll}`{first}{more}: {instead}");
    let mut missing = finding(bundle, RULE, path, found, "a DLL that the loader finds");
    missing.hint = match others(bundle, dll, symbols.first().copied()) {
        others if others.is_empty() => rebuild(bundle, path),
        others => format!("the symbol is in {}; {}", others.join(", "), rebuild(bundle, path)),
    };
    missing
}

fn missing_symbol(bundle: &Bundle, path: &str, dll: &str, symbol: &Symbol, why: &str) -> Finding {
    let found = format!("needs {symbol} of `{dll}`: {why}");
    let mut missing = finding(bundle, RULE, path, found, "an export of that DLL");
    missing.hint = match others(bundle, dll, Some(symbol)) {
        others if others.is_empty() => format!("no known DLL has it; {}", rebuild(bundle, path)),
        others => format!("it is in {}; {}", others.join(", "), rebuild(bundle, path)),
    };
    missing
}

/// The other DLLs, of the bundle first, that export a symbol.
fn others(bundle: &Bundle, dll: &str, symbol: Option<&Symbol>) -> Vec<String> {
    let Some(Symbol::Name(name)) = symbol else {
        return Vec::new();
    };
    let exports_it = |(_, pe): &(&str, &Pe)| pe.exports.names.contains_key(name);
    let bundled = bundle.images().filter(exports_it).map(|(path, _)| path.to_owned());
    let of_windows = Exports::of(bundle.arch).homes(name).into_iter().map(str::to_owned);
    let other = |home: &String| !home.eq_ignore_ascii_case(&with_suffix(dll));
    bundled.chain(of_windows).filter(other).take(HOMES_MAX).collect()
}

/// The names that components hand to `LoadLibrary` by themselves.
fn declared_loads(bundle: &Bundle, policy: &Policy, report: &mut Report) {
    for component in &bundle.manifest.components {
        for load in component.loads.iter().filter(|load| !load.optional) {
            let from = load.from.as_deref().unwrap_or("bin/");
            if let Home::None(instead) = home(bundle, policy, from, &load.name) {
                let found = format!("loads `{}` at run time: {instead}", load.name);
                let mut missing = finding(bundle, RULE, from, found, "a DLL that the loader finds");
                missing.owner.clone_from(&component.name);
                report.add(missing);
            }
        }
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
