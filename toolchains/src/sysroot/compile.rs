//! Running the compiler's programs while the system root is being made, several at a time, with what they said on failure.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use super::Assembly;

impl Assembly<'_> {
    /// One of the programs inside `zig`. Its caches stay in the tree that is being made.
    pub(super) fn zig(&self, program: &str) -> Command {
        let mut command = Command::new(&self.zig);
        let cache = self.into.join("obj/cache");
        command
            .env_clear()
            .env("ZIG_LOCAL_CACHE_DIR", &cache)
            .env("ZIG_GLOBAL_CACHE_DIR", &cache)
            .arg(program);
        command
    }

    /// The compiler in the cl form, with the system root's headers; `cxx` puts libc++'s before them.
    pub(super) fn clang_cl(&self, cxx: bool) -> Command {
        let mut command = self.zig("clang");
        command
            .arg("--driver-mode=cl")
            .arg(format!("--target={}", self.target.triple));
        for flag in crate::windows::dialect() {
            command.arg(flag);
        }
        let lib = self.zig_lib();
        let mut include = vec![lib.join("include")];
        if cxx {
            include.insert(0, lib.join("libcxx/include"));
        }
        include.extend(["crt", "overlay", "msvcrt", "windows"].map(|folder| self.into.join("include").join(folder)));
        for folder in include {
            command.arg(joined("/imsvc", &folder));
        }
        command.arg(format!(
            "/clang:-ffile-prefix-map={}=/windlass/sysroot",
            self.into.display()
        ));
        command.arg(format!("/clang:-ffile-prefix-map={}=/windlass/zig", lib.display()));
        command
    }

    /// Runs every job, `self.jobs` at a time, and stops at the first that fails.
    pub(super) fn in_parallel<T: Sync>(&self, jobs: &[T], run: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
        let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
        // `Progress` is not shared between threads: only this one tells it.
        std::thread::scope(|scope| {
            let work = || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = run(job) {
                        next.store(jobs.len(), Ordering::Relaxed);
                        if let Ok(mut failed) = failed.lock() {
                            failed.get_or_insert(error);
                        }
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            let workers: Vec<_> = (0..self.jobs.min(jobs.len())).map(|_| scope.spawn(work)).collect();
            while !workers.iter().all(|worker| worker.is_finished()) {
                self.progress
                    .count(done.load(Ordering::Relaxed) as u64, jobs.len() as u64);
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        });
        match failed.into_inner() {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(error),
            Err(_) => bail!("a worker thread died"),
        }
    }
}

/// An option and the path that is written right behind it.
pub(super) fn joined(option: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = OsStr::new(option).to_owned();
    argument.push(path);
    argument
}

/// Runs a program to its end; on failure the error holds its first lines.
pub(super) fn check(command: &mut Command, what: &str) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("{}: cannot be run", command.get_program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let head: Vec<&str> = said.lines().take(12).collect();
    bail!("{what}: {}\n{}", output.status, head.join("\n"))
}

/// Makes a static library of objects. The archiver writes neither times nor owners.
pub(super) fn archive(assembly: &Assembly, library: &Path, objects: &[PathBuf]) -> Result<()> {
    // Hundreds of paths do not fit everywhere on one command line, and a response file may be read by all.
    let list = library.with_extension("objects");
    let lines: String = objects
        .iter()
        .map(|object| format!("\"{}\"\n", object.display()))
        .collect();
    store::tree::write_atomic(&list, lines.as_bytes())?;
    let mut command = assembly.zig("lib");
    command
        .arg("/nologo")
        .arg(joined("/out:", library))
        .arg(joined("@", &list));
    check(&mut command, &format!("{}: cannot be archived", library.display()))?;
    std::fs::remove_file(&list).with_context(|| format!("{}: cannot be removed", list.display()))
}
