//! A slice of numpy's own tests, which its published wheels carry, in an environment made from the bundle. What fails stands in
//! `numpy.toml` with its reason; anything else that fails, and anything there that does not, is an error.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::root;
use serde::Deserialize;

use crate::{Bench, pinned, source};

/// `wheels/numpy.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    slice: BTreeMap<String, Slice>,
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slice {
    modules: Vec<String>,
    passed: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    tests: Vec<String>,
    targets: Vec<String>,
    reason: String,
}

fn suite(triple: &str) {
    let mut table: Table = toml_edit::de::from_str(include_str!("numpy.toml")).unwrap();
    let slice = table.slice.remove(triple).unwrap();
    let known: BTreeSet<&str> = table
        .failure
        .iter()
        .inspect(|failure| assert!(!failure.reason.is_empty(), "{:?}: no reason", failure.tests))
        .filter(|failure| failure.targets.iter().any(|target| target == triple))
        .flat_map(|failure| failure.tests.iter().map(String::as_str))
        .collect();
    let bench = Bench::new(triple);
    let folder = bench.folder.path().join("pins");
    std::fs::create_dir(&folder).unwrap();
    for pin in pinned(|project| project != "uv") {
        std::fs::copy(source(&pin), folder.join(&pin.file)).unwrap();
    }
    let python = bench.environment_with(&["numpy", "pytest", "hypothesis"], &[&folder]);
    let program = root().join("tests/wheels/suite.py");
    let mut arguments = vec![program.to_str().unwrap()];
    arguments.extend(slice.modules.iter().map(String::as_str));
    let told = bench.run(&python, &arguments);
    let failed: BTreeSet<&str> = told
        .lines()
        .filter_map(|line| line.strip_prefix("failed "))
        .map(str::trim)
        .collect();
    let new: Vec<_> = failed.difference(&known).collect();
    let mended: Vec<_> = known.difference(&failed).collect();
    assert!(
        new.is_empty() && mended.is_empty(),
        "failed: {new:?}\nfailed no more: {mended:?}"
    );
    let last = told.lines().last().unwrap_or_default();
    let passed = last
        .strip_prefix("passed ")
        .and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    println!("{triple}: {last}");
    assert!(
        passed >= Some(slice.passed),
        "{last}; wanted at least {} passed",
        slice.passed
    );
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy, and: cargo xtask fetch --pins tests/wheels/pins.toml"]
fn numpys_own_tests_on_x86_64_windows() {
    suite("x86_64-pc-windows-msvc");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy, and: cargo xtask fetch --pins tests/wheels/pins.toml"]
fn numpys_own_tests_on_aarch64_windows() {
    suite("aarch64-pc-windows-msvc");
}
