//! Runs every rule over a bundle and lets exceptions take away what they cover.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::bundle::{Bundle, NoBundle};
use crate::manifest::Exception;
use crate::policy::{self, Policy, Severity};
use crate::read::Content;
use crate::report::{Accepted, Counts, Finding, Report};
use crate::rules::RULES;

/// Judges the bundle in a folder. Whatever is wrong with it is in the report; a folder without a manifest is one finding.
pub fn judge(bundle: &Path, policy: &Policy) -> Report {
    let mut report = Report::default();
    match Bundle::open(bundle, &policy.paths) {
        Ok(bundle) => judge_bundle(&bundle, policy, &mut report),
        Err(NoBundle { path, found, wanted }) => report.add(Finding {
            rule: "manifest",
            path,
            owner: String::new(),
            found,
            wanted,
            hint: "cargo xtask bundle --target <triple>".to_owned(),
        }),
    }
    report.finish(|rule| policy.severity.get(rule).copied().unwrap_or(Severity::Error));
    report
}

fn judge_bundle(bundle: &Bundle, policy: &Policy, report: &mut Report) {
    report.target.clone_from(&bundle.manifest.target);
    report.counts = count(bundle);
    for rule in RULES {
        (rule.check)(bundle, policy, report);
    }
    let of_components = bundle
        .manifest
        .components
        .iter()
        .flat_map(|component| &component.exceptions);
    let today = today();
    for exception in policy.exceptions.iter().chain(of_components) {
        except(exception, &today, report);
    }
}

/// Takes the findings away that an exception covers. One that covers nothing, or whose day is past, is itself a finding.
fn except(exception: &Exception, today: &str, report: &mut Report) {
    let complain = |found: &str, wanted: &str| Finding {
        rule: "exceptions",
        path: exception.path.clone(),
        owner: String::new(),
        found: format!("an exception of `{}` {found}", exception.rule),
        wanted: wanted.to_owned(),
        hint: "take the exception out".to_owned(),
    };
    let until = exception.until.as_deref().unwrap_or("9999-12-31");
    if !is_day(until) {
        return report.add(complain(&format!("with the day `{until}`"), "a day like 2027-06-30"));
    }
    if until < today {
        return report.add(complain(&format!("that ended on {until}"), "none that is out of date"));
    }
    if exception.reason.trim().is_empty() {
        return report.add(complain("without a reason", "a reason"));
    }
    let Some(glob) = policy::glob(&exception.path) else {
        return report.add(complain("with a bad pattern", "a shell pattern over paths"));
    };
    let covers = |finding: &Finding| {
        finding.rule == exception.rule
            && glob.is_match(&finding.path)
            && finding.found.contains(&exception.found)
            // An exception cannot hide what is wrong with exceptions.
            && finding.rule != "exceptions"
    };
    let (covered, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut report.findings).into_iter().partition(covers);
    let unused = covered.is_empty();
    report.findings = rest;
    report.accepted.extend(covered.into_iter().map(|finding| Accepted {
        finding,
        reason: exception.reason.clone(),
    }));
    if unused {
        report.add(complain("that covers nothing", "only exceptions that are needed"));
    }
}

fn is_day(day: &str) -> bool {
    day.len() == 10
        && day.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Today in UTC, as `2027-06-30`: the only thing in a judgement that is not in the bundle.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day(i64::try_from(since.as_secs() / 86_400).unwrap_or(0))
}

/// The day with that number of days after 1970-01-01, in the Gregorian calendar. The year is taken to begin in March, so that
/// the leap day is its last; eras are 400 years long.
fn day(days: i64) -> String {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn count(bundle: &Bundle) -> Counts {
    let mut counts = Counts::default();
    for file in bundle.files.values() {
        counts.files += 1;
        counts.bytes += file.size;
        counts.modules += usize::from(file.text.is_some());
        match &file.content {
            Ok(Content::Pe(pe)) => {
                counts.images += 1;
                counts.imports += pe.imports.iter().filter(|import| import.symbol.is_some()).count();
                counts.exports += pe.exports.ordinals.len();
            }
            Ok(Content::Archive(archive)) => {
                counts.archives += 1;
                counts.members += archive.members.len();
            }
            Ok(Content::Elf(_)) => counts.images += 1,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_calendar() {
        let days = [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
            (47_541, "2100-03-01"),
        ];
        for (number, wanted) in days {
            assert_eq!(day(number), wanted);
        }
        assert!(is_day("2027-06-30") && !is_day("2027-6-30") && !is_day("30.06.2027"));
    }
}
