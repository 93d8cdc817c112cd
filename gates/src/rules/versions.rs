//! `version-ceiling`: no file asks for a newer C or C++ library than the target's oldest system has. What a wheel's own tag promises
//! is its ceiling.

use super::Case;
use crate::report::Report;

const RULE: &str = "version-ceiling";

/// Versions of the C++ runtime that went with a version of glibc when its `manylinux` standard was made (the policies of the
/// Python packaging authority; of two entries for one glibc the older).
const MANYLINUX: [(&str, &str, &str); 9] = [
    ("2.5", "3.4.8", "4.2.0"),
    ("2.12", "3.4.13", "4.3.0"),
    ("2.17", "3.4.19", "4.8.0"),
    ("2.24", "3.4.22", "6.0.0"),
    ("2.28", "3.4.24", "7.0.0"),
    ("2.31", "3.4.28", "9.0.0"),
    ("2.34", "3.4.29", "11.0"),
    ("2.35", "3.4.30", "12.0.0"),
    ("2.39", "3.4.33", "14.0.0"),
];

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    if !case.subject.is_linux() {
        return;
    }
    let ceilings = ceilings(case);
    for (path, elf) in case.subject.elves() {
        // The file's own versions, and those of libraries that lie beside it, are no demands on the system.
        let is_own = |library: &str| !case.subject.anywhere(library).is_empty();
        for need in elf.version_needs.iter().filter(|need| !is_own(&need.library)) {
            let Some((prefix, version)) = need.version.split_once('_') else {
                continue;
            };
            let Some((_, ceiling)) = ceilings.iter().find(|(known, _)| known == prefix) else {
                continue;
            };
            if is_newer(version, ceiling) {
                let found = format!("asks {} for {}", need.library, need.version);
                let wrong = case.finding(RULE, path, found, format!("at most {prefix}_{ceiling}"));
                report.add(wrong.cause(format!("{} is asked of {}", need.version, need.library)));
            }
        }
    }
}

/// The newest version by the prefix of its name.
fn ceilings(case: &Case<'_>) -> Vec<(String, String)> {
    let name = case.subject.wheel.as_ref().and_then(|wheel| wheel.name.as_ref());
    let Some(name) = name else {
        let arch = case.subject.platform.map(|platform| platform.arch.to_string());
        let all = arch
            .and_then(|arch| case.policy.elf.ceilings.get(&arch))
            .into_iter()
            .flatten();
        return all.map(|(prefix, version)| (prefix.clone(), version.clone())).collect();
    };
    // Of several tags the oldest is the promise.
    let glibc = name.platforms.iter().filter_map(|tag| glibc_of_tag(tag));
    let Some(glibc) = glibc.min_by(|a, b| compare(a, b)) else {
        return Vec::new();
    };
    let runtime = MANYLINUX.iter().rev().find(|(known, _, _)| !is_newer(known, &glibc));
    let mut ceilings = vec![("GLIBC".to_owned(), glibc)];
    if let Some((_, libstdcxx, libgcc)) = runtime {
        ceilings.push(("GLIBCXX".to_owned(), (*libstdcxx).to_owned()));
        ceilings.push(("GCC".to_owned(), (*libgcc).to_owned()));
    }
    ceilings
}

/// The glibc that a tag promises to run on.
fn glibc_of_tag(tag: &str) -> Option<String> {
    let rest = tag.strip_prefix("manylinux")?;
    if let Some(version) = rest.strip_prefix('_') {
        let mut parts = version.split('_');
        return Some(format!("{}.{}", parts.next()?, parts.next()?));
    }
    let legacy = [("1_", "2.5"), ("2010_", "2.12"), ("2014_", "2.17")];
    let found = legacy.iter().find(|(name, _)| rest.starts_with(name));
    found.map(|(_, glibc)| (*glibc).to_owned())
}

fn is_newer(version: &str, than: &str) -> bool {
    compare(version, than).is_gt()
}

/// Compares numbers with dots between them; words like `PRIVATE` are newer than every number.
fn compare(a: &str, b: &str) -> std::cmp::Ordering {
    let parts = |version: &str| -> Vec<u64> {
        version
            .split('.')
            .map(|part| part.parse().unwrap_or(u64::MAX))
            .collect()
    };
    parts(a).cmp(&parts(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(is_newer("2.17", "2.4") && !is_newer("2.17", "2.17") && is_newer("PRIVATE", "2.40"));
        assert!(is_newer("3.4.30", "3.4.29"));
    }

    #[test]
    fn each_spelling_of_manylinux_promises_a_glibc() {
        let of = |tag| glibc_of_tag(tag);
        assert_eq!(of("manylinux_2_28_aarch64").as_deref(), Some("2.28"));
        assert_eq!(of("manylinux2014_x86_64").as_deref(), Some("2.17"));
        assert_eq!(of("manylinux1_x86_64").as_deref(), Some("2.5"));
        assert_eq!(of("musllinux_1_2_x86_64"), None);
    }
}
