//! `ships`: the folder holds exactly what the manifest lists, byte for byte, all that was promised is among it, and each file is
//! what it is said to be.

use std::collections::BTreeMap;

use super::Case;
use crate::File;
use crate::manifest::{self, Kind, Manifest};
use crate::read::Content;
use crate::read::elf::Elf;
use crate::report::Report;
use crate::subject::hex;

const RULE: &str = "ships";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(manifest) = &case.subject.manifest else { return };
    promises(case, manifest, report);
    for file in &manifest.files {
        match case.subject.files.get(&file.path) {
            Some(found) => same(case, file, found, report),
            None => {
                let missing = case.finding(RULE, &file.path, "is missing", "the file that the manifest lists");
                report.add(missing.hint(case.rebuild(&file.path)));
            }
        }
    }
    let listed = manifest.files_by_path();
    // What is packed in a listed file is not listed.
    let own = case.subject.files.keys().filter(|path| !path.contains(':'));
    for path in own.filter(|path| !listed.contains_key(path.as_str())) {
        let wanted = "only files that the manifest lists";
        report.add(case.finding(RULE, path, "belongs to nobody", wanted));
    }
    links(case, manifest, report);
}

/// Links too are exactly those that the manifest lists. Windows makes none when it unpacks an archive.
fn links(case: &Case<'_>, manifest: &Manifest, report: &mut Report) {
    let listed: BTreeMap<&str, &str> = manifest.links.iter().map(|link| (&*link.path, &*link.to)).collect();
    for (path, to) in &case.subject.links {
        match listed.get(path.as_str()) {
            _ if case.subject.is_windows() => {
                report.add(case.finding(RULE, path, "is a symbolic link", "regular files alone"));
            }
            Some(wanted) if wanted == to => {}
            Some(wanted) => report.add(case.finding(RULE, path, format!("leads to `{to}`"), format!("to `{wanted}`"))),
            None => {
                let wanted = "only links that the manifest lists";
                report.add(case.finding(RULE, path, "belongs to nobody", wanted));
            }
        }
    }
    for link in &manifest.links {
        if !case.subject.links.contains_key(&link.path) {
            let missing = case.finding(RULE, &link.path, "is missing", "the link that the manifest lists");
            report.add(missing.owner(&link.owner).hint(case.rebuild(&link.path)));
        }
    }
}

fn promises(case: &Case<'_>, manifest: &Manifest, report: &mut Report) {
    for component in &manifest.components {
        for promise in &component.ships {
            if case.subject.follow(&promise.path).is_some() {
                continue;
            }
            let found = format!("the promised {} is missing", promise.kind);
            let missing = case.finding(RULE, &promise.path, found, "what `[ships]` says");
            let command = format!("cargo xtask build --target {} -p {}", manifest.target, component.name);
            report.add(missing.owner(&component.name).hint(command));
        }
    }
}

/// Compares a file with its entry in the manifest.
fn same(case: &Case<'_>, wanted: &manifest::File, found: &File, report: &mut Report) {
    let sha256 = found.sha256.map(|hash| hex(&hash));
    if found.size != wanted.size {
        let is = format!("is {} bytes long", found.size);
        report.add(case.finding(RULE, &wanted.path, is, format!("{} bytes", wanted.size)));
    } else if let Some(sha256) = sha256.filter(|sha256| *sha256 != wanted.sha256) {
        let has = format!("has the sha256 {sha256}");
        report.add(case.finding(RULE, &wanted.path, has, wanted.sha256.clone()));
    }
    if let Some(what) = wrong_kind(wanted.kind, found) {
        let wrong = case.finding(RULE, &wanted.path, what, format!("a {}", wanted.kind));
        report.add(wrong.hint(case.rebuild(&wanted.path)));
    }
}

/// What a file is, when that is not what it is said to be.
fn wrong_kind(kind: Kind, file: &File) -> Option<&'static str> {
    let Ok(content) = &file.content else {
        // That it cannot be read is the finding of another rule.
        return None;
    };
    match (kind, content) {
        (Kind::Program, Content::Pe(pe)) if !pe.is_dll => None,
        (Kind::Program, Content::Elf(elf)) if elf.is_program() => None,
        (Kind::Library | Kind::Plugin, Content::Pe(pe)) if pe.is_dll => None,
        (Kind::Library | Kind::Plugin, Content::Elf(elf)) if elf.is_image() && !elf.is_program() => None,
        (Kind::ImportLibrary | Kind::StaticLibrary, Content::Archive(_)) => None,
        (Kind::PkgConfig, Content::Other) if file.text.is_some() => None,
        (Kind::File, _) | (Kind::Header | Kind::Licence | Kind::Script, Content::Other) => None,
        (_, Content::Pe(pe)) if pe.is_dll => Some("is a DLL"),
        (_, Content::Pe(_)) => Some("is a program"),
        (_, Content::Archive(_)) => Some("is an archive"),
        (_, Content::Coff(_) | Content::ShortImport(_)) => Some("is an object"),
        (_, Content::Elf(elf)) => Some(what_elf(elf)),
        (_, Content::Container(_)) => Some("is packed"),
        (_, Content::Other) => Some("is no native code"),
    }
}

fn what_elf(elf: &Elf) -> &'static str {
    match (elf.is_program(), elf.is_image()) {
        (true, _) => "is a program",
        (false, true) => "is a shared library",
        (false, false) => "is an object",
    }
}
