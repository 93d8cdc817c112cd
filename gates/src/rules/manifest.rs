//! `manifest`: the manifest is one that the other rules can rely on.

use std::collections::{BTreeMap, BTreeSet};

use super::finding;
use crate::bundle::Bundle;
use crate::manifest::{BUNDLER, FILE};
use crate::policy::Policy;
use crate::report::Report;

const RULE: &str = "manifest";

pub(super) fn check(bundle: &Bundle, _: &Policy, report: &mut Report) {
    let manifest = &bundle.manifest;
    let mut wrong = |path: &str, found: String, wanted: &str| report.add(finding(bundle, RULE, path, found, wanted));
    if manifest.files.is_empty() || manifest.components.is_empty() {
        wrong(FILE, "lists no file or no component".to_owned(), "at least one of each");
    }
    let mut names = BTreeSet::from([BUNDLER]);
    for component in &manifest.components {
        if !names.insert(&component.name) {
            wrong(FILE, format!("lists `{}` twice", component.name), "each component once");
        }
        if !is_sha256(&component.digest) {
            wrong(
                FILE,
                format!("`{}` has the digest `{}`", component.name, component.digest),
                "64 hexadecimal digits",
            );
        }
        for source in component.sources.iter().filter(|source| !is_sha256(&source.sha256)) {
            wrong(
                FILE,
                format!("`{}` has the sha256 `{}`", source.file, source.sha256),
                "64 hexadecimal digits",
            );
        }
        for need in component.needs.iter().filter(|need| manifest.component(need).is_none()) {
            wrong(
                FILE,
                format!("`{}` needs `{need}`, which is not listed", component.name),
                "every need listed",
            );
        }
        for absence in component
            .absences
            .iter()
            .filter(|absence| absence.reason.trim().is_empty())
        {
            wrong(
                FILE,
                format!("the absence of `{}` has no reason", absence.what),
                "a reason for each absence",
            );
        }
    }
    let mut spelt = BTreeMap::new();
    for file in &manifest.files {
        if !is_relative(&file.path) {
            wrong(
                &file.path,
                "is no path below the bundle".to_owned(),
                "names with `/` between them",
            );
        }
        if !is_sha256(&file.sha256) {
            wrong(
                &file.path,
                format!("has the sha256 `{}`", file.sha256),
                "64 hexadecimal digits",
            );
        }
        if !names.contains(file.owner.as_str()) {
            wrong(
                &file.path,
                format!("belongs to `{}`, which is not listed", file.owner),
                "a listed component",
            );
        }
        // Windows takes names that differ in case for one.
        if let Some(other) = spelt.insert(file.path.to_lowercase(), &file.path) {
            wrong(
                &file.path,
                format!("has the name of `{other}` but for the case"),
                "names that Windows tells apart",
            );
        }
    }
    for tool in manifest.tools.iter().filter(|tool| !is_sha256(&tool.digest)) {
        wrong(
            FILE,
            format!("tool `{}` has the digest `{}`", tool.name, tool.digest),
            "64 hexadecimal digits",
        );
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
