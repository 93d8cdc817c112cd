//! Runs every rule over what was opened and lets exceptions take away what they cover.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::code::Measure;
use crate::ledger::Ledger;
use crate::manifest::{self, Exception};
use crate::open::{self, NotOpened};
use crate::policy::{self, Policy, Severity};
use crate::read::Content;
use crate::read::container::Limits;
use crate::report::{Accepted, Counts, Finding, Report};
use crate::rules::{Case, RULES, Reads, Rule};
use crate::scan::Scan;
use crate::subject;
use crate::{Baseline, Platform, Subject};

/// How to judge.
pub struct Judge<'a> {
    /// By what measure.
    pub policy: &'a Policy,
    /// What everything has to be for; absent if each subject may say it itself.
    pub target: Option<Platform>,
    /// The ids of the rules to ask; empty for all.
    pub only: Vec<String>,
    /// How much containers may hold.
    pub limits: Limits,
    /// What the last release offered.
    pub baseline: Option<Baseline>,
    /// What was run; absent if that is not asked.
    pub ledger: Option<Ledger>,
}

/// Judges the bundle in a folder. Whatever is wrong with it is in the report; a folder without a manifest is one finding.
pub fn judge(bundle: &Path, policy: &Policy) -> Report {
    if !bundle.join(manifest::FILE).is_file() {
        let mut report = Report::default();
        report.add(Finding {
            rule: "manifest",
            cause: String::new(),
            path: manifest::FILE.to_owned(),
            owner: String::new(),
            found: "is missing".to_owned(),
            wanted: format!("a manifest of schema {}", manifest::SCHEMA),
            hint: "cargo xtask bundle --target <triple>".to_owned(),
        });
        report.finish(|rule| policy.severity(rule));
        return report;
    }
    Judge::new(policy).paths(&[bundle])
}

impl<'a> Judge<'a> {
    /// Asks every rule and takes each subject at its word.
    pub fn new(policy: &'a Policy) -> Judge<'a> {
        Judge {
            policy,
            target: None,
            only: Vec::new(),
            limits: Limits::default(),
            baseline: None,
            ledger: None,
        }
    }

    /// Judges folders, wheels, packages, archives, images or single files, all in one report.
    pub fn paths(&self, paths: &[&Path]) -> Report {
        let mut report = Report::default();
        let subjects = self.open(paths, &mut report);
        self.subjects(&subjects, &mut report);
        report
    }

    /// Opens what lies at the paths. What cannot be opened is a finding.
    pub fn open(&self, paths: &[&Path], report: &mut Report) -> Vec<Subject> {
        let reads = |wanted: Reads| self.rules().any(|rule| rule.reads == wanted);
        let scan = reads(Reads::Bytes).then(|| Scan::new(&self.policy.paths));
        let code = reads(Reads::Code).then(|| Measure::new(&self.policy.cpu));
        let options = open::Options {
            target: self.target,
            limits: self.limits,
            scan: scan.as_ref(),
            hashes: reads(Reads::Hashes),
            code: code.as_ref(),
        };
        let mut subjects = Vec::new();
        for path in paths {
            match open::open(path, &options) {
                Ok(mut opened) => {
                    if paths.len() > 1 {
                        let shown = shown(path, paths);
                        opened.iter_mut().for_each(|subject| subject.put_below(&shown));
                    }
                    subjects.extend(opened);
                }
                Err(NotOpened { path, found, wanted }) => {
                    report.not_judged.push(format!("{path}: {found}"));
                    if self.asks("manifest") {
                        report.add(Finding {
                            rule: "manifest",
                            cause: String::new(),
                            path,
                            owner: String::new(),
                            found,
                            wanted,
                            hint: String::new(),
                        });
                    }
                }
            }
        }
        subjects
    }

    /// Asks the rules.
    pub fn subjects(&self, subjects: &[Subject], report: &mut Report) {
        for subject in subjects {
            let kind = format!("{:?}", subject.kind).to_lowercase();
            let shown = match (subject.path.trim_end_matches(':'), subject.target()) {
                ("", "") => kind,
                ("", target) => target.to_owned(),
                (path, _) => format!("{path} ({kind})"),
            };
            report.subjects.push(match subject.platform {
                Some(platform) if subject.manifest.is_none() => format!("{shown} for {platform}"),
                _ => shown,
            });
            if subject.platform.is_none()
                && let Some((_, machine)) = subject.census().into_keys().next()
            {
                let who = subject.claim.as_deref().unwrap_or("its content");
                report.not_judged.push(format!(
                    "{} holds code for {machine} and {who} names no target of ours",
                    report.subjects[report.subjects.len() - 1]
                ));
            }
            count(subject, &mut report.counts);
        }
        // What others built is measured as such in a bundle of ours too; that it closes the store is the bundle's business.
        let foreign = foreign(self.policy, subjects);
        let published = published(subjects);
        for subject in subjects {
            let is_foreign = published.iter().any(|place| subject.path.starts_with(place));
            let case = Case {
                subject,
                all: subjects,
                policy: if is_foreign { &foreign } else { self.policy },
                baseline: self.baseline.as_ref(),
                ledger: self.ledger.as_ref(),
            };
            let rules = self
                .rules()
                .filter(|rule| case.policy.severity(rule.id) != Severity::Off);
            for rule in rules {
                (rule.check)(&case, report);
            }
        }
        self.floors(report);
        self.exceptions(subjects, report);
        report.finish(|rule| self.policy.severity(rule));
    }

    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let asked = |rule: &&Rule| self.only.is_empty() || self.only.iter().any(|id| id == rule.id);
        RULES
            .iter()
            .filter(|rule| self.policy.severity(rule.id) != Severity::Off)
            .filter(asked)
    }

    fn asks(&self, id: &str) -> bool {
        self.rules().any(|rule| rule.id == id)
    }

    /// A judgement that looked at less than it should have is a finding.
    fn floors(&self, report: &mut Report) {
        if !self.asks("floors") {
            return;
        }
        for (name, wanted) in &self.policy.floors {
            let found = report.counts.get(name).unwrap_or(0);
            if found < *wanted {
                report.add(Finding {
                    rule: "floors",
                    cause: String::new(),
                    path: name.clone(),
                    owner: String::new(),
                    found: format!("looked at {found} {name}"),
                    wanted: format!("at least {wanted}"),
                    hint: String::new(),
                });
            }
        }
    }

    fn exceptions(&self, subjects: &[Subject], report: &mut Report) {
        let manifests = subjects
            .iter()
            .filter_map(|subject| Some((subject.path.as_str(), subject.manifest.as_ref()?)));
        // A component knows its own bundle alone, wherever that lies.
        let of_components = manifests.flat_map(|(place, manifest)| {
            let exceptions = manifest.components.iter().flat_map(|component| &component.exceptions);
            exceptions.map(move |exception| (place, exception))
        });
        let today = today();
        let complains = self.asks(EXCEPTIONS);
        let of_policy = self.policy.exceptions.iter().map(|exception| ("", exception));
        for (place, exception) in of_policy.chain(of_components) {
            if let Some(complaint) = except(place, exception, &today, report).filter(|_| complains) {
                report.add(complaint);
            }
        }
    }
}

/// A path as people are shown it beside others: its last part, or all of it where several have the same.
fn shown(path: &Path, all: &[&Path]) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let same = all.iter().filter(|other| other.file_name() == Some(name)).count();
    match same {
        0 | 1 => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    }
}

const EXCEPTIONS: &str = "exceptions";

/// Takes the findings away that an exception covers, whose pattern is over what lies in `place`. One that covers nothing, lacks a part, or whose day is past, is itself a
/// finding and covers nothing.
fn except(place: &str, exception: &Exception, today: &str, report: &mut Report) -> Option<Finding> {
    let complain = |found: String, wanted: &str| {
        Some(Finding {
            rule: EXCEPTIONS,
            cause: String::new(),
            path: exception.path.clone(),
            owner: String::new(),
            found: format!("an exception of `{}` {found}", exception.rule),
            wanted: wanted.to_owned(),
            hint: "mend the exception or take it out".to_owned(),
        })
    };
    if !RULES.iter().any(|rule| rule.id == exception.rule) {
        return complain("which is no rule".to_owned(), "the id of a rule");
    }
    let Some(until) = exception.until.as_deref() else {
        return complain("without an end".to_owned(), "the last day on which it holds");
    };
    if !is_day(until) {
        return complain(format!("with the day `{until}`"), "a day like 2027-06-30");
    }
    if until < today {
        return complain(format!("that ended on {until}"), "none that is out of date");
    }
    if exception.reason.trim().is_empty() {
        return complain("without a reason".to_owned(), "a reason");
    }
    if exception.link.as_deref().unwrap_or_default().trim().is_empty() {
        return complain("without a link".to_owned(), "where it is tracked");
    }
    let Some(glob) = policy::glob(&exception.path) else {
        return complain("with a bad pattern".to_owned(), "a shell pattern over paths");
    };
    let covers = |finding: &Finding| {
        finding.rule == exception.rule
            && finding.path.strip_prefix(place).is_some_and(|path| glob.is_match(path))
            && (finding.found.contains(&exception.found) || finding.cause.contains(&exception.found))
            // An exception cannot hide what is wrong with exceptions.
            && finding.rule != EXCEPTIONS
    };
    let (covered, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut report.findings).into_iter().partition(covers);
    let unused = covered.is_empty();
    report.findings = rest;
    report.accepted.extend(covered.into_iter().map(|finding| Accepted {
        finding,
        reason: exception.reason.clone(),
    }));
    match unused {
        true => complain("that covers nothing".to_owned(), "only exceptions that are needed"),
        false => None,
    }
}

pub(crate) fn is_day(day: &str) -> bool {
    day.len() == 10
        && day.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Today in UTC, as `2027-06-30`: the only thing in a judgement that is not in the bundle.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day(i64::try_from(since.as_secs() / 86_400).unwrap_or(0))
}

/// Seconds after 1970 as RFC 3339 spells a time in UTC.
pub(crate) fn time(seconds: u64) -> String {
    let of_day = seconds % 86_400;
    let day = day(i64::try_from(seconds / 86_400).unwrap_or(0));
    format!("{day}T{:02}:{:02}:{:02}Z", of_day / 3600, of_day / 60 % 60, of_day % 60)
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

fn count(subject: &Subject, counts: &mut Counts) {
    counts.subjects += 1;
    counts.wheels += usize::from(subject.wheel.is_some());
    for (path, file) in &subject.files {
        counts.files += 1;
        counts.bytes += file.size;
        counts.modules += usize::from(path.ends_with(".pc"));
        match &file.content {
            Ok(Content::Pe(pe)) => {
                counts.images += 1;
                counts.imports += pe.imports.symbols();
                counts.exports += pe.exports.len();
            }
            Ok(Content::Archive(archive)) => {
                counts.archives += 1;
                counts.members += archive.members.len();
            }
            Ok(Content::Elf(elf)) if elf.is_image() => {
                counts.images += 1;
                let (defined, undefined) = elf.symbols.counts();
                counts.imports += undefined;
                counts.exports += defined;
            }
            Ok(Content::Coff(_) | Content::Elf(_)) => counts.members += 1,
            _ => {}
        }
    }
}

/// The measure of what others built and a bundle has as it is. A Python in the bundle has beside it what wheels may import; who has none
/// brings a Python of his own, and what belongs to it.
fn foreign(own: &Policy, subjects: &[Subject]) -> Policy {
    let mut policy = Policy::foreign();
    policy.wheels = own.wheels.clone();
    let bundles = subjects.iter().filter(|subject| subject.manifest.is_some());
    let beside: Vec<String> = bundles
        .flat_map(|bundle| {
            let paths = bundle.files.keys().map(|path| path.to_ascii_lowercase());
            let python = paths.clone().find(|path| subject::name(path) == "python.exe");
            let home = python.map(|path| subject::folder(&path).to_owned());
            paths.filter(move |path| home.as_deref() == Some(subject::folder(path)) && path.ends_with(".dll"))
        })
        .map(|path| subject::name(&path).to_owned())
        .collect();
    policy.imports.vc_redist = beside.is_empty();
    policy.imports.with_python.extend(beside);
    policy
}

/// Where the wheels lie that the bundles among the subjects have as they were published.
fn published(subjects: &[Subject]) -> Vec<String> {
    let bundles = subjects
        .iter()
        .filter_map(|subject| Some((&subject.path, subject.manifest.as_ref()?)));
    bundles
        .flat_map(|(place, manifest)| {
            let published = manifest.components.iter().filter(|component| component.published);
            let promises = published.flat_map(|component| &component.ships);
            promises.map(move |promise| format!("{place}{}:", promise.path))
        })
        .collect()
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
        assert_eq!(time(1_577_836_800 + 86_399), "2020-01-01T23:59:59Z");
        assert!(is_day("2027-06-30") && !is_day("2027-6-30") && !is_day("30.06.2027"));
    }
}
