//! `parity`: bundles of two targets with one operating system ship the same, but for what a component says that it does not have.

use std::collections::BTreeSet;

use super::Case;
use crate::manifest::{Component, Kind};
use crate::report::Report;

const RULE: &str = "parity";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(own) = &case.subject.manifest else { return };
    let os = case.subject.platform.map(|platform| platform.os);
    for other in case.all {
        let Some(theirs) = other.manifest.as_ref().filter(|theirs| theirs.target != own.target) else {
            continue;
        };
        if other.platform.map(|platform| platform.os) != os {
            continue;
        }
        for component in &theirs.components {
            let Some(mine) = own.component(&component.name) else {
                let found = format!("`{}` is not in it, and {} has it", component.name, theirs.target);
                let wrong = case.finding(RULE, crate::manifest::FILE, found, "the components of both targets");
                report.add(wrong.owner(&component.name));
                continue;
            };
            let excused = |path: &str| mine.absences.iter().any(|absence| path.contains(&absence.what));
            for (kind, path) in promised(component).difference(&promised(mine)) {
                if !excused(path) {
                    let found = format!("the {kind} is not shipped, and {} has it", theirs.target);
                    let wrong = case.finding(RULE, path, found, "the files of both targets, or an absence");
                    report.add(wrong.owner(&mine.name));
                }
            }
        }
    }
}

fn promised(component: &Component) -> BTreeSet<(Kind, &str)> {
    let promises = component.ships.iter();
    promises.map(|promise| (promise.kind, promise.path.as_str())).collect()
}
