//! `readable`: everything can be read whole. A file that begins like native code or like a container and is none, a table that
//! leads nowhere, a container that expands without end: each was not judged, and says so.

use super::Case;
use crate::read::{Content, archive::Archive};
use crate::report::Report;
use crate::subject::folder;

const RULE: &str = "readable";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, what) in &case.subject.irregular {
        unreadable(case, path, what, report);
    }
    for (path, file) in &case.subject.files {
        content(case, path, &file.content, report);
    }
}

fn content(case: &Case<'_>, path: &str, content: &Result<Content, String>, report: &mut Report) {
    match content {
        Ok(Content::Pe(pe)) => {
            for trouble in &pe.trouble {
                unreadable(case, path, &format!("cannot be read as PE: {trouble}"), report);
            }
        }
        Ok(Content::Elf(elf)) => {
            for trouble in &elf.trouble {
                unreadable(case, path, &format!("cannot be read as ELF: {trouble}"), report);
            }
        }
        Ok(Content::Archive(archive)) => members(case, path, archive, report),
        Ok(_) => {}
        Err(why) => unreadable(case, path, why, report),
    }
}

fn members(case: &Case<'_>, path: &str, archive: &Archive, report: &mut Report) {
    for trouble in &archive.trouble {
        unreadable(case, path, trouble, report);
    }
    for name in &archive.elsewhere {
        let member = format!("{}/{name}", folder(path));
        if case.subject.follow(&member).is_none() {
            let what = format!("is a thin archive, and its member `{name}` is not here");
            unreadable(case, path, &what, report);
        }
    }
    for member in &archive.members {
        content(case, &format!("{path}:{}", member.name), &member.content, report);
    }
}

fn unreadable(case: &Case<'_>, path: &str, why: &str, report: &mut Report) {
    report.add(case.finding(RULE, path, why, "a file that can be read whole"));
}
