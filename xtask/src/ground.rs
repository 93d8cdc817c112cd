//! Everything that xtask asks of `toolchains`: targets, what has to be fetched for them, compilers and system roots, and
//! running a program. It shows their progress and decides nothing about them.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gates::manifest;
use store::{Digest, Pin};
use toolchains::{Provider, RunOptions, Runner, Sdk, Target, Toolchain, Tools};

use crate::environment;
use crate::fetch::Licence;
use crate::flags::{Origin, Run};
use crate::progress::Bar;
use crate::session::Session;

/// What components stand on: a target and whose headers it is built against.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The target.
    pub target: Target,
    /// Who made the system root.
    pub provider: Provider,
}

impl Ground {
    /// The ground for a triple, with the provider that the environment names.
    ///
    /// # Errors
    /// If there is no such target or provider; the likeliest one is named.
    pub fn find(triple: &str) -> Result<Ground> {
        Ground::from(triple, &Origin::default())
    }

    /// The ground for a triple, with the provider that the command line names, else the environment.
    ///
    /// # Errors
    /// As [`Ground::find`].
    pub fn from(triple: &str, origin: &Origin) -> Result<Ground> {
        let provider = match (origin.provider, environment::text("WINDLASS_PROVIDER")) {
            (Some(provider), _) => provider,
            (None, Some(name)) => name.parse().context("WINDLASS_PROVIDER")?,
            (None, None) => Provider::Open,
        };
        Ok(Ground {
            target: Target::load(triple)?,
            provider,
        })
    }

    /// The ground of this machine itself, when one of the components has a role for it and `target` is not it already.
    ///
    /// # Errors
    /// If no target is for this machine.
    pub fn of_host<'a>(
        target: &Ground,
        components: impl IntoIterator<Item = &'a kit::Component>,
    ) -> Result<Option<Ground>> {
        let wanted = |component: &kit::Component| component.roles.contains(&manifest::Role::Host);
        if !components.into_iter().any(wanted) {
            return Ok(None);
        }
        let machine = Target::of_this_machine()?;
        Ok((machine.triple != target.target.triple).then_some(Ground {
            target: machine,
            provider: Provider::Open,
        }))
    }

    /// Brings what the provider keeps elsewhere than in pinned packages: Microsoft's SDK.
    ///
    /// # Errors
    /// If its licence was not accepted, or it cannot be had.
    pub fn bring(&self, session: &Session, origin: &Origin) -> Result<()> {
        match self.provider {
            Provider::Open => Ok(()),
            Provider::Xwin => {
                let licence = match origin.accept_microsoft_licence {
                    true => Licence::Accepted,
                    false => Licence::NotAccepted,
                };
                session.fetch_sdk(&Sdk::load(&self.target)?, licence)
            }
        }
    }

    /// What has to be fetched to build for the target.
    ///
    /// # Errors
    /// If the provider does not serve the target.
    pub fn pins(&self) -> Result<Vec<Pin>> {
        let mut pins = Tools::pins()?;
        pins.extend(Toolchain::pins(&self.target, self.provider)?);
        Ok(pins)
    }

    /// What has to be fetched to run the target's programs.
    ///
    /// # Errors
    /// If there is no runner for the target.
    pub fn runner_pins(&self) -> Result<Vec<Pin>> {
        Runner::pins(&self.target)
    }

    /// The identity of compilers, tools and system root, from data alone.
    ///
    /// # Errors
    /// If the provider does not serve the target.
    pub fn identity(&self) -> Result<Digest> {
        Toolchain::identity(&self.target, self.provider)
    }

    /// Has the toolchain assembled, unless it is there.
    ///
    /// # Errors
    /// If a part of it cannot be built.
    pub fn ensure(&self, session: &Session) -> Result<()> {
        let shown = Shown(Mutex::new(session.progress.work("Preparing", "toolchain")));
        Toolchain::ensure(&session.state, &self.target, self.provider, session.jobs, &shown)?;
        Ok(())
    }

    /// The provider in the manifest's words.
    pub fn manifest_provider(&self) -> manifest::Provider {
        match self.provider {
            Provider::Open => manifest::Provider::Open,
            Provider::Xwin => manifest::Provider::Xwin,
        }
    }

    /// The compilers in the manifest's words.
    ///
    /// # Errors
    /// If the provider does not serve the target.
    pub fn manifest_tools(&self) -> Result<Vec<manifest::Tool>> {
        let pin = Tools::pin("zig")?;
        Ok(vec![manifest::Tool {
            version: pin.pypi.map_or_else(String::new, |pypi| pypi.version),
            name: "zig".to_owned(),
            digest: self.identity()?.to_string(),
        }])
    }

    /// What runs the target's programs here, fetched and unpacked unless it is there.
    ///
    /// # Errors
    /// If there is no runner, or a part of it cannot be had.
    pub fn runner(&self, session: &Session) -> Result<Runner> {
        session.fetch(&self.runner_pins()?)?;
        let shown = Shown(Mutex::new(session.progress.work("Preparing", "runner")));
        Runner::ensure(&session.state, &self.target, &shown)
    }

    /// Runs a program of the target here and passes its exit code on.
    ///
    /// # Errors
    /// If there is no runner, or it cannot be started.
    pub fn run(&self, session: &Session, flags: &Run, program: &Path, arguments: &[String]) -> Result<ExitCode> {
        let runner = self.runner(session)?;
        let options = RunOptions {
            cpu: flags.cpu.clone(),
            timeout: flags.timeout.map(Duration::from_secs),
            ..RunOptions::default()
        };
        let status = runner
            .command(program, arguments, &options)?
            .status()
            .with_context(|| format!("{}: cannot be started", runner.script().display()))?;
        use std::os::unix::process::ExitStatusExt;
        match (status.code(), status.signal()) {
            (Some(code), _) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
            (None, Some(signal)) => Ok(ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))),
            (None, None) => bail!("{}: ended in an unknown way: {status}", program.display()),
        }
    }
}

/// The progress of long steps, on one line.
struct Shown(Mutex<Bar>);

impl toolchains::Progress for Shown {
    fn step(&self, what: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).step(what);
    }

    fn count(&self, done: u64, total: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count(done, total);
    }
}
