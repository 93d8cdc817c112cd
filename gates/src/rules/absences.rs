//! `absences`: what a component says that it does not have is not there.

use super::Case;
use crate::manifest::FILE;
use crate::report::Report;
use crate::subject::name;

const RULE: &str = "absences";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let manifest = case.subject.manifest.as_ref();
    for component in manifest.iter().flat_map(|manifest| &manifest.components) {
        for absence in &component.absences {
            if absence.reason.trim().is_empty() {
                let found = format!("the absence of `{}` has no reason", absence.what);
                let wrong = case.finding(RULE, FILE, found, "a reason for each absence");
                report.add(wrong.owner(&component.name));
            }
            let is_it = |path: &&String| {
                let name = name(path);
                let stem = name.split('.').next().unwrap_or(name);
                [name, stem].iter().any(|name| name.eq_ignore_ascii_case(&absence.what))
            };
            let mut own = case
                .subject
                .files
                .keys()
                .filter(|path| case.subject.owner(path) == component.name);
            if let Some(path) = own.find(is_it) {
                let found = format!("is there, and `{}` is said to be absent", absence.what);
                let wrong = case.finding(RULE, path, found, "absences that are true");
                report.add(wrong.hint(format!("take the absence out of {}'s component.toml", component.name)));
            }
        }
    }
}
