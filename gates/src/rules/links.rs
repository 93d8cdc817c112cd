//! `links-resolve`: each link leads to something in the same tree.

use super::Case;
use crate::report::Report;

const RULE: &str = "links-resolve";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let subject = case.subject;
    for (path, to) in &subject.links {
        let is_folder = || {
            let below = format!("{}/", target(path, to));
            let mut after = subject.files.range(below.clone()..);
            let mut links = subject.links.range(below.clone()..);
            after.next().is_some_and(|(path, _)| path.starts_with(&below))
                || links.next().is_some_and(|(path, _)| path.starts_with(&below))
        };
        // A package's links may lead to what its dependencies bring; into the build machine they may not.
        let may_leave = subject.deb.is_some() && !to.contains("..");
        if subject.follow(path).is_none() && !is_folder() && !may_leave {
            let found = format!("leads to `{to}`, which is not here");
            report.add(case.finding(RULE, path, found, "a file of the same tree"));
        }
    }
}

/// Where a link leads, `..` taken away.
fn target(path: &str, to: &str) -> String {
    let start = match to.starts_with('/') {
        true => "",
        false => crate::subject::folder(path),
    };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
