//! Times that a build left in a file, so that the next build of the same gives other bytes: in the headers of PE files, archives and
//! compressed files, beside the members of zip and tar archives, and as the text that `__DATE__` becomes. Content decides where to
//! look.

use std::io::Cursor;

use memchr::memmem;
use object::read::archive::ArchiveFile;

use crate::read::container::Kind;
use crate::read::{Content, Machine};

/// So many dates as texts are kept of a file.
const TEXTS_MAX: usize = 3;

/// `__DATE__` has eleven characters: `Nov 30 2026`, and ` 3` for the third.
const DATE_BYTES: usize = 11;

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// What is said of times in a file, each in words for a finding; empty where there are none.
pub(crate) fn find(bytes: &[u8], content: &Content) -> Vec<String> {
    match content {
        Content::Pe(pe) => {
            let mut found = texts(bytes);
            if pe.time_date_stamp != 0 && !pe.is_reproducible {
                found.insert(0, format!("has the time {:#010x} in its header", pe.time_date_stamp));
            }
            found
        }
        Content::Elf(elf) if elf.is_image() => texts(bytes),
        Content::Archive(_) => archive(bytes),
        Content::Coff(_) | Content::ShortImport(_) => match object(bytes) {
            Some(stamp) => vec![format!("has the time {stamp:#010x} in its header")],
            None => Vec::new(),
        },
        Content::Container(Kind::Gzip) => match bytes.get(4..8) {
            None | Some([0, 0, 0, 0]) => Vec::new(),
            Some(_) => vec!["has a time in its header".to_owned()],
        },
        Content::Container(Kind::Zip) => zip(bytes),
        Content::Container(Kind::Tar) => tar(bytes),
        _ => Vec::new(),
    }
}

/// What an object's or a short import's header has for the time; absent for none and for what is neither. The header of short imports
/// and of large objects begins with a machine that does not exist.
fn object(bytes: &[u8]) -> Option<u32> {
    let word = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let at = match (word(0)?, word(2)?) {
        (0, 0xffff) => 8,
        (machine, _) if !matches!(Machine::of_pe(machine), Machine::Unknown(_)) => 4,
        _ => return None,
    };
    let stamp = u32::from(word(at)?) | u32::from(word(at + 2)?) << 16;
    (stamp != 0 && stamp != u32::MAX).then_some(stamp)
}

/// Dates of members, beside them and in the headers of objects; Microsoft's librarian writes -1 where it was told to write none.
fn archive(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = ArchiveFile::parse(bytes) else {
        return Vec::new();
    };
    let dated = file.members().map_while(Result::ok).filter(|member| {
        let date = member.date().unwrap_or(0);
        let is_dated = date != 0 && date != u64::from(u32::MAX);
        is_dated || member.data(bytes).is_ok_and(|data| object(data).is_some())
    });
    several(dated.map(|member| String::from_utf8_lossy(member.name()).into_owned()))
}

/// Times of members. The format has no zero; its first day stands for none.
fn zip(bytes: &[u8]) -> Vec<String> {
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else {
        return Vec::new();
    };
    let mut dated = Vec::new();
    for place in 0..archive.len() {
        let Ok(member) = archive.by_index_raw(place) else {
            continue;
        };
        let is_first_day = |time: zip::DateTime| (time.year(), time.month(), time.day()) == (1980, 1, 1);
        if member.last_modified().is_some_and(|time| !is_first_day(time)) {
            dated.push(member.name().to_owned());
        }
    }
    several(dated.into_iter())
}

fn tar(bytes: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(bytes);
    let Ok(entries) = archive.entries() else {
        return Vec::new();
    };
    let dated = entries
        .map_while(Result::ok)
        .filter(|entry| entry.header().mtime().unwrap_or(0) != 0);
    several(dated.map(|entry| String::from_utf8_lossy(&entry.path_bytes()).into_owned()))
}

fn several(mut names: impl Iterator<Item = String>) -> Vec<String> {
    match names.next() {
        None => Vec::new(),
        Some(first) => vec![format!(
            "has times of {} members, the first of them `{first}`",
            1 + names.count()
        )],
    }
}

/// Dates that stand in a native file as whole strings.
fn texts(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // The year's first digits and the end are rarer than the months.
    for century in [b" 19", b" 20"] {
        for at in memmem::find_iter(bytes, century) {
            let Some(start) = at.checked_sub(DATE_BYTES - 5) else {
                continue;
            };
            let Some(text) = bytes.get(start..start + DATE_BYTES).filter(|text| is_date(text)) else {
                continue;
            };
            let before = start.checked_sub(1).map_or(0, |before| bytes[before]);
            let after = bytes.get(start + DATE_BYTES).copied().unwrap_or(0);
            if before == 0 && matches!(after, 0 | b' ') {
                found.push(format!("holds the date `{}`", String::from_utf8_lossy(text)));
            }
            if found.len() == TEXTS_MAX {
                return found;
            }
        }
    }
    found
}

fn is_date(text: &[u8]) -> bool {
    let is_digit = |place: usize| text[place].is_ascii_digit();
    MONTHS.iter().any(|month| text.starts_with(*month))
        && text[3] == b' '
        && (text[4] == b' ' || is_digit(4))
        && (5..=10).filter(|place| *place != 6).all(is_digit)
        && text[6] == b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_what_only_looks_like_one() {
        assert_eq!(
            texts(b"x\0Nov 30 2026\0Jan  3 2025 12:00:00\0"),
            ["holds the date `Nov 30 2026`", "holds the date `Jan  3 2025`"]
        );
        for innocent in ["Nov 30 2026", "on Nov 30 2026.", "Nov 30 20x6", "Non 30 2026", " 2026"] {
            let bytes = [b"\0see ", innocent.as_bytes(), b"\0"].concat();
            assert_eq!(texts(&bytes), [""; 0], "{innocent}");
        }
    }
}
