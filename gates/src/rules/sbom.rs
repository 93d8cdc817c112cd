//! `sbom`: where something brings a list of what it is made of, the list can be read and is right. That of a bundle names every file
//! but the lists themselves, each with its hash and under the component that it belongs to.

use super::Case;
use crate::manifest;
use crate::report::Report;
use crate::sbom::{Listed, is_named, parse};
use crate::subject::{Kind, hex, name};

const RULE: &str = "sbom";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        let Some(text) = file.text.as_deref().filter(|_| is_named(name(path))) else {
            continue;
        };
        let sbom = match parse(text) {
            Ok(sbom) => sbom,
            Err(found) => {
                let wanted = "a document of SPDX 2.3 or CycloneDX 1";
                report.add(case.finding(RULE, path, found, wanted));
                continue;
            }
        };
        if case.subject.kind == Kind::Bundle {
            for (listed, about) in &sbom.files {
                listed_file(case, path, listed, about, report);
            }
            let is_left_out = |own: &&String| !is_named(name(own)) && !sbom.files.contains_key(own.as_str());
            let left_out: Vec<&String> = case.subject.files.keys().filter(is_left_out).collect();
            if let Some(first) = left_out.first() {
                let found = format!("does not name {} files, the first of them `{first}`", left_out.len());
                report.add(case.finding(RULE, path, found, "every file of the bundle"));
            }
        }
    }
}

fn listed_file(case: &Case<'_>, path: &str, listed: &str, about: &Listed, report: &mut Report) {
    let mut add = |found: String, wanted: &str| report.add(case.finding(RULE, path, found, wanted));
    // The one file that a subject's files lack.
    if listed == manifest::FILE {
        return;
    }
    let Some(file) = case.subject.files.get(listed) else {
        return add(
            format!("names `{listed}`, which is not there"),
            "the files of the bundle alone",
        );
    };
    if !about.is_owned {
        add(
            format!("has `{listed}` under no package"),
            "a package or component for each file",
        );
    }
    let Some(found) = file.sha256.map(|sha256| hex(&sha256)) else {
        return;
    };
    match &about.sha256 {
        None => add(format!("says no SHA-256 of `{listed}`"), "the hash of each file"),
        Some(said) if *said != found => add(
            format!("says another SHA-256 of `{listed}` than it has"),
            "the hash of each file",
        ),
        Some(_) => {}
    }
}
