//! `ships`: the folder holds exactly what the manifest lists, byte for byte, all that was promised is among it, and each file is
//! what it is said to be.

use super::{finding, rebuild};
use crate::bundle::{Bundle, File};
use crate::manifest::{self, Kind};
use crate::policy::Policy;
use crate::read::Content;
use crate::report::Report;

const RULE: &str = "ships";

pub(super) fn check(bundle: &Bundle, _: &Policy, report: &mut Report) {
    let listed = bundle.manifest.files_by_path();
    for component in &bundle.manifest.components {
        for promise in &component.ships {
            if !bundle.files.contains_key(&promise.path) {
                let found = format!("the promised {} is missing", promise.kind);
                let mut missing = finding(bundle, RULE, &promise.path, found, "what `[ships]` says");
                missing.owner.clone_from(&component.name);
                missing.hint = format!(
                    "cargo xtask build --target {} -p {}",
                    bundle.manifest.target, component.name
                );
                report.add(missing);
            }
        }
    }
    for file in &bundle.manifest.files {
        match bundle.files.get(&file.path) {
            Some(found) => same(bundle, file, found, report),
            None => {
                let mut missing = finding(
                    bundle,
                    RULE,
                    &file.path,
                    "is missing",
                    "the file that the manifest lists",
                );
                missing.hint = rebuild(bundle, &file.path);
                report.add(missing);
            }
        }
    }
    for path in bundle.files.keys().filter(|path| !listed.contains_key(path.as_str())) {
        report.add(finding(
            bundle,
            RULE,
            path,
            "belongs to nobody",
            "only files that the manifest lists",
        ));
    }
    for (path, what) in &bundle.irregular {
        report.add(finding(bundle, RULE, path, what.as_str(), "regular files alone"));
    }
}

/// Compares a file with its entry in the manifest.
fn same(bundle: &Bundle, wanted: &manifest::File, found: &File, report: &mut Report) {
    if found.size != wanted.size {
        let (found, wanted_size) = (
            format!("is {} bytes long", found.size),
            format!("{} bytes", wanted.size),
        );
        report.add(finding(bundle, RULE, &wanted.path, found, wanted_size));
    } else if found.sha256 != wanted.sha256 {
        let found = format!("has the sha256 {}", found.sha256);
        report.add(finding(bundle, RULE, &wanted.path, found, wanted.sha256.clone()));
    }
    if let Some(what) = bundle
        .manifest
        .target
        .contains("-windows-")
        .then(|| wrong_kind(wanted.kind, found))
        .flatten()
    {
        let mut wrong = finding(bundle, RULE, &wanted.path, what, format!("a {}", wanted.kind));
        wrong.hint = rebuild(bundle, &wanted.path);
        report.add(wrong);
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
        (Kind::Library | Kind::Plugin, Content::Pe(pe)) if pe.is_dll => None,
        (Kind::ImportLibrary | Kind::StaticLibrary, Content::Archive(_)) => None,
        (Kind::PkgConfig, Content::Other) if file.text.is_some() => None,
        (Kind::File, _) | (Kind::Header | Kind::Licence | Kind::Script, Content::Other) => None,
        (_, Content::Pe(pe)) if pe.is_dll => Some("is a DLL"),
        (_, Content::Pe(_)) => Some("is a program"),
        (_, Content::Archive(_)) => Some("is an archive"),
        (_, Content::Coff(_) | Content::ShortImport(_)) => Some("is an object"),
        (_, Content::Elf(_)) => Some("is ELF"),
        (_, Content::Other) => Some("is no native code"),
    }
}
