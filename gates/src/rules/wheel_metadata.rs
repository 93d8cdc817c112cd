//! `wheel-metadata`: a wheel's metadata is there, belongs to its file name, and lists what its upstream needs.

use super::Case;
use crate::report::Report;
use crate::wheel::normal_name;

const RULE: &str = "wheel-metadata";

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
    let wanted = case.policy.wheels.requires.get(&normal_name(&name.project));
    for missing in wanted.into_iter().flatten().filter(|wanted| !requires.contains(wanted)) {
        wrong(
            format!("does not require `{missing}`"),
            "what upstream's project file declares".to_owned(),
        );
    }
}

/// The project that a requirement begins with.
fn project(requirement: &str) -> String {
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.');
    normal_name(requirement.trim().split(is_end).next().unwrap_or_default())
}
