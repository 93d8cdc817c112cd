//! FFmpeg's own tests, run by FFmpeg's own makefile: what it computes for a target under the runner must be what its authors
//! recorded. A sample always; everything that needs no sample files, a native build beside it, when asked for by name.
//! Every failure is known by name and reason, and one that is not there any more is as wrong as a new one.

#[path = "fate/tree.rs"]
mod tree;

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use pipeline::TARGETS;
use serde::Deserialize;
use toolchains::Target;

use crate::tree::{NATIVE, Outcome, Tree};

/// `fate/families.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Families {
    sample: Vec<String>,
    family: Vec<Family>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    name: String,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    begins: Vec<String>,
    at_least: usize,
}

/// `fate/checkasm.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkasm {
    cpu: Vec<Cpu>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cpu {
    target: String,
    name: Option<String>,
    levels: Vec<String>,
    vectors: Option<String>,
    at_least: usize,
    #[serde(default)]
    sample: bool,
}

/// `fate/failures.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failures {
    #[serde(default)]
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    tests: Vec<String>,
    lanes: Vec<String>,
    reason: String,
}

#[test]
fn a_sample_passes_on_x64_windows() -> Result<()> {
    sample("x86_64-pc-windows-msvc")
}

#[test]
fn a_sample_passes_on_arm64_windows() -> Result<()> {
    sample("aarch64-pc-windows-msvc")
}

#[test]
fn a_sample_passes_on_riscv64_linux() -> Result<()> {
    sample("riscv64gc-unknown-linux-gnu")
}

fn sample(lane: &str) -> Result<()> {
    let tree = Tree::of(lane)?;
    println!("{lane}");
    let mut wrong = suite(lane, &tree, Some(&families()?.sample))?;
    wrong.extend(assembly(lane, &tree, true)?);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
#[ignore = "runs thousands of tests: cargo test -p pipeline --test fate native -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_natively() -> Result<()> {
    everything(NATIVE)
}

#[test]
#[ignore = "runs thousands of tests, an hour: cargo test -p pipeline --test fate x64_windows -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_on_x64_windows() -> Result<()> {
    everything("x86_64-pc-windows-msvc")
}

#[test]
#[ignore = "runs thousands of tests, for hours: cargo test -p pipeline --test fate arm64_windows -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_on_arm64_windows() -> Result<()> {
    everything("aarch64-pc-windows-msvc")
}

#[test]
#[ignore = "runs thousands of tests: cargo test -p pipeline --test fate x64_linux -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_on_x64_linux() -> Result<()> {
    everything("x86_64-unknown-linux-gnu")
}

#[test]
#[ignore = "runs thousands of tests, for an hour: cargo test -p pipeline --test fate arm64_linux -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_on_arm64_linux() -> Result<()> {
    everything("aarch64-unknown-linux-gnu")
}

#[test]
#[ignore = "runs thousands of tests, for an hour: cargo test -p pipeline --test fate riscv64_linux -- --ignored --nocapture"]
fn everything_that_needs_no_samples_passes_on_riscv64_linux() -> Result<()> {
    everything("riscv64gc-unknown-linux-gnu")
}

/// All tests of a lane. What passed in a run that was stopped is not run again.
fn everything(lane: &str) -> Result<()> {
    let tree = Tree::of(lane)?;
    println!("{lane}");
    let mut wrong = suite(lane, &tree, None)?;
    wrong.extend(assembly(lane, &tree, false)?);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn families() -> Result<Families> {
    toml_edit::de::from_str(include_str!("fate/families.toml")).context("families.toml")
}

/// Runs tests of a lane, all of them or some, and returns what is not as expected.
fn suite(lane: &str, tree: &Tree, only: Option<&[String]>) -> Result<Vec<String>> {
    let families = families()?;
    let all = tree.tests()?;
    let mut wrong = Vec::new();
    let mut members: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in &all {
        match families.family.iter().find(|family| family.holds(test)) {
            Some(family) => members.entry(&family.name).or_default().push(test.clone()),
            None => wrong.push(format!("{lane}: {test} is of no family")),
        }
    }
    let chosen: Vec<String> = match only {
        Some(only) => only.to_vec(),
        None => all.clone(),
    };
    for test in chosen.iter().filter(|test| !all.contains(test)) {
        wrong.push(format!("{lane}: {test} is not among FFmpeg's tests"));
    }
    let outcomes = tree.run(&chosen, only.is_none())?;
    wrong.extend(unexpected(lane, &outcomes, &failures()?, only.is_none()));
    for family in &families.family {
        let tests = members.get(&*family.name).map(Vec::as_slice).unwrap_or_default();
        let run: Vec<_> = tests.iter().filter_map(|test| outcomes.get(test)).collect();
        let passed = run.iter().filter(|outcome| ***outcome == Outcome::Passed).count();
        println!("  {:<12} {:>5} run {passed:>5} passed", family.name, run.len());
        if only.is_none() && run.len() < family.at_least {
            let (found, wanted) = (run.len(), family.at_least);
            wrong.push(format!(
                "{lane}: {}: {found} tests, wanted at least {wanted}",
                family.name
            ));
        }
    }
    Ok(wrong)
}

impl Family {
    fn holds(&self, test: &str) -> bool {
        self.names.iter().any(|name| name == test) || self.begins.iter().any(|start| test.starts_with(start.as_str()))
    }
}

fn failures() -> Result<Failures> {
    let failures: Failures = toml_edit::de::from_str(include_str!("fate/failures.toml")).context("failures.toml")?;
    for failure in &failures.failure {
        ensure!(!failure.reason.is_empty(), "{:?} fail without a reason", failure.tests);
        for lane in &failure.lanes {
            ensure!(
                lane == NATIVE || Target::load(lane).is_ok(),
                "there is no lane `{lane}`"
            );
        }
    }
    Ok(failures)
}

/// Failures that nobody expects, and expected ones that did not happen.
fn unexpected(lane: &str, outcomes: &BTreeMap<String, Outcome>, failures: &Failures, all: bool) -> Vec<String> {
    let known = failures
        .failure
        .iter()
        .filter(|failure| failure.lanes.iter().any(|known| known == lane));
    let mut expected: BTreeMap<&str, &str> = known
        .flat_map(|failure| failure.tests.iter().map(|test| (&**test, &*failure.reason)))
        .collect();
    let mut wrong = Vec::new();
    for (test, outcome) in outcomes {
        match (outcome, expected.remove(&**test)) {
            (Outcome::Passed, None) | (Outcome::Failed(_), Some(_)) => {}
            (Outcome::Passed, Some(reason)) => {
                wrong.push(format!("{lane}: {test} passes, but is listed as failing: {reason}"));
            }
            (Outcome::Failed(status), None) => wrong.push(format!("{lane}: {test} fails with status {status}")),
            // What was not run proves nothing, expected or not.
            (Outcome::NotRun, _) => {
                wrong.push(format!("{lane}: {test} was not run: something it needs cannot be made"))
            }
        }
    }
    if all {
        wrong.extend(
            expected
                .keys()
                .map(|test| format!("{lane}: {test} is listed as failing, but is no test")),
        );
    }
    wrong
}

/// Runs the test of the assembly functions on every CPU that is named for a lane, and returns what is not as expected.
fn assembly(lane: &str, tree: &Tree, sample: bool) -> Result<Vec<String>> {
    let data: Checkasm = toml_edit::de::from_str(include_str!("fate/checkasm.toml")).context("checkasm.toml")?;
    let mut wrong = Vec::new();
    let cpus: Vec<&Cpu> = data.cpu.iter().filter(|cpu| cpu.target == lane).collect();
    ensure!(!cpus.is_empty(), "{lane}: checkasm.toml names no CPU");
    for cpu in cpus.into_iter().filter(|cpu| cpu.sample || !sample) {
        let name = cpu.name.as_deref();
        let said = tree.checkasm(name).with_context(|| format!("{lane}: {name:?}"))?;
        let (passed, levels) = heard(&said)?;
        println!(
            "  checkasm on {}: {passed} passed, {}",
            name.unwrap_or("this machine"),
            levels.join(" ")
        );
        if passed < cpu.at_least {
            wrong.push(format!(
                "{lane}: {name:?}: {passed} functions, wanted at least {}",
                cpu.at_least
            ));
        }
        if let Some(vectors) = cpu.vectors.as_ref().filter(|vectors| !said.contains(vectors.as_str())) {
            wrong.push(format!("{lane}: {name:?}: did not say `{vectors}`"));
        }
        for level in cpu.levels.iter().filter(|level| !levels.contains(level)) {
            wrong.push(format!("{lane}: {name:?}: {level} was not reached"));
        }
    }
    Ok(wrong)
}

/// How many functions passed, and the levels under whose headings they were reported.
fn heard(said: &str) -> Result<(usize, Vec<String>)> {
    let mut passed = None;
    let mut levels = Vec::new();
    for line in said.lines() {
        let level = line.strip_suffix(':').filter(|level| !level.contains([' ', ':']));
        if let Some(number) = line.strip_prefix("checkasm: all ") {
            passed = number.split(' ').next().and_then(|number| number.parse().ok());
        } else if let Some(level) = level.filter(|level| *level != "checkasm" && *level != "C") {
            levels.push(level.to_owned());
        }
    }
    match passed {
        Some(passed) => Ok((passed, levels)),
        None => bail!("checkasm: did not say that all passed:\n{said}"),
    }
}

#[test]
fn what_checkasm_says_is_read() {
    let said = "checkasm:\n - CPU: SVE = 512 bits\n - Random seed: 1\nNEON:\n - aes.decrypt [OK]\nSSE4.1:\n\
                checkasm: all 7765 tests passed\n";
    assert_eq!(
        heard(said).unwrap(),
        (7765, vec!["NEON".to_owned(), "SSE4.1".to_owned()])
    );
    heard("NEON:\nFAILURE: aes_neon (failed)\ncheckasm: 1 of 7765 tests failed\n").unwrap_err();
    heard("checkasm: no tests to perform\n").unwrap_err();
}

#[test]
fn a_failure_must_be_known_and_a_known_one_must_happen() {
    let failures = Failures {
        failure: vec![Failure {
            tests: vec!["old".into()],
            lanes: vec![NATIVE.into()],
            reason: "rounds".into(),
        }],
    };
    let wrong = |lane, test: &str, outcome| {
        let outcomes = BTreeMap::from([(test.to_owned(), outcome)]);
        unexpected(lane, &outcomes, &failures, false).len()
    };
    let failed = || Outcome::Failed("1".into());
    assert_eq!(wrong(NATIVE, "new", Outcome::Passed), 0);
    assert_eq!(wrong(NATIVE, "new", failed()), 1);
    assert_eq!(wrong(NATIVE, "new", Outcome::NotRun), 1);
    assert_eq!(wrong(NATIVE, "old", failed()), 0);
    assert_eq!(wrong(NATIVE, "old", Outcome::Passed), 1);
    assert_eq!(wrong(NATIVE, "old", Outcome::NotRun), 1);
    assert_eq!(wrong(TARGETS[0], "old", failed()), 1);
    assert_eq!(unexpected(NATIVE, &BTreeMap::new(), &failures, true).len(), 1);
}
