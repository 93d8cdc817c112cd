//! `wheel-record`: the list of a wheel's files names each of them once, with its hash and length, and nothing else.

use std::collections::BTreeMap;

use super::Case;
use crate::report::Report;
use crate::wheel::{Row, Wheel, hash};

const RULE: &str = "wheel-record";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(wheel) = &case.subject.wheel else { return };
    let list = format!("{}/RECORD", wheel.info);
    if wheel.record.is_empty() {
        return report.add(case.finding(RULE, &list, "is missing or empty", "a list of the wheel's files"));
    }
    let mut listed: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in &wheel.record {
        if listed.insert(&row.path, row).is_some() {
            report.add(case.finding(RULE, &row.path, "stands twice in RECORD", "each file once"));
        }
        compare(case, wheel, row, report);
    }
    // What is packed in a listed file is not listed.
    for path in case.subject.files.keys().filter(|path| !path.contains(':')) {
        if !listed.contains_key(path.as_str()) && !is_list(wheel, path) {
            report.add(case.finding(RULE, path, "is not in RECORD", "each file of the wheel"));
        }
    }
}

/// The list itself and its signatures cannot hold their own hashes.
fn is_list(wheel: &Wheel, path: &str) -> bool {
    let name = path.strip_prefix(&wheel.info).unwrap_or_default();
    matches!(name, "/RECORD" | "/RECORD.jws" | "/RECORD.p7s")
}

fn compare(case: &Case<'_>, wheel: &Wheel, row: &Row, report: &mut Report) {
    if is_list(wheel, &row.path) {
        return;
    }
    let Some(file) = case.subject.files.get(&row.path) else {
        // Some tools list folders.
        if !row.path.ends_with('/') && !case.subject.links.contains_key(&row.path) {
            report.add(case.finding(
                RULE,
                &row.path,
                "is in RECORD and not in the wheel",
                "the files that are there",
            ));
        }
        return;
    };
    let Some(hash) = file.sha256.map(|digest| hash(&digest)) else {
        return;
    };
    match row.hash.split_once('=') {
        Some(("sha256", _)) if row.hash.trim_end_matches('=') != hash => {
            report.add(case.finding(RULE, &row.path, format!("has the hash {hash}"), row.hash.clone()));
        }
        Some(("sha256" | "sha384" | "sha512", _)) => {}
        _ => {
            let found = format!("has the hash `{}` in RECORD", row.hash);
            report.add(case.finding(RULE, &row.path, found, "SHA-256 or stronger"));
        }
    }
    if row.size.parse() != Ok(file.size) && !row.size.is_empty() {
        let found = format!("is {} bytes long", file.size);
        report.add(case.finding(RULE, &row.path, found, format!("{} bytes, as RECORD says", row.size)));
    }
}
