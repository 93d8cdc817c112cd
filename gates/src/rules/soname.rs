//! `soname`: a library is found under the name that it has for those that need it.

use super::Case;
use crate::report::Report;
use crate::subject::{folder, name};

const RULE: &str = "soname";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, elf) in case.subject.elves() {
        let Some(soname) = &elf.soname else { continue };
        // What a program loads by its path needs no name; nobody links to it.
        let is_library = name(path).starts_with("lib") && name(path).contains(".so");
        let beside = match folder(path) {
            "" => soname.clone(),
            folder => format!("{folder}/{soname}"),
        };
        if is_library && case.subject.follow(&beside) != Some(path) {
            let found = format!("calls itself `{soname}`, and that name does not lead to it");
            report.add(case.finding(RULE, path, found, "a file or link of that name beside it"));
        }
    }
}
