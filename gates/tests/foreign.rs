//! The judge on files that others built: wheels for every system and architecture, and Debian's libraries for two. What it says of
//! them is exactly what stands in `foreign/expected.toml`, with the reason. The files are not in the repository, so these tests are
//! left out until they are asked for; what is missing then fails them:
//!
//! ```text
//! cargo xtask fetch --pins gates/tests/foreign/pins.toml
//! cargo test --release -p gates --test foreign -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::{Path, PathBuf};

use gates::{Judge, Policy, Report, Verdict};
use globset::Glob;
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Pins {
    pin: Vec<Pin>,
}

#[derive(Deserialize)]
struct Pin {
    file: String,
    sha256: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    finding: Vec<Expected>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    file: String,
    rule: String,
    cause: String,
    why: String,
}

/// The pinned files with that suffix; each is compared with its hash.
fn pinned(suffix: &str) -> Vec<PathBuf> {
    let pins: Pins = toml_edit::de::from_str(include_str!("foreign/pins.toml")).unwrap();
    let sources = state().join("sources");
    let wanted = pins.pin.into_iter().filter(|pin| pin.file.ends_with(suffix));
    let found = wanted.map(|pin| {
        let path = sources.join(&pin.sha256).join(&pin.file);
        let bytes = std::fs::read(&path).unwrap_or_else(|why| {
            panic!(
                "{}: {why}\nhint: cargo xtask fetch --pins gates/tests/foreign/pins.toml",
                path.display()
            )
        });
        let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sha256, pin.sha256, "{}", path.display());
        path
    });
    found.collect()
}

/// The state folder, as the other crates find it.
fn state() -> PathBuf {
    let cache = || {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        cache.or(home).unwrap().join("windlass")
    };
    std::env::var_os("WINDLASS_STATE").map_or_else(cache, PathBuf::from)
}

fn expectations() -> Vec<Expected> {
    let all: Expectations = toml_edit::de::from_str(include_str!("foreign/expected.toml")).unwrap();
    assert!(all.finding.iter().all(|expected| !expected.why.is_empty()));
    all.finding
}

/// Compares a report with what is expected of its files; gives the expectations that were met.
fn compare(report: &Report, file: &str, expected: &[Expected]) -> (Vec<String>, Vec<usize>) {
    let of_file = |expected: &Expected| Glob::new(&expected.file).unwrap().compile_matcher().is_match(file);
    let (mut unexpected, mut met) = (Vec::new(), Vec::new());
    for finding in &report.findings {
        let hit = expected.iter().position(|expected| {
            let text = finding.cause.contains(&expected.cause) || finding.found.contains(&expected.cause);
            expected.rule == finding.rule && text && of_file(expected)
        });
        match hit {
            Some(place) => met.push(place),
            None => unexpected.push(format!("{file}: {finding}")),
        }
    }
    (unexpected, met)
}

#[test]
#[ignore = "needs files of others: cargo xtask fetch --pins gates/tests/foreign/pins.toml"]
fn wheels_of_others_are_clean_but_for_what_is_explained() {
    let policy = Policy::foreign();
    let expected = expectations();
    let (mut unexpected, mut met) = (Vec::new(), Vec::new());
    let wheels = pinned(".whl");
    for wheel in &wheels {
        let file = wheel.file_name().unwrap().to_string_lossy();
        let report = Judge::new(&policy).paths(&[wheel]);
        if report.verdict() == Verdict::NotJudged {
            unexpected.push(format!("{file}: {report}"));
        }
        let (mut more, hits) = compare(&report, &file, &expected);
        unexpected.append(&mut more);
        met.extend(hits);
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let unmet: Vec<&str> = (0..expected.len())
        .filter(|place| !met.contains(place))
        .map(|place| expected[place].cause.as_str())
        .collect();
    assert!(unmet.is_empty(), "expected and not found: {unmet:?}");
    assert!(wheels.len() >= 60, "only {} wheels", wheels.len());
    println!("{} wheels, {} findings explained", wheels.len(), met.len());
}

/// The packages of one architecture close over each other; each is judged beside all others.
fn packages(arch: &str) {
    let packages = pinned(&format!("_{arch}.deb"));
    let paths: Vec<&Path> = packages.iter().map(PathBuf::as_path).collect();
    let report = Judge::new(&Policy::foreign()).paths(&paths);
    assert_eq!(report.verdict(), Verdict::Clean, "{report}");
    assert!(paths.len() >= 40, "only {} packages", paths.len());
    println!("{report}");
}

#[test]
#[ignore = "needs files of others: cargo xtask fetch --pins gates/tests/foreign/pins.toml"]
fn packages_of_debian_for_arm64_are_clean() {
    packages("arm64");
}

#[test]
#[ignore = "needs files of others: cargo xtask fetch --pins gates/tests/foreign/pins.toml"]
fn packages_of_debian_for_riscv64_are_clean() {
    packages("riscv64");
}
