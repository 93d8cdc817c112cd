//! The archive that a wheel is: members by path, read within limits and written so that equal content gives equal bytes.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use anyhow::{Context, Result, bail, ensure};
use gates::read::container::{self, Budget, Kind, What};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// How much a wheel may hold, so that a bomb is refused before it fills the memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Members.
    pub members: u64,
    /// Bytes of one member, unpacked.
    pub member_bytes: u64,
    /// Bytes of all members together, unpacked.
    pub total_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            members: 200_000,
            member_bytes: 2 << 30,
            total_bytes: 8 << 30,
        }
    }
}

/// One file in a wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether whoever unpacks it may run it.
    pub executable: bool,
}

impl Member {
    /// A file that is read and not run.
    pub fn plain(bytes: impl Into<Vec<u8>>) -> Member {
        Member {
            bytes: bytes.into(),
            executable: false,
        }
    }
}

/// Reads every member.
///
/// # Errors
/// If the bytes are no whole zip archive, two members have one name, one would land outside the folder that it is unpacked into or is
/// no regular file, or a limit is passed.
pub(crate) fn read(data: &[u8], limits: &Limits) -> Result<BTreeMap<String, Member>> {
    ensure!(
        container::sniff(data) == Some(Kind::Zip),
        "is no zip archive: wanted the bytes `PK` at its start"
    );
    let mut budget = Budget::new(container::Limits {
        member_bytes: limits.member_bytes,
        total_bytes: limits.total_bytes,
        members: limits.members,
        depth: 1,
    });
    let mut members = BTreeMap::new();
    let mut faults = Vec::new();
    let trouble = container::open(Kind::Zip, data, "", &mut budget, &mut |_, entry| {
        if let Err(why) = check_path(&entry.path) {
            faults.push(why.to_string());
        }
        match entry.what {
            What::File(bytes) => drop(members.insert(entry.path, Member::plain(bytes))),
            What::Folder => {}
            What::Symlink(_) | What::Hardlink(_) | What::Special(_) => {
                faults.push(format!("`{}` is no regular file", entry.path));
            }
        }
    });
    faults.extend(trouble);
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    let mut archive = ZipArchive::new(Cursor::new(data)).context("cannot be read as zip")?;
    for index in 0..archive.len() {
        let raw = archive.by_index_raw(index).context("cannot be read as zip")?;
        let name = raw.name().trim_start_matches("./").to_owned();
        if let (Some(member), Some(mode)) = (members.get_mut(&name), raw.unix_mode()) {
            member.executable = mode & 0o111 != 0;
        }
    }
    Ok(members)
}

/// Refuses a path that would lead out of the folder that a wheel is unpacked into, on any system.
pub(crate) fn check_path(path: &str) -> Result<()> {
    let is_wrong = |part: &str| matches!(part, "" | "." | "..") || part.contains([':', '\\', '\0']);
    match path.split('/').find(|part| is_wrong(part)) {
        None => Ok(()),
        Some(_) => {
            bail!("`{path}` would lead out of the folder that it is unpacked into, wanted a plain relative path")
        }
    }
}

/// Writes members in the given order; each is as old as the format allows, so that no time is in the bytes.
pub(crate) fn write<'a>(members: impl Iterator<Item = (&'a str, &'a Member)>) -> Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, member) in members {
        check_path(path)?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .large_file(member.bytes.len() as u64 >= u64::from(u32::MAX))
            .unix_permissions(if member.executable { 0o755 } else { 0o644 });
        writer
            .start_file(path, options)
            .and_then(|()| writer.write_all(&member.bytes).map_err(Into::into))
            .with_context(|| format!("`{path}` cannot be packed"))?;
    }
    Ok(writer.finish().context("cannot be packed")?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in members {
            writer.start_file(*path, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn why(data: &[u8], limits: &Limits) -> String {
        format!("{:#}", read(data, limits).unwrap_err())
    }

    #[test]
    fn what_is_written_is_read_again_and_equal_content_gives_equal_bytes() {
        let members = BTreeMap::from([
            ("a/b.py".to_owned(), Member::plain("1")),
            (
                "a/tool".to_owned(),
                Member {
                    bytes: vec![0; 4096],
                    executable: true,
                },
            ),
        ]);
        let pack = || write(members.iter().map(|(path, member)| (path.as_str(), member))).unwrap();
        assert_eq!(pack(), pack());
        assert_eq!(read(&pack(), &Limits::default()).unwrap(), members);
    }

    #[test]
    fn paths_that_lead_out_are_refused_on_every_system() {
        for path in ["../x", "/etc/x", "a/../../x", "C:/x", "a\\..\\x", "a//x"] {
            let text = why(&packed(&[(path, b"1")]), &Limits::default());
            assert!(text.contains("would lead out"), "{path}: {text}");
        }
    }

    #[test]
    fn truncated_and_foreign_bytes_are_refused() {
        let whole = packed(&[("a.py", &[7; 5000])]);
        for length in [0, 1, 30, whole.len() / 2, whole.len() - 1] {
            let text = why(&whole[..length], &Limits::default());
            assert!(
                text.contains("is no zip archive") || text.contains("cannot be read as zip"),
                "{length}: {text}"
            );
        }
        let mut damaged = whole.clone();
        damaged[40] ^= 0xff;
        assert!(why(&damaged, &Limits::default()).contains("cannot be unpacked"));
    }

    #[test]
    fn bombs_are_refused_before_they_are_unpacked() {
        let zeros = packed(&[("a", &vec![0; 1 << 20])]);
        let limits = Limits {
            member_bytes: 1 << 16,
            ..Limits::default()
        };
        assert!(why(&zeros, &limits).contains("expands beyond 65536 bytes for a member"));
        let many = packed(&[("a", b""), ("b", b""), ("c", b"")]);
        let limits = Limits {
            members: 2,
            ..Limits::default()
        };
        assert!(why(&many, &limits).contains("holds more than 2 members"));
    }

    #[test]
    fn two_members_of_one_name_are_refused() {
        // The writer refuses what the format allows, so the second name is changed in the finished bytes.
        let mut data = packed(&[("a.py", b"1"), ("b.py", b"2")]);
        for at in 0..data.len() - 4 {
            if &data[at..at + 4] == b"b.py" {
                data[at] = b'a';
            }
        }
        assert!(why(&data, &Limits::default()).contains("lists 2 members and has 1 names"));
    }
}
