//! `no-timestamps`: no file holds the time at which it was built, for two builds of the same would differ.

use super::Case;
use crate::report::Report;

const RULE: &str = "no-timestamps";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    // When somebody else built what is taken as it is, is in it for good.
    let is_published = |path: &str| {
        let manifest = case.subject.manifest.as_ref();
        let owner = manifest.and_then(|manifest| manifest.component(case.subject.owner(path)));
        owner.is_some_and(|owner| owner.published)
    };
    for (path, file) in case.subject.files.iter().filter(|(path, _)| !is_published(path)) {
        for found in &file.stamps {
            let is_allowed = |date: &String| found.contains(date.as_str());
            if !case.policy.reproducible.dates.iter().any(is_allowed) {
                let wrong = case.finding(RULE, path, found.clone(), "the same bytes whenever it is built");
                report.add(wrong.hint(case.rebuild(path)));
            }
        }
    }
}
