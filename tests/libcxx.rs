//! libc++'s own tests, compiled for both Windows targets with the open system root and run by its runner: a fixed sample
//! always, everything on request. What does not pass stands in `libcxx/libcxx.toml`, with the reason.
//!
//! ```text
//! cargo xtask fetch --pins tests/libcxx/pins.toml        # the tests, 0.2 GB of LLVM's sources
//! cargo test -p pipeline --test libcxx                   # the sample
//! cargo test --release -p pipeline --test libcxx all_x86_64 -- --ignored --nocapture    # everything, hours
//! LIBCXX_TESTS=3/16 …                                    # every sixteenth of everything, from the fourth on
//! LIBCXX_TESTS=std/thread,clock …                        # those with one of these in their path
//! ```

#[path = "libcxx/lit.rs"]
mod lit;
#[path = "libcxx/suite.rs"]
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use lit::Features;
use serde::Deserialize;
use store::archive::{Unpack, unpack};
use store::{Begin, DigestWriter, Pin, State};
use suite::{Data, Outcome, Report, Room, choose, list};
use toolchains::{Provider, RunOptions, Runner, Silent, Target, Toolchain};

/// Tests that are compiled or run at one time: the machines that run this have two cores.
const JOBS: usize = 2;
/// The longest a test may run, on a machine that does other things too.
const TIME_LIMIT: Duration = Duration::from_secs(180);

fn here() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/libcxx"))
}

/// The folder `libcxx/test` of LLVM's sources, unpacked if it is not there.
fn sources(state: &State) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Pins {
        pin: [Pin; 1],
    }
    let path = here().join("pins.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let Pins { pin: [pin] } = toml_edit::de::from_str(&text).with_context(|| path.display().to_string())?;
    let archive = state.source_path(&pin);
    if !archive.is_file() {
        bail!(
            "{}: not fetched, wanted at {}\n\nhint: cargo xtask fetch --pins tests/libcxx/pins.toml",
            pin.file,
            archive.display()
        );
    }
    // A few tests look into the library's sources.
    let wanted = ["libcxx/src/**", "libcxx/test/**"];
    let mut writer = DigestWriter::new("libcxx-tests");
    writer.field("pin", &pin.sha256).field("wanted", wanted.join(" "));
    let dir = match state.slot("host", "libcxx-tests", &writer.finish()).begin()? {
        Begin::Ready(dir) => dir,
        Begin::Build(partial) => {
            unpack(&archive, partial.path(), &Unpack::strip(1).only(wanted))?;
            partial.commit(BTreeMap::from([("archive".to_owned(), pin.file)]))?
        }
    };
    Ok(dir.join("libcxx/test"))
}

struct Bench {
    data: Data,
    tests: PathBuf,
    triple: String,
    toolchain: Toolchain,
    runner: Runner,
    work: tempfile::TempDir,
}

impl Bench {
    fn new(triple: &str) -> Result<Bench> {
        let state = State::locate()?;
        let target = Target::load(triple)?;
        Ok(Bench {
            data: Data::load(here())?,
            tests: sources(&state)?,
            triple: triple.to_owned(),
            toolchain: Toolchain::ensure(&state, &target, Provider::Open, JOBS, &Silent)?,
            runner: Runner::ensure(&state, &target, &Silent)?,
            work: tempfile::tempdir().context("no scratch folder")?,
        })
    }

    /// Compiles one of our own sources.
    fn compile(&self, name: &str) -> Result<PathBuf> {
        let mut command = Command::new(self.toolchain.bin.join("clang-cl"));
        command.current_dir(self.work.path());
        command.args(["/nologo", "/c", "/MD", "/W3", "/WX", "-D_CRT_SECURE_NO_WARNINGS", "--"]);
        finish(command.arg(here().join(format!("{name}.c"))))?;
        Ok(self.work.path().join(format!("{name}.obj")))
    }

    fn start(&self, program: &Path) -> Result<Command> {
        // A program that hangs must fail here and not hold up everything else.
        let options = RunOptions {
            timeout: Some(TIME_LIMIT),
            ..RunOptions::default()
        };
        self.runner.command::<&str>(program, &[], &options)
    }

    /// What the data says of compiler and library, and the probe of the system.
    fn features(&self) -> Result<Features> {
        let object = self.compile("probe")?;
        let program = self.work.path().join("probe.exe");
        let mut link = Command::new(self.toolchain.bin.join("lld-link"));
        finish(
            link.arg("/nologo")
                .arg(object)
                .arg(format!("/out:{}", program.display())),
        )?;
        let said = finish(&mut self.start(&program)?)?;
        ensure!(
            said.lines().any(|line| line == "probed"),
            "probe: did not come to its end:\n{said}"
        );
        let mut names: BTreeSet<String> = self.data.features.iter().cloned().collect();
        ensure!(names.remove("TARGET"), "libcxx.toml: the features lack TARGET");
        names.insert(format!("target={}", self.triple));
        let library = self.tests.parent().context("the tests lie in the library's folder")?;
        let mut values = BTreeMap::from([("libcxx-dir".to_owned(), library.display().to_string())]);
        for line in said.lines().filter(|line| *line != "probed") {
            match line.split_once('=') {
                Some((name, value)) => drop(values.insert(name.to_owned(), value.to_owned())),
                None => drop(names.insert(line.to_owned())),
            }
        }
        println!("{}: the system has {said:?}", self.triple);
        Ok(Features { names, values })
    }

    /// Runs tests, several at a time.
    fn run(&self, tests: &[String]) -> Result<Report> {
        let (features, sentinel) = (self.features()?, self.compile("sentinel")?);
        let room = Room {
            data: &self.data,
            tests: &self.tests,
            bin: &self.toolchain.bin,
            sentinel: &sentinel,
            features: &features,
            start: &|program| self.start(program),
        };
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        std::thread::scope(|scope| {
            for job in 0..JOBS {
                let (room, next, outcomes) = (&room, &next, &outcomes);
                let work = self.work.path().join(format!("job{job}"));
                scope.spawn(move || {
                    while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = room
                            .run(test, &work)
                            .unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
                        if let Ok(mut outcomes) = outcomes.lock() {
                            outcomes.insert(test.clone(), outcome);
                        }
                    }
                });
            }
        });
        let outcomes = outcomes.into_inner().map_err(|_| anyhow::anyhow!("a worker died"))?;
        ensure!(
            outcomes.len() == tests.len(),
            "only {} of {} tests came to an end",
            outcomes.len(),
            tests.len()
        );
        Ok(Report(outcomes))
    }
}

fn finish(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}: not started"))?;
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    if !output.status.success() {
        bail!(
            "{command:?}: {}\n{text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(text)
}

/// Which tests are run.
#[derive(Clone, Copy)]
enum Part {
    /// Always the same few hundred.
    Sample,
    /// Those that `LIBCXX_TESTS` asks for, else all.
    All,
}

impl Part {
    fn of(self, tests: Vec<String>, bench: &Bench) -> Result<Vec<String>> {
        match self {
            Part::Sample => {
                let arch = bench.triple.split('-').next().unwrap_or_default();
                let every = bench.data.sample.get(arch);
                let every = every.with_context(|| format!("libcxx.toml: no sample for {arch}"))?;
                choose(tests, Some(&format!("0/{every}")))
            }
            Part::All => choose(tests, std::env::var("LIBCXX_TESTS").ok().as_deref()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Part::Sample => "sample",
            Part::All => "all",
        }
    }
}

/// Runs tests on a target and holds them against the list.
fn judge(triple: &str, part: Part) -> Result<()> {
    let bench = Bench::new(triple)?;
    let tests = part.of(list(&bench.tests)?, &bench)?;
    ensure!(!tests.is_empty(), "{triple}: no test was chosen");
    let clock = Instant::now();
    let report = bench.run(&tests)?;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("libcxx/{triple}.{}.txt", part.name()));
    report.write(&path)?;
    println!("{triple}: {} in {:.0?}", report.summary(), clock.elapsed());
    let surprises = report.surprises(&bench.data, triple);
    let shown: Vec<&str> = surprises.iter().take(25).map(String::as_str).collect();
    ensure!(
        surprises.is_empty(),
        "{triple}: {} are not as libcxx.toml says, all in {}\n{}",
        surprises.len(),
        path.display(),
        shown.join("\n")
    );
    Ok(())
}

#[test]
fn sample_aarch64() -> Result<()> {
    judge("aarch64-pc-windows-msvc", Part::Sample)
}

#[test]
fn sample_x86_64() -> Result<()> {
    judge("x86_64-pc-windows-msvc", Part::Sample)
}

#[test]
#[ignore = "takes hours"]
fn all_aarch64() -> Result<()> {
    judge("aarch64-pc-windows-msvc", Part::All)
}

#[test]
#[ignore = "takes hours"]
fn all_x86_64() -> Result<()> {
    judge("x86_64-pc-windows-msvc", Part::All)
}
