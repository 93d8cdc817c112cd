//! The bundle as the rules see it: its manifest, and of every file that lies in the folder the size, the hash and the
//! content. Each file is read once. What the manifest says of a file is not believed here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem::Finder;
use sha2::{Digest, Sha256};

use crate::Arch;
use crate::manifest::{self, Manifest};
use crate::policy::PathPolicy;
use crate::read::{self, Content, pe::Pe};

/// Files are read by this many threads.
const THREADS: usize = 2;

/// The text of a pkg-config module is kept when it is not longer than this.
const MODULE_BYTES_MAX: usize = 1 << 20;

/// So many foreign paths of one file are kept.
const PATHS_MAX: usize = 3;

/// A bundle that was read.
pub struct Bundle {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The architecture of its target.
    pub arch: Arch,
    /// Every regular file but the manifest, by its path with `/` between the parts.
    pub files: BTreeMap<String, File>,
    /// What is no regular file or could not be read, with what it is.
    pub irregular: Vec<(String, String)>,
    owners: BTreeMap<String, String>,
    /// Paths of files by their folder and name in lower case, as the loader compares them.
    by_folder: BTreeMap<(String, String), String>,
}

/// One file that was read.
pub struct File {
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256: 64 hexadecimal digits.
    pub sha256: String,
    /// What it is, or why it could not be read.
    pub content: Result<Content, String>,
    /// The text, of modules of pkg-config only.
    pub text: Option<String>,
    /// Paths of a machine that builds, found in its bytes.
    pub build_paths: Vec<String>,
}

/// Why there is no bundle to judge: the file, and what is wrong with it.
pub(crate) struct NoBundle {
    pub path: String,
    pub found: String,
    pub wanted: String,
}

impl Bundle {
    pub(crate) fn open(root: &Path, paths: &PathPolicy) -> Result<Bundle, NoBundle> {
        let manifest = Manifest::load(root).map_err(|error| NoBundle {
            path: manifest::FILE.to_owned(),
            found: error.to_string(),
            wanted: format!("a manifest of schema {}", manifest::SCHEMA),
        })?;
        let Some(arch) = Arch::of_triple(&manifest.target) else {
            return Err(NoBundle {
                path: manifest::FILE.to_owned(),
                found: format!("target `{}`", manifest.target),
                wanted: "a triple that begins with `aarch64`, `x86_64` or `riscv64gc`".to_owned(),
            });
        };
        let mut found = Vec::new();
        let mut irregular = Vec::new();
        walk(root, "", &mut found, &mut irregular);
        let (files, unreadable) = read_all(&found, paths);
        irregular.extend(unreadable);
        irregular.sort();
        let owner = |file: &manifest::File| (file.path.clone(), file.owner.clone());
        let owners = manifest.files.iter().map(owner).collect();
        let by_folder = files.keys().map(|path| (folder_and_name(path), path.clone())).collect();
        Ok(Bundle {
            manifest,
            arch,
            files,
            irregular,
            owners,
            by_folder,
        })
    }

    /// The component that a file belongs to; empty when the manifest does not list it.
    pub fn owner(&self, path: &str) -> &str {
        let file = path.split(':').next().unwrap_or(path);
        self.owners.get(file).map_or("", String::as_str)
    }

    /// Every program and DLL.
    pub fn images(&self) -> impl Iterator<Item = (&str, &Pe)> {
        self.files.iter().filter_map(|(path, file)| match &file.content {
            Ok(Content::Pe(pe)) => Some((path.as_str(), &**pe)),
            _ => None,
        })
    }

    /// The path of the file with that name in that folder, in any case.
    pub fn in_folder(&self, folder: &str, name: &str) -> Option<&str> {
        let key = (folder.to_ascii_lowercase(), name.to_ascii_lowercase());
        self.by_folder.get(&key).map(String::as_str)
    }

    /// The paths of the files with that name in any folder, in any case.
    pub fn anywhere(&self, name: &str) -> Vec<&str> {
        let name = name.to_ascii_lowercase();
        let found = self.by_folder.iter().filter(|((_, own), _)| *own == name);
        found.map(|(_, path)| path.as_str()).collect()
    }
}

/// A path's folder, empty at the root, and file name, both in lower case.
fn folder_and_name(path: &str) -> (String, String) {
    let path = path.to_ascii_lowercase();
    match path.rsplit_once('/') {
        Some((folder, name)) => (folder.to_owned(), name.to_owned()),
        None => (String::new(), path),
    }
}

/// Collects the regular files below a folder. Links are not followed: a bundle has none on Windows, and one that leads out
/// would be judged by what is not in the bundle.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>, irregular: &mut Vec<(String, String)>) {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) => return irregular.push((prefix.to_owned(), format!("cannot be listed: {error}"))),
    };
    for entry in entries {
        let name = entry.file_name();
        let path = match (prefix, name.to_str()) {
            ("", Some(name)) => name.to_owned(),
            (prefix, Some(name)) => format!("{prefix}/{name}"),
            (prefix, None) => {
                let shown = format!("{prefix}/{}", name.to_string_lossy());
                irregular.push((shown, "has a name that is not UTF-8".to_owned()));
                continue;
            }
        };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), &path, found, irregular),
            Ok(kind) if kind.is_file() && path == manifest::FILE => {}
            Ok(kind) if kind.is_file() => found.push((path, entry.path())),
            Ok(kind) if kind.is_symlink() => irregular.push((path, "is a symbolic link".to_owned())),
            Ok(_) => irregular.push((path, "is no regular file".to_owned())),
            Err(error) => irregular.push((path, format!("cannot be read: {error}"))),
        }
    }
}

type Read = (BTreeMap<String, File>, Vec<(String, String)>);

fn read_all(found: &[(String, PathBuf)], paths: &PathPolicy) -> Read {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Read::default());
    let patterns = Patterns::new(paths);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((path, file)) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let read = fs::read(file).map(|bytes| read_one(path, &bytes, &patterns));
                    let mut all = all.lock().expect("no reader panics while it holds the lock");
                    match read {
                        Ok(read) => drop(all.0.insert(path.clone(), read)),
                        Err(error) => all.1.push((path.clone(), format!("cannot be read: {error}"))),
                    }
                }
            });
        }
    });
    all.into_inner().expect("no reader panics while it holds the lock")
}

fn read_one(path: &str, bytes: &[u8], patterns: &Patterns) -> File {
    let is_module = path.ends_with(".pc") && bytes.len() <= MODULE_BYTES_MAX;
    File {
        size: bytes.len() as u64,
        sha256: hex(&Sha256::digest(bytes)),
        content: read::read(bytes),
        text: is_module.then(|| String::from_utf8_lossy(bytes).into_owned()),
        build_paths: patterns.find(bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The search for paths of a machine that builds.
struct Patterns {
    beginnings: Vec<Finder<'static>>,
    exact: Vec<Finder<'static>>,
}

impl Patterns {
    fn new(policy: &PathPolicy) -> Patterns {
        let finder = |pattern: &String| Finder::new(pattern.as_bytes()).into_owned();
        Patterns {
            beginnings: policy.patterns.iter().map(finder).collect(),
            exact: policy.exact.iter().filter(|path| path.len() > 1).map(finder).collect(),
        }
    }

    /// The first few paths in the bytes, sorted.
    fn find(&self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for finder in &self.exact {
            let hits = finder.find_iter(bytes).take(PATHS_MAX);
            found.extend(hits.map(|at| path_at(bytes, at)));
        }
        for finder in &self.beginnings {
            let is_path = |at: &usize| {
                let after = bytes.get(at + finder.needle().len()).copied().unwrap_or(0);
                let named = after.is_ascii_alphanumeric() || matches!(after, b'_' | b'.');
                named && begins_a_path(&bytes[..*at])
            };
            let hits = finder.find_iter(bytes).filter(is_path).take(PATHS_MAX);
            found.extend(hits.map(|at| path_at(bytes, at)));
        }
        found.sort();
        found.dedup();
        found.truncate(PATHS_MAX);
        found
    }
}

/// Whether what stands before a `/` lets it begin a path: not the rest of a longer path or of an address.
fn begins_a_path(before: &[u8]) -> bool {
    match before.last() {
        None => true,
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'}' | b')' | b'~') => {
            [b"-I".as_slice(), b"-L", b"-isystem"]
                .iter()
                .any(|flag| before.ends_with(flag))
        }
        // A drive letter is a part of the path.
        Some(b':') => before.len() >= 2 && before[before.len() - 2].is_ascii_alphabetic(),
        Some(_) => true,
    }
}

/// The printable bytes from an offset on, at most 120 of them.
fn path_at(bytes: &[u8], at: usize) -> String {
    let rest = &bytes[at..bytes.len().min(at + 120)];
    let is_end = |byte: &u8| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    String::from_utf8_lossy(&rest[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    #[test]
    fn paths_are_told_from_what_only_looks_like_one() {
        let mut policy = Policy::standard().paths;
        policy.exact.push("/opt/state".into());
        let find = |text: &[u8]| Patterns::new(&policy).find(text);
        assert_eq!(find(b"x\0/home/ann/src/a.c\0"), ["/home/ann/src/a.c"]);
        assert_eq!(find(b"Libs: -L/tmp/out/lib -lz"), ["/tmp/out/lib"]);
        assert_eq!(find(b"C:\\Users\\ann\\a.pdb"), ["\\Users\\ann\\a.pdb"]);
        assert_eq!(find(b"pre/opt/state/prefix"), ["/opt/state/prefix"]);
        // A template, an address, the middle of a path and a lone folder are none.
        for innocent in [
            "/tmp/%sXXXXXX",
            "https://a.org/home/b",
            "src/work/x.c",
            "see /tmp/ and /home/",
        ] {
            assert_eq!(find(innocent.as_bytes()), [""; 0], "{innocent}");
        }
    }
}
