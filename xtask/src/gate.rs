//! Has the gates judge a bundle, or whatever else lies at a path, and shows the report. It judges nothing itself.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use gates::ledger::Ledger;
use gates::{Baseline, Judge, Platform, Policy, Report, Subject, Verdict};
use toolchains::Target;

use crate::flags::{Format, Gate};
use crate::ground::Ground;
use crate::image;
use crate::session::Session;

/// The exit code where something could not be judged: neither clean nor wrong.
const NOT_JUDGED: u8 = 2;

/// Runs the verb: 0 is clean, 1 has findings, 2 could not be judged.
pub fn run(session: &Session, flags: &Gate) -> ExitCode {
    match judge(session, flags) {
        Ok(Verdict::Clean) => ExitCode::SUCCESS,
        Ok(Verdict::Findings) => ExitCode::FAILURE,
        Ok(Verdict::NotJudged) => ExitCode::from(NOT_JUDGED),
        Err(error) => {
            eprintln!("{}", crate::failure::report(&error));
            ExitCode::from(NOT_JUDGED)
        }
    }
}

fn judge(session: &Session, flags: &Gate) -> Result<Verdict> {
    let paths = paths(session, flags)?;
    let is_ours = paths.iter().all(|path| path.join(gates::manifest::FILE).is_file());
    let mut policy = policy(flags, is_ours || flags.image)?;
    if flags.image {
        let target = Target::load(flags.target.as_deref().unwrap_or_default())?;
        policy.exceptions.extend(image::exceptions(session, &target)?);
    }
    let target = match &flags.target {
        Some(triple) => Some(platform(triple)?),
        None => None,
    };
    let judge = Judge {
        target: target.filter(|_| !is_ours),
        only: only(flags)?,
        baseline: flags.baseline.as_deref().map(baseline).transpose()?,
        ledger: flags.ledger.as_deref().map(ledger).transpose()?,
        ..Judge::new(&policy)
    };
    let mut report = Report::default();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let subjects = judge.open(&paths, &mut report);
    if let Some(file) = &flags.needs {
        println!(
            "{}",
            gates::needs(&subjects, &policy, file).map_err(|why| anyhow!(why))?
        );
        return Ok(Verdict::Clean);
    }
    judge.subjects(&subjects, &mut report);
    write(flags, &subjects, &report)?;
    show(&match session.common.message_format {
        Format::Human => report.to_string(),
        Format::Json => report.to_json().trim_end().to_owned(),
    })?;
    Ok(report.verdict())
}

/// Prints a text. A reader who has seen enough, `head` for example, does not change the judgement.
fn show(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(()),
    }
}

/// What is judged: the paths that were named, or the target's bundle.
fn paths(session: &Session, flags: &Gate) -> Result<Vec<PathBuf>> {
    let named: Vec<PathBuf> = flags.paths.iter().chain(&flags.bundle).cloned().collect();
    if !named.is_empty() {
        let missing = named.iter().find(|path| !path.exists());
        return match missing {
            Some(path) => bail!("{}: there is nothing", path.display()),
            None => Ok(named),
        };
    }
    let Some(triple) = &flags.target else {
        bail!("neither a path nor --target was given\n\nhint: cargo xtask gate --help");
    };
    Ground::find(triple)?;
    let what = if flags.image { "image" } else { "bundle" };
    let path = session.output(triple).join(what);
    if !path.is_dir() {
        bail!(
            "{}: there is no {what}\n\nhint: cargo xtask {what} --target {triple}",
            path.display()
        );
    }
    Ok(vec![path])
}

fn platform(triple: &str) -> Result<Platform> {
    Platform::of_triple(triple)
        .ok_or_else(|| anyhow!("target `{triple}` is not known\n\nhint: --target aarch64-pc-windows-msvc, for example"))
}

/// The measure: the one that was named, ours for our bundles, or the one for what others built.
fn policy(flags: &Gate, is_ours: bool) -> Result<Policy> {
    let mut policy = match &flags.policy {
        Some(file) => {
            let text = read(file)?;
            Policy::parse(&text).with_context(|| file.display().to_string())?
        }
        None if is_ours => Policy::standard(),
        None => Policy::foreign(),
    };
    policy.wheels.store |= flags.store;
    for floor in &flags.at_least {
        let (name, count) = floor.split_once('=').unwrap_or((floor, ""));
        let count = count
            .parse()
            .ok()
            .filter(|_| gates::Counts::default().get(name).is_some());
        let Some(count) = count else {
            bail!("--at-least {floor}: wanted COUNT=NUMBER, for example images=500");
        };
        policy.floors.insert(name.to_owned(), count);
    }
    Ok(policy)
}

fn only(flags: &Gate) -> Result<Vec<String>> {
    let known: Vec<&str> = gates::RULES.iter().map(|rule| rule.id).collect();
    let unknown = flags.only.iter().find(|id| !known.contains(&id.as_str()));
    if let Some(id) = unknown {
        let meant = crate::failure::did_you_mean(id, known.iter().copied());
        let meant = meant
            .map(|meant| format!("\n\nhint: --only {meant}"))
            .unwrap_or_default();
        bail!("there is no rule `{id}`{meant}");
    }
    Ok(flags.only.clone())
}

fn baseline(file: &Path) -> Result<Baseline> {
    Baseline::parse(&read(file)?).map_err(|why| anyhow!("{}: {why}", file.display()))
}

fn ledger(file: &Path) -> Result<Ledger> {
    Ledger::parse(&read(file)?).map_err(|why| anyhow!("{}: {why}", file.display()))
}

/// Writes the files that were asked for.
fn write(flags: &Gate, subjects: &[Subject], report: &Report) -> Result<()> {
    let put = |file: &Path, text: String| {
        std::fs::write(file, text).with_context(|| format!("{}: cannot be written", file.display()))
    };
    if let Some(file) = &flags.sarif {
        put(file, gates::sarif(report))?;
    }
    if let Some(file) = &flags.junit {
        put(file, gates::junit(report))?;
    }
    match (&flags.record_exports, subjects) {
        (None, _) => Ok(()),
        (Some(file), [only]) => put(file, Baseline::of(only).to_json()),
        (Some(_), all) => bail!(
            "--record-exports: {} things were judged, and a record is of one",
            all.len()
        ),
    }
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{}: cannot be read", file.display()))
}
