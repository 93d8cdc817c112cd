//! The folder in which a component was built, for upstreams' own tests, which are made there. What they are is the tests' business.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use store::{State, tree};

use crate::{finish, root};

/// The folder in which a component was built for a target: as it was kept by `WINDLASS_KEEP`, or built now. Its program `enter` runs a
/// command in the environment of the build.
///
/// # Errors
/// If it cannot be built.
pub fn kept(component: &str, triple: &str) -> Result<PathBuf> {
    let user = State::locate()?;
    let folder = |state: &Path, digest: &str| state.join("work").join(triple).join(component).join(digest);
    let mut work = folder(user.root(), &build(component, triple, user.root())?);
    if !work.join("enter").exists() {
        // It was built before, and not kept: once more, for a state folder that borrows everything else.
        let other = borrowed(&user, component, triple)?;
        let digest = build(component, triple, &other)?;
        forget_others(&other, component, triple, &digest)?;
        work = folder(&other, &digest);
        ensure!(
            work.join("enter").exists(),
            "{}: was not kept\n\nhint: rm -r {}",
            work.display(),
            other.display()
        );
    }
    Ok(work)
}

/// Has cargo build the component, and keep the folder if it is built now. Returns the digest that names it.
fn build(component: &str, triple: &str, state: &Path) -> Result<String> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--package", component, "--offline", "--message-format=json"])
        .current_dir(root())
        .env("CARGO_TARGET_DIR", root().join("target/pipeline/target"))
        .env("WINDLASS_TARGET", triple)
        .env("WINDLASS_STATE", state)
        .env("WINDLASS_KEEP", "1");
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    if std::env::var_os("WINDLASS_JOBS").is_none() {
        cargo.env("WINDLASS_JOBS", jobs.to_string());
    }
    let output = finish(&mut cargo)?;
    for line in output.lines() {
        let message: serde_json::Value = serde_json::from_str(line).context("cargo's message cannot be read")?;
        // Its needs announce theirs too.
        if !message["package_id"].as_str().is_some_and(|id| of(id, component)) {
            continue;
        }
        let variables = message["env"].as_array().into_iter().flatten();
        for variable in variables {
            if variable[0] == "KIT_DIGEST" {
                return Ok(variable[1].as_str().context("KIT_DIGEST is no text")?.to_owned());
            }
        }
    }
    bail!("{component}: its build script announced no digest")
}

/// Whether cargo's identifier of a package, an address whose last part is the folder's name before `#`, is of the component.
fn of(id: &str, component: &str) -> bool {
    let path = id.split('#').next().unwrap_or(id);
    path.rsplit('/').next() == Some(component)
}

/// A state folder for trees, in which everything but the component is the user's.
fn borrowed(user: &State, component: &str, triple: &str) -> Result<PathBuf> {
    let other = user.root().join("work/kept").join(component).join(triple);
    tree::create_dir(&other.join("prefix").join(triple))?;
    let mut parts = vec!["sources".into(), Path::new("prefix").join("host")];
    let prefixes = Path::new("prefix").join(triple);
    let there = user.root().join(&prefixes);
    for entry in fs::read_dir(&there).with_context(|| format!("{}: cannot be read", there.display()))? {
        parts.push(prefixes.join(entry?.file_name()));
    }
    for part in parts.iter().filter(|part| !part.ends_with(component)) {
        let link = other.join(part);
        if !link.exists() {
            tree::remove(&link)?;
            symlink(user.root().join(part), &link).with_context(|| format!("{}: cannot be linked", link.display()))?;
        }
    }
    Ok(other)
}

/// Removes what an earlier recipe built there.
fn forget_others(state: &Path, component: &str, triple: &str, digest: &str) -> Result<()> {
    for space in ["work", "prefix"] {
        let folder = state.join(space).join(triple).join(component);
        for entry in fs::read_dir(&folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with(digest) {
                tree::remove(&entry.path())?;
            }
        }
    }
    Ok(())
}
