//! `no-timestamps`: no file holds the time at which it was built, for two builds of the same would differ.

use super::Case;
use crate::report::Report;

const RULE: &str = "no-timestamps";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        for found in &file.stamps {
            let is_allowed = |date: &String| found.contains(date.as_str());
            if !case.policy.reproducible.dates.iter().any(is_allowed) {
                let wrong = case.finding(RULE, path, found.clone(), "the same bytes whenever it is built");
                report.add(wrong.hint(case.rebuild(path)));
            }
        }
    }
}
