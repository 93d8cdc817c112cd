//! `proofs`: where there is a ledger, each program of the bundle did its work once, as it is now. A run without its sentinel is no
//! proof, and a file that was only read says so.

use super::Case;
use crate::ledger::{Ledger, Level};
use crate::manifest::{FILE, Kind};
use crate::report::Report;
use crate::subject::hex;

const RULE: &str = "proofs";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let (Some(ledger), Some(manifest)) = (case.ledger, &case.subject.manifest) else {
        return;
    };
    if ledger.target != manifest.target {
        let found = format!("the proofs are of {}", ledger.target);
        report.add(case.finding(RULE, FILE, found, format!("proofs of {}", manifest.target)));
    }
    for file in manifest.files.iter().filter(|file| file.kind == Kind::Program) {
        let Some(sha256) = case.subject.files.get(&file.path).and_then(|file| file.sha256) else {
            continue;
        };
        if let Some(found) = unproved(ledger, &file.path, &hex(&sha256)) {
            report.add(case.finding(RULE, &file.path, found, "a run that shows its sentinel"));
        }
    }
    for path in ledger
        .proofs
        .keys()
        .filter(|path| !case.subject.files.contains_key(*path))
    {
        report.add(case.finding(RULE, path, "is proved and not there", "proofs of files of the bundle"));
    }
}

/// Why a program is not proved to work; absent if it is.
fn unproved(ledger: &Ledger, path: &str, sha256: &str) -> Option<String> {
    let proofs = ledger.proofs.get(path).map_or(&[][..], Vec::as_slice);
    let mut objections = Vec::new();
    let mut best = None;
    for proof in proofs {
        match proof.objection(sha256) {
            Some(objection) => objections.push(objection),
            None => best = best.max(Some(proof.level)),
        }
    }
    match best {
        Some(Level::Executed) => None,
        _ if !objections.is_empty() => Some(objections.join("; ")),
        Some(Level::Loaded) => Some("was loaded and not executed".to_owned()),
        Some(Level::Inspected) => Some("was inspected and not executed".to_owned()),
        None => Some("was never run".to_owned()),
    }
}
