//! Crates: cargo itself fetches them, with whatever registry, mirror and proxy it is set up for, through a throw-away
//! package that needs exactly the one wanted. The archive is then in cargo's own cache.

use std::fs;

use anyhow::{Context, Result, bail};
use store::CrateRef;

use super::{Candidate, Settings};

/// Where cargo put the crate's archive.
///
/// # Errors
/// If cargo cannot fetch it.
pub fn candidates(settings: &Settings, wanted: &CrateRef) -> Result<Vec<Candidate>> {
    let what = format!("crate {} {}", wanted.name, wanted.version);
    let found = cached(settings, wanted);
    if !found.is_empty() {
        return Ok(found);
    }
    let dir = std::env::temp_dir().join(format!("windlass-fetch.{}.{}", std::process::id(), wanted.name));
    let result = run_cargo(settings, wanted, &dir);
    let _ = fs::remove_dir_all(&dir);
    result.with_context(|| what.clone())?;
    let found = cached(settings, wanted);
    if found.is_empty() {
        bail!("{what}: cargo fetched it, but its archive is not in cargo's registry cache");
    }
    Ok(found)
}

fn run_cargo(settings: &Settings, wanted: &CrateRef, dir: &std::path::Path) -> Result<()> {
    let manifest = format!(
        "[package]\nname = \"windlass-fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n\"{}\" = \"={}\"\n\n[workspace]\n",
        wanted.name, wanted.version
    );
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(dir)?;
        fs::write(dir.join("Cargo.toml"), manifest)?;
        fs::write(dir.join("lib.rs"), "")
    };
    write().with_context(|| format!("{}: cannot be written", dir.display()))?;
    let output = duct::cmd!(&settings.cargo, "fetch", "--quiet")
        .dir(dir)
        .stderr_to_stdout()
        .stdout_capture()
        .unchecked()
        .run()
        .with_context(|| format!("{}: cannot be started", settings.cargo))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(6)
            .collect();
        bail!("cargo fetch: {}", lines.join("; "));
    }
    Ok(())
}

/// The archive in the cache of each registry that cargo knows, sorted.
fn cached(settings: &Settings, wanted: &CrateRef) -> Vec<Candidate> {
    let file = format!("{}-{}.crate", wanted.name, wanted.version);
    let Some(home) = &settings.cargo_home else {
        return Vec::new();
    };
    let mut found: Vec<_> = fs::read_dir(home.join("registry/cache"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|registry| registry.path().join(&file))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.into_iter().map(Candidate::File).collect()
}
