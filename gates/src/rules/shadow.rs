//! `no-shadow`: no DLL has a name that Windows takes from System32, where a bundle's own would lose or win by the caller's
//! folder, and no two different DLLs of a bundle have one name where both are searched.

use super::Case;
use crate::policy::{self, Policy};
use crate::report::Report;
use crate::subject::{folder, name};
use crate::windows::{Exports, Family};
use crate::{Arch, Platform};

const RULE: &str = "no-shadow";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(Platform { arch, .. }) = case.subject.platform.filter(|platform| platform.is_windows()) else {
        return;
    };
    for (path, _) in case.subject.images().filter(|(_, pe)| pe.is_dll) {
        let own = name(path).to_ascii_lowercase();
        if is_in_system32(case.policy, arch, &own) {
            let found = format!("has the name of System32's {own}");
            let wrong = case.finding(RULE, path, found, "a name that Windows does not have");
            report.add(wrong.hint("give it a name of its own, and its users the new name"));
        }
    }
    twice(case, report);
}

/// Whether a stock Windows has a DLL of that name.
pub(super) fn is_in_system32(policy: &Policy, arch: Arch, name: &str) -> bool {
    let is_listed = |list: &[String]| list.iter().any(|listed| listed == name);
    let family = Exports::of(arch).dll(name).map(|dll| dll.family());
    is_listed(&policy.shadow.names) || family == Some(Family::System) && !is_listed(&policy.shadow.not_there)
}

/// DLLs of one name in several searched folders: which one is taken depends on the order of the search.
fn twice(case: &Case<'_>, report: &mut Report) {
    let is_home = |path: &str| {
        let mut homes = case.policy.imports.dll_homes.iter();
        homes.any(|home| policy::is_match(home, folder(path)))
    };
    let mut searched: Vec<(String, &str)> = case
        .subject
        .images()
        .filter(|(path, pe)| pe.is_dll && is_home(path))
        .map(|(path, _)| (name(path).to_ascii_lowercase(), path))
        .collect();
    searched.sort();
    let hash = |path: &str| case.subject.files.get(path).and_then(|file| file.sha256);
    for pair in searched.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        // Copies of one file do no harm.
        if hash(pair[0].1).is_some_and(|first| Some(first) == hash(pair[1].1)) {
            continue;
        }
        let found = format!("has the name of {}", pair[0].1);
        report.add(case.finding(RULE, pair[1].1, found, "one DLL of a name in the searched folders"));
    }
}
