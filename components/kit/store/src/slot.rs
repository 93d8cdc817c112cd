//! A place for one finished tree, and the only way to fill it: begin, build aside, commit. The record is written last,
//! so a tree without a record does not exist, whatever moment a process was killed at.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::tree;

/// What is known of a finished tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What the digest was made of, by name; for people who ask why something was rebuilt.
    pub inputs: BTreeMap<String, String>,
}

/// The place of one tree.
#[derive(Clone, Debug)]
pub struct Slot {
    dir: PathBuf,
    lock: PathBuf,
}

/// What [`Slot::begin`] found.
pub enum Begin {
    /// The tree is there, maybe because another process finished it while this one waited.
    Ready(PathBuf),
    /// The tree must be made; the lock is held until the value is dropped or committed.
    Build(Partial),
}

/// A tree that is being made.
pub struct Partial {
    slot: Slot,
    partial: PathBuf,
    // The lock goes when the last handle of the file is closed, also when the process dies.
    lock: File,
}

impl Slot {
    pub(crate) fn new(dir: PathBuf, lock: PathBuf) -> Slot {
        Slot { dir, lock }
    }

    /// Where the finished tree is, or will be.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The record of the finished tree, or nothing if there is none.
    ///
    /// # Errors
    /// If a record is there but cannot be read: somebody's hand was in the state folder.
    pub fn probe(&self) -> Result<Option<Record>> {
        let path = self.record_path();
        let text = match fs::read_to_string(&path) {
            Ok(text) if self.dir.is_dir() => text,
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        };
        let record = serde_json::from_str(&text)
            .with_context(|| format!("{}: is not a record\n\nhint: rm {0}", path.display()))?;
        Ok(Some(record))
    }

    /// Takes the lock of this place, waiting for another process that builds it, and starts with an empty folder.
    ///
    /// # Errors
    /// If the state folder cannot be written to.
    pub fn begin(&self) -> Result<Begin> {
        if self.probe()?.is_some() {
            return Ok(Begin::Ready(self.dir.clone()));
        }
        let lock = lock(&self.lock)?;
        if self.probe()?.is_some() {
            return Ok(Begin::Ready(self.dir.clone()));
        }
        let partial = self.beside("partial");
        // Without a record both are what a killed process left.
        tree::remove(&partial)?;
        tree::remove(&self.dir)?;
        tree::create_dir(&partial)?;
        Ok(Begin::Build(Partial {
            slot: self.clone(),
            partial,
            lock,
        }))
    }

    /// Removes the tree and its record; the record first, so that a kill in between leaves nothing that looks finished.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn remove(&self) -> Result<()> {
        let _lock = lock(&self.lock)?;
        let record = self.record_path();
        match fs::remove_file(&record) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{}: cannot be removed", record.display()));
            }
            _ => {}
        }
        tree::remove(&self.dir)
    }

    /// Where the record is, or will be; for whoever must notice that a tree was removed.
    pub fn record_path(&self) -> PathBuf {
        self.beside("record")
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.dir.clone().into_os_string();
        name.push(".");
        name.push(suffix);
        PathBuf::from(name)
    }
}

impl Partial {
    /// The folder to build in; empty at first.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Where the tree will be after [`Partial::commit`]. Nothing that is built may contain this path.
    pub fn dir(&self) -> &Path {
        &self.slot.dir
    }

    /// Another handle of the lock, for a child to hold: what it still writes after this process was killed, it writes alone.
    ///
    /// # Errors
    /// If the system has no handle left.
    pub fn lock(&self) -> Result<File> {
        self.lock
            .try_clone()
            .with_context(|| format!("{}: lock cannot be shared", self.slot.lock.display()))
    }

    /// Publishes the tree: rename, then the record.
    ///
    /// # Errors
    /// If the file system refuses either.
    pub fn commit(self, inputs: BTreeMap<String, String>) -> Result<PathBuf> {
        let dir = self.slot.dir.clone();
        fs::rename(&self.partial, &dir)
            .with_context(|| format!("{}: cannot be renamed to {}", self.partial.display(), dir.display()))?;
        let mut record = serde_json::to_vec_pretty(&Record { inputs })?;
        record.push(b'\n');
        tree::write_atomic(&self.slot.record_path(), &record)?;
        Ok(dir)
    }
}

/// Opens a lock file and waits until it is ours. The lock is the kernel's: it goes with the process.
///
/// # Errors
/// If the file cannot be made or locked.
pub(crate) fn lock(path: &Path) -> Result<File> {
    if let Some(parent) = path.parent() {
        tree::create_dir(parent)?;
    }
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .with_context(|| format!("{}: lock cannot be opened", path.display()))?;
    file.lock()
        .with_context(|| format!("{}: lock cannot be taken", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DigestWriter, State};

    fn slot(state: &Path) -> Slot {
        State::at(state).slot("host", "thing", &DigestWriter::new("test").finish())
    }

    #[test]
    fn what_was_not_committed_does_not_exist() {
        let state = tempfile::tempdir().unwrap();
        let slot = slot(state.path());
        for attempt in 0..2 {
            let Begin::Build(partial) = slot.begin().unwrap() else {
                panic!("attempt {attempt}: nothing was committed")
            };
            assert_eq!(
                tree::list(partial.path()).unwrap().len(),
                0,
                "leftovers of an earlier attempt"
            );
            fs::write(partial.path().join("file"), "half").unwrap();
        }
        assert_eq!(slot.probe().unwrap(), None);
    }

    #[test]
    fn a_tree_without_its_record_is_made_again() {
        let state = tempfile::tempdir().unwrap();
        let slot = slot(state.path());
        tree::create_dir(&slot.dir().join("looks-finished")).unwrap();
        let Begin::Build(partial) = slot.begin().unwrap() else {
            panic!("no record, so not ready")
        };
        fs::write(partial.path().join("file"), "whole").unwrap();
        let dir = partial.commit(BTreeMap::from([("pin".into(), "1".into())])).unwrap();
        assert_eq!(tree::list(&dir).unwrap().len(), 1);
        assert!(matches!(slot.begin().unwrap(), Begin::Ready(_)));
        assert_eq!(slot.probe().unwrap().unwrap().inputs["pin"], "1");
    }

    #[test]
    fn two_at_once_build_once() {
        let state = tempfile::tempdir().unwrap();
        let slot = slot(state.path());
        let built = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    if let Begin::Build(partial) = slot.begin().unwrap() {
                        built.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        partial.commit(BTreeMap::new()).unwrap();
                    }
                });
            }
        });
        assert_eq!(built.into_inner(), 1);
    }

    #[test]
    fn a_record_that_is_not_one_is_an_error_with_the_remedy() {
        let state = tempfile::tempdir().unwrap();
        let slot = slot(state.path());
        tree::create_dir(slot.dir()).unwrap();
        fs::write(slot.record_path(), "{").unwrap();
        let error = slot.probe().unwrap_err().to_string();
        assert!(
            error.contains("is not a record") && error.contains("hint: rm "),
            "{error}"
        );
    }
}
