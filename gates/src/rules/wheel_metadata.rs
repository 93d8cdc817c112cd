//! `wheel-metadata`: a wheel's metadata is there, belongs to its file name, and lists what its upstream needs: by the measure, and for
//! a wheel that was built here by the record of what the upstream's own project file says. It holds the files that it cannot do without.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use pep508_rs::{Requirement, VerbatimUrl};

use super::Case;
use crate::parity::RECORDS;
use crate::policy;
use crate::report::Report;
use crate::wheel::{Wheel, normal_name};

const RULE: &str = "wheel-metadata";

/// The list in a component's record that has the requirements of its wheel, as the upstream's project file makes them.
const DECLARED: &str = "wheel-requires";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(wheel) = &case.subject.wheel else { return };
    let Some(name) = &wheel.name else { return };
    let file = format!("{}/METADATA", wheel.info);
    let mut wrong = |found: String, wanted: String| report.add(case.finding(RULE, &file, found, wanted));
    if wheel.wheel.first("Wheel-Version").is_none() {
        wrong(
            "WHEEL has no `Wheel-Version`".to_owned(),
            "the version of the format".to_owned(),
        );
    }
    for field in ["Metadata-Version", "Name", "Version"] {
        if wheel.metadata.first(field).is_none_or(str::is_empty) {
            wrong(
                format!("has no `{field}`"),
                "the fields that every package has".to_owned(),
            );
        }
    }
    let named = [("Name", &name.project), ("Version", &name.version)];
    for (field, wanted) in named {
        let found = wheel
            .metadata
            .first(field)
            .filter(|found| normal_name(found) != normal_name(wanted));
        if let Some(found) = found {
            wrong(
                format!("says {field} = `{found}`"),
                format!("`{wanted}`, as the file name says"),
            );
        }
    }
    let requires: Vec<String> = wheel
        .metadata
        .all("Requires-Dist")
        .iter()
        .map(|row| project(row))
        .collect();
    let project = normal_name(&name.project);
    let wanted = case.policy.wheels.requires.get(&project);
    for missing in wanted.into_iter().flatten().filter(|wanted| !requires.contains(wanted)) {
        wrong(
            format!("does not require `{missing}`"),
            "what upstream's project file declares".to_owned(),
        );
    }
    declared(case, wheel, &project, &mut wrong);
    extras(wheel, &mut wrong);
    for pattern in case.policy.wheels.holds.get(&project).into_iter().flatten() {
        if !case.subject.files.keys().any(|path| policy::is_match(pattern, path)) {
            let wanted = "what the package loads by itself".to_owned();
            report.add(case.finding(RULE, "", format!("has no `{pattern}`"), wanted));
        }
    }
}

/// Compares the requirements with those that the upstream's project file makes.
fn declared(case: &Case<'_>, wheel: &Wheel, project: &str, wrong: &mut dyn FnMut(String, String)) {
    let Some(declared) = record(case, project) else { return };
    let found = normal(wheel.metadata.all("Requires-Dist"));
    let wanted = normal(&declared);
    for (key, row) in &wanted {
        if !found.contains_key(key) {
            let what = format!("does not require `{row}`");
            wrong(what, "what upstream's project file declares".to_owned());
        }
    }
    for (key, row) in &found {
        if !wanted.contains_key(key) {
            let what = format!("requires `{row}`, which upstream's project file does not declare");
            wrong(what, "what upstream's project file declares".to_owned());
        }
    }
}

/// The declared requirements of a wheel that a component of the bundle around it made.
fn record(case: &Case<'_>, project: &str) -> Option<Vec<String>> {
    let around = |subject: &&crate::Subject| {
        subject.manifest.is_some() && case.subject.path.starts_with(&subject.path) && subject.path != case.subject.path
    };
    let bundle = case.all.iter().find(around)?;
    let mut records = bundle.files.iter().filter(|(path, _)| path.starts_with(RECORDS));
    records.find_map(|(path, file)| {
        let name = path.strip_prefix(RECORDS)?.strip_suffix(".toml")?;
        let lists: BTreeMap<String, Vec<String>> = toml_edit::de::from_str(file.text.as_deref()?).ok()?;
        lists.get(DECLARED).filter(|_| normal_name(name) == project).cloned()
    })
}

/// Requirements as they compare, with how they are written.
fn normal(rows: &[String]) -> BTreeMap<String, &str> {
    let key = |row: &String| match Requirement::<VerbatimUrl>::from_str(row) {
        Ok(requirement) => requirement.to_string(),
        // What is no requirement is equal to nothing that is one.
        Err(_) => row.clone(),
    };
    rows.iter().map(|row| (key(row), row.as_str())).collect()
}

/// An extra that is asked for by a marker is one that the package provides.
fn extras(wheel: &Wheel, wrong: &mut dyn FnMut(String, String)) {
    let provided: BTreeSet<String> = wheel
        .metadata
        .all("Provides-Extra")
        .iter()
        .map(|extra| normal_name(extra))
        .collect();
    for row in wheel.metadata.all("Requires-Dist") {
        for extra in marked(row).filter(|extra| !provided.contains(&normal_name(extra))) {
            let found = format!("requires `{row}` for an extra that it does not provide");
            wrong(found, format!("`Provides-Extra: {extra}`"));
        }
    }
}

/// The names that a row's marker compares `extra` with.
fn marked(row: &str) -> impl Iterator<Item = &str> {
    let marker = row.split_once(';').map_or("", |(_, marker)| marker);
    marker.split("extra").skip(1).filter_map(|rest| {
        let rest = rest.trim_start().strip_prefix("==")?.trim_start();
        let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
        rest[1..].split(quote).next()
    })
}

/// The project that a requirement begins with.
fn project(requirement: &str) -> String {
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.');
    normal_name(requirement.trim().split(is_end).next().unwrap_or_default())
}
