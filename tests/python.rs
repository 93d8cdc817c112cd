//! The interpreters of the bundles at work: what they say of themselves, every module of the library, the parts that stand on
//! other libraries or on the system, environments without a network, and upstream's own tests. Needs the bundles; without them it
//! fails and says so.

#[path = "python/interpreter.rs"]
mod interpreter;
#[path = "python/regrtest.rs"]
mod regrtest;
#[path = "python/suite.rs"]
mod suite;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use interpreter::Python;
use toolchains::{Os, Target};

/// The longest that anything but a test of upstream's may take: a cold emulator on a machine that does other things too.
const LIMIT: Duration = Duration::from_secs(420);

/// `python/cases.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    modules: Vec<String>,
    windows: Vec<String>,
    linux: Vec<String>,
    unsure: Vec<String>,
    absent: Vec<String>,
    parts: BTreeMap<String, String>,
    system: BTreeMap<String, BTreeMap<String, String>>,
    own: BTreeMap<String, BTreeMap<String, String>>,
}

fn cases() -> Result<Cases> {
    toml_edit::de::from_str(include_str!("python/cases.toml")).context("cases.toml")
}

/// The tests of one target. What takes hours is only run when it is asked for.
macro_rules! target {
    ($name:ident, $triple:literal) => {
        mod $name {
            use anyhow::Result;

            #[test]
            fn the_library_is_whole() -> Result<()> {
                super::imports($triple)
            }

            #[test]
            fn every_part_works() -> Result<()> {
                super::parts($triple)
            }

            #[test]
            fn environments_are_made_without_a_network() -> Result<()> {
                super::environment($triple)
            }

            #[test]
            fn a_sample_of_upstreams_tests_passes() -> Result<()> {
                super::suite::sample($triple)
            }

            #[test]
            #[ignore = "runs for an hour, or for several under an emulator"]
            fn upstreams_tests_pass() -> Result<()> {
                super::suite::everything($triple)
            }
        }
    };
}

target!(arm64_windows, "aarch64-pc-windows-msvc");
target!(x64_windows, "x86_64-pc-windows-msvc");
target!(arm64_linux, "aarch64-unknown-linux-gnu");
target!(riscv64_linux, "riscv64gc-unknown-linux-gnu");
target!(x64_linux, "x86_64-unknown-linux-gnu");

/// Every module that is wanted is imported, and none of those that are for the other system: those are in the list for a reason that
/// must hold.
fn imports(triple: &str) -> Result<()> {
    let cases = cases()?;
    ensure!(
        cases.modules.len() > 500,
        "only {} modules are wanted",
        cases.modules.len()
    );
    let without = |all: Vec<String>, some: &[String]| -> Vec<String> {
        all.into_iter().filter(|module| !some.contains(module)).collect()
    };
    let (own, others) = match Target::load(triple)?.os {
        Os::Windows => {
            let unsure = without(cases.unsure, &cases.windows);
            (cases.windows, [cases.linux, unsure].concat())
        }
        Os::Linux => (cases.linux, without(cases.windows, &cases.unsure)),
    };
    let wanted = [cases.modules, own].concat();
    let unwanted = [others, cases.absent].concat();
    let python = Python::with_tests(triple)?;
    let script = include_str!("python/imports.py");
    let found = python.finish(&["-c", script], &wanted.join("\n"), LIMIT)?;
    assert_eq!(found, format!("tried {}\n", wanted.len()), "{triple}");
    let found = python.finish(&["-c", script], &unwanted.join("\n"), LIMIT)?;
    let failed: Vec<&str> = found
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(failed, unwanted, "{triple}: modules that are not for it");
    Ok(())
}

fn parts(triple: &str) -> Result<()> {
    let mut cases = cases()?;
    let system = match Target::load(triple)?.os {
        Os::Windows => "windows",
        Os::Linux => "linux",
    };
    for (of, name) in [(&mut cases.system, system), (&mut cases.own, triple)] {
        let more = of.remove(name);
        cases
            .parts
            .extend(more.with_context(|| format!("cases.toml has nothing for {name}"))?);
    }
    let python = Python::with_tests(triple)?;
    let scratch = python.scratch("parts")?;
    // A file, since processes that it starts import it again.
    let script = scratch.join("works.py");
    std::fs::write(&script, include_str!("python/works.py")).with_context(|| script.display().to_string())?;
    let arguments = [script.display().to_string(), python.path(&scratch)];
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

/// A virtual environment with pip; on Windows its interpreter is started by the launcher and has no DLL beside it.
fn environment(triple: &str) -> Result<()> {
    let python = Python::of(triple)?;
    let folder = python.scratch("venv")?;
    python.finish(&["-m", "venv", &python.path(&folder)], "", LIMIT)?;
    let inside = python.at(&python.script(&folder, "python"))?;
    let script = "import sys, pip; print(sys.prefix != sys.base_prefix, pip.__version__)";
    let found = inside.finish(&["-c", script], "", LIMIT)?;
    assert_eq!(found, format!("True {}\n", python.bundled_pip()?), "{triple}");
    let pip = python.script(&folder, "pip");
    let found = match Target::load(triple)?.os {
        Os::Windows => python.at(&pip)?.finish(&["--version"], "", LIMIT)?,
        // A script: the runner starts programs alone.
        Os::Linux => inside.finish(&[&pip.display().to_string(), "--version"], "", LIMIT)?,
    };
    assert!(
        found.starts_with(&format!("pip {} from ", python.bundled_pip()?)),
        "{triple}: {found}"
    );
    Ok(())
}
