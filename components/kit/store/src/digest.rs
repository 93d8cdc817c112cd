//! Identities made of content. A digest never covers a time, a path of this machine or the order of a directory listing.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::tree;

/// A SHA-256 written as 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl Digest {
    /// The digest that `hex` spells.
    ///
    /// # Errors
    /// If `hex` is not 64 lower-case hexadecimal digits.
    pub fn from_hex(hex: &str) -> Result<Digest> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        ensure!(
            hex.len() == 64 && hex.bytes().all(is_hex),
            "`{hex}` is not a sha256: wanted 64 lower-case hexadecimal digits"
        );
        Ok(Digest(hex.to_owned()))
    }

    /// All 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 16 digits: enough to tell folders apart by eye, never used as an identity.
    pub fn short(&self) -> &str {
        &self.0[..16]
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

impl TryFrom<String> for Digest {
    type Error = anyhow::Error;

    fn try_from(hex: String) -> Result<Digest> {
        Digest::from_hex(&hex)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

/// Collects named inputs into a [`Digest`]. Names and lengths are framed, so that `a` + `bc` and `ab` + `c` differ.
pub struct DigestWriter {
    hash: Sha256,
}

impl DigestWriter {
    /// Starts the identity of one kind of thing; two kinds with equal inputs have different digests.
    pub fn new(kind: &str) -> DigestWriter {
        let mut writer = DigestWriter { hash: Sha256::new() };
        writer.frame(b'k', kind.as_bytes());
        writer
    }

    /// Adds bytes under a name.
    pub fn field(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut DigestWriter {
        self.frame(b'n', name.as_bytes());
        self.frame(b'v', value.as_ref());
        self
    }

    /// Adds another digest under a name.
    pub fn digest(&mut self, name: &str, value: &Digest) -> &mut DigestWriter {
        self.field(name, value.as_str())
    }

    /// Adds the content of a file under a name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn file(&mut self, name: &str, path: &Path) -> Result<&mut DigestWriter> {
        let content = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        Ok(self.field(name, content))
    }

    /// Adds every file, link and folder below `dir`, sorted, with the executable bit but without owner and times.
    ///
    /// # Errors
    /// If something below `dir` cannot be read.
    pub fn tree(&mut self, name: &str, dir: &Path) -> Result<&mut DigestWriter> {
        self.frame(b't', name.as_bytes());
        for entry in tree::list(dir)? {
            self.frame(b'p', entry.path.as_bytes());
            self.frame(b'e', entry.describe(dir)?.as_bytes());
        }
        Ok(self)
    }

    /// The identity of everything that was added.
    pub fn finish(self) -> Digest {
        Digest(to_hex(&self.hash.finalize()))
    }

    fn frame(&mut self, tag: u8, bytes: &[u8]) {
        self.hash.update([tag]);
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

/// The SHA-256 of a file, read in pieces.
///
/// # Errors
/// If the file cannot be read.
pub fn sha256_file(path: &Path) -> Result<Digest> {
    let mut file = File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Digest(to_hex(&hash.finalize()))),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => bail!("{}: cannot be read: {error}", path.display()),
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_keeps_neighbours_apart() {
        let digest = |a: &str, b: &str| {
            let mut writer = DigestWriter::new("test");
            writer.field(a, b);
            writer.finish()
        };
        assert_ne!(digest("a", "bc"), digest("ab", "c"));
        assert_eq!(digest("a", "bc"), digest("a", "bc"));
    }

    #[test]
    fn a_tree_is_its_content_not_its_times_or_place() {
        let digest = |dir: &Path| {
            DigestWriter::new("test")
                .tree("t", dir)
                .unwrap()
                .hash
                .clone()
                .finalize()
        };
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (dir, names) in [(&one, ["a", "b"]), (&two, ["b", "a"])] {
            for name in names {
                std::fs::write(dir.path().join(name), name).unwrap();
            }
        }
        let old = std::time::SystemTime::UNIX_EPOCH;
        File::options()
            .write(true)
            .open(two.path().join("a"))
            .unwrap()
            .set_modified(old)
            .unwrap();
        assert_eq!(digest(one.path()), digest(two.path()));
        std::fs::write(two.path().join("a"), "other").unwrap();
        assert_ne!(digest(one.path()), digest(two.path()));
    }

    #[test]
    fn the_sha256_of_a_file_is_the_known_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        // FIPS 180-4, the worked example for "abc".
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_file(&path).unwrap().as_str(), wanted);
    }

    #[test]
    fn a_wrong_hash_is_refused_with_what_was_wanted() {
        let error = Digest::from_hex("ABC").unwrap_err().to_string();
        assert_eq!(error, "`ABC` is not a sha256: wanted 64 lower-case hexadecimal digits");
    }
}
