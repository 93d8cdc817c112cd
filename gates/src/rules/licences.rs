//! `licence-files`: each component brings the texts of its licence.

use super::finding;
use crate::bundle::Bundle;
use crate::policy::Policy;
use crate::report::Report;

const RULE: &str = "licence-files";

pub(super) fn check(bundle: &Bundle, _: &Policy, report: &mut Report) {
    for component in &bundle.manifest.components {
        let mut wrong = |path: &str, found: &str, wanted: &str| {
            let mut wrong = finding(bundle, RULE, path, found, wanted);
            wrong.owner.clone_from(&component.name);
            wrong.hint = format!(
                "name the texts under `licence-files` in {}'s component.toml",
                component.name
            );
            report.add(wrong);
        };
        if component.license.trim().is_empty() {
            wrong(crate::manifest::FILE, "names no licence", "an SPDX expression");
        }
        if component.licence_files.is_empty() {
            wrong(crate::manifest::FILE, "names no text of its licence", "at least one");
        }
        for path in &component.licence_files {
            match bundle.files.get(path) {
                None => wrong(path, "the text of the licence is missing", "a text file"),
                Some(file) if file.size == 0 => wrong(path, "the text of the licence is empty", "a text file"),
                Some(_) => {}
            }
        }
    }
}
