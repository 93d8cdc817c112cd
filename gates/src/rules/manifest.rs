//! `manifest`: the manifest is one that the other rules can rely on.

use std::collections::BTreeSet;

use super::Case;
use crate::manifest::{BUNDLER, Component, FILE, File, Manifest};
use crate::report::Report;

const RULE: &str = "manifest";

/// How a hash is written.
const SHA256: &str = "64 hexadecimal digits";

/// What is wrong with one path, and what was wanted in its place.
type Wrong<'a> = dyn FnMut(&str, String, &str) + 'a;

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(manifest) = &case.subject.manifest else { return };
    let mut wrong = |path: &str, found: String, wanted: &str| report.add(case.finding(RULE, path, found, wanted));
    if manifest.files.is_empty() || manifest.components.is_empty() {
        wrong(FILE, "lists no file or no component".to_owned(), "at least one of each");
    }
    let mut names = BTreeSet::from([BUNDLER]);
    for component in &manifest.components {
        if !names.insert(&component.name) {
            wrong(FILE, format!("lists `{}` twice", component.name), "each component once");
        }
        check_component(manifest, component, &mut wrong);
    }
    check_files(&manifest.files, &names, &mut wrong);
    for link in &manifest.links {
        check_path(&link.path, &link.owner, &names, &mut wrong);
    }
    for tool in manifest.tools.iter().filter(|tool| !is_sha256(&tool.digest)) {
        let found = format!("tool `{}` has the digest `{}`", tool.name, tool.digest);
        wrong(FILE, found, SHA256);
    }
}

fn check_component(manifest: &Manifest, component: &Component, wrong: &mut Wrong) {
    if !is_sha256(&component.digest) {
        let found = format!("`{}` has the digest `{}`", component.name, component.digest);
        wrong(FILE, found, SHA256);
    }
    for source in component.sources.iter().filter(|source| !is_sha256(&source.sha256)) {
        wrong(
            FILE,
            format!("`{}` has the sha256 `{}`", source.file, source.sha256),
            SHA256,
        );
    }
    for need in component.needs.iter().filter(|need| manifest.component(need).is_none()) {
        let found = format!("`{}` needs `{need}`, which is not listed", component.name);
        wrong(FILE, found, "every need listed");
    }
}

fn check_files(files: &[File], names: &BTreeSet<&str>, wrong: &mut Wrong) {
    for file in files {
        check_path(&file.path, &file.owner, names, wrong);
        if !is_sha256(&file.sha256) {
            wrong(&file.path, format!("has the sha256 `{}`", file.sha256), SHA256);
        }
    }
}

fn check_path(path: &str, owner: &str, names: &BTreeSet<&str>, wrong: &mut Wrong) {
    if !is_relative(path) {
        wrong(
            path,
            "is no path below the bundle".to_owned(),
            "names with `/` between them",
        );
    }
    if !names.contains(owner) {
        let found = format!("belongs to `{owner}`, which is not listed");
        wrong(path, found, "a listed component");
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_relative(path: &str) -> bool {
    !path.contains(['\\', ':', '\0']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}
