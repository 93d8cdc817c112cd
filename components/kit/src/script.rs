//! The part that cargo starts: is there something to build, and if so, who builds it and what came of it. It runs no
//! recipe itself, for its environment is cargo's.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gates::manifest::Role;
use store::{Begin, Partial, Slot, State};
use toolchains::{Provider, Target};

use crate::announce::{self, Metadata};
use crate::component::Component;
use crate::deps::{Deps, Prefix};
use crate::env::{self, Given};
use crate::facts;
use crate::identity::{Identity, Surroundings};
use crate::network::Cut;
use crate::order::Order;
use crate::surroundings::{self, CleanEnv};
use crate::tee::{self, Heard, Log};

/// What a line begins with that says where the log is.
const LOG: &str = "windlass: log ";

/// Runs the part and returns the exit code.
pub(crate) fn run() -> i32 {
    match try_run() {
        Ok(()) => 0,
        Err(error) => {
            announce::error(told(&error));
            1
        }
    }
}

/// The error with its remedy, where the kind of error has one that its place could not know.
fn told(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let full = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::StorageFull);
    match full && !text.contains("hint: ") {
        true => format!("{text}\n\nhint: free space in the state folder, then run the same command again"),
        false => text,
    }
}

fn try_run() -> Result<()> {
    let given = Given::read()?;
    // Sources, patches and the recipe's modules all lie in the component's folder.
    announce::watch_path(&given.folder);
    announce::may_be_built();
    let nothing = || {
        facts::publish("", &given.out)?;
        announce::stub();
        Ok(())
    };
    let Some(triple) = given.triple.clone() else {
        return nothing();
    };
    let component = Component::load(&given.folder)?;
    if !component.is_for(&triple) {
        return nothing();
    }
    let variant = given.variants.get(&component.name).cloned();
    let component = component.choose(variant.as_deref())?;
    let name = component.name.clone();
    build(given, component, &triple).with_context(|| name)
}

fn build(given: Given, component: Component, triple: &str) -> Result<()> {
    let target = Target::load(triple)?;
    let state = env::state()?;
    let (component, deps) = (&component, Deps(given.deps.clone()));
    let host = match component.roles.contains(&Role::Host) {
        false => None,
        true => {
            let machine = Target::of_this_machine()?;
            let own = machine.triple != target.triple;
            own.then(|| {
                // What helps to build is never made of somebody else's headers.
                let provider = Provider::Open;
                let deps = deps.of_host()?;
                prefix(
                    &given,
                    component,
                    &state,
                    Ground {
                        target: &machine,
                        provider,
                        deps,
                        host: None,
                    },
                )
            })
            .transpose()
            .with_context(|| format!("for this machine ({})", machine.triple))?
        }
    };
    let ground = Ground {
        target: &target,
        provider: given.provider,
        deps,
        host: host.as_ref(),
    };
    let prefix = prefix(&given, component, &state, ground)?;
    facts::publish(&facts::read(&prefix.root)?, &given.out)?;
    // Built for this machine, a component is its own helper.
    let own = component.roles.contains(&Role::Host).then_some(&prefix);
    Metadata {
        name: &component.name,
        version: &component.version,
        prefix: &prefix,
        host: host.as_ref().or(own),
        foreign: !component.targets.is_empty() && !component.is_for(&Target::of_this_machine()?.triple),
    }
    .announce()
}

/// What one prefix stands on.
struct Ground<'a> {
    target: &'a Target,
    provider: Provider,
    deps: Deps,
    host: Option<&'a Prefix>,
}

/// The prefix of a component, built if it is not there.
fn prefix(given: &Given, component: &Component, state: &State, ground: Ground) -> Result<Prefix> {
    let triple = &ground.target.triple;
    let needs = ground.deps.0.iter();
    let identity = Identity::of(
        &given.folder,
        component,
        &Surroundings {
            triple,
            toolchain: &surroundings::identity(ground.target, ground.provider)?,
            host: ground.host.map(|host| &host.digest),
            needs: needs.map(|dep| (dep.name.clone(), dep.digest.clone())).collect(),
        },
    )?;
    let slot = state.slot(triple, &component.name, &identity.digest);
    // A prefix that was removed must be missed, or cargo would think that nothing has changed.
    announce::watch_path(&slot.record_path());
    let below = ground.deps.closure();
    let root = match slot.probe()? {
        Some(_) => slot.dir().to_owned(),
        None => Site {
            given,
            component,
            ground,
            state,
            identity: &identity,
        }
        .build(&slot)?,
    };
    Ok(Prefix {
        closure: std::iter::once(root.clone()).chain(below).collect(),
        root,
        digest: identity.digest,
    })
}

/// Refuses to begin without the sources, all of which are named.
fn fetched(state: &State, component: &Component, triple: &str) -> Result<()> {
    let missing: Vec<&str> = component
        .pins(triple)
        .filter(|pin| !state.source_path(pin).is_file())
        .map(|pin| pin.file.as_str())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => bail!(
            "{}: not fetched, wanted in {}\n\nhint: cargo xtask fetch -p {} --target {triple}",
            missing.join(", "),
            state.sources().display(),
            component.name
        ),
    }
}

/// Everything that is known when a build begins.
struct Site<'a> {
    given: &'a Given,
    component: &'a Component,
    ground: Ground<'a>,
    state: &'a State,
    identity: &'a Identity,
}

impl Site<'_> {
    /// Fills the slot, unless another process has done so in the meantime.
    fn build(&self, slot: &Slot) -> Result<PathBuf> {
        let (triple, provider) = (&self.ground.target.triple, self.ground.provider);
        fetched(self.state, self.component, triple)?;
        surroundings::host_tools(self.component)?;
        self.state.prepare()?;
        let place = surroundings::ready(
            self.state,
            self.ground.target,
            provider,
            self.given.jobs,
            self.component,
        )?;
        let partial = match slot.begin()? {
            Begin::Ready(dir) => return Ok(dir),
            Begin::Build(partial) => partial,
        };
        let order = Order {
            folder: self.given.folder.clone(),
            triple: triple.clone(),
            variant: self.component.variant.clone(),
            provider: provider.to_string(),
            state: self.state.root().to_owned(),
            digest: self.identity.digest.clone(),
            work: self.state.work(triple, &self.component.name, &self.identity.digest),
            partial: partial.path().to_owned(),
            jobs: self.given.jobs,
            deps: self.ground.deps.clone(),
            host: self.ground.host.map(|host| host.root.clone()),
            secrets: self.secrets(),
        };
        // Whatever a killed build left is not trusted.
        store::tree::remove(&order.work)?;
        let environment = CleanEnv::new(&order, &place)?;
        self.supervise(&order, &environment, &partial)?;
        let dir = partial.commit(self.identity.inputs.clone())?;
        if !self.given.keep {
            store::tree::remove(&order.work)?;
        }
        Ok(dir)
    }

    /// Paths that would tell where a product was built. A home of one folder (`/root`) is no telling word.
    fn secrets(&self) -> Vec<String> {
        let checkout = self.given.folder.display().to_string();
        let home = env::home().filter(|home| home.matches('/').count() > 1);
        [Some(self.state.root().display().to_string()), Some(checkout), home]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Runs the worker, listens to it, and turns what went wrong into one error.
    fn supervise(&self, order: &Order, environment: &CleanEnv, partial: &Partial) -> Result<()> {
        let path = self.state.log(&order.triple, &self.component.name);
        // Who listens is told where the rest can be read: there may be a log for each role.
        writeln!(std::io::stdout(), "{LOG}{}", path.display()).context("standard output is closed")?;
        let mut log = Log::create(&path)?;
        let started = Instant::now();
        let cut = Cut::find();
        self.head(&mut log, &cut, environment)?;
        let mut words: Vec<String> = cut.words().iter().map(|word| (*word).to_owned()).collect();
        words.extend([
            env::executable()?.display().to_string(),
            "build".into(),
            order.to_argument()?,
        ]);
        store::tree::create_dir(&order.work)?;
        // The lock is every child's standard input: it reads as empty, and it stays taken until the last of them is gone,
        // also when this process is killed and they are not.
        let worker = duct::cmd(&words[0], &words[1..])
            .dir(&order.work)
            .full_env(environment.iter())
            .stdin_file(partial.lock()?)
            .stderr_to_stdout()
            .unchecked()
            .reader()
            .with_context(|| format!("{}: cannot be started", words[0]))?;
        let heard = tee::listen(&worker, &mut log, &mut std::io::stdout().lock())?;
        for warning in &heard.warnings {
            announce::warning(format_args!("{}: {warning}", self.component.name));
        }
        let status = worker
            .try_wait()
            .context("worker cannot be waited for")?
            .map(|output| output.status);
        let took = started.elapsed().as_secs_f64();
        log.line(&format!("windlass: {took:.1} s, {status:?}"))?;
        match (status, &heard.failure) {
            (Some(status), None) if status.success() => match heard.strangers.first() {
                None => Ok(()),
                Some(fault) => bail!("{fault}"),
            },
            (status, _) => Err(self.failure(&heard, status, &path)),
        }
    }

    /// What the log begins with: enough to repeat every command by hand.
    fn head(&self, log: &mut Log, cut: &Cut, environment: &CleanEnv) -> Result<()> {
        log.line(&format!(
            "windlass: {} {} for {}, prefix {}",
            self.component.name, self.component.version, self.ground.target.triple, self.identity.digest
        ))?;
        for (name, value) in environment.iter() {
            log.line(&format!("windlass: env {name}={value}"))?;
        }
        if *cut == Cut::NotAllowed {
            let text = "windlass: the network is not cut off: this machine allows no network namespace";
            log.line(text)?;
            let _ = writeln!(std::io::stdout(), "{text}");
        }
        Ok(())
    }

    fn failure(&self, heard: &Heard, status: Option<std::process::ExitStatus>, log: &Path) -> anyhow::Error {
        let step = heard.step.as_deref().unwrap_or("start");
        let (message, hint) = match &heard.failure {
            Some(failure) => match failure.message.split_once("\nhint: ") {
                Some((message, hint)) => (message.trim().to_owned(), Some(hint.to_owned())),
                None => (failure.message.clone(), None),
            },
            None => (
                match status {
                    Some(status) => format!("worker ended without a word: {status}"),
                    None => "worker ended without a word".to_owned(),
                },
                None,
            ),
        };
        let mut text = format!("{step} failed: {message}");
        for line in &heard.errors {
            text += &format!("\n  {line}");
        }
        let full = heard
            .errors
            .iter()
            .chain([&message])
            .any(|line| line.contains("No space left on device"));
        let hint = match (full, hint) {
            (true, _) => format!(
                "free space in {}, then run the same command again",
                self.state.root().display()
            ),
            (_, Some(hint)) => hint,
            (false, None) => format!("less {}", log.display()),
        };
        anyhow::anyhow!("{text}\n\nhint: {hint}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_are_not_there_are_named_with_the_command_that_brings_them() {
        let text = "version = '1'\nlicense = 'MIT'\n[source]\nfile = 'x.tar.gz'\n\
                    sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'\nurl = ['u']\n[ships]\n";
        let component = Component::parse("x", text).unwrap();
        let error = fetched(&State::at(Path::new("/s")), &component, "t").unwrap_err();
        assert_eq!(
            error.to_string(),
            "x.tar.gz: not fetched, wanted in /s/sources\n\nhint: cargo xtask fetch -p x --target t"
        );
    }

    #[test]
    fn a_full_disk_has_a_remedy_wherever_it_shows() {
        let error = anyhow::Error::from(std::io::Error::from(std::io::ErrorKind::StorageFull)).context("log");
        assert!(told(&error).contains("hint: free space in"), "{}", told(&error));
    }
}
