//! Builds one component: one cargo, whose lines go to a log and to one line of progress. What is built and whether it is
//! already there, its script decides; cargo tells us where the result is.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use store::tree;
use toolchains::Provider;

use crate::components::Component;
use crate::disk;
use crate::environment;
use crate::ground::Ground;
use crate::lines::{self, Told};
use crate::progress::{self, Bar};
use crate::session::Session;
use crate::variants::{self, Variants};

/// How many of a log's last lines are shown when a build fails.
const TAIL_LINES: usize = 20;

/// A component that is built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its prefix.
    pub prefix: PathBuf,
    /// The prefix's identity.
    pub digest: String,
}

/// What the last build of a component took; it makes the next one's progress readable and decides nothing.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Estimate {
    seconds: f64,
    commands: u64,
}

/// One of cargo's messages; only the answers of build scripts are read.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    env: Vec<(String, String)>,
}

/// Builds a component for a target, or finds that it is built.
///
/// # Errors
/// If the build fails: with its cause, its last lines, its log and the command that goes on.
pub fn build(session: &Session, component: &Component, ground: &Ground, variants: &Variants) -> Result<Built> {
    let triple = ground.target.triple.as_str();
    // By its folder: a package of a registry may have the name of the library that it binds.
    let package = component.folder.join("Cargo.toml").display().to_string();
    let mut arguments = vec![
        "build",
        "--manifest-path",
        &package,
        "-vv",
        "--message-format=json-render-diagnostics",
    ];
    arguments.extend(session.common.offline.then_some("--offline"));
    arguments.extend(session.common.locked.then_some("--locked"));
    let mut command = duct::cmd(&session.cargo, &arguments)
        .dir(&session.root)
        .env("WINDLASS_TARGET", triple)
        .env("WINDLASS_JOBS", session.jobs.to_string());
    // Without the variable it is `open`: a script that ran without it must not run again for being told so.
    command = match ground.provider {
        Provider::Open => command.env_remove("WINDLASS_PROVIDER"),
        Provider::Xwin => command.env("WINDLASS_PROVIDER", ground.provider.to_string()),
    };
    command = match variants.value() {
        None => command.env_remove(variants::VARIABLE),
        Some(value) => command.env(variants::VARIABLE, value),
    };
    for name in environment::of_this_package() {
        command = command.env_remove(name);
    }
    let output = command
        .stdin_null()
        .stderr_to_stdout()
        .unchecked()
        .reader()
        .with_context(|| format!("{}: cannot be started", session.cargo))?;
    let mut listener = Listener::new(session, component, triple)?;
    let mut reader = BufReader::with_capacity(1 << 16, &output);
    let mut line = Vec::new();
    // The end of the pipe or an error of the reader: either way the exit status says what came of it.
    while reader.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
        listener.line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']))?;
        line.clear();
    }
    let status = output
        .try_wait()
        .context("cargo cannot be waited for")?
        .map(|output| output.status);
    match status {
        Some(status) if status.success() => listener.finish(),
        _ => Err(listener.failure()),
    }
}

struct Listener<'a> {
    session: &'a Session,
    component: &'a Component,
    triple: &'a str,
    log: std::fs::File,
    log_path: PathBuf,
    /// The upstream's log, as its script said.
    own_log: Option<PathBuf>,
    started: Instant,
    last: Estimate,
    bar: Option<Bar>,
    step: Option<String>,
    count: (u64, u64),
    commands: u64,
    tail: VecDeque<String>,
    reasons: Vec<String>,
    errors: Vec<String>,
    built: Option<Built>,
}

impl<'a> Listener<'a> {
    fn new(session: &'a Session, component: &'a Component, triple: &'a str) -> Result<Listener<'a>> {
        // The kit writes the upstream's log; this one has cargo's view, compile errors of the recipe among it.
        let log_path = session.state.log(triple, &format!("{}.cargo", component.name));
        tree::create_dir(log_path.parent().unwrap_or(Path::new("/")))?;
        let log =
            std::fs::File::create(&log_path).with_context(|| format!("{}: log cannot be made", log_path.display()))?;
        let last = std::fs::read(estimate_path(session, component, triple))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        Ok(Listener {
            session,
            component,
            triple,
            log,
            log_path,
            own_log: None,
            started: Instant::now(),
            last,
            bar: None,
            step: None,
            count: (0, 0),
            commands: 0,
            tail: VecDeque::new(),
            reasons: Vec::new(),
            errors: Vec::new(),
            built: None,
        })
    }

    fn line(&mut self, line: &str) -> Result<()> {
        if line.starts_with("{\"reason\"") {
            return self.message(line);
        }
        writeln!(self.log, "{line}").with_context(|| format!("{}: log cannot be written", self.log_path.display()))?;
        let own = lines::of_package(line, &self.component.name, &self.component.package_version);
        if let Some(text) = own {
            // What a script says to cargo is not a line of the build.
            if !text.starts_with("cargo:") {
                self.own(text);
            }
        } else if let Some(reason) = lines::script_error(line, &self.component.name) {
            self.reasons.push(reason.to_owned());
        } else if line.starts_with("error") && self.errors.len() < 8 {
            self.errors.push(line.to_owned());
        } else if self.step.is_none() && self.reasons.is_empty() && !line.trim_start().starts_with("Running `") {
            // Once the recipe runs, or its script has said why it fails, other lines are cargo's: of a failure it repeats
            // everything that went by. How it starts the compiler is in the log, if somebody wants it.
            self.keep(line);
        }
        Ok(())
    }

    fn message(&mut self, line: &str) -> Result<()> {
        let message: Message = serde_json::from_str(line).context("cargo sent a message that is none")?;
        // `path+file:///FOLDER#VERSION` or `…#NAME@VERSION`.
        let of_this = message
            .package_id
            .contains(&format!("{}#", self.component.folder.display()));
        if message.reason != "build-script-executed" || !of_this {
            return Ok(());
        }
        let value = |name: &str| {
            message
                .env
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        if let (Some(prefix), Some(digest)) = (value("KIT_PREFIX"), value("KIT_DIGEST"))
            && !prefix.is_empty()
        {
            self.built = Some(Built {
                prefix: prefix.into(),
                digest,
            });
        }
        Ok(())
    }

    fn own(&mut self, text: &str) {
        self.keep(text);
        if self.session.common.verbose {
            self.session.progress.say("", text);
        }
        let Some(told) = lines::read(text) else {
            return;
        };
        match told {
            Told::Log(path) => self.own_log = Some(path.into()),
            Told::Step(step) => {
                if self.step.is_none() {
                    // What cargo said until here is not in the upstream's log.
                    self.tail.clear();
                }
                self.step = Some(step.to_owned());
                self.count = (0, 0);
            }
            Told::Count(done, total) => self.count = (done, total),
            Told::Command(_) => self.commands += 1,
        }
        let now = self.now();
        let bar = self
            .bar
            .get_or_insert_with(|| self.session.progress.work("Building", &self.component.name));
        bar.doing(&now);
    }

    /// Where the build is, in one line: step, count, and how long it may still take.
    fn now(&self) -> String {
        let mut now = self.step.clone().unwrap_or_default();
        match (self.count, self.commands) {
            ((done, total), _) if total > 0 => now += &format!(" [{done}/{total}]"),
            (_, 0) => {}
            (_, commands) if self.last.commands >= commands => now += &format!(" [{commands}/{}]", self.last.commands),
            (_, commands) => now += &format!(" [{commands}]"),
        }
        let left = self.last.seconds - self.started.elapsed().as_secs_f64();
        if left > 0.0 {
            now += &format!(", about {} left", progress::duration(left));
        }
        now
    }

    fn keep(&mut self, text: &str) {
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(text.to_owned());
    }

    fn finish(mut self) -> Result<Built> {
        self.bar = None;
        let Some(built) = self.built else {
            bail!(
                "{}: its build script announced no prefix, wanted KIT_PREFIX and KIT_DIGEST from `kit::component`",
                self.component.name
            );
        };
        let name = &self.component.name;
        // A script that found everything there ran no step.
        if self.step.is_some() {
            let estimate = Estimate {
                seconds: self.started.elapsed().as_secs_f64(),
                commands: self.commands,
            };
            let text = serde_json::to_vec(&estimate).context("estimate cannot be written")?;
            tree::write_atomic(&estimate_path(self.session, self.component, self.triple), &text)?;
            let took = progress::duration(estimate.seconds);
            self.session.progress.say("Built", &format!("{name} in {took}"));
        } else {
            self.session.progress.say("Fresh", name);
        }
        Ok(built)
    }

    fn failure(mut self) -> anyhow::Error {
        self.bar = None;
        let name = &self.component.name;
        let mut reasons = match self.reasons.is_empty() {
            true => self.errors.clone(),
            false => self.reasons.clone(),
        };
        if reasons.is_empty() {
            reasons.push("cargo failed without a word".to_owned());
        }
        let own = self.own_log.take().filter(|_| self.step.is_some());
        let log = own.unwrap_or_else(|| self.log_path.clone());
        let mut text = reasons.join("\n");
        if !text.starts_with(name.as_str()) {
            text = format!("{name}: {text}");
        }
        if !self.tail.is_empty() {
            text += &format!("\n\nlast lines of {}:", log.display());
            for line in &self.tail {
                text += &format!("\n  {line}");
            }
        }
        let state = self.session.state.root();
        let target = self.session.root.join("target");
        let room = disk::full(&text, &[state, &target]).unwrap_or_default();
        anyhow!(
            "{text}\n{room}\nhint: less {}\nhint: cargo xtask build --target {} -p {name}",
            log.display(),
            self.triple
        )
    }
}

fn estimate_path(session: &Session, component: &Component, triple: &str) -> PathBuf {
    let folder = session.state.root().join("estimates").join(triple);
    folder.join(format!("{}.json", component.name))
}
