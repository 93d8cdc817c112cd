//! The wheel of numpy that is built here, where nobody publishes one: it computes what the published wheel computes on this machine,
//! with and without the vectors of the processor, and it says nothing of the machine that built it.
//!
//! ```text
//! cargo xtask bundle --target riscv64gc-unknown-linux-gnu --only cpython --wheels numpy
//! cargo xtask bundle --target x86_64-unknown-linux-gnu --only cpython --wheels numpy
//! cargo test -p pipeline --test numpy -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pipeline::{bundle, done, root};
use store::State;
use toolchains::{RunOptions, Runner, Silent, Target};

/// How long one program may take; an emulated interpreter that installs is slow.
const TIMEOUT: Duration = Duration::from_secs(1200);

/// The target that has none published, and an emulated CPU of it without vectors.
const BUILT: &str = "riscv64gc-unknown-linux-gnu";
const PLAIN: &str = "rv64";

/// This machine, whose wheel is its upstream's.
const PUBLISHED: &str = "x86_64-unknown-linux-gnu";

/// The least number of results that are compared.
const RESULTS: usize = 75;

/// A virtual environment with the numpy of a bundle.
struct Environment {
    runner: Runner,
    python: PathBuf,
    // Removed when the environment is done with.
    _folder: tempfile::TempDir,
}

impl Environment {
    fn of(triple: &str) -> Environment {
        let hint = format!("cargo xtask bundle --target {triple} --only cpython --wheels numpy");
        let target = Target::load(triple).unwrap();
        let bundle = bundle(triple).unwrap_or_else(|why| panic!("{why}\nhint: {hint}"));
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("environment");
        let environment = Environment {
            runner: Runner::ensure(&State::locate().unwrap(), &target, &Silent).unwrap(),
            python: home.join("bin/python3.13"),
            _folder: folder,
        };
        let python = bundle.join("python/bin/python3.13");
        assert!(python.is_file(), "{}: is not there\nhint: {hint}", python.display());
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        environment.run(&python, None, &["-m".into(), "venv".into(), text(&home)]);
        let words = ["-m", "pip", "install", "--no-index", "--find-links"].map(str::to_owned);
        let links = [text(&bundle.join("wheels")), "numpy".to_owned()];
        environment.run(&environment.python, None, &[&words[..], &links].concat());
        environment
    }

    fn run(&self, program: &Path, cpu: Option<&str>, arguments: &[String]) -> String {
        let options = RunOptions {
            cpu: cpu.map(str::to_owned),
            timeout: Some(TIMEOUT),
            // Nobody's settings reach what installs.
            env: BTreeMap::from([("PIP_DISABLE_PIP_VERSION_CHECK".to_owned(), "1".to_owned())]),
            ..RunOptions::default()
        };
        done(
            &self
                .runner
                .command(program, arguments, &options)
                .unwrap()
                .output()
                .unwrap(),
        )
    }

    fn compute(&self, cpu: Option<&str>, arguments: &[&str]) -> Vec<String> {
        let program = root().join("tests/numpy/compute.py").to_str().unwrap().to_owned();
        let mut words = vec![program];
        words.extend(arguments.iter().map(|&word| word.to_owned()));
        self.run(&self.python, cpu, &words).lines().map(str::to_owned).collect()
    }
}

#[test]
#[ignore = "needs two bundles with a Python: --only cpython --wheels numpy"]
fn what_is_built_here_computes_what_the_published_one_does() {
    let (built, published) = (Environment::of(BUILT), Environment::of(PUBLISHED));
    let wanted = published.compute(None, &[]);
    assert!(wanted.len() > RESULTS && wanted.last().unwrap() == "done", "{wanted:?}");
    for cpu in [None, Some(PLAIN)] {
        assert_eq!(built.compute(cpu, &[]), wanted, "on the CPU {cpu:?}");
    }
    let version = published.compute(None, &["about"])[0].clone();
    // Quadruple precision, no folder of whoever built it, and vectors where there are some.
    for (cpu, found) in [(None, "found RVV"), (Some(PLAIN), "found ")] {
        let wanted = [&version, "long double 112", "folders []", "python python", found];
        assert_eq!(built.compute(cpu, &["about"]), wanted, "on the CPU {cpu:?}");
    }
}
