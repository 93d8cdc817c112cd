//! Unpacking what sources come in, safely: nothing lands outside the folder, no link leaves it, and no small file
//! grows into a full disk. What a file is, its content decides, not its name. It repairs nothing: the first bad member stops.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::tree;

/// How an archive is unpacked.
#[derive(Clone, Debug)]
pub struct Unpack {
    /// How many leading folders of each member's path are dropped; members with fewer are left out.
    pub strip: usize,
    /// Shell patterns over the paths that remain (`*` stops at `/`, `**` does not); empty takes all.
    pub only: Vec<String>,
    /// The most bytes that may be written.
    pub bytes_max: u64,
    /// The most members that may be read, wanted or not.
    pub members_max: u64,
}

impl Default for Unpack {
    fn default() -> Unpack {
        // An LLVM tree has 150,000 files and 2 GB; nothing that is built here is ten times that.
        Unpack {
            strip: 0,
            only: Vec::new(),
            bytes_max: 20 << 30,
            members_max: 2_000_000,
        }
    }
}

impl Unpack {
    /// All members, less the first `strip` folders of each path.
    pub fn strip(strip: usize) -> Unpack {
        Unpack {
            strip,
            ..Unpack::default()
        }
    }

    /// Only members whose path, after stripping, matches one of `patterns`.
    pub fn only<S: Into<String>>(mut self, patterns: impl IntoIterator<Item = S>) -> Unpack {
        self.only = patterns.into_iter().map(Into::into).collect();
        self
    }
}

/// Unpacks a tar (plain, gzip, xz, bzip2, zstd), a Debian package (its data member) or a zip (wheels too) into `into`.
///
/// # Errors
/// If the archive is of no such kind, is damaged or truncated, has a member that would land or point outside `into`,
/// or is larger than `how` allows. What was written until then stays; callers unpack into a folder that they may drop.
pub fn unpack(archive: &Path, into: &Path, how: &Unpack) -> Result<()> {
    let run = || -> Result<()> {
        tree::create_dir(into)?;
        let mut writer = Writer::new(into, how)?;
        let file = File::open(archive).context("cannot be opened")?;
        unpack_stream(BufReader::with_capacity(1 << 16, file), &mut writer)?;
        writer.finish()
    };
    run().with_context(|| format!("{}: cannot be unpacked", archive.display()))
}

fn unpack_stream(mut file: BufReader<File>, writer: &mut Writer) -> Result<()> {
    let mut head = [0; 264];
    let count = read_up_to(&mut file, &mut head)?;
    file.seek(SeekFrom::Start(0)).context("cannot be read")?;
    match &head[..count] {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => unpack_zip(file, writer),
        head if head.starts_with(b"!<arch>\n") => unpack_deb(file, writer),
        head => match Compression::of(head) {
            Some(compression) => unpack_tar(compression.reader(file)?, writer),
            None if head.get(257..262) == Some(b"ustar") => unpack_tar(file, writer),
            None => bail!("is not an archive of a known kind (tar, tar.gz, tar.xz, tar.bz2, tar.zst, deb, zip)"),
        },
    }
}

/// The compressions of tar archives, told by their first bytes.
#[derive(Clone, Copy)]
enum Compression {
    Gzip,
    Xz,
    Bzip2,
    Zstd,
}

impl Compression {
    fn of(head: &[u8]) -> Option<Compression> {
        match head {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            [b'B', b'Z', b'h', ..] => Some(Compression::Bzip2),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    fn reader<'a, R: io::BufRead + 'a>(self, raw: R) -> Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
            Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(raw)),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw)?),
        })
    }
}

fn unpack_tar(raw: impl Read, writer: &mut Writer) -> Result<()> {
    let mut archive = tar::Archive::new(raw);
    for member in archive.entries().context("is not a tar archive")? {
        let mut member = member.context("is damaged or truncated")?;
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&member.path_bytes()));
        let kind = member.header().entry_type();
        let link = member
            .link_name_bytes()
            .map(|to| PathBuf::from(std::ffi::OsStr::from_bytes(&to)));
        let what = match kind {
            tar::EntryType::Directory => What::Folder,
            tar::EntryType::Regular | tar::EntryType::Continuous | tar::EntryType::GNUSparse => What::File {
                executable: member.header().mode().unwrap_or(0) & 0o100 != 0,
            },
            tar::EntryType::Symlink => What::Symlink(link.context("a symbolic link without a target")?),
            tar::EntryType::Link => What::HardLink(link.context("a hard link without a target")?),
            tar::EntryType::XGlobalHeader => continue,
            other => bail!("`{}`: is a {other:?}, wanted a file, folder or link", path.display()),
        };
        writer.add(&path, what, &mut member)?;
    }
    // The end mark is two zero blocks, but a compressed stream is only whole once its own end was read and checked.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink()).context("is damaged or truncated")?;
    Ok(())
}

/// A Debian package is an `ar` archive (deb(5)); only `data.tar.*` holds files.
fn unpack_deb(raw: impl Read, writer: &mut Writer) -> Result<()> {
    let mut archive = ar::Archive::new(raw);
    while let Some(member) = archive.next_entry() {
        let member = member.context("is damaged or truncated")?;
        if !member.header().identifier().starts_with(b"data.tar") {
            continue;
        }
        let mut raw = BufReader::new(member);
        let head = io::BufRead::fill_buf(&mut raw)
            .context("is damaged or truncated")?
            .to_vec();
        return match Compression::of(&head) {
            Some(compression) => unpack_tar(compression.reader(raw)?, writer),
            None => unpack_tar(raw, writer),
        };
    }
    bail!("is an ar archive without a `data.tar` member: not a Debian package")
}

fn unpack_zip(raw: impl Read + Seek, writer: &mut Writer) -> Result<()> {
    let mut archive = zip::ZipArchive::new(raw).context("is damaged or truncated")?;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).context("is damaged or truncated")?;
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(member.name_raw()));
        let mode = member.unix_mode().unwrap_or(0);
        let what = if member.is_dir() {
            What::Folder
        } else if member.is_symlink() {
            let mut to = Vec::new();
            (&mut member)
                .take(4096)
                .read_to_end(&mut to)
                .context("is damaged or truncated")?;
            What::Symlink(PathBuf::from(std::ffi::OsStr::from_bytes(&to)))
        } else {
            What::File {
                executable: mode & 0o100 != 0,
            }
        };
        writer.add(&path, what, &mut member)?;
    }
    Ok(())
}

enum What {
    Folder,
    File { executable: bool },
    Symlink(PathBuf),
    HardLink(PathBuf),
}

/// Puts members into one folder and refuses those that do not belong there.
struct Writer<'a> {
    into: &'a Path,
    how: &'a Unpack,
    only: Option<GlobSet>,
    bytes: u64,
    members: u64,
    /// Links are made last, so that no member is ever written through one. Path below `into`, then the target.
    symlinks: Vec<(PathBuf, PathBuf)>,
    hard_links: Vec<(PathBuf, PathBuf)>,
    folders: BTreeSet<PathBuf>,
}

impl<'a> Writer<'a> {
    fn new(into: &'a Path, how: &'a Unpack) -> Result<Writer<'a>> {
        let mut only = GlobSetBuilder::new();
        for pattern in &how.only {
            only.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
        }
        let only = if how.only.is_empty() { None } else { Some(only.build()?) };
        let (symlinks, hard_links, folders) = Default::default();
        Ok(Writer {
            into,
            how,
            only,
            bytes: 0,
            members: 0,
            symlinks,
            hard_links,
            folders,
        })
    }

    fn add(&mut self, path: &Path, what: What, content: &mut dyn Read) -> Result<()> {
        self.members += 1;
        ensure!(
            self.members <= self.how.members_max,
            "has more than {} members",
            self.how.members_max
        );
        let Some(path) = self.place(path)? else { return Ok(()) };
        match what {
            What::Folder => self.folder(&path),
            What::Symlink(to) => {
                let to = self.link_target(&path, &to)?;
                self.symlinks.push((path, to));
                Ok(())
            }
            What::HardLink(to) => {
                let to = self
                    .place(&to)?
                    .with_context(|| format!("`{}`: is a hard link to a member that is left out", path.display()))?;
                self.hard_links.push((path, to));
                Ok(())
            }
            What::File { executable } => self.file(&path, executable, content),
        }
    }

    /// The path below `into`; nothing if the member is not wanted.
    fn place(&self, path: &Path) -> Result<Option<PathBuf>> {
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => parts.push(name),
                Component::CurDir => {}
                _ => bail!("`{}`: member would land outside the folder", path.display()),
            }
        }
        if parts.len() <= self.how.strip {
            return Ok(None);
        }
        let place: PathBuf = parts[self.how.strip..].iter().collect();
        Ok(self
            .only
            .as_ref()
            .is_none_or(|only| only.is_match(&place))
            .then_some(place))
    }

    /// Creates a folder below `into`; no part of its path may be a link, or a member could be led out of the folder.
    fn folder(&mut self, path: &Path) -> Result<()> {
        if !self.folders.insert(path.to_owned()) {
            return Ok(());
        }
        let mut below = self.into.to_owned();
        for part in path.components() {
            below.push(part);
            let is_link = below.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
            ensure!(
                !is_link,
                "`{}`: member would be written through the link `{}`",
                path.display(),
                below.display()
            );
        }
        tree::create_dir(&self.into.join(path))
    }

    /// A link's target, relative and below the archive's root. An absolute one means the archive's own root, as in
    /// Debian packages, and is made relative; with leading folders dropped that root is unknown, so it is refused.
    fn link_target(&self, path: &Path, to: &Path) -> Result<PathBuf> {
        let relative = match to.strip_prefix("/") {
            Ok(below) if self.how.strip == 0 => {
                let mut relative: PathBuf = path.components().skip(1).map(|_| "..").collect();
                relative.push(below);
                relative
            }
            _ => to.to_owned(),
        };
        let inside = stays_inside(path, &relative);
        ensure!(
            inside,
            "`{}`: links out of the archive to `{}`",
            path.display(),
            to.display()
        );
        Ok(relative)
    }

    fn file(&mut self, path: &Path, executable: bool, content: &mut dyn Read) -> Result<()> {
        self.folder(path.parent().unwrap_or(Path::new("")))?;
        let target = self.into.join(path);
        // A second member of the same name wins, as with tar itself; it must not be written into the first one's links.
        match fs::remove_file(&target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{}: cannot be replaced", target.display()));
            }
            _ => {}
        }
        let mode = if executable { 0o755 } else { 0o644 };
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&target)
            .with_context(|| format!("{}: cannot be created", target.display()))?;
        let left = self.how.bytes_max - self.bytes;
        let written = io::copy(&mut content.take(left + 1), &mut file)
            .with_context(|| format!("{}: cannot be written, or the archive is truncated", target.display()))?;
        ensure!(
            written <= left,
            "holds more than {} bytes: refused as a bomb",
            self.how.bytes_max
        );
        self.bytes += written;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        ensure!(self.members > 0, "is damaged or truncated: it holds no member");
        for (path, to) in &std::mem::take(&mut self.hard_links) {
            let (from, target) = (self.into.join(to), self.into.join(path));
            self.folder(path.parent().unwrap_or(Path::new("")))?;
            fs::hard_link(&from, &target)
                .with_context(|| format!("`{}`: hard link to `{}` cannot be made", path.display(), to.display()))?;
        }
        // What was checked before the first link exists must be checked again once some do.
        self.folders.clear();
        for (path, to) in &std::mem::take(&mut self.symlinks) {
            let target = self.into.join(path);
            self.folder(path.parent().unwrap_or(Path::new("")))?;
            self.folders.clear();
            std::os::unix::fs::symlink(to, &target)
                .with_context(|| format!("`{}`: symbolic link cannot be made", path.display()))?;
        }
        Ok(())
    }
}

/// Whether a relative link at `path` to `to` stays below the archive's root at each of its steps.
fn stays_inside(path: &Path, to: &Path) -> bool {
    let mut depth = path.components().count() as i64 - 1;
    for part in to.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

fn read_up_to(raw: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match raw.read(&mut buffer[count..]).context("cannot be read")? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
