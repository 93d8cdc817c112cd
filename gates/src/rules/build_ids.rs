//! `build-ids`: what the linker called one link alone is the name of one file. A second file with the id and other bytes was changed
//! after the link, by whoever stripped, patched or signed it; one in a bundle of another target was made from that target's file,
//! which its own bytes no longer tell. Equal bytes are a copy, and between targets the finding of `distinct-targets`.

use std::collections::BTreeMap;

use super::Case;
use crate::read::Content;
use crate::report::Report;
use crate::subject::{File, Subject, hex};

const RULE: &str = "build-ids";

/// Files by their build id; the format is a part of it.
type ById<'a> = BTreeMap<(bool, &'a [u8]), Vec<(&'a str, &'a File)>>;

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let own = by_id(case.subject);
    for (id, files) in &own {
        let Some(((first, kept), rest)) = files.split_first() else {
            continue;
        };
        for (path, file) in rest {
            if !is_same(kept, file) {
                let found = format!("has the build id of {} and other bytes", case.shown(first));
                let wrong = case.finding(RULE, path, found, "files as the linker left them");
                report.add(wrong.cause(format!("build id {}", hex(id.1))).hint(case.rebuild(path)));
            }
        }
    }
    // Each pair is looked at once.
    let others = case.all.iter().filter(|other| other.path > case.subject.path);
    for other in others {
        let is_of_another = case.subject.platform.is_some() && other.platform != case.subject.platform;
        let Some(platform) = other.platform.filter(|_| is_of_another) else {
            continue;
        };
        for (id, theirs) in by_id(other) {
            for (path, file) in own.get(&id).into_iter().flatten() {
                if let Some((there, _)) = theirs.iter().find(|(_, their)| !is_same(file, their)) {
                    let found = format!("has the build id of {}{there} for {platform}", other.path);
                    let wrong = case.finding(RULE, path, found, "a file that was linked for the target");
                    report.add(wrong.cause(format!("build id {}", hex(id.1))));
                }
            }
        }
    }
}

/// Programs and libraries by their build id. What holds debugging information alone has the id of the file that it was taken out of,
/// and launchers of scripts have the id of one program, each with its own script behind it.
fn by_id(subject: &Subject) -> ById<'_> {
    let mut files = ById::new();
    for (path, file) in &subject.files {
        let id = match &file.content {
            Ok(Content::Pe(pe)) if !pe.has_archive => (true, &*pe.build_id),
            Ok(Content::Elf(elf)) if elf.is_image() => (false, &*elf.build_id),
            _ => continue,
        };
        if !id.1.is_empty() && !path.ends_with(".debug") {
            files.entry(id).or_default().push((path, file));
        }
    }
    files
}

/// Whether two files have the same bytes, as far as they were hashed.
fn is_same(a: &File, b: &File) -> bool {
    match (a.sha256, b.sha256) {
        (Some(a), Some(b)) => a == b,
        _ => a.size == b.size,
    }
}
