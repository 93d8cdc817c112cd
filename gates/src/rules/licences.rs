//! `licence-files`: each component brings the texts of its licence.

use super::Case;
use crate::report::Report;

const RULE: &str = "licence-files";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let manifest = case.subject.manifest.as_ref();
    for component in manifest.iter().flat_map(|manifest| &manifest.components) {
        let mut wrong = |path: &str, found: &str, wanted: &str| {
            let hint = format!(
                "name the texts under `licence-files` in {}'s component.toml",
                component.name
            );
            report.add(
                case.finding(RULE, path, found, wanted)
                    .owner(&component.name)
                    .hint(hint),
            );
        };
        if component.license.trim().is_empty() {
            wrong(crate::manifest::FILE, "names no licence", "an SPDX expression");
        }
        if component.licence_files.is_empty() {
            wrong(crate::manifest::FILE, "names no text of its licence", "at least one");
        }
        for path in &component.licence_files {
            match case.subject.files.get(path) {
                None => wrong(path, "the text of the licence is missing", "a text file"),
                Some(file) if file.size == 0 => wrong(path, "the text of the licence is empty", "a text file"),
                Some(_) => {}
            }
        }
    }
}
