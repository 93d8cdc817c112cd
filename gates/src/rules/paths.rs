//! `no-build-paths`: no file tells where it was built.

use super::{finding, rebuild};
use crate::bundle::Bundle;
use crate::policy::Policy;
use crate::report::Report;

const RULE: &str = "no-build-paths";

pub(super) fn check(bundle: &Bundle, _: &Policy, report: &mut Report) {
    for (path, file) in &bundle.files {
        for found in &file.build_paths {
            let found = format!("holds the path `{found}`");
            let mut wrong = finding(bundle, RULE, path, found, "no path of a machine that builds");
            wrong.hint = rebuild(bundle, path);
            report.add(wrong);
        }
    }
    for (path, pe) in bundle.images() {
        let Some(pdb) = pe.pdb.as_ref().filter(|pdb| pdb.contains(['/', '\\'])) else {
            continue;
        };
        let found = format!("names its debug information as `{pdb}`");
        let mut wrong = finding(bundle, RULE, path, found, "a file name without a folder");
        wrong.hint = "link with /pdbaltpath:%_PDB%".to_owned();
        report.add(wrong);
    }
}
