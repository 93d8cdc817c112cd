//! One layer: a tar archive whose bytes are decided by its content alone. Entries are sorted, owned by root, dated to one time, and
//! have one of two modes. It compresses and hashes on the way out, so that nothing is held in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use oci_spec::image::{Descriptor, MediaType};
use sha2::{Digest as _, Sha256};
use store::Digest;
use tar::{Builder, EntryType, Header};
use toolchains::Os;

use super::Options;
use super::layout::{BlobWriter, Layout};
use crate::flags::Compression;

/// Who may use what is in a layer for Windows: a self-relative security descriptor that names the group of all users, S-1-5-32-545,
/// as owner and group. Without one, nobody but administrators may start a program out of the layer.
const USERS: &str = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA==";

/// zstd's level: the size of gzip's is passed at 3 already, and from 12 on it takes minutes.
const ZSTD_LEVEL: i32 = 9;

/// What lies at a path of a layer.
#[derive(Clone, Debug)]
pub enum What {
    /// A folder.
    Folder,
    /// The content of a file of this machine, which has to have this hash.
    File {
        from: PathBuf,
        sha256: Digest,
        executable: bool,
    },
    /// Bytes that are at hand.
    Bytes { bytes: Vec<u8>, executable: bool },
    /// A symbolic link and where it leads.
    Link(String),
}

impl What {
    /// A file that is not executed.
    pub fn plain(bytes: Vec<u8>) -> What {
        What::Bytes {
            bytes,
            executable: false,
        }
    }
}

/// One layer, before it is written.
pub struct Layer {
    /// What is in it, for people.
    pub name: String,
    entries: BTreeMap<String, What>,
}

impl Layer {
    /// A layer without entries.
    pub fn new(name: &str) -> Layer {
        Layer {
            name: name.to_owned(),
            entries: BTreeMap::new(),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What lies at a path, links not followed.
    #[cfg(test)]
    pub fn what(&self, path: &str) -> Option<&What> {
        self.entries.get(path)
    }

    /// Whether a path leads to a file or folder of this layer, links followed.
    pub fn leads_to_something(&self, path: &str) -> bool {
        let mut wanted: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let mut done: Vec<String> = Vec::new();
        // As many links as the kernel follows.
        let mut links = 40;
        while let Some(part) = wanted.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." => {
                    done.pop();
                    continue;
                }
                _ => done.push(part),
            }
            match self.entries.get(&done.join("/")) {
                None => return false,
                Some(What::Link(_)) if links == 0 => return false,
                Some(What::Link(to)) => {
                    links -= 1;
                    match to.starts_with('/') {
                        true => done.clear(),
                        false => drop(done.pop()),
                    }
                    wanted.extend(to.split('/').rev().map(str::to_owned));
                }
                Some(_) => {}
            }
        }
        true
    }

    /// Puts something at a path, with the folders above it.
    ///
    /// # Errors
    /// If the path leads out of the image or means a whiteout, or there is something else at it or above it.
    pub fn add(&mut self, path: &str, what: What) -> Result<()> {
        let parts: Vec<&str> = path.split('/').collect();
        let is_plain = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['\0', '\\']);
        ensure!(parts.iter().all(is_plain), "`{path}`: is no path in an image");
        ensure!(
            !parts.iter().any(|part| part.starts_with(".wh.")),
            "`{path}`: a name that begins with `.wh.` would take files of lower layers away"
        );
        for end in 1..parts.len() {
            let above = parts[..end].join("/");
            match self.entries.entry(above.clone()).or_insert(What::Folder) {
                What::Folder => {}
                _ => bail!("`{path}`: `{above}` is no folder"),
            }
        }
        match (self.entries.get(path), &what) {
            (None, _) => drop(self.entries.insert(path.to_owned(), what)),
            (Some(What::Folder), What::Folder) => {}
            (Some(_), _) => bail!("`{path}`: is in the layer `{}` twice", self.name),
        }
        Ok(())
    }

    /// Writes the layer as a blob, and gives its descriptor and the digest of the uncompressed archive.
    ///
    /// # Errors
    /// If a file cannot be read or has another hash, or the blob cannot be written.
    pub fn write(&self, layout: &Layout, os: Os, options: &Options) -> Result<(Descriptor, String)> {
        let blob = layout.stream()?;
        let (media_type, coded) = match options.compression {
            Compression::Gzip => {
                let coder = flate2::GzBuilder::new()
                    .mtime(0)
                    .write(blob, flate2::Compression::default());
                (MediaType::ImageLayerGzip, Coder::Gzip(coder))
            }
            Compression::Zstd => {
                let coder = zstd::Encoder::new(blob, ZSTD_LEVEL).context("zstd cannot be set up")?;
                (MediaType::ImageLayerZstd, Coder::Zstd(coder))
            }
        };
        let mut archive = Builder::new(Hashed {
            inner: coded,
            hash: Sha256::new(),
        });
        let write = |archive: &mut Builder<_>| -> Result<()> {
            if os == Os::Windows {
                // Windows keeps the registry of a layer apart from its files; both folders have to be there.
                for folder in ["Files", "Hives"] {
                    append(archive, os, options.epoch, folder, &What::Folder)?;
                }
            }
            for (path, what) in &self.entries {
                let path = match os {
                    Os::Windows => format!("Files/{path}"),
                    Os::Linux => path.clone(),
                };
                append(archive, os, options.epoch, &path, what)?;
            }
            Ok(())
        };
        write(&mut archive)?;
        let hashed = archive.into_inner().context("layer cannot be written")?;
        let diff_id = format!("sha256:{}", crate::sbom::hex(&hashed.hash.finalize()));
        let blob = hashed.inner.finish().context("layer cannot be written")?;
        Ok((blob.finish(media_type)?, diff_id))
    }
}

fn append(archive: &mut Builder<impl Write>, os: Os, epoch: u64, path: &str, what: &What) -> Result<()> {
    if os == Os::Windows {
        // The attributes of Windows: 16 is a folder, 32 a file that backups take along.
        let attributes = match what {
            What::Folder => "16",
            _ => "32",
        };
        let records = [("MSWINDOWS.fileattr", attributes), ("MSWINDOWS.rawsd", USERS)];
        extend(archive, epoch, &records).with_context(|| format!("`{path}`: cannot be put into the layer"))?;
    }
    let mut header = plain(epoch);
    let context = || format!("`{path}`: cannot be put into the layer");
    match what {
        What::Folder => {
            header.set_entry_type(EntryType::Directory);
            header.set_mode(0o755);
            archive
                .append_data(&mut header, format!("{path}/"), io::empty())
                .with_context(context)
        }
        What::Link(to) => {
            header.set_entry_type(EntryType::Symlink);
            header.set_mode(0o777);
            archive.append_link(&mut header, path, to).with_context(context)
        }
        What::Bytes { bytes, executable } => {
            header.set_size(bytes.len() as u64);
            header.set_mode(if *executable { 0o755 } else { 0o644 });
            archive
                .append_data(&mut header, path, bytes.as_slice())
                .with_context(context)
        }
        What::File {
            from,
            sha256,
            executable,
        } => {
            let file = File::open(from).with_context(|| format!("{}: cannot be opened", from.display()))?;
            let size = file
                .metadata()
                .with_context(|| format!("{}: cannot be examined", from.display()))?
                .len();
            header.set_size(size);
            header.set_mode(if *executable { 0o755 } else { 0o644 });
            let mut content = Checked {
                // A file that grows while it is read would spoil the archive.
                inner: file.take(size),
                hash: Sha256::new(),
            };
            archive
                .append_data(&mut header, path, &mut content)
                .with_context(|| format!("{}: cannot be read, or the layer cannot be written", from.display()))?;
            let found = crate::sbom::hex(&content.hash.finalize());
            ensure!(
                found == sha256.as_str(),
                "{}: has the sha256 {found}, wanted {sha256}: it was changed since it was listed",
                from.display()
            );
            Ok(())
        }
    }
}

/// The header of a file of root's.
fn plain(epoch: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_mtime(epoch);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header.set_mode(0o644);
    header
}

/// Writes an extended header of POSIX (pax) for the entry that follows. The archive's own way leaves its name and numbers empty,
/// and readers that look at the first block then see no archive.
fn extend(archive: &mut Builder<impl Write>, epoch: u64, records: &[(&str, &str)]) -> io::Result<()> {
    let mut text = String::new();
    for (key, value) in records {
        // Each record begins with its own length, the digits of the length included.
        let rest = key.len() + value.len() + " =\n".len();
        let mut length = rest;
        while length != rest + length.to_string().len() {
            length = rest + length.to_string().len();
        }
        text += &format!("{length} {key}={value}\n");
    }
    let mut header = plain(epoch);
    header.set_entry_type(EntryType::XHeader);
    header.set_size(text.len() as u64);
    archive.append_data(&mut header, "PaxHeaders/extended", text.as_bytes())
}

/// A compressor that writes into a blob.
enum Coder {
    Gzip(flate2::write::GzEncoder<BlobWriter>),
    Zstd(zstd::Encoder<'static, BlobWriter>),
}

impl Coder {
    fn finish(self) -> io::Result<BlobWriter> {
        match self {
            Coder::Gzip(coder) => coder.finish(),
            Coder::Zstd(coder) => coder.finish(),
        }
    }
}

impl Write for Coder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Coder::Gzip(coder) => coder.write(bytes),
            Coder::Zstd(coder) => coder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Coder::Gzip(coder) => coder.flush(),
            Coder::Zstd(coder) => coder.flush(),
        }
    }
}

/// Hashes what is written through it.
struct Hashed {
    inner: Coder,
    hash: Sha256,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Hashes what is read through it.
struct Checked<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}
