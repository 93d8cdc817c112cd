//! The interpreters of the bundles at work: what they say of themselves, every module of the library, the parts that stand on
//! other libraries or on Windows, environments without a network, and upstream's own tests. Needs the bundles; without them it
//! fails and says so.

#[path = "python/interpreter.rs"]
mod interpreter;
#[path = "python/suite.rs"]
mod suite;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use interpreter::Python;

const X64: &str = "x86_64-pc-windows-msvc";
const ARM64: &str = "aarch64-pc-windows-msvc";

/// The longest that anything but a test of upstream's may take: a cold emulator on a machine that does other things too.
const LIMIT: Duration = Duration::from_secs(420);

/// `python/cases.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    modules: Vec<String>,
    elsewhere: Vec<String>,
    parts: BTreeMap<String, String>,
    own: BTreeMap<String, BTreeMap<String, String>>,
}

fn cases() -> Result<Cases> {
    toml_edit::de::from_str(include_str!("python/cases.toml")).context("cases.toml")
}

#[test]
fn the_library_is_whole_on_x64_windows() -> Result<()> {
    imports(X64)
}

#[test]
fn the_library_is_whole_on_arm64_windows() -> Result<()> {
    imports(ARM64)
}

/// Every module that is wanted is imported, and none that is for other systems: those are in the list for a reason that must hold.
fn imports(triple: &str) -> Result<()> {
    let cases = cases()?;
    ensure!(
        cases.modules.len() > 500,
        "only {} modules are wanted",
        cases.modules.len()
    );
    let python = Python::of(triple)?;
    let (wanted, elsewhere) = (cases.modules.join("\n"), cases.elsewhere.join("\n"));
    let script = include_str!("python/imports.py");
    let found = python.finish(&["-c", script], &wanted, LIMIT)?;
    assert_eq!(found, format!("tried {}\n", cases.modules.len()), "{triple}");
    let found = python.finish(&["-c", script], &elsewhere, LIMIT)?;
    let failed: Vec<&str> = found
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(failed, cases.elsewhere, "{triple}: modules for other systems alone");
    Ok(())
}

#[test]
fn every_part_works_on_x64_windows() -> Result<()> {
    parts(X64)
}

#[test]
fn every_part_works_on_arm64_windows() -> Result<()> {
    parts(ARM64)
}

fn parts(triple: &str) -> Result<()> {
    let mut cases = cases()?;
    let own = cases
        .own
        .remove(triple)
        .with_context(|| format!("cases.toml has nothing for {triple}"))?;
    cases.parts.extend(own);
    let python = Python::of(triple)?;
    let scratch = python.scratch("parts")?;
    // A file, since processes that it starts import it again.
    let script = scratch.join("works.py");
    std::fs::write(&script, include_str!("python/works.py")).with_context(|| script.display().to_string())?;
    let arguments = [script.display().to_string(), python.windows_path(&scratch)];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let found = python.finish(&arguments, "", LIMIT)?;
    let found: BTreeMap<String, String> = found
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(part, result)| (part.to_owned(), result.to_owned()))
        .collect();
    assert_eq!(found, cases.parts, "{triple}");
    Ok(())
}

#[test]
fn environments_are_made_without_a_network_on_x64_windows() -> Result<()> {
    environment(X64)
}

#[test]
fn environments_are_made_without_a_network_on_arm64_windows() -> Result<()> {
    environment(ARM64)
}

/// A virtual environment with pip, whose interpreter is started by the launcher and has no DLL beside it.
fn environment(triple: &str) -> Result<()> {
    let python = Python::of(triple)?;
    let folder = python.scratch("venv")?;
    python.finish(&["-m", "venv", &python.windows_path(&folder)], "", LIMIT)?;
    let inside = python.at(&folder.join("Scripts/python.exe"))?;
    let script = "import sys, pip; print(sys.prefix != sys.base_prefix, pip.__version__)";
    let found = inside.finish(&["-c", script], "", LIMIT)?;
    assert_eq!(found, format!("True {}\n", python.bundled_pip()?), "{triple}");
    let found = python
        .at(&folder.join("Scripts/pip.exe"))?
        .finish(&["--version"], "", LIMIT)?;
    assert!(
        found.starts_with(&format!("pip {} from ", python.bundled_pip()?)),
        "{triple}: {found}"
    );
    Ok(())
}

#[test]
fn a_sample_of_upstreams_tests_passes_on_x64_windows() -> Result<()> {
    suite::sample(X64)
}

#[test]
fn a_sample_of_upstreams_tests_passes_on_arm64_windows() -> Result<()> {
    suite::sample(ARM64)
}

#[test]
#[ignore = "runs for an hour: cargo test -p pipeline --test python x64_windows -- --ignored --nocapture"]
fn all_of_upstreams_tests_that_are_listed_pass_on_x64_windows() -> Result<()> {
    suite::everything(X64)
}

#[test]
#[ignore = "runs for hours: cargo test -p pipeline --test python arm64_windows -- --ignored --nocapture"]
fn all_of_upstreams_tests_that_are_listed_pass_on_arm64_windows() -> Result<()> {
    suite::everything(ARM64)
}
