//! `server-core`: nothing needs a DLL at its start that Windows has in its client editions alone. On Server Core, which images for
//! containers are made of, the program would not start, and neither would any that loads the library.

use super::Case;
use crate::report::Report;

const RULE: &str = "server-core";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, pe) in case.subject.images() {
        for from in pe.imports.iter().filter(|from| !from.delayed) {
            let dll = from.dll.to_ascii_lowercase();
            let is_own = !case.subject.anywhere(&dll).is_empty();
            if case.policy.imports.client_only.contains(&dll) && !is_own {
                let found = format!("needs {dll} at its start");
                let wrong = case.finding(RULE, path, found.clone(), "DLLs that Windows Server Core has too");
                report.add(wrong.cause(found));
            }
        }
    }
}
