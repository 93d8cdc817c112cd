//! How much room a disk has, and whether a failure looks like a full one. A tool that runs out of room may not say so: a linker that
//! writes through mapped memory dies of a bus error.

use std::path::Path;

use crate::progress;

/// Below this many bytes of room a failure is said to be that of a full disk: one link of a large program needs more.
const ROOM_BYTES_MIN: u64 = 512 << 20;

/// What tools say when there is no more room: `strerror` of ENOSPC, and the signal of a write to a mapped page that has no block.
const SYMPTOMS: [&str; 2] = ["No space left on device", "Bus error"];

/// The bytes that an ordinary user may still write to the file system of a folder; none if there is no such folder.
pub fn free(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// What is said of the places that a build writes to when it failed for want of room: the room of each, and the remedies.
pub fn full(failure: &str, places: &[&Path]) -> Option<String> {
    let room: Vec<(&Path, u64)> = places.iter().filter_map(|place| Some((*place, free(place)?))).collect();
    let short = room.iter().any(|(_, bytes)| *bytes < ROOM_BYTES_MIN);
    let symptom = SYMPTOMS.iter().any(|symptom| failure.contains(symptom));
    let lines = room
        .iter()
        .map(|(place, bytes)| format!("{}: {} free\n", place.display(), progress::bytes(*bytes)));
    (short || symptom).then(|| {
        format!(
            "\nthe disk may be full:\n{}\nhint: cargo xtask clean --work\nhint: df -h",
            lines.collect::<String>()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linker_that_dies_of_a_bus_error_is_told_as_a_full_disk() {
        let here = Path::new("/");
        let text = full(
            "collect2: fatal error: ld terminated with signal 7 [Bus error]",
            &[here],
        )
        .unwrap();
        assert!(
            text.contains("/: ") && text.contains("hint: cargo xtask clean --work"),
            "{text}"
        );
        let roomy = free(here).unwrap() >= ROOM_BYTES_MIN;
        assert_eq!(full("error: no such file", &[here]).is_none(), roomy);
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_room_to_tell() {
        assert_eq!(free(Path::new("/no/such/folder")), None);
    }
}
