//! `image-covers`, `image-modes`, `image-owners`, `image-times`, `image-user`: an image's layers say nothing of the machine that
//! packed them, ship nothing that is hidden, and give nobody more rights than a guest needs. What the files are, the other rules
//! judge as in any folder.

use super::Case;
use crate::report::Report;
use crate::subject::Cover;

/// The bits of a mode that make a program run as its owner or group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// The bit that lets only owners take files out of a folder.
const STICKY: u32 = 0o1000;

/// The bit that lets everybody write.
const WORLD_WRITE: u32 = 0o0002;

pub(super) fn covers(case: &Case<'_>, report: &mut Report) {
    for (path, cover) in case.subject.image.iter().flat_map(|image| &image.covers) {
        let (found, wanted) = match cover {
            Cover::Gone(0) => ("takes away nothing".to_owned(), "no whiteout"),
            Cover::Gone(count) => (
                format!("takes away {count} files of lower layers, which are shipped all the same"),
                "layers without them",
            ),
            Cover::Replaced => (
                "is in a lower layer too, and both are shipped".to_owned(),
                "each file in one layer",
            ),
        };
        report.add(case.finding("image-covers", path, found, wanted));
    }
}

pub(super) fn modes(case: &Case<'_>, report: &mut Report) {
    for (path, header) in case.subject.image.iter().flat_map(|image| &image.entries) {
        let mode = header.mode;
        for (bit, who) in [(SET_USER, "owner"), (SET_GROUP, "group")] {
            // On a folder the bit hands the group on, and runs nothing.
            if mode & bit != 0 && !header.is_folder && !header.is_link {
                let found = format!("has the mode {mode:04o}, and runs as its {who}");
                report.add(case.finding("image-modes", path, found, "programs that run as whoever starts them"));
            }
        }
        // The layer's name stands before the path.
        let own = path.split_once('/').map_or("", |(_, path)| path);
        let is_shared = || {
            header.is_folder
                && mode & STICKY != 0
                && case.policy.image.shared_folders.iter().any(|folder| folder == own)
        };
        if mode & WORLD_WRITE != 0 && !header.is_link && !is_shared() {
            let found = format!("has the mode {mode:04o}: everybody may write to it");
            report.add(case.finding("image-modes", path, found, "files that their owner alone writes to"));
        }
    }
}

pub(super) fn owners(case: &Case<'_>, report: &mut Report) {
    let allowed = &case.policy.image.owners;
    for (path, header) in case.subject.image.iter().flat_map(|image| &image.entries) {
        if !allowed.contains(&header.uid) || !allowed.contains(&header.gid) {
            let found = format!("belongs to {}:{}", header.uid, header.gid);
            let numbers: Vec<String> = allowed.iter().map(u64::to_string).collect();
            let wanted = format!("users and groups among {}", numbers.join(", "));
            let cause = format!("files belong to {}:{}", header.uid, header.gid);
            report.add(case.finding("image-owners", path, found, wanted).cause(cause));
        }
    }
}

pub(super) fn times(case: &Case<'_>, report: &mut Report) {
    let Some(image) = &case.subject.image else { return };
    if image.created.is_empty() {
        let wanted = "a `created` that all files have too";
        report.add(case.finding("image-times", "configuration", "does not say when it was made", wanted));
        return;
    }
    for (path, header) in &image.entries {
        let time = crate::judge::time(header.mtime);
        if time != image.created {
            let wanted = format!("the time of the image, {}", image.created);
            let wrong = case.finding("image-times", path, format!("is of {time}"), wanted);
            report.add(wrong.cause("files have another time than the image".to_owned()));
        }
    }
}

pub(super) fn user(case: &Case<'_>, report: &mut Report) {
    let Some(image) = &case.subject.image else { return };
    // Windows has no root, and its images start as a user without rights.
    if !case.subject.is_linux() {
        return;
    }
    let user = image.user.split(':').next().unwrap_or_default();
    if matches!(user, "" | "root") || user.parse() == Ok(0_u32) {
        let found = match image.user.as_str() {
            "" => "names no user, which means root".to_owned(),
            user => format!("names the user `{user}`"),
        };
        report.add(case.finding("image-user", "configuration", found, "a user without rights"));
    }
}
