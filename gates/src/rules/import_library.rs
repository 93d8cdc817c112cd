//! `import-library`: what a program may link against is what it will find. Each entry of each import library names a DLL of
//! the bundle and an export of it, and each DLL that a component promised has an import library.

use std::collections::BTreeSet;

use super::Case;
use crate::manifest::{Kind, Manifest};
use crate::read::{Content, ShortImport, archive::Archive};
use crate::report::Report;
use crate::subject::name;

const RULE: &str = "import-library";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(manifest) = case.subject.manifest.as_ref().filter(|_| case.subject.is_windows()) else {
        return;
    };
    let mut offered = BTreeSet::new();
    for (path, file) in &case.subject.files {
        let Ok(Content::Archive(archive)) = &file.content else {
            continue;
        };
        for (member, import) in entries(archive) {
            offered.insert(import.dll.to_ascii_lowercase());
            entry(case, &format!("{path}:{member}"), import, report);
        }
    }
    promises(case, manifest, &offered, report);
}

/// Compares what was promised with what the import libraries offer.
fn promises(case: &Case<'_>, manifest: &Manifest, offered: &BTreeSet<String>, report: &mut Report) {
    for promised in manifest.components.iter().flat_map(|component| &component.ships) {
        let Some(file) = case.subject.files.get(&promised.path) else {
            // That it is not there is the finding of another rule.
            continue;
        };
        let is_offered = offered.contains(&name(&promised.path).to_ascii_lowercase());
        if promised.kind == Kind::Library && !is_offered {
            let wanted = "an import library for each promised DLL";
            report.add(case.finding(RULE, &promised.path, "no import library offers it", wanted));
        }
        let is_offer = matches!(&file.content, Ok(Content::Archive(archive)) if entries(archive).next().is_some());
        if promised.kind == Kind::ImportLibrary && !is_offer {
            let found = "holds no short import";
            report.add(case.finding(RULE, &promised.path, found, "an import library"));
        }
    }
}

fn entries(archive: &Archive) -> impl Iterator<Item = (&str, &ShortImport)> {
    archive.members.iter().filter_map(|member| match &member.content {
        Ok(Content::ShortImport(import)) => Some((member.name.as_str(), import)),
        _ => None,
    })
}

fn entry(case: &Case<'_>, path: &str, import: &ShortImport, report: &mut Report) {
    let places = case.subject.anywhere(&import.dll);
    let mut dlls = places
        .into_iter()
        .filter_map(|path| Some((path, case.subject.pe(path)?)));
    let (symbol, dll) = (import.symbol(), &import.dll);
    let wrong = match dlls.next() {
        None => {
            let found = format!("offers {symbol} of `{dll}`, which is not in the bundle");
            case.finding(RULE, path, found, "a DLL of the bundle")
                .cause(format!("`{dll}` is offered and not in the bundle"))
        }
        Some((home, pe)) if pe.exports.get(symbol).is_none() => {
            let found = format!("offers {symbol} of `{dll}`, which {home} does not export");
            case.finding(RULE, path, found, "an export of that DLL")
        }
        Some(_) => return,
    };
    report.add(wrong.hint(case.rebuild(path)));
}
