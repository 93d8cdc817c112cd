//! A copy of the repository with a state folder of its own, in which a test may change, break and kill things. What is slow to
//! make and not under test (sources, toolchains, runners) is the user's, through links.
#![allow(
    clippy::unwrap_used,
    reason = "this is the scaffolding of tests: a panic is how they fail"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use store::{State, tree};
use tempfile::TempDir;

use crate::said;

/// The targets that everything here is built for.
pub const TARGETS: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc"];

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// What of the repository a copy needs.
const PARTS: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "components",
    "gates",
    "images",
    "tests",
    "toolchains",
    "xtask",
];

/// All copies lie in the same place, one after the other, so that cargo compiles our crates once and not for each test.
static PLACE: Mutex<()> = Mutex::new(());

/// A copy of the repository.
pub struct Checkout {
    state: TempDir,
    target: &'static str,
    _place: MutexGuard<'static, ()>,
}

impl Checkout {
    /// Copies the repository, to build for one target.
    ///
    /// # Panics
    /// If it cannot be copied.
    pub fn new(target: &'static str) -> Checkout {
        // A test that failed leaves nothing that the next one could stumble over: the copy is made anew.
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        let checkout = Checkout {
            state: tempfile::tempdir().unwrap(),
            target,
            _place: place,
        };
        tree::remove(&checkout.path()).unwrap();
        for part in PARTS {
            let from = root().join(part);
            if from.exists() {
                copy(&from, &checkout.path().join(part));
            }
        }
        checkout.borrow_state();
        checkout
    }

    /// The copy's root.
    pub fn path(&self) -> PathBuf {
        root().join("target/pipeline/checkout")
    }

    /// The copy's state folder.
    pub fn state(&self) -> PathBuf {
        self.state.path().join("state")
    }

    /// The target it builds for.
    pub fn target(&self) -> &'static str {
        self.target
    }

    /// Cargo in the copy, without a network and without anything of the cargo that runs the test.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).arg("--offline").current_dir(self.path());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_") && text != "CARGO_HOME" || text.starts_with("WINDLASS_") {
                command.env_remove(&name);
            }
        }
        command
            // One for all copies: what comes from a registry is compiled once.
            .env("CARGO_TARGET_DIR", root().join("target/pipeline/target"))
            .env("WINDLASS_STATE", self.state())
            .env("WINDLASS_TARGET", self.target);
        command
    }

    /// Builds a component and returns what cargo said.
    ///
    /// # Panics
    /// If cargo cannot be started.
    pub fn build(&self, name: &str) -> Output {
        self.cargo(&["build", "-p", name]).output().unwrap()
    }

    /// Builds a component that must build.
    ///
    /// # Panics
    /// If it does not.
    pub fn built(&self, name: &str) {
        let output = self.build(name);
        assert!(output.status.success(), "{name}: {}", said(&output));
    }

    /// The prefixes of a component: one for each digest that was built.
    ///
    /// # Panics
    /// If the state folder cannot be read.
    pub fn prefixes(&self, name: &str) -> Vec<PathBuf> {
        let folder = self.state().join("prefix").join(self.target).join(name);
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut prefixes: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "record"))
            .map(|path| path.with_extension(""))
            .collect();
        prefixes.sort();
        prefixes
    }

    /// Everything in the only prefix of a component, one line each: the path and the hash.
    ///
    /// # Panics
    /// If there is not exactly one.
    pub fn listing(&self, name: &str) -> BTreeMap<String, String> {
        let prefixes = self.prefixes(name);
        assert_eq!(prefixes.len(), 1, "{name}: {prefixes:?}");
        tree::list(&prefixes[0])
            .unwrap()
            .iter()
            .map(|entry| (entry.path.clone(), entry.describe(&prefixes[0]).unwrap()))
            .collect()
    }

    /// Forgets what was built of a component.
    ///
    /// # Panics
    /// If it cannot be removed.
    pub fn forget(&self, name: &str) {
        tree::remove(&self.state().join("prefix").join(self.target).join(name)).unwrap();
    }

    /// Links the user's sources, toolchains and runners into the copy's state.
    fn borrow_state(&self) {
        let user = State::locate().unwrap();
        let (theirs, ours) = (user.root().to_owned(), self.state());
        tree::create_dir(&ours.join("prefix").join(self.target)).unwrap();
        let link = |from: PathBuf, to: PathBuf| {
            if from.exists() {
                std::os::unix::fs::symlink(from, to).unwrap();
            }
        };
        link(theirs.join("sources"), ours.join("sources"));
        link(theirs.join("prefix/host"), ours.join("prefix/host"));
        let below = theirs.join("prefix").join(self.target);
        for entry in fs::read_dir(&below).into_iter().flatten() {
            let name = entry.unwrap().file_name();
            if !name.to_string_lossy().starts_with("hello-") {
                link(below.join(&name), ours.join("prefix").join(self.target).join(&name));
            }
        }
    }
}

/// Copies a file or a folder, without what was built in it; what links lead to is copied, so that a copy can be changed.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        tree::create_dir(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        keep_time(from, to);
        return;
    }
    tree::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if name != "target" {
            copy(&from.join(&name), &to.join(&name));
        }
    }
    keep_time(from, to);
}

/// Gives a copy the time of what it was copied from: cargo would compile what is newer again.
fn keep_time(from: &Path, to: &Path) {
    let modified = from.metadata().unwrap().modified().unwrap();
    fs::File::open(to).unwrap().set_modified(modified).unwrap();
}
