//! `names`: Windows can store every file under its name. Microsoft's "Naming Files, Paths, and Namespaces" is the source.

use super::Case;
use crate::report::Report;
use crate::subject::name;

const RULE: &str = "names";

/// Names of devices; Windows takes them with any suffix for the device itself.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    if !case.subject.is_windows() {
        return;
    }
    for group in case.subject.same_but_for_case() {
        for path in &group[1..] {
            let found = format!("has the name of `{}` but for the case", group[0]);
            report.add(case.finding(RULE, path, found, "names that Windows tells apart"));
        }
    }
    let max = case.policy.names.path_units_max;
    for path in case.subject.files.keys().filter(|path| !path.contains(':')) {
        let units = path.encode_utf16().count();
        if units > max {
            let found = format!("has a path of {units} characters");
            report.add(case.finding(RULE, path, found, format!("at most {max}")));
        }
        if let Some(what) = path.split('/').find_map(refused) {
            report.add(case.finding(RULE, path, what, "a name that Windows can store"));
        }
    }
}

/// Why Windows refuses a name.
fn refused(part: &str) -> Option<String> {
    let stem = name(part).split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port = |port: &str| {
        let number = stem.strip_prefix(port).filter(|number| number.len() == 1);
        number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit() && digit != '0'))
    };
    if DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt") {
        return Some(format!("has the name of the device `{stem}`"));
    }
    if part.ends_with(['.', ' ']) {
        return Some(format!("has the name `{part}`, whose last character Windows drops"));
    }
    let bad = part
        .chars()
        .find(|letter| *letter < ' ' || "<>:\"\\|?*".contains(*letter));
    bad.map(|letter| format!("has a name with {letter:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known_with_any_suffix() {
        for bad in ["aux.h", "COM1", "lpt9.txt", "a.", "b ", "what?.txt"] {
            assert!(refused(bad).is_some(), "{bad}");
        }
        for good in ["auxiliary.h", "com", "com0", "lpt10", "a.b", ".hidden"] {
            assert!(refused(good).is_none(), "{good}");
        }
    }
}
