//! Whole folders: listing them in a fixed order, copying them, and forcing what they hold to disk. No policy.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::digest::sha256_file;

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A regular file without the executable bit.
    File,
    /// A regular file that its owner may execute.
    Program,
    /// A symbolic link.
    Link,
}

/// One entry of a tree.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The path relative to the tree's root, with `/` between its parts.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

impl Entry {
    /// One line that says all that counts about the entry: its kind and its content.
    ///
    /// # Errors
    /// If the entry cannot be read.
    pub fn describe(&self, root: &Path) -> Result<String> {
        let path = root.join(&self.path);
        Ok(match self.kind {
            Kind::Folder => "folder".to_owned(),
            Kind::File => format!("file {}", sha256_file(&path)?),
            Kind::Program => format!("program {}", sha256_file(&path)?),
            Kind::Link => {
                let to = fs::read_link(&path).with_context(|| format!("{}: link cannot be read", path.display()))?;
                format!("link {}", String::from_utf8_lossy(to.as_os_str().as_bytes()))
            }
        })
    }
}

/// Every entry below `root`, sorted by path; the root itself is not among them.
///
/// # Errors
/// If a folder cannot be read, a name is not UTF-8, or something is neither file, folder nor link.
pub fn list(root: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    collect(root, String::new(), &mut entries)?;
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

fn collect(dir: &Path, below: String, entries: &mut Vec<Entry>) -> Result<()> {
    let context = || format!("{}: folder cannot be read", dir.display());
    for item in fs::read_dir(dir).with_context(context)? {
        let item = item.with_context(context)?;
        let name = item.file_name();
        let Some(name) = name.to_str() else {
            bail!("{}: name is not UTF-8", item.path().display());
        };
        let path = if below.is_empty() {
            name.to_owned()
        } else {
            format!("{below}/{name}")
        };
        let meta = item
            .path()
            .symlink_metadata()
            .with_context(|| format!("{}: cannot be examined", item.path().display()))?;
        let kind = match meta.file_type() {
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() && meta.permissions().mode() & 0o100 != 0 => Kind::Program,
            kind if kind.is_file() => Kind::File,
            _ => bail!("{}: is neither a file, a folder nor a link", item.path().display()),
        };
        entries.push(Entry {
            path: path.clone(),
            kind,
        });
        if kind == Kind::Folder {
            collect(&item.path(), path, entries)?;
        }
    }
    Ok(())
}

/// Copies a tree; files keep their executable bit, links stay links. `into` is created and may hold other files.
///
/// # Errors
/// If something cannot be read or written.
pub fn copy(from: &Path, into: &Path) -> Result<()> {
    create_dir(into)?;
    for entry in list(from)? {
        let (source, target) = (from.join(&entry.path), into.join(&entry.path));
        match entry.kind {
            Kind::Folder => create_dir(&target)?,
            Kind::Link => {
                let to =
                    fs::read_link(&source).with_context(|| format!("{}: link cannot be read", source.display()))?;
                std::os::unix::fs::symlink(to, &target)
                    .with_context(|| format!("{}: link cannot be made", target.display()))?;
            }
            Kind::File | Kind::Program => {
                fs::copy(&source, &target)
                    .with_context(|| format!("{}: cannot be copied to {}", source.display(), target.display()))?;
            }
        }
    }
    Ok(())
}

/// Creates a folder and those above it.
///
/// # Errors
/// If it cannot be created.
pub fn create_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("{}: folder cannot be created", dir.display()))
}

/// Removes a folder and all in it, also where an upstream left folders without write permission. Absent is fine.
///
/// # Errors
/// If something cannot be removed.
pub fn remove(dir: &Path) -> Result<()> {
    let result = match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            make_writable(dir);
            fs::remove_dir_all(dir)
        }
        other => other,
    };
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{}: cannot be removed", dir.display()))
        }
        _ => Ok(()),
    }
}

/// Best effort: what stays unwritable shows in the removal that follows.
fn make_writable(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o755));
    for item in fs::read_dir(dir).into_iter().flatten().flatten() {
        if item.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&item.path());
        }
    }
}

/// Writes a file so that readers see the old content or the new one, never a part: temporary name, flush, rename.
///
/// # Errors
/// If it cannot be written.
pub fn write_atomic(path: &Path, content: &[u8]) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    create_dir(parent)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial: PathBuf = parent.join(format!(".{name}.{}.partial", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(&partial)?;
        std::io::Write::write_all(&mut file, content)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().with_context(|| format!("{}: cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_links_and_executable_bits() {
        let dir = tempfile::tempdir().unwrap();
        let (from, into) = (dir.path().join("from"), dir.path().join("into"));
        create_dir(&from.join("sub")).unwrap();
        fs::write(from.join("sub/tool"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("sub/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("sub/tool", from.join("link")).unwrap();
        copy(&from, &into).unwrap();
        let lines = |root: &Path| -> Vec<String> {
            list(root)
                .unwrap()
                .iter()
                .map(|e| format!("{} {}", e.path, e.describe(root).unwrap()))
                .collect()
        };
        assert_eq!(lines(&from), lines(&into));
        assert_eq!(lines(&into)[0], "link link sub/tool");
    }

    #[test]
    fn removal_copes_with_read_only_folders_and_absence() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        create_dir(&tree.join("a")).unwrap();
        fs::write(tree.join("a/f"), "").unwrap();
        fs::set_permissions(tree.join("a"), fs::Permissions::from_mode(0o555)).unwrap();
        remove(&tree).unwrap();
        remove(&tree).unwrap();
        assert!(!tree.exists());
    }
}
