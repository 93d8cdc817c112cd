//! Upstream's own tests, on Windows module by module and on Linux by upstream's own runner: how many ran, and which failed. Every failure is known by name and reason, and one that
//! is not there any more is as wrong as a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use toolchains::{Os, Target};

use crate::interpreter::Python;
use crate::regrtest;

/// How long a module may take, in seconds: more would stop the others for a test of patience.
const SECONDS: u64 = 900;

/// `suite.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    sample: Vec<String>,
    module: Vec<Module>,
    /// What must at least have run of the whole suite, by target.
    #[serde(default)]
    whole: BTreeMap<String, Counts>,
    #[serde(default)]
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Module {
    name: String,
    /// How many tests must have run, by target.
    ran: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    files: usize,
    tests: usize,
    hours: u64,
    seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    module: String,
    tests: Vec<String>,
    targets: Vec<String>,
    reason: String,
}

/// What came of one module.
pub(crate) struct Outcome {
    pub(crate) ran: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: BTreeSet<String>,
}

/// The modules of the sample.
pub(crate) fn sample(triple: &str) -> Result<()> {
    let suite = read()?;
    let names: Vec<&str> = suite.sample.iter().map(String::as_str).collect();
    match Target::load(triple)?.os {
        Os::Windows => run(triple, &suite, &|module| names.contains(&module)),
        Os::Linux => {
            let least = Counts {
                files: names.len(),
                tests: names.len(),
                hours: 1,
                seconds: 1800,
            };
            whole(triple, &suite, &names, &least)
        }
    }
}

/// All modules that are listed for the target, or all that there are.
pub(crate) fn everything(triple: &str) -> Result<()> {
    let suite = read()?;
    match Target::load(triple)?.os {
        Os::Windows => run(triple, &suite, &|_| true),
        Os::Linux => {
            let least = suite.whole.get(triple);
            let least = least.with_context(|| format!("suite.toml says nothing of the whole suite on {triple}"))?;
            whole(triple, &suite, &[], least)
        }
    }
}

fn whole(triple: &str, suite: &Suite, names: &[&str], least: &Counts) -> Result<()> {
    let python = Python::with_tests(triple)?;
    let whole = regrtest::run(&python, names, Duration::from_secs(least.hours * 3600), least.seconds)?;
    let (outcome, files) = (whole.outcome, whole.files);
    println!("{triple}: {} tests of {files} files", outcome.ran - outcome.skipped);
    ensure!(
        files >= least.files,
        "{triple}: {files} files were run, wanted {}",
        least.files
    );
    let known = suite.known(triple, |module| names.is_empty() || names.contains(&module));
    let wrong = outcome.faults("all", least.tests, &known);
    ensure!(wrong.is_empty(), "{triple}:\n{}", wrong.join("\n"));
    Ok(())
}

impl Suite {
    /// The tests of some modules that are known to fail on a target.
    fn known(&self, triple: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let of_target = |failure: &&Failure| failure.targets.iter().any(|target| target == triple);
        let failures = self.failure.iter().filter(|failure| wanted(&failure.module));
        failures
            .filter(of_target)
            .flat_map(|failure| failure.tests.iter().cloned())
            .collect()
    }
}

fn read() -> Result<Suite> {
    let suite: Suite = toml_edit::de::from_str(include_str!("suite.toml")).context("suite.toml")?;
    let modules: BTreeSet<&str> = suite.module.iter().map(|module| module.name.as_str()).collect();
    for failure in &suite.failure {
        ensure!(
            !failure.reason.is_empty(),
            "{}: a failure without a reason",
            failure.module
        );
        let is_listed = modules.contains(failure.module.as_str());
        let of_whole = failure.targets.iter().all(|target| suite.whole.contains_key(target));
        ensure!(is_listed || of_whole, "{}: is no listed module", failure.module);
    }
    for name in &suite.sample {
        ensure!(modules.contains(name.as_str()), "{name}: is no listed module");
    }
    Ok(suite)
}

fn run(triple: &str, suite: &Suite, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
    let python = Python::with_tests(triple)?;
    let (mut wrong, mut ran, mut modules) = (Vec::new(), 0, 0);
    for module in suite.module.iter().filter(|module| wanted(&module.name)) {
        let Some(at_least) = module.ran.get(triple) else {
            continue;
        };
        let outcome = test(&python, &module.name)?;
        let known = suite.known(triple, |name| name == module.name);
        wrong.extend(outcome.faults(&module.name, *at_least, &known));
        ran += outcome.ran - outcome.skipped;
        modules += 1;
    }
    println!("{triple}: {ran} tests of {modules} modules");
    ensure!(modules > 0, "no module is listed for {triple}");
    ensure!(wrong.is_empty(), "{triple}:\n{}", wrong.join("\n"));
    Ok(())
}

/// Runs the tests of one module, in a process and a folder of its own.
fn test(python: &Python, module: &str) -> Result<Outcome> {
    let begun = Instant::now();
    let folder: PathBuf = python.scratch(&format!("suite/{module}"))?;
    // Wine makes a symbolic link and then does not find it: what wants links is skipped, which is what upstream's tests do where
    // there are none.
    let script = format!(
        "import os, sys, unittest, test.support.os_helper as helper; helper._can_symlink = False; \
         os.chdir(sys.argv.pop(1)); unittest.main(module=None, argv=['test', 'test.{module}'])"
    );
    let output = python.run(
        &["-c", &script, &python.path(&folder)],
        "",
        Duration::from_secs(SECONDS),
    )?;
    store::tree::remove(&folder)?;
    let outcome = Outcome::read(&output);
    println!(
        "{module}: {} ran, {} skipped, failed: {:?} ({:.0} s)",
        outcome.ran,
        outcome.skipped,
        outcome.failed,
        begun.elapsed().as_secs_f64()
    );
    Ok(outcome)
}

impl Outcome {
    /// Understands what `unittest` said. A run without its last line did not come to its end.
    fn read(output: &Output) -> Outcome {
        let said = String::from_utf8_lossy(&output.stderr).replace("\r\n", "\n");
        let mut outcome = Outcome {
            ran: 0,
            skipped: 0,
            failed: BTreeSet::new(),
        };
        let mut ended = false;
        for line in said.lines() {
            let failed = ["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "]
                .iter()
                .find_map(|head| line.strip_prefix(head));
            if let Some(test) = failed {
                outcome.failed.insert(name(test));
            } else if let Some(count) = line.strip_prefix("Ran ").and_then(|rest| rest.split(' ').next()) {
                outcome.ran = count.parse().unwrap_or_default();
            } else if line == "OK"
                || line.starts_with("OK (")
                || line.starts_with("FAILED (")
                || line.starts_with("NO TESTS")
            {
                ended = true;
                let skipped = line.split_once("skipped=").map(|(_, rest)| rest);
                let digits = skipped.map(|rest| {
                    rest.split(|digit: char| !digit.is_ascii_digit())
                        .next()
                        .unwrap_or_default()
                });
                outcome.skipped = digits.and_then(|digits| digits.parse().ok()).unwrap_or_default();
            }
        }
        if !ended {
            outcome.failed.insert("(did not come to its end)".to_owned());
        }
        outcome
    }

    fn faults(&self, module: &str, at_least: usize, known: &BTreeSet<String>) -> Vec<String> {
        let mut faults = Vec::new();
        let mut add = |text: std::fmt::Arguments| {
            let mut fault = format!("{module}: ");
            // Writing to a string cannot fail.
            let _ = fault.write_fmt(text);
            faults.push(fault);
        };
        if self.ran < at_least {
            add(format_args!("{} tests ran, wanted {at_least}", self.ran));
        }
        for test in self.failed.difference(known) {
            add(format_args!("`{test}` failed"));
        }
        for test in known.difference(&self.failed) {
            add(format_args!("`{test}` is known to fail, and did not"));
        }
        faults
    }
}

/// A test's own name: `unittest` says it twice, and with the values of a subtest.
pub(crate) fn name(said: &str) -> String {
    match said.split_once(" (") {
        Some((_, rest)) => {
            let full = rest.split(')').next().unwrap_or(rest);
            full.strip_prefix("test.").unwrap_or(full).to_owned()
        }
        None => said.to_owned(),
    }
}
