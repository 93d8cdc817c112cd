//! What a judgement says: findings in a fixed order, capped for people and whole for machines, and how much was looked at,
//! so that a judgement over nothing cannot be taken for a good one.

use std::fmt;

use serde::Serialize;

use crate::policy::Severity;

/// People are shown this many findings of a rule.
const SHOWN_MAX: usize = 25;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The id of the rule.
    pub rule: &'static str,
    /// The file, by its path in the bundle; `lib:member` for a member of an archive.
    pub path: String,
    /// The component that the file belongs to; empty when nobody owns it.
    pub owner: String,
    /// What was found.
    pub found: String,
    /// What was wanted.
    pub wanted: String,
    /// What to do next, best a command; empty when the other fields say it.
    pub hint: String,
}

/// One finding that an exception covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Accepted {
    /// The finding.
    pub finding: Finding,
    /// The exception's reason.
    pub reason: String,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Files, the manifest left out.
    pub files: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// Programs and DLLs.
    pub images: usize,
    /// Archives, import libraries among them.
    pub archives: usize,
    /// Members of archives.
    pub members: usize,
    /// Imports of all programs and DLLs, by symbol.
    pub imports: usize,
    /// Imports that an export was found for.
    pub resolved: usize,
    /// Exports of all DLLs.
    pub exports: usize,
    /// Modules of pkg-config.
    pub modules: usize,
}

/// The outcome of a judgement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The target; empty when there was no manifest to tell it.
    pub target: String,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The rules whose findings do not make the bundle fail.
    pub warnings: Vec<&'static str>,
    /// What is wrong and accepted.
    pub accepted: Vec<Accepted>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
    /// How much was looked at.
    pub counts: Counts,
}

/// A judgement in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Clean,
    /// Something is wrong.
    Findings,
    /// There was nothing that could be judged.
    NotJudged,
}

impl Report {
    /// Adds a finding.
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The judgement in one word. Warnings do not count; a bundle without native code was not judged.
    pub fn verdict(&self) -> Verdict {
        if self.counts.images == 0 {
            Verdict::NotJudged
        } else if self.errors() == 0 {
            Verdict::Clean
        } else {
            Verdict::Findings
        }
    }

    /// The findings of one rule.
    pub fn of(&self, rule: &str) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.rule == rule).collect()
    }

    /// The whole report for machines.
    ///
    /// # Panics
    /// Never: the types hold nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("strings, numbers and lists are always JSON");
        text.push('\n');
        text
    }

    pub(crate) fn finish(&mut self, severity: impl Fn(&'static str) -> Severity) {
        self.findings.sort();
        self.findings.dedup();
        self.accepted.sort();
        self.notes.sort();
        self.notes.dedup();
        let rules = self.findings.iter().map(|finding| finding.rule);
        self.warnings = rules.filter(|rule| severity(rule) == Severity::Warning).collect();
        self.warnings.dedup();
    }

    fn errors(&self) -> usize {
        let is_error = |finding: &&Finding| !self.warnings.contains(&finding.rule);
        self.findings.iter().filter(is_error).count()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "looked at {} files ({} bytes): {} programs and DLLs, {} archives with {} members, {} exports, \
             {} imports of which {} resolve, {} pkg-config modules",
            self.files,
            self.bytes,
            self.images,
            self.archives,
            self.members,
            self.exports,
            self.imports,
            self.resolved,
            self.modules
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if !self.owner.is_empty() {
            write!(f, " ({})", self.owner)?;
        }
        write!(f, ": {}, wanted {} [{}]", self.found, self.wanted, self.rule)?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = 0;
        while let Some(first) = self.findings.get(start) {
            let of_rule = self.findings[start..]
                .iter()
                .take_while(|finding| finding.rule == first.rule)
                .count();
            let word = match self.warnings.contains(&first.rule) {
                true => "warning",
                false => "error",
            };
            for finding in &self.findings[start..start + of_rule.min(SHOWN_MAX)] {
                writeln!(f, "{word}: {finding}")?;
            }
            if of_rule > SHOWN_MAX {
                writeln!(f, "{word}: … and {} more [{}]", of_rule - SHOWN_MAX, first.rule)?;
            }
            start += of_rule;
        }
        for accepted in &self.accepted {
            writeln!(f, "accepted: {}: {}", accepted.finding, accepted.reason)?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        writeln!(f, "{}", self.counts)?;
        match self.verdict() {
            Verdict::Clean => writeln!(f, "{}: clean", self.target),
            Verdict::Findings => writeln!(f, "{}: {} errors", self.target, self.errors()),
            Verdict::NotJudged => writeln!(f, "not judged: no program and no DLL was found"),
        }
    }
}
