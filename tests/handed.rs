//! What somebody has who was handed a bundle and programs to compile against it: the compiler, pkg-config, a shell that has read the
//! bundle's environment script, and what runs the target's programs. What the programs must say is the tests'.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result};
use store::State;
use toolchains::{Os, Provider, RunOptions, Runner, Silent, Target, Toolchain, Tools};

use crate::done;

/// The means of one target.
pub struct Handed {
    /// The target.
    pub target: Target,
    /// The program that reads pkg-config's modules.
    pub pkgconf: PathBuf,
    toolchain: Toolchain,
    runner: Runner,
}

impl Handed {
    /// The means of a target, made if they are not there.
    ///
    /// # Errors
    /// If a part of them was not fetched or cannot be made.
    pub fn of(triple: &str) -> Result<Handed> {
        let (state, target) = (State::locate()?, Target::load(triple)?);
        Ok(Handed {
            toolchain: Toolchain::ensure(&state, &target, Provider::Open, 2, &Silent)?,
            pkgconf: Tools::ensure(&state, &Silent)?.pkgconf()?,
            runner: Runner::ensure(&state, &target, &Silent)?,
            target,
        })
    }

    /// Runs lines of a shell in `folder`, after the bundle's environment script. They must succeed.
    ///
    /// # Errors
    /// If the shell cannot be started.
    ///
    /// # Panics
    /// If a line fails.
    pub fn shell(&self, bundle: &Path, folder: &Path, lines: &str) -> Result<Output> {
        let output = Command::new("bash")
            .args([
                "-c",
                &format!("set -e\n. '{}/windlass-env.sh'\n{lines}\n", bundle.display()),
            ])
            .current_dir(folder)
            .env_remove("PKG_CONFIG_PATH")
            // No module of the machine can take the place of one of the bundle's.
            .env("PKG_CONFIG_LIBDIR", "/nonexistent")
            .env("PATH", format!("{}:/usr/bin:/bin", self.toolchain.bin.display()))
            .output()
            .context("bash: cannot be started")?;
        done(&output);
        Ok(output)
    }

    /// Runs a program with the bundle's libraries, and gives what it printed.
    ///
    /// # Errors
    /// If it cannot be started.
    ///
    /// # Panics
    /// If it fails.
    pub fn run(&self, bundle: &Path, program: &Path, arguments: &[String]) -> Result<String> {
        let libraries = match self.target.os {
            Os::Windows => "bin",
            Os::Linux => "lib",
        };
        let options = RunOptions {
            path: vec![bundle.join(libraries)],
            ..RunOptions::default()
        };
        Ok(done(&self.runner.command(program, arguments, &options)?.output()?))
    }
}
