//! Brings the sources that pins want into the state folder: the only user of the network. A file is verified before it
//! lands and lands in one step, so whatever stops a fetch, nothing that is there is wrong. It unpacks nothing.

mod crates;
mod debian;
mod download;
mod microsoft;
mod pypi;
#[cfg(test)]
mod server;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use store::{Pin, State, tree};

use crate::progress::{self, Progress};
use download::{Client, Trouble};
pub use microsoft::{Licence, sdk};
pub use settings::Settings;

/// How to fetch.
#[derive(Clone, Debug)]
pub struct Options {
    /// Never touch the network.
    pub offline: bool,
    /// How many files at once.
    pub at_once: usize,
    /// How often one place is asked before the next.
    pub attempts: u32,
    /// The pause after the first failed attempt; it doubles.
    pub pause: Duration,
    /// A server that does not answer for this long is given up.
    pub connect: Duration,
    /// A transfer from which nothing comes for this long is broken off and resumed.
    pub stall: Duration,
    /// The most bytes that one file may have.
    pub bytes_max: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            offline: false,
            at_once: 4,
            attempts: 4,
            pause: Duration::from_secs(1),
            connect: Duration::from_secs(15),
            stall: Duration::from_secs(30),
            // The largest source that is in sight, an LLVM with everything, has 0.2 GiB.
            bytes_max: 4 << 30,
        }
    }
}

/// What a fetch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// How many files were brought.
    pub fetched: usize,
    /// How many were there already.
    pub present: usize,
    /// The size of those that were brought.
    pub bytes: u64,
}

/// One place that may have a file, before its registry was asked where that is.
enum Place<'a> {
    Url(&'a str),
    Debian(&'a str),
    Pypi(&'a store::Pypi),
    Crate(&'a store::CrateRef),
}

/// Where a file can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// Over HTTP.
    Address(String),
    /// On this machine.
    File(PathBuf),
}

/// Brings every file of `pins` that is not there yet.
///
/// # Errors
/// If a file cannot be had from any of its places (each is named with its reason), the disk is full, or `offline` is
/// set and a file is missing. The others were brought all the same, unless the disk is full.
pub fn fetch(state: &State, pins: &[Pin], settings: &Settings, options: &Options, shown: &Progress) -> Result<Summary> {
    let mut missing: Vec<&Pin> = pins.iter().filter(|pin| !state.source_path(pin).is_file()).collect();
    missing.sort_by(|a, b| (&a.file, &a.sha256).cmp(&(&b.file, &b.sha256)));
    missing.dedup_by(|a, b| a.file == b.file && a.sha256 == b.sha256);
    let mut summary = Summary {
        present: pins.len() - missing.len(),
        ..Summary::default()
    };
    if missing.is_empty() {
        return Ok(summary);
    }
    if options.offline {
        let names: Vec<&str> = missing.iter().map(|pin| pin.file.as_str()).collect();
        bail!(
            "{}: not fetched, and --offline forbids it\n\nhint: run the same command without --offline, or `cargo xtask fetch` where there is a network",
            capped(&names)
        );
    }
    state.prepare()?;
    let started = Instant::now();
    let fetcher = Fetcher {
        state,
        settings,
        options,
        shown,
        client: Client::new(options),
    };
    let queue = Mutex::new(missing.into_iter().collect::<VecDeque<_>>());
    let done: Mutex<Vec<Result<u64>>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.at_once.max(1) {
            scope.spawn(|| {
                loop {
                    // In a statement of its own: as the condition of the loop it would hold the lock through the transfer.
                    let next = lock(&queue).pop_front();
                    let Some(pin) = next else { break };
                    let result = fetcher.bring(pin);
                    if result.as_ref().is_err_and(|error| error.is::<download::DiskFull>()) {
                        lock(&queue).clear();
                    }
                    lock(&done).push(result);
                }
            });
        }
    });
    let mut failures = Vec::new();
    for result in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        match result {
            Ok(0) => summary.present += 1,
            Ok(bytes) => {
                summary.fetched += 1;
                summary.bytes += bytes;
            }
            // Every other failure is a consequence of this one.
            Err(error) if error.is::<download::DiskFull>() => return Err(error),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    if !failures.is_empty() {
        failures.sort();
        bail!("{}", failures.join("\n"));
    }
    let took = progress::duration(started.elapsed().as_secs_f64());
    let size = progress::bytes(summary.bytes);
    shown.say("Fetched", &format!("{} files, {size} in {took}", summary.fetched));
    Ok(summary)
}

/// Brings a file whose hash is not known yet, keeps it under the hash that it has, and returns that.
///
/// # Errors
/// As [`fetch`].
pub fn learn(state: &State, pin: &Pin, settings: &Settings, options: &Options, shown: &Progress) -> Result<String> {
    state.prepare()?;
    let fetcher = Fetcher {
        state,
        settings,
        options,
        shown,
        client: Client::learning(options),
    };
    let folder = tree::create_dir(&state.sources().join("unknown")).map(|()| state.sources().join("unknown"))?;
    let partial = folder.join(format!("{}.{}.partial", pin.file, std::process::id()));
    let result = fetcher.fill(pin, &partial);
    let hash = result
        .and_then(|_| store::sha256_file(&partial))
        .map(|digest| digest.to_string());
    if let Ok(hash) = &hash {
        let pin = Pin {
            sha256: hash.clone(),
            ..pin.clone()
        };
        let path = state.source_path(&pin);
        tree::create_dir(path.parent().unwrap_or(&folder))?;
        publish(&partial, &path)?;
    }
    tree::remove(&folder)?;
    hash
}

/// The names of all files that a Python package index has of a project.
///
/// # Errors
/// If none has it, or `offline` is set.
pub fn listed(settings: &Settings, options: &Options, project: &str) -> Result<Vec<String>> {
    if options.offline {
        bail!("{project}: an index has to be asked for its files, and --offline forbids it");
    }
    pypi::files(&Client::new(options), settings, options, project)
}

struct Fetcher<'a> {
    state: &'a State,
    settings: &'a Settings,
    options: &'a Options,
    shown: &'a Progress,
    client: Client,
}

impl Fetcher<'_> {
    /// Brings one file and returns its size, or 0 if another process brought it in the meantime.
    fn bring(&self, pin: &Pin) -> Result<u64> {
        let path = self.state.source_path(pin);
        let _lock = self.lock(pin)?;
        if path.is_file() {
            return Ok(0);
        }
        let folder = path.parent().context("a source has a folder")?;
        tree::create_dir(folder)?;
        let partial = folder.join(format!("{}.partial", pin.file));
        let size = self.fill(pin, &partial)?;
        publish(&partial, &path)?;
        self.shown
            .say("Fetched", &format!("{} ({})", pin.file, progress::bytes(size)));
        Ok(size.max(1))
    }

    /// Fills the partial file from the first place that has the file, and returns its size.
    fn fill(&self, pin: &Pin, partial: &Path) -> Result<u64> {
        let mut bar = self.shown.download(&pin.file);
        let mut reasons = Vec::new();
        for place in places(pin) {
            let candidates = match self.resolve(pin, &place) {
                Ok(candidates) => candidates,
                Err(error) => {
                    reasons.push(format!("{error:#}"));
                    continue;
                }
            };
            for candidate in candidates {
                let result = match &candidate {
                    Candidate::Address(address) => self.client.download(address, pin, partial, self.options, &mut bar),
                    Candidate::File(file) => self.client.copy(file, pin, partial, self.options),
                };
                match result {
                    Ok(size) => return Ok(size),
                    Err(Trouble::DiskFull(full)) => return Err(full.into()),
                    Err(Trouble::Place(reason) | Trouble::Again(reason)) => {
                        bar.say("Skipped", &reason);
                        reasons.push(reason);
                    }
                }
            }
        }
        let list: Vec<String> = reasons
            .iter()
            .map(|reason| format!("\n  {}", reason.replace('\n', "\n  ")))
            .collect();
        Err(anyhow!(
            "{}: could not be fetched from any of its places{}\n\nhint: put the file at {} by hand, or name a mirror in WINDLASS_DEBIAN_MIRROR, PIP_INDEX_URL or cargo's settings",
            pin.file,
            list.concat(),
            self.state.source_path(pin).display()
        ))
    }

    /// Where a place's registry says the file is.
    fn resolve(&self, pin: &Pin, place: &Place) -> Result<Vec<Candidate>> {
        match place {
            Place::Url(url) => Ok(vec![Candidate::Address((*url).to_owned())]),
            Place::Debian(path) => debian::candidates(self.settings, path),
            Place::Pypi(pypi) => pypi::candidates(&self.client, self.settings, self.options, pypi, &pin.file),
            Place::Crate(crate_) => crates::candidates(self.settings, crate_),
        }
    }

    /// Keeps two processes from bringing the same file twice.
    fn lock(&self, pin: &Pin) -> Result<File> {
        let path = self.state.lock_path(&format!("fetch.{}", &pin.sha256[..16]));
        let context = || format!("{}: lock cannot be taken", path.display());
        tree::create_dir(path.parent().unwrap_or(Path::new("/")))?;
        let file = File::create(&path).with_context(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.shown
                    .say("Waiting", &format!("{}: another process is fetching it", pin.file));
                file.lock().with_context(context)?;
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        Ok(file)
    }
}

/// The places of a pin in the order in which they are tried: the upstream first, then registries.
fn places(pin: &Pin) -> Vec<Place<'_>> {
    let mut places: Vec<Place> = pin.url.iter().map(|url| Place::Url(url)).collect();
    places.extend(pin.debian.iter().map(|path| Place::Debian(path)));
    places.extend(pin.pypi.iter().map(Place::Pypi));
    places.extend(pin.crate_.iter().map(Place::Crate));
    places
}

/// Gives a verified file its name. What a reader finds under that name is whole, also after a power cut.
fn publish(partial: &Path, path: &Path) -> Result<()> {
    let run = || {
        File::open(partial)?.sync_all()?;
        fs::rename(partial, path)
    };
    run().with_context(|| format!("{}: cannot be put in place", path.display()))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A worker that panicked left whole values: they are only ever pushed or popped.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// At most this many names are listed.
const NAMES_MAX: usize = 5;

fn capped(names: &[&str]) -> String {
    match names.len() {
        0..=NAMES_MAX => names.join(", "),
        more => format!("{} and {} more", names[..NAMES_MAX].join(", "), more - NAMES_MAX),
    }
}
