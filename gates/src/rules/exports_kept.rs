//! `exports-kept`: what the last release exported is exported still.

use super::Case;
use crate::Baseline;
use crate::report::Report;

const RULE: &str = "exports-kept";

/// So many names are shown of those that are gone.
const SHOWN_MAX: usize = 10;

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    // The record is of one bundle or folder; what is packed in it has none.
    let Some(baseline) = case.baseline.filter(|_| case.subject.wheel.is_none()) else {
        return;
    };
    let now = Baseline::of(case.subject);
    for (path, before) in &baseline.0 {
        let Some(after) = now.0.get(path) else {
            let found = format!("is gone, with {} exports", before.len());
            report.add(case.finding(RULE, path, found, "the libraries of the last release"));
            continue;
        };
        let gone: Vec<&str> = before.difference(after).map(String::as_str).collect();
        if gone.is_empty() {
            continue;
        }
        let more = match gone.len() > SHOWN_MAX {
            true => format!(" and {} more", gone.len() - SHOWN_MAX),
            false => String::new(),
        };
        let shown = gone[..gone.len().min(SHOWN_MAX)].join("`, `");
        let found = format!("no longer exports `{shown}`{more}");
        let wrong = case.finding(RULE, path, found, "the exports of the last release");
        report.add(wrong.hint("record anew with --record-exports if the release is meant to break its users"));
    }
}
