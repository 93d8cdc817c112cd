//! `import-library`: what a program may link against is what it will find. Each entry of each import library names a DLL of
//! the bundle and an export of it, and each DLL that a component promised has an import library.

use std::collections::BTreeSet;

use super::{finding, rebuild};
use crate::bundle::Bundle;
use crate::manifest::Kind;
use crate::policy::Policy;
use crate::read::{Content, ShortImport, archive::Archive};
use crate::report::Report;

const RULE: &str = "import-library";

pub(super) fn check(bundle: &Bundle, _: &Policy, report: &mut Report) {
    if !bundle.manifest.target.contains("-windows-") {
        return;
    }
    let mut offered = BTreeSet::new();
    for (path, file) in &bundle.files {
        let Ok(Content::Archive(archive)) = &file.content else {
            continue;
        };
        for (member, import) in entries(archive) {
            offered.insert(import.dll.to_ascii_lowercase());
            entry(bundle, &format!("{path}:{member}"), import, report);
        }
    }
    for promised in bundle.manifest.components.iter().flat_map(|component| &component.ships) {
        let Some(file) = bundle.files.get(&promised.path) else {
            // That it is not there is the finding of another rule.
            continue;
        };
        let name = promised
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if promised.kind == Kind::Library && !offered.contains(&name) {
            let found = "no import library offers it";
            report.add(finding(
                bundle,
                RULE,
                &promised.path,
                found,
                "an import library for each promised DLL",
            ));
        }
        let is_offer = matches!(&file.content, Ok(Content::Archive(archive)) if entries(archive).next().is_some());
        if promised.kind == Kind::ImportLibrary && !is_offer {
            let found = "holds no short import";
            report.add(finding(bundle, RULE, &promised.path, found, "an import library"));
        }
    }
}

fn entries(archive: &Archive) -> impl Iterator<Item = (&str, &ShortImport)> {
    archive.members.iter().filter_map(|member| match &member.content {
        Ok(Content::ShortImport(import)) => Some((member.name.as_str(), import)),
        _ => None,
    })
}

fn entry(bundle: &Bundle, path: &str, import: &ShortImport, report: &mut Report) {
    let mut dlls = bundle
        .anywhere(&import.dll)
        .into_iter()
        .filter_map(|path| match &bundle.files[path].content {
            Ok(Content::Pe(pe)) => Some((path, pe)),
            _ => None,
        });
    let (symbol, dll) = (&import.symbol, &import.dll);
    let mut wrong = match dlls.next() {
        None => {
            let found = format!("offers {symbol} of `{dll}`, which is not in the bundle");
            finding(bundle, RULE, path, found, "a DLL of the bundle")
        }
        Some((home, pe)) if pe.exports.get(symbol).is_none() => {
            let found = format!("offers {symbol} of `{dll}`, which {home} does not export");
            finding(bundle, RULE, path, found, "an export of that DLL")
        }
        Some(_) => return,
    };
    wrong.hint = rebuild(bundle, path);
    report.add(wrong);
}
