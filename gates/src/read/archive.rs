//! Reading archives of objects: GNU's, BSD's and Microsoft's flavour, and thin ones. Every member is opened; the index is not
//! looked at. A Debian package has the same outer format and is a container.

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
    /// Names of files that a thin archive leaves its members in, relative to its own folder.
    pub elsewhere: Vec<String>,
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
        elsewhere: Vec::new(),
        trouble: Vec::new(),
    };
    for member in file.members() {
        let count = archive.members.len() + archive.elsewhere.len();
        if count == MEMBERS_MAX {
            archive.trouble.push(format!("has more than {MEMBERS_MAX} members"));
            break;
        }
        let opened = member.and_then(|member| match member.is_thin() {
            true => Ok((text(member.name()), None)),
            false => Ok((text(member.name()), Some(member.data(data)?))),
        });
        match opened {
            Ok((name, None)) => archive.elsewhere.push(name),
            Ok((name, Some(data))) => add(&mut archive, name, data, depth),
            Err(why) => {
                archive
                    .trouble
                    .push(format!("cannot be read after {count} members: {why}"));
                break;
            }
        }
    }
    Ok(archive)
}

fn add(archive: &mut Archive, name: String, data: &[u8], depth: usize) {
    let is_archive = data.starts_with(b"!<arch>\n") || data.starts_with(b"!<thin>\n");
    let content = match is_archive {
        true if depth == DEPTH_MAX => {
            let why = format!("`{name}`: archives nested deeper than {DEPTH_MAX}");
            return archive.trouble.push(why);
        }
        true => nested(data, depth + 1).map(Content::Archive),
        false => super::read(data),
    };
    archive.members.push(Member { name, content });
}
