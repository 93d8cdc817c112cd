//! The state folder and its rooms. One folder serves all checkouts of a user; nothing in it is named by a time.
//!
//! ```text
//! <state>/sources/<sha256>/<file>           what `fetch` brought, verified
//! <state>/prefix/<space>/<name>/<digest>/   finished trees; `<digest>.record` beside each, written last
//! <state>/prefix/…/<digest>.partial/        being made, or left by a killed process; never read
//! <state>/work/<space>/<name>/<digest>/     unpacked, patched and being compiled; safe to delete
//! <state>/logs/<space>/<name>.log           the last build of each
//! <state>/locks/                            one file per thing that two processes might make at once
//! ```

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail, ensure};

use crate::{Digest, Pin, Slot, sha256_file};

/// The variable that names the state folder.
const VARIABLE: &str = "WINDLASS_STATE";

/// A state folder.
#[derive(Clone, Debug)]
pub struct State {
    root: PathBuf,
}

impl State {
    /// `$WINDLASS_STATE`, else `windlass` in the user's cache folder (XDG Base Directory Specification).
    ///
    /// # Errors
    /// If neither the variable nor a home folder is there, or the variable is not an absolute path.
    pub fn locate() -> Result<State> {
        if let Some(named) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            let root = PathBuf::from(named);
            ensure!(
                root.is_absolute(),
                "{VARIABLE}: wanted an absolute path, found `{}`",
                root.display()
            );
            return Ok(State { root });
        }
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        match (absolute("XDG_CACHE_HOME"), absolute("HOME")) {
            (Some(cache), _) => Ok(State::at(&cache.join("windlass"))),
            (None, Some(home)) => Ok(State::at(&home.join(".cache/windlass"))),
            (None, None) => bail!(
                "no state folder: neither {VARIABLE}, XDG_CACHE_HOME nor HOME is set\n\nhint: export {VARIABLE}=/path/with/space"
            ),
        }
    }

    /// The state folder at `root`, which need not exist yet.
    pub fn at(root: &Path) -> State {
        State { root: root.to_owned() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where sources lie.
    pub fn sources(&self) -> PathBuf {
        self.root.join("sources")
    }

    /// Where the source that a pin wants lies once it was fetched. Only verified files are ever put there.
    pub fn source_path(&self, pin: &Pin) -> PathBuf {
        self.sources().join(&pin.sha256).join(&pin.file)
    }

    /// The fetched source that a pin wants, read once more: disks lose bits, and hands slip. A damaged one is removed, so that
    /// fetching brings it again.
    ///
    /// # Errors
    /// If it was not fetched, cannot be read, or is not what the pin names.
    pub fn need(&self, pin: &Pin) -> Result<PathBuf> {
        let path = self.source_path(pin);
        if !path.is_file() {
            bail!(
                "{}: source was not fetched, wanted at {}\n\nhint: cargo xtask fetch",
                pin.file,
                path.display()
            );
        }
        let found = sha256_file(&path)?;
        if found.as_str() != pin.sha256 {
            std::fs::remove_file(&path).with_context(|| format!("{}: cannot be removed", path.display()))?;
            bail!(
                "{}: source was damaged since it was fetched: sha256 is {found}, wanted {}; it was removed\n\n\
                 hint: cargo xtask fetch, then run the same command again",
                pin.file,
                pin.sha256
            );
        }
        Ok(path)
    }

    /// Where logs lie.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The log of the last build of one thing.
    pub fn log(&self, space: &str, name: &str) -> PathBuf {
        self.logs().join(space).join(format!("{name}.log"))
    }

    /// The folder in which one thing is compiled.
    pub fn work(&self, space: &str, name: &str, digest: &Digest) -> PathBuf {
        self.root.join("work").join(space).join(name).join(digest.as_str())
    }

    /// The place of one finished tree. `space` is a target triple, or `host` for what runs here.
    pub fn slot(&self, space: &str, name: &str, digest: &Digest) -> Slot {
        let dir = self.root.join("prefix").join(space).join(name).join(digest.as_str());
        let lock = self
            .root
            .join("locks")
            .join(format!("{space}.{name}.{}", digest.short()));
        Slot::new(dir, lock)
    }

    /// A lock file for something that is not a slot, for example one download.
    pub fn lock_path(&self, name: &str) -> PathBuf {
        self.root.join("locks").join(name)
    }

    /// Checks that the folder can be made and written to, so that a mistake shows before hours of work.
    ///
    /// # Errors
    /// If it cannot.
    pub fn prepare(&self) -> Result<()> {
        // Several threads of a process may ask at once; each needs a file of its own.
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), ASKED.fetch_add(1, Ordering::Relaxed));
        let probe = self.root.join(format!(".probe.{process}.{count}"));
        std::fs::create_dir_all(&self.root)
            .and_then(|()| std::fs::write(&probe, b"windlass"))
            .and_then(|()| std::fs::remove_file(&probe))
            .with_context(|| {
                format!(
                    "{}: state folder cannot be written to\n\nhint: export {VARIABLE}=/path/with/space",
                    self.root.display()
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_source_is_removed_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::at(dir.path());
        let pin = Pin::parse("file = 'a.txt'\nsha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'\nurl = ['https://example.org/a.txt']").unwrap();
        let path = state.source_path(&pin);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(state.need(&pin).unwrap(), path);
        std::fs::write(&path, "abd").unwrap();
        let error = state.need(&pin).unwrap_err().to_string();
        assert!(
            error.starts_with("a.txt: source was damaged since it was fetched: sha256 is a52d"),
            "{error}"
        );
        assert!(!path.exists());
        assert!(state.need(&pin).unwrap_err().to_string().contains("was not fetched"));
    }

    #[test]
    fn a_missing_source_names_the_command_that_brings_it() {
        let dir = tempfile::tempdir().unwrap();
        let pin = Pin::parse("file = 'a.tar.gz'\nsha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'\nurl = ['https://example.org/a.tar.gz']").unwrap();
        let error = State::at(dir.path()).need(&pin).unwrap_err().to_string();
        assert!(error.starts_with("a.tar.gz: source was not fetched"), "{error}");
        assert!(error.ends_with("hint: cargo xtask fetch"), "{error}");
    }
}
