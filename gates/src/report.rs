//! What a judgement says: findings in a fixed order, grouped by their cause, capped for people and whole for machines, and how
//! much was looked at, so that a judgement over nothing cannot be taken for a good one.

mod formats;

use std::fmt;

use serde::Serialize;

pub use formats::{junit, sarif};

use crate::policy::Severity;

/// People are shown this many groups of a rule, and this many witnesses of a group.
const SHOWN_MAX: usize = 25;

/// One thing that is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The id of the rule.
    pub rule: &'static str,
    /// What is behind it, when several findings can have it in common; empty when this one stands alone.
    pub cause: String,
    /// The file, by its path in the subject; `lib:member` for what is packed in another file.
    pub path: String,
    /// The component, wheel or package that the file belongs to; empty when nobody owns it.
    pub owner: String,
    /// What was found.
    pub found: String,
    /// What was wanted.
    pub wanted: String,
    /// What to do next, best a command; empty when the other fields say it.
    pub hint: String,
}

/// Findings with one cause.
#[derive(Debug, Serialize)]
pub struct Group<'a> {
    /// The id of the rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is behind all of them; empty when there is one finding and it says itself.
    pub cause: &'a str,
    /// What was wanted.
    pub wanted: &'a str,
    /// What to do next.
    pub hint: &'a str,
    /// Where it shows, by path.
    pub witnesses: Vec<Witness<'a>>,
}

/// One place where a cause shows.
#[derive(Debug, Serialize)]
pub struct Witness<'a> {
    /// The file.
    pub path: &'a str,
    /// Whose it is.
    pub owner: &'a str,
    /// What was found.
    pub found: &'a str,
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
    /// Bundles, folders, wheels, packages, archives, images.
    pub subjects: usize,
    /// Files, manifests of bundles left out.
    pub files: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// Programs and libraries that are loaded.
    pub images: usize,
    /// Archives of objects, import libraries among them.
    pub archives: usize,
    /// Members of archives.
    pub members: usize,
    /// Wheels.
    pub wheels: usize,
    /// Imports of all programs and libraries, by symbol.
    pub imports: usize,
    /// Imports that an export was found for.
    pub resolved: usize,
    /// Exports of all libraries.
    pub exports: usize,
    /// Modules of pkg-config.
    pub modules: usize,
}

/// The outcome of a judgement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What was judged, with what it is for.
    pub subjects: Vec<String>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The rules whose findings do not make the judgement fail.
    pub warnings: Vec<&'static str>,
    /// What is wrong and accepted.
    pub accepted: Vec<Accepted>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
    /// What could not be judged, with the reason.
    pub not_judged: Vec<String>,
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
    /// There was nothing that could be judged, or a part that could not.
    NotJudged,
}

impl Finding {
    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = hint.into();
        self
    }

    /// Says what is behind it, for findings that have it in common.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Finding {
        self.cause = cause.into();
        self
    }

    /// Says whose the file is.
    #[must_use]
    pub fn owner(mut self, owner: &str) -> Finding {
        owner.clone_into(&mut self.owner);
        self
    }
}

impl Counts {
    /// A count by its name in a policy.
    pub fn get(&self, name: &str) -> Option<usize> {
        Some(match name {
            "subjects" => self.subjects,
            "files" => self.files,
            "images" => self.images,
            "archives" => self.archives,
            "members" => self.members,
            "wheels" => self.wheels,
            "imports" => self.imports,
            "resolved" => self.resolved,
            "exports" => self.exports,
            "modules" => self.modules,
            _ => return None,
        })
    }
}

impl Report {
    /// Adds a finding.
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds what is worth knowing and not wrong.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The judgement in one word. Warnings do not count; where there is neither native code nor a wheel, nothing was judged.
    pub fn verdict(&self) -> Verdict {
        let judged = self.counts.images + self.counts.members + self.counts.wheels;
        if judged == 0 {
            Verdict::NotJudged
        } else if self.errors() > 0 {
            Verdict::Findings
        } else if self.not_judged.is_empty() {
            Verdict::Clean
        } else {
            Verdict::NotJudged
        }
    }

    /// The findings of one rule.
    pub fn of(&self, rule: &str) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.rule == rule).collect()
    }

    /// The findings, those with one cause together.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        // Findings are sorted by rule and cause.
        for finding in &self.findings {
            let witness = Witness {
                path: &finding.path,
                owner: &finding.owner,
                found: &finding.found,
            };
            match groups.last_mut() {
                Some(last)
                    if !finding.cause.is_empty() && (last.rule, last.cause) == (finding.rule, &finding.cause) =>
                {
                    last.witnesses.push(witness);
                }
                _ => groups.push(Group {
                    rule: finding.rule,
                    severity: self.severity(finding.rule),
                    cause: &finding.cause,
                    wanted: &finding.wanted,
                    hint: &finding.hint,
                    witnesses: vec![witness],
                }),
            }
        }
        groups
    }

    /// The whole report for machines.
    ///
    /// # Panics
    /// Never: the types hold nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            verdict: &'static str,
            subjects: &'a [String],
            findings: Vec<Group<'a>>,
            accepted: &'a [Accepted],
            notes: &'a [String],
            not_judged: &'a [String],
            counts: Counts,
        }
        let whole = Whole {
            verdict: match self.verdict() {
                Verdict::Clean => "clean",
                Verdict::Findings => "findings",
                Verdict::NotJudged => "not-judged",
            },
            subjects: &self.subjects,
            findings: self.groups(),
            accepted: &self.accepted,
            notes: &self.notes,
            not_judged: &self.not_judged,
            counts: self.counts,
        };
        let mut text = serde_json::to_string_pretty(&whole).expect("strings, numbers and lists are always JSON");
        text.push('\n');
        text
    }

    pub(crate) fn finish(&mut self, severity: impl Fn(&'static str) -> Severity) {
        self.findings.sort();
        self.findings.dedup();
        self.accepted.sort();
        self.notes.sort();
        self.notes.dedup();
        self.not_judged.sort();
        let rules = self.findings.iter().map(|finding| finding.rule);
        self.warnings = rules.filter(|rule| severity(rule) == Severity::Warning).collect();
        self.warnings.dedup();
    }

    fn severity(&self, rule: &str) -> Severity {
        match self.warnings.contains(&rule) {
            true => Severity::Warning,
            false => Severity::Error,
        }
    }

    fn errors(&self) -> usize {
        let groups = self.groups();
        groups.iter().filter(|group| group.severity == Severity::Error).count()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "looked at {} files ({} bytes): {} programs and libraries, {} archives with {} members, {} exports, \
             {} imports of which {} resolve, {} pkg-config modules, {} wheels",
            self.files,
            self.bytes,
            self.images,
            self.archives,
            self.members,
            self.exports,
            self.imports,
            self.resolved,
            self.modules,
            self.wheels
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let witness = Witness {
            path: &self.path,
            owner: &self.owner,
            found: &self.found,
        };
        write!(f, "{witness}, wanted {} [{}]", self.wanted, self.rule)?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl fmt::Display for Witness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner {
            "" => write!(f, "{}: {}", self.path, self.found),
            owner => write!(f, "{} ({owner}): {}", self.path, self.found),
        }
    }
}

impl fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            _ => "warning",
        };
        match &self.witnesses[..] {
            [only] => writeln!(f, "{word}: {only}, wanted {} [{}]", self.wanted, self.rule)?,
            all => {
                writeln!(f, "{word}: {}, wanted {} [{}]", self.cause, self.wanted, self.rule)?;
                for witness in all.iter().take(SHOWN_MAX) {
                    writeln!(f, "  {witness}")?;
                }
                if all.len() > SHOWN_MAX {
                    writeln!(f, "  … and {} more", all.len() - SHOWN_MAX)?;
                }
            }
        }
        if !self.hint.is_empty() {
            writeln!(f, "  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.groups();
        for of_rule in groups.chunk_by(|a, b| a.rule == b.rule) {
            for group in of_rule.iter().take(SHOWN_MAX) {
                write!(f, "{group}")?;
            }
            if of_rule.len() > SHOWN_MAX {
                writeln!(f, "… and {} more [{}]", of_rule.len() - SHOWN_MAX, of_rule[0].rule)?;
            }
        }
        for accepted in self.accepted.iter().take(SHOWN_MAX) {
            writeln!(f, "accepted: {}: {}", accepted.finding, accepted.reason)?;
        }
        if self.accepted.len() > SHOWN_MAX {
            writeln!(f, "accepted: … and {} more", self.accepted.len() - SHOWN_MAX)?;
        }
        for note in self.notes.iter().take(SHOWN_MAX) {
            writeln!(f, "note: {note}")?;
        }
        if self.notes.len() > SHOWN_MAX {
            writeln!(f, "note: … and {} more", self.notes.len() - SHOWN_MAX)?;
        }
        for what in &self.not_judged {
            writeln!(f, "not judged: {what}")?;
        }
        writeln!(f, "{}", self.counts)?;
        let subjects = match &self.subjects[..] {
            [only] => only.clone(),
            all => format!("{} subjects", all.len()),
        };
        match self.verdict() {
            Verdict::Clean => write!(f, "{subjects}: clean"),
            Verdict::Findings => write!(f, "{subjects}: {} errors", self.errors()),
            Verdict::NotJudged if self.not_judged.is_empty() => {
                write!(f, "not judged: no program, no library and no wheel was found")
            }
            Verdict::NotJudged => write!(f, "{subjects}: not judged"),
        }
    }
}
