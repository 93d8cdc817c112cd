//! `declared-loads`: the DLLs that a program loads by itself are in the manifest, where the import walk sees them. A name that
//! stands in its data and that nobody declared is reported. That is no proof that it is ever loaded.

use std::collections::BTreeSet;

use super::Case;
use super::shadow::is_in_system32;
use crate::report::Report;
use crate::subject::name;

const RULE: &str = "declared-loads";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let (Some(manifest), Some(platform)) = (&case.subject.manifest, case.subject.platform) else {
        return;
    };
    let with_suffix = |load: &str| {
        let load = load.to_ascii_lowercase();
        if load.contains('.') {
            load
        } else {
            format!("{load}.dll")
        }
    };
    let declared: BTreeSet<String> = manifest
        .components
        .iter()
        .flat_map(|component| &component.loads)
        .map(|load| with_suffix(&load.name))
        .collect();
    for (path, pe) in case.subject.images() {
        let Some(file) = case.subject.files.get(path) else {
            continue;
        };
        let imported: BTreeSet<String> = pe.imports.iter().map(|from| from.dll.to_ascii_lowercase()).collect();
        let known = |dll: &String| {
            declared.contains(dll)
                || imported.contains(dll)
                || pe.exports.dll.eq_ignore_ascii_case(dll)
                || name(path).eq_ignore_ascii_case(dll)
                || is_in_system32(case.policy, platform.arch, dll)
                || dll.starts_with("api-ms-")
                || !case.subject.anywhere(dll).is_empty()
        };
        for dll in file.dll_names.iter().filter(|dll| !known(dll)) {
            if let Some(external) = case.policy.external(dll) {
                report.note(format!(
                    "{}: may load {dll}, which {}",
                    case.shown(path),
                    external.reason
                ));
                continue;
            }
            let found = format!("names `{dll}`, which nobody declared");
            let wrong = case.finding(RULE, path, found, "each DLL that is loaded at run time under `loads`");
            let wrong = wrong.cause(format!("`{dll}` stands in data and nobody declared it"));
            let owner = case.subject.owner(path);
            report.add(wrong.hint(format!(
                "name it under `[[loads]]` in {owner}'s component.toml, optional or not"
            )));
        }
    }
}
