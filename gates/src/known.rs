//! Findings that are known and accepted, as the data files of components and wheels say them: of some targets alone, because one that
//! covers nothing is a finding itself. Reading those files and refusing what cannot be meant is for whoever owns them.

use globset::Glob;
use serde::{Deserialize, Serialize};

use crate::manifest::Exception;

/// A finding that is known and accepted: an exception, and the targets that it is of.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The id of the rule.
    pub rule: String,
    /// A shell pattern over paths in what is judged.
    pub path: String,
    /// Text that the finding holds, so that no other is covered.
    #[serde(default)]
    pub found: String,
    /// Shell patterns over target triples; empty means every target.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Where it is explained or tracked.
    pub link: String,
    /// The last day on which it holds, as `2027-06-30`.
    pub until: String,
}

/// What of `known` is accepted on a target.
pub fn exceptions<'a>(known: &'a [Known], triple: &'a str) -> impl Iterator<Item = Exception> + 'a {
    let of_target = known.iter().filter(move |known| applies(&known.targets, triple));
    of_target.map(|known| Exception {
        rule: known.rule.clone(),
        path: known.path.clone(),
        found: known.found.clone(),
        reason: known.reason.clone(),
        link: Some(known.link.clone()),
        until: Some(known.until.clone()),
    })
}

/// Whether one of `patterns` matches `triple`; no pattern matches everything. Bad patterns match nothing: whoever reads a file has
/// to refuse them.
pub fn applies(patterns: &[String], triple: &str) -> bool {
    patterns.is_empty()
        || patterns
            .iter()
            .any(|pattern| Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(triple)))
}
