//! Reading archives: GNU's, BSD's and Microsoft's flavour. Every member is opened; the index is not looked at.

use object::read::archive::ArchiveFile;

use super::{Content, text};

/// More members than any library has; a file with more is made to exhaust its reader.
const MEMBERS_MAX: usize = 1 << 20;

/// An archive in an archive is read to this depth.
const DEPTH_MAX: usize = 3;

/// What is known of one archive.
#[derive(Debug)]
pub struct Archive {
    /// Its members, in their order.
    pub members: Vec<Member>,
    /// What could not be read.
    pub trouble: Vec<String>,
}

/// One member of an archive.
#[derive(Debug)]
pub struct Member {
    /// Its name, which need not be unique.
    pub name: String,
    /// What it is, or why it could not be read.
    pub content: Result<Content, String>,
}

/// Reads an archive and every member of it.
///
/// # Errors
/// If it is none; the text says why.
pub fn read(data: &[u8]) -> Result<Archive, String> {
    nested(data, 1)
}

fn nested(data: &[u8], depth: usize) -> Result<Archive, String> {
    let cannot = |why: object::Error| format!("cannot be read as an archive: {why}");
    let file = ArchiveFile::parse(data).map_err(cannot)?;
    let mut archive = Archive {
        members: Vec::new(),
        trouble: Vec::new(),
    };
    if file.is_thin() {
        archive
            .trouble
            .push("is a thin archive: its members are in other files".to_owned());
        return Ok(archive);
    }
    for member in file.members() {
        if archive.members.len() == MEMBERS_MAX {
            archive.trouble.push(format!("has more than {MEMBERS_MAX} members"));
            break;
        }
        let opened = member.and_then(|member| Ok((text(member.name()), member.data(data)?)));
        match opened {
            Ok((name, data)) if data.starts_with(b"!<arch>\n") && depth < DEPTH_MAX => archive.members.push(Member {
                name,
                content: nested(data, depth + 1).map(Content::Archive),
            }),
            Ok((name, data)) if data.starts_with(b"!<arch>\n") => {
                archive
                    .trouble
                    .push(format!("`{name}`: archives nested deeper than {DEPTH_MAX}"));
            }
            Ok((name, data)) => archive.members.push(Member {
                name,
                content: super::read(data),
            }),
            Err(why) => {
                let count = archive.members.len();
                archive
                    .trouble
                    .push(format!("cannot be read after {count} members: {why}"));
                break;
            }
        }
    }
    Ok(archive)
}
