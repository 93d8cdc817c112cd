//! Builds and runs the conformance programs for both Windows targets with the open system root and its runner.
//!
//! Needs what `cargo xtask fetch` brings; without it the test fails and says so. It uses no network.

#[path = "conformance/suite.rs"]
mod suite;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use store::State;
use suite::{Room, Suite, each};
use toolchains::{Provider, RunOptions, Runner, Silent, Target, Toolchain};

/// Programs that are built or run at one time: the machines that run these tests have two cores.
const JOBS: usize = 2;
/// How often the soak program is started.
const SOAK_STARTS: usize = 1000;
/// Soak programs that run side by side, so that they also disturb each other if they can.
const SOAK_JOBS: usize = 4;
/// The longest a program may take, on a machine that does other things too.
const TIME_LIMIT: Duration = Duration::from_secs(180);

struct Bench {
    suite: Suite,
    toolchain: Toolchain,
    runner: Runner,
    work: tempfile::TempDir,
}

impl Bench {
    fn new(triple: &str) -> Result<Bench> {
        let state = State::locate()?;
        let target = Target::load(triple)?;
        let toolchain = Toolchain::ensure(&state, &target, Provider::Open, JOBS, &Silent)?;
        let runner = Runner::ensure(&state, &target, &Silent)?;
        let work = tempfile::tempdir().context("no scratch folder")?;
        Ok(Bench {
            suite: Suite::load(folder())?,
            toolchain,
            runner,
            work,
        })
    }

    fn room(&self) -> Room<'_> {
        Room {
            suite: folder(),
            bin: &self.toolchain.bin,
            work: self.work.path(),
        }
    }

    fn start(&self, program: &Path, arguments: &[String]) -> Result<Command> {
        // A program that hangs must fail here and not hold up everything else.
        let options = RunOptions {
            timeout: Some(TIME_LIMIT),
            ..RunOptions::default()
        };
        self.runner.command(program, arguments, &options)
    }

    fn build(&self) {
        report("build", &self.suite.build(&self.room(), JOBS));
    }
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/conformance"))
}

fn report(what: &str, failures: &[String]) {
    let shown: Vec<&str> = failures.iter().take(25).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{what}: {} failed\n{}",
        failures.len(),
        shown.join("\n")
    );
}

fn programs(triple: &str) -> Result<()> {
    let bench = Bench::new(triple)?;
    let clock = Instant::now();
    bench.build();
    let built = clock.elapsed();
    let failures = bench.suite.run(&bench.room(), JOBS, &|program, arguments| {
        bench.start(program, arguments)
    });
    report("run", &failures);
    println!(
        "{triple}: {} programs, built in {built:.1?}, run in {:.1?}",
        bench.suite.programs().len(),
        clock.elapsed() - built
    );
    Ok(())
}

fn soak(triple: &str) -> Result<()> {
    let bench = Bench::new(triple)?;
    bench.build();
    let program = bench.suite.program("soak")?;
    let folder = program.lay_out(&bench.room(), "soak")?;
    let starts: Vec<usize> = (0..SOAK_STARTS).collect();
    let clock = Instant::now();
    let failures = each(&starts, SOAK_JOBS, |number| {
        // A code of its own for each start, so that an exit code cannot come from another one; 98 is the program's own failure.
        let code = (number % 90) as i32;
        let output = program
            .start(&folder, &[code.to_string()], &|program, arguments| {
                bench.start(program, arguments)
            })
            .map_err(|error| format!("start {number}: {error:#}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let wanted = format!("soak alive 1 wrong 0 code {code}");
        if output.status.code() == Some(code) && text.trim_end() == wanted {
            return Ok(());
        }
        Err(format!(
            "start {number}: ended with {}, wanted {code}; printed `{}`, wanted `{wanted}`",
            output.status,
            text.trim_end()
        ))
    });
    report("soak", &failures);
    println!("{triple}: {SOAK_STARTS} starts in {:.1?}", clock.elapsed());
    Ok(())
}

#[test]
fn programs_aarch64() -> Result<()> {
    programs("aarch64-pc-windows-msvc")
}

#[test]
fn programs_x86_64() -> Result<()> {
    programs("x86_64-pc-windows-msvc")
}

#[test]
fn soak_aarch64() -> Result<()> {
    soak("aarch64-pc-windows-msvc")
}

#[test]
fn soak_x86_64() -> Result<()> {
    soak("x86_64-pc-windows-msvc")
}
