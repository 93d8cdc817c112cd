//! `runpath-origin-only`: libraries are searched where the file itself lies, and nowhere that only one machine has.

use super::Case;
use crate::report::Report;

const RULE: &str = "runpath-origin-only";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, elf) in case.subject.elves() {
        let both = [("RPATH", &elf.rpath), ("RUNPATH", &elf.runpath)];
        for (tag, folder) in both
            .into_iter()
            .flat_map(|(tag, all)| all.iter().map(move |folder| (tag, folder)))
        {
            let is_relative = ["$ORIGIN", "${ORIGIN}"]
                .iter()
                .filter_map(|origin| folder.strip_prefix(origin))
                .any(|rest| rest.is_empty() || rest.starts_with('/'));
            if !is_relative {
                let found = format!("searches `{folder}` ({tag}){}", case.of_another(folder));
                let wrong = case.finding(RULE, path, found, "folders that begin with `$ORIGIN`");
                report.add(wrong.cause(format!("`{folder}` is searched ({tag})")));
            } else if leads_out(path, folder) {
                let found = format!("searches `{folder}` ({tag}), which is outside");
                report.add(case.finding(RULE, path, found, "folders of the same tree"));
            }
        }
    }
}

/// Whether a folder relative to the file's own leaves the tree.
fn leads_out(path: &str, folder: &str) -> bool {
    let mut depth = path.matches('/').count();
    for part in folder.split('/').skip(1) {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return true,
            },
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_the_tree_is_counted_from_the_files_own_folder() {
        assert!(!leads_out("lib/a/b.so", "$ORIGIN/../.."));
        assert!(leads_out("lib/a/b.so", "$ORIGIN/../../.."));
        assert!(!leads_out("lib/b.so", "$ORIGIN/x/../../lib"));
    }
}
