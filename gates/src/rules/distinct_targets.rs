//! `distinct-targets`: bundles of two targets have no native file in common. Where they have, one of them holds the other's.

use std::collections::HashMap;

use super::Case;
use crate::read::Content;
use crate::report::Report;
use crate::subject::Subject;

const RULE: &str = "distinct-targets";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let others = case.all.iter().filter(|other| {
        // Each pair is looked at once.
        other.path > case.subject.path && other.manifest.is_some() && other.target() != case.subject.target()
    });
    if case.subject.manifest.is_none() {
        return;
    }
    let own: HashMap<[u8; 32], &str> = native(case.subject).collect();
    for other in others {
        for (hash, theirs) in native(other) {
            let Some(path) = own.get(&hash) else { continue };
            let found = format!("is {}{theirs} of {}, byte for byte", other.path, other.target());
            report.add(case.finding(RULE, path, found, "native files of its own"));
        }
    }
}

fn native(subject: &Subject) -> impl Iterator<Item = ([u8; 32], &str)> {
    subject.files.iter().filter_map(|(path, file)| match &file.content {
        Ok(Content::Pe(_) | Content::Elf(_) | Content::Archive(_) | Content::Coff(_)) => {
            Some((file.sha256?, path.as_str()))
        }
        _ => None,
    })
}
