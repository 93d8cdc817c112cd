//! Runs the programs of a bundle as their components ask, and writes down what was seen, beside the bundle. A run counts for the
//! program that ran and, as far as being loaded goes, for every library that the loader had to bring in before it started. Whether
//! that is enough says the judge's rule `proofs`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use gates::ledger::{Ledger, Level, Proof as Entry, Run};
use gates::manifest::{File, Kind, Manifest};
use gates::{Judge, Policy, Report, Subject, Verdict};
use sha2::{Digest, Sha256};
use store::tree;
use toolchains::{Os, RunOptions};

use crate::flags::Prove;
use crate::ground::Ground;
use crate::proof::{Proof, Smoke};
use crate::run;
use crate::session::Session;

/// The ledger's name beside the bundle.
pub const FILE: &str = "proof.json";

/// The processor that programs for Windows on ARM are proved on, where nobody names another.
const CPU: &str = "cortex-a76";

/// A program that has not ended after this hangs.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Runs the verb: 0 where every program of the bundle is proved, 1 where one is not.
///
/// # Errors
/// If there is no bundle, or nothing runs its programs here.
pub fn run(session: &Session, flags: &Prove) -> Result<ExitCode> {
    let ground = Ground::find(&flags.target)?;
    let output = session.output(&flags.target);
    let bundle = output.join("bundle");
    let manifest = Manifest::load(&bundle).map_err(|error| {
        let hint = format!("cargo xtask bundle --target {}", flags.target);
        anyhow!("{error}\n\nhint: {hint}")
    })?;
    let policy = Policy::standard();
    let mut judge = Judge::new(&policy);
    let mut report = Report::default();
    let subjects = judge.open(&[&bundle], &mut report);
    let subject = subjects.first().context("the bundle could not be opened")?;
    let mut ledger = Ledger::new(&manifest.target);
    inspected(&manifest, subject, &mut ledger);
    let bench = Bench::new(session, &ground, flags)?;
    let components = session.components()?;
    // What is published has no recipe, and no programs of ours.
    for component in manifest.components.iter().filter(|component| !component.published) {
        let folder = &components.get(&component.name)?.folder;
        for smoke in Proof::load(folder)?.smoke(&ground.target) {
            let program = run::find(&smoke.program, &bundle, &ground.target)?;
            let done = bench.run(&program, smoke)?;
            session.progress.say("Ran", &described(&done));
            enter(&bundle, &program, done, subject, &policy, &manifest, &mut ledger)?;
        }
    }
    let file = output.join(FILE);
    tree::write_atomic(&file, ledger.to_json().as_bytes())?;
    let levels = levels(&ledger);
    judge.ledger = Some(ledger);
    judge.only = vec!["proofs".to_owned()];
    judge.subjects(&subjects, &mut report);
    let human = format!("{}\n{}", told(&manifest.target, &levels, &report), file.display());
    session.print(
        "proved",
        serde_json::json!({ "path": file, "findings": report.findings }),
        &human,
    )?;
    Ok(match report.verdict() {
        Verdict::Clean => ExitCode::SUCCESS,
        Verdict::Findings | Verdict::NotJudged => ExitCode::FAILURE,
    })
}

/// How far the native files were proved, in words. Proofs that are none do not count.
fn levels(ledger: &Ledger) -> String {
    let best = |proofs: &Vec<Entry>| {
        let good = proofs.iter().filter(|proof| proof.objection(&proof.sha256).is_none());
        good.map(|proof| proof.level).max()
    };
    let count = |level| {
        ledger
            .proofs
            .values()
            .filter(|proofs| best(proofs) == Some(level))
            .count()
    };
    format!(
        "{} native files: {} executed, {} loaded by those, {} inspected alone",
        ledger.proofs.len(),
        count(Level::Executed),
        count(Level::Loaded),
        count(Level::Inspected)
    )
}

/// What people are told. The report's own counts are of what other rules look at, and none of those was asked.
fn told(target: &str, levels: &str, report: &Report) -> String {
    let groups = report.groups();
    let findings: String = groups.iter().map(ToString::to_string).collect();
    let not_judged: String = report
        .not_judged
        .iter()
        .map(|what| format!("not judged: {what}\n"))
        .collect();
    let outcome = match groups.len() {
        0 if report.not_judged.is_empty() => "every program is proved".to_owned(),
        0 => "not judged".to_owned(),
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    format!("{findings}{not_judged}{levels}\n{target}: {outcome}")
}

fn described(run: &Run) -> String {
    let seen = if run.sentinel_seen { "seen" } else { "NOT seen" };
    format!("{}: ended with {}, sentinel {seen}", run.command.join(" "), run.exit)
}

/// Enters every native file that could be read.
fn inspected(manifest: &Manifest, subject: &Subject, ledger: &mut Ledger) {
    for file in &manifest.files {
        let is_native = matches!(file.kind, Kind::Program | Kind::Library | Kind::Plugin);
        let is_read = subject.files.get(&file.path).is_some_and(|file| file.content.is_ok());
        if is_native && is_read {
            ledger.add(&file.path, entry(file, Level::Inspected, None));
        }
    }
}

/// Enters a run, for the program and for what was loaded with it.
fn enter(
    bundle: &Path,
    program: &Path,
    done: Run,
    subject: &Subject,
    policy: &Policy,
    manifest: &Manifest,
    ledger: &mut Ledger,
) -> Result<()> {
    // A program may go by several names; the manifest has what they lead to.
    let real = |path: &Path| {
        path.canonicalize()
            .with_context(|| format!("{}: cannot be followed", path.display()))
    };
    let (program, bundle) = (real(program)?, real(bundle)?);
    let path = program
        .strip_prefix(&bundle)
        .context("the program lies outside of the bundle")?;
    let path = path.to_str().context("the program's path is not UTF-8")?;
    let listed = |path: &str| manifest.files.iter().find(|file| file.path == path);
    let own = listed(path).with_context(|| format!("{path}: is not in the manifest"))?;
    let has_worked = done.sentinel_seen && done.exit == 0;
    ledger.add(path, entry(own, Level::Executed, Some(done.clone())));
    if has_worked {
        for library in gates::loaded_with(subject, policy, path) {
            let file = listed(&library).with_context(|| format!("{library}: is not in the manifest"))?;
            ledger.add(&library, entry(file, Level::Loaded, Some(done.clone())));
        }
    }
    Ok(())
}

/// The hash is the manifest's; that the file has it, the judge looks at again.
fn entry(file: &File, level: Level, run: Option<Run>) -> Entry {
    Entry {
        sha256: file.sha256.clone(),
        level,
        run,
    }
}

/// What programs are run on.
struct Bench {
    runner: toolchains::Runner,
    name: String,
    cpu: String,
    options: RunOptions,
    /// An empty folder that programs run in.
    folder: PathBuf,
}

impl Bench {
    fn new(session: &Session, ground: &Ground, flags: &Prove) -> Result<Bench> {
        let runner = ground.runner(session)?;
        // The packages' names say what runs: `wine64_10.0~repack-6_arm64.deb`, `qemu-user_10.0.13_amd64.deb`.
        let pins = ground.runner_pins()?;
        let version = |name: &str| {
            let file = pins
                .iter()
                .find_map(|pin| pin.file.strip_prefix(name)?.strip_prefix('_'));
            file.and_then(|rest| rest.split('_').next())
        };
        let wine = match ground.target.os {
            Os::Windows => {
                let version = version("wine64").context("the runner has no Wine")?;
                Some(format!("wine {version}"))
            }
            Os::Linux => None,
        };
        let emulator = version("qemu-user").map(|version| format!("qemu-user {version}"));
        let name = match (wine, &emulator) {
            (Some(wine), Some(emulator)) => format!("{wine} under {emulator}"),
            (Some(wine), None) => wine,
            (None, Some(emulator)) => emulator.clone(),
            (None, None) => "native".to_owned(),
        };
        let usual = || ground.target.emulated_cpu.clone().unwrap_or_else(|| CPU.to_owned());
        let cpu = emulator.is_some().then(|| flags.cpu.clone().unwrap_or_else(usual));
        let options = RunOptions {
            cpu: cpu.clone(),
            timeout: Some(TIMEOUT),
            ..RunOptions::default()
        };
        let folder = session.state.work("prove", &ground.target.triple, runner.digest());
        Ok(Bench {
            name,
            cpu: match emulator {
                Some(_) => cpu.unwrap_or_default(),
                None => model()?,
            },
            options,
            folder,
            runner,
        })
    }

    /// Runs a program in an empty folder. What it prints is looked at line by line; both kinds of line ends count.
    fn run(&self, program: &Path, smoke: &Smoke) -> Result<Run> {
        tree::remove(&self.folder)?;
        tree::create_dir(&self.folder)?;
        let mut command: Command = self.runner.command(program, &smoke.args, &self.options)?;
        let output = command
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("{}: cannot be started", self.runner.script().display()))?;
        tree::remove(&self.folder)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let digest = Sha256::digest(&output.stdout);
        Ok(Run {
            runner: self.name.clone(),
            runner_digest: self.runner.digest().to_string(),
            cpu: self.cpu.clone(),
            command: [&smoke.program].into_iter().chain(&smoke.args).cloned().collect(),
            // A program that a signal ended has no code.
            exit: output.status.code().unwrap_or(-1),
            sentinel: smoke.sentinel.clone(),
            sentinel_seen: printed.lines().any(|line| line == smoke.sentinel),
            output_sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// The model of this machine's processor.
fn model() -> Result<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo: cannot be read")?;
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim().to_owned());
    Ok(name.unwrap_or_else(|| "this machine's".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_how_far_each_file_was_proved_and_no_counts_of_other_rules() {
        let run = |sentinel_seen| Run {
            runner: "native".into(),
            runner_digest: "0".repeat(64),
            cpu: "any".into(),
            command: vec!["app".into()],
            exit: 0,
            sentinel: "42".into(),
            sentinel_seen,
            output_sha256: "0".repeat(64),
        };
        let mut ledger = Ledger::new("aarch64-pc-windows-msvc");
        for (path, level, run) in [
            ("bin/a.exe", Level::Executed, Some(run(true))),
            ("bin/b.exe", Level::Executed, Some(run(false))),
            ("bin/a.dll", Level::Loaded, Some(run(true))),
            ("bin/b.dll", Level::Inspected, None),
        ] {
            let sha256 = "f".repeat(64);
            for (level, run) in [(Level::Inspected, None), (level, run)] {
                ledger.add(
                    path,
                    Entry {
                        sha256: sha256.clone(),
                        level,
                        run,
                    },
                );
            }
        }
        let levels = levels(&ledger);
        assert_eq!(
            levels,
            "4 native files: 1 executed, 1 loaded by those, 2 inspected alone"
        );
        let said = told(&ledger.target, &levels, &Report::default());
        assert_eq!(
            said,
            format!("{levels}\naarch64-pc-windows-msvc: every program is proved")
        );
    }
}
