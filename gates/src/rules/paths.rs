//! `no-build-paths`: no file tells where it was built.

use super::Case;
use crate::report::Report;

const RULE: &str = "no-build-paths";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        for found in &file.build_paths {
            let found = format!("holds the path `{found}`");
            let wrong = case.finding(RULE, path, found, "no path of a machine that builds");
            report.add(wrong.hint(case.rebuild(path)));
        }
    }
    for (path, pe) in case.subject.images() {
        let Some(pdb) = pe.pdb.as_ref().filter(|pdb| pdb.contains(['/', '\\'])) else {
            continue;
        };
        let found = format!("names its debug information as `{pdb}`");
        let wrong = case.finding(RULE, path, found, "a file name without a folder");
        report.add(wrong.hint("link with /pdbaltpath:%_PDB%"));
    }
}
