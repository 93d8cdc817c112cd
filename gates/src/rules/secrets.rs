//! `no-secrets`: no file holds a private key.

use super::Case;
use crate::report::Report;

const RULE: &str = "no-secrets";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        if file.private_keys > 0 {
            let found = format!("holds {} private keys", file.private_keys);
            let wrong = case.finding(RULE, path, found, "none");
            report.add(wrong.hint("take the file out and make new keys: these are known"));
        }
    }
}
