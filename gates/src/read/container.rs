//! Opening what files are packed into: zip archives (wheels among them), tar archives, the compressions around them, Debian
//! packages. Content decides which it is. Nothing is written to disk, nothing is allocated because a header says so, and what
//! expands beyond the limits is refused.

use std::io::{Cursor, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use zip::ZipArchive;

/// What a container is, by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A zip archive; a wheel is one.
    Zip,
    /// A tar archive.
    Tar,
    /// A Debian package.
    Deb,
    /// A stream of gzip.
    Gzip,
    /// A stream of xz.
    Xz,
    /// A stream of bzip2.
    Bzip2,
    /// A stream of Zstandard.
    Zstd,
}

/// How much a container may hold. What is beyond is trouble, not an error: the rest is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one member; it is held in memory while it is judged.
    pub member_bytes: u64,
    /// Bytes of all members, those of containers in containers too.
    pub total_bytes: u64,
    /// Members, at all depths.
    pub members: u64,
    /// Containers in containers.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            member_bytes: 4 << 30,
            total_bytes: 64 << 30,
            members: 2_000_000,
            depth: 8,
        }
    }
}

/// What is left of the limits.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    total_bytes: u64,
    members: u64,
}

/// One member of a container.
#[derive(Debug)]
pub struct Entry {
    /// Its path with `/` between the parts, as the container spells it but for a leading `./`.
    pub path: String,
    /// What it is.
    pub what: What,
    /// What else the container says of it; absent where it is no tar archive.
    pub header: Option<Header>,
}

/// What a tar archive says of a member beside its name and content. A number that cannot be read is the highest: no rule lets it pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Permissions, with the bits for the user, the group and stickiness.
    pub mode: u32,
    /// The number of the user that it belongs to.
    pub uid: u64,
    /// The number of the group that it belongs to.
    pub gid: u64,
    /// When it was changed, in seconds after 1970.
    pub mtime: u64,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is a symbolic link, whose permissions mean nothing.
    pub is_link: bool,
}

/// What a member is.
#[derive(Debug)]
pub enum What {
    /// A folder.
    Folder,
    /// A regular file and its bytes.
    File(Vec<u8>),
    /// A symbolic link and where it leads.
    Symlink(String),
    /// A second name of a member.
    Hardlink(String),
    /// A device or another file that holds no bytes.
    Special(&'static str),
}

impl Budget {
    /// Begins to count down.
    pub fn new(limits: Limits) -> Budget {
        Budget {
            limits,
            total_bytes: limits.total_bytes,
            members: limits.members,
        }
    }

    /// How deep containers may be in containers.
    pub fn depth(&self) -> usize {
        self.limits.depth
    }

    /// Reads a member whole.
    fn read(&mut self, from: &mut dyn Read) -> Result<Vec<u8>, String> {
        self.members = self
            .members
            .checked_sub(1)
            .ok_or_else(|| format!("holds more than {} members", self.limits.members))?;
        let limit = self.limits.member_bytes.min(self.total_bytes);
        let mut bytes = Vec::new();
        let read = from.take(limit + 1).read_to_end(&mut bytes);
        if bytes.len() as u64 > limit {
            let (limit, whose) = match limit == self.limits.member_bytes {
                true => (self.limits.member_bytes, "a member"),
                false => (self.limits.total_bytes, "all members together"),
            };
            return Err(format!("expands beyond {limit} bytes for {whose}"));
        }
        read.map_err(|why| format!("cannot be unpacked: {why}"))?;
        self.total_bytes -= bytes.len() as u64;
        Ok(bytes)
    }
}

/// What container the bytes are; absent if they are none.
pub fn sniff(data: &[u8]) -> Option<Kind> {
    let magics: [(&[u8], Kind); 7] = [
        (b"PK\x03\x04", Kind::Zip),
        (b"PK\x05\x06", Kind::Zip),
        (b"\x1f\x8b\x08", Kind::Gzip),
        (b"\xfd7zXZ\0", Kind::Xz),
        (b"\x28\xb5\x2f\xfd", Kind::Zstd),
        (b"!<arch>\ndebian-binary", Kind::Deb),
        (b"BZh", Kind::Bzip2),
    ];
    let found = magics.iter().find(|(magic, _)| data.starts_with(magic));
    match found.map(|(_, kind)| *kind) {
        // A level from 1 to 9 and the block's or the end's magic follow.
        Some(Kind::Bzip2) if !matches!(data.get(4..6), Some(b"1A" | b"\x17\x72")) => None,
        None if is_tar(data) => Some(Kind::Tar),
        kind => kind,
    }
}

/// Whether the first block is a member's header: its checksum tells, in the formats before POSIX too.
fn is_tar(data: &[u8]) -> bool {
    let Some(block) = data.get(..512).filter(|block| block[0] != 0) else {
        return false;
    };
    let octal = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    let wanted = block[148..156]
        .iter()
        .skip_while(|byte| **byte == b' ')
        .map_while(octal)
        .fold(0, |sum, digit| sum * 8 + digit);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let field: u32 = block[148..156].iter().map(|byte| u32::from(*byte)).sum();
    sum - field + 8 * u32::from(b' ') == wanted
}

/// Opens a container and hands every member on, in the container's order. The result is what could not be read.
pub fn open(
    kind: Kind,
    data: &[u8],
    name: &str,
    budget: &mut Budget,
    visit: &mut dyn FnMut(&mut Budget, Entry),
) -> Vec<String> {
    let result = match kind {
        Kind::Zip => zip(data, budget, visit),
        Kind::Tar => tar(&mut { data }, budget, visit),
        Kind::Deb => deb(data, budget, visit),
        Kind::Gzip | Kind::Xz | Kind::Bzip2 | Kind::Zstd => compressed(kind, data, name, budget, visit),
    };
    result.err().into_iter().collect()
}

type Visit<'a> = &'a mut dyn FnMut(&mut Budget, Entry);

fn zip(data: &[u8], budget: &mut Budget, visit: Visit<'_>) -> Result<(), String> {
    let cannot = |why: zip::result::ZipError| format!("cannot be read as zip: {why}");
    let mut archive = ZipArchive::new(Cursor::new(data)).map_err(cannot)?;
    let mut trouble = Vec::new();
    for index in 0..archive.len() {
        let mut member = match archive.by_index(index) {
            Ok(member) => member,
            Err(why) => {
                trouble.push(format!("member {index} cannot be unpacked: {why}"));
                continue;
            }
        };
        if member.is_dir() {
            continue;
        }
        let path = plain(member.name());
        let is_symlink = member.is_symlink();
        // A member that cannot be unpacked does not hide the others; a limit that is reached does.
        let bytes = match budget.read(&mut member) {
            Ok(bytes) => bytes,
            Err(why) if why.starts_with("cannot") => {
                trouble.push(format!("`{path}` {why}"));
                continue;
            }
            Err(why) => return Err(format!("`{path}` {why}")),
        };
        let what = match is_symlink {
            true => What::Symlink(String::from_utf8_lossy(&bytes).into_owned()),
            false => What::File(bytes),
        };
        let header = None;
        visit(budget, Entry { path, what, header });
    }
    // Two members of one name: unpackers disagree about which of them is meant.
    let listed = listed(data);
    if listed.is_some_and(|listed| listed != archive.len() as u64 & 0xffff) {
        trouble.push(format!(
            "lists {} members and has {} names",
            listed.unwrap_or_default(),
            archive.len()
        ));
    }
    match trouble.is_empty() {
        true => Ok(()),
        false => Err(trouble.join("; ")),
    }
}

/// How many members the end record of a zip archive tells, modulo 65536; absent if it leaves that to the larger record.
fn listed(data: &[u8]) -> Option<u64> {
    let at = memchr::memmem::rfind(data, b"PK\x05\x06")?;
    let count = data.get(at + 10..at + 12)?;
    let count = u64::from(count[0]) | u64::from(count[1]) << 8;
    (count != 0xffff).then_some(count)
}

fn tar(from: &mut dyn Read, budget: &mut Budget, visit: Visit<'_>) -> Result<(), String> {
    let cannot = |why: std::io::Error| format!("cannot be read as tar: {why}");
    let mut archive = ::tar::Archive::new(from);
    for (count, member) in archive.entries().map_err(cannot)?.enumerate() {
        let mut member = member.map_err(|why| format!("cannot be read as tar after {count} members: {why}"))?;
        let path = plain(&String::from_utf8_lossy(&member.path_bytes()));
        let link = member
            .link_name_bytes()
            .map(|link| String::from_utf8_lossy(&link).into_owned());
        let kind = member.header().entry_type();
        let what = if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
            What::File(budget.read(&mut member).map_err(|why| format!("`{path}` {why}"))?)
        } else if kind.is_symlink() {
            What::Symlink(link.unwrap_or_default())
        } else if kind.is_hard_link() {
            What::Hardlink(plain(&link.unwrap_or_default()))
        } else if kind.is_dir() {
            What::Folder
        } else if kind.is_pax_global_extensions() {
            continue;
        } else if kind.is_character_special() || kind.is_block_special() {
            What::Special("a device")
        } else if kind.is_fifo() {
            What::Special("a named pipe")
        } else {
            What::Special("of an unknown kind")
        };
        let header = member.header();
        let header = Header {
            mode: header.mode().unwrap_or(u32::MAX),
            uid: header.uid().unwrap_or(u64::MAX),
            gid: header.gid().unwrap_or(u64::MAX),
            mtime: header.mtime().unwrap_or(u64::MAX),
            is_folder: kind.is_dir(),
            is_link: kind.is_symlink(),
        };
        let header = Some(header);
        visit(budget, Entry { path, what, header });
    }
    Ok(())
}

/// A Debian package: a version, an archive of control files and one of the files to install.
fn deb(data: &[u8], budget: &mut Budget, visit: Visit<'_>) -> Result<(), String> {
    let cannot = |why: object::Error| format!("cannot be read as a Debian package: {why}");
    let archive = object::read::archive::ArchiveFile::parse(data).map_err(cannot)?;
    let mut parts = 0;
    for member in archive.members() {
        let member = member.map_err(cannot)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let (prefix, is_part) = match name.split_once('.') {
            Some(("control", _)) => ("DEBIAN/", true),
            Some(("data", _)) => ("", true),
            _ => ("", false),
        };
        if !is_part {
            continue;
        }
        parts += 1;
        let data = member.data(data).map_err(cannot)?;
        let mut below = |budget: &mut Budget, entry: Entry| {
            let path = format!("{prefix}{}", entry.path);
            visit(budget, Entry { path, ..entry });
        };
        match sniff(data) {
            Some(Kind::Tar) => tar(&mut { data }, budget, &mut below)?,
            Some(kind @ (Kind::Gzip | Kind::Xz | Kind::Bzip2 | Kind::Zstd)) => {
                compressed(kind, data, &name, budget, &mut below)?;
            }
            _ => {
                return Err(format!(
                    "cannot be read as a Debian package: `{name}` is no tar archive"
                ));
            }
        }
    }
    match parts {
        2 => Ok(()),
        _ => Err(format!("cannot be read as a Debian package: it has {parts} of 2 parts")),
    }
}

/// A compressed tar archive is read through; anything else that was compressed is one member.
fn compressed(kind: Kind, data: &[u8], name: &str, budget: &mut Budget, visit: Visit<'_>) -> Result<(), String> {
    let mut stream: Box<dyn Read + '_> = match kind {
        Kind::Gzip => Box::new(MultiGzDecoder::new(data)),
        Kind::Xz => Box::new(XzDecoder::new_multi_decoder(data)),
        Kind::Bzip2 => Box::new(MultiBzDecoder::new(data)),
        _ => Box::new(zstd::stream::read::Decoder::new(data).map_err(|why| format!("cannot be unpacked: {why}"))?),
    };
    let mut head = Vec::new();
    let read = stream.by_ref().take(512).read_to_end(&mut head);
    read.map_err(|why| format!("cannot be unpacked: {why}"))?;
    let is_tar = is_tar(&head);
    let mut whole = head.chain(stream);
    match is_tar {
        true => tar(&mut whole, budget, visit),
        false => {
            let what = What::File(budget.read(&mut whole)?);
            let path = inner_name(name).to_owned();
            let header = None;
            visit(budget, Entry { path, what, header });
            Ok(())
        }
    }
}

/// The name of what a compressed file holds: its own without the folder and the suffix.
fn inner_name(name: &str) -> &str {
    let name = name.rsplit(['/', ':']).next().unwrap_or(name);
    let suffixes = [".gz", ".xz", ".bz2", ".zst", ".tgz"];
    suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .filter(|stem| !stem.is_empty())
        .unwrap_or("content")
}

fn plain(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
