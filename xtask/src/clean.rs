//! Removes what was built or fetched, and says what that frees. A finished tree goes after its record, so that a kill in
//! between leaves nothing that looks finished.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use store::tree;

use crate::flags::Clean;
use crate::ground::Ground;
use crate::progress;
use crate::session::Session;

/// Runs the verb.
///
/// # Errors
/// If a component does not exist or something cannot be removed.
pub fn run(session: &Session, flags: &Clean) -> Result<()> {
    let root = session.state.root();
    let mut doomed = Vec::new();
    if flags.all {
        // Only what is ours: the variable may name a folder that holds other things.
        let rooms = ["prefix", "work", "sources", "compiled", "logs", "estimates", "locks"];
        doomed.extend(rooms.map(|room| root.join(room)));
    }
    if flags.work {
        doomed.push(root.join("work"));
        doomed.extend(partials(&root.join("prefix")));
    }
    if flags.sources {
        doomed.push(root.join("sources"));
    }
    if let Some(triple) = &flags.target {
        Ground::find(triple)?;
        ensure!(
            !flags.package.is_empty(),
            "--target: says where to remove a component, and none was named\n\nhint: cargo xtask clean --target {triple} -p NAME"
        );
    }
    if !flags.package.is_empty() {
        let components = session.components()?;
        for name in &flags.package {
            components.get(name)?;
            doomed.extend(of_component(root, name, flags.target.as_deref()));
        }
    }
    let mut freed = 0;
    for path in doomed.iter().filter(|path| path.symlink_metadata().is_ok()) {
        let bytes = size(path);
        remove(path)?;
        freed += bytes;
        session
            .progress
            .say("Removed", &format!("{} ({})", path.display(), progress::bytes(bytes)));
    }
    let human = format!("{} freed", progress::bytes(freed));
    session.print("cleaned", serde_json::json!({ "freed-bytes": freed }), &human)
}

/// Everything of one component: by target, its prefixes, work folders and logs.
fn of_component(root: &Path, name: &str, triple: Option<&str>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for room in ["prefix", "work"] {
        for space in children(&root.join(room)) {
            if triple.is_none_or(|triple| space.ends_with(triple)) {
                found.push(space.join(name));
            }
        }
    }
    for room in ["logs", "estimates"] {
        for space in children(&root.join(room)) {
            if triple.is_none_or(|triple| space.ends_with(triple)) {
                let files = ["log", "log.old", "cargo.log", "json"];
                found.extend(files.map(|suffix| space.join(format!("{name}.{suffix}"))));
            }
        }
    }
    found
}

/// What killed builds left among the prefixes.
fn partials(prefix: &Path) -> Vec<PathBuf> {
    let names = children(prefix).into_iter().flat_map(|space| children(&space));
    names
        .flat_map(|name| children(&name))
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "partial"))
        .collect()
}

fn children(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    all.sort();
    all
}

fn remove(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return fs::remove_file(path)
            .map_err(|error| anyhow::anyhow!("{}: cannot be removed: {error}", path.display()));
    }
    // Records first.
    for record in children(path) {
        if record.extension().is_some_and(|suffix| suffix == "record") {
            remove(&record)?;
        }
    }
    tree::remove(path)
}

fn size(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => children(path).iter().map(|child| size(child)).sum(),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_found_in_every_room_and_only_its_target() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["prefix/t1/a/1", "prefix/t2/a/1", "prefix/t1/b/1", "logs/t1"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        let found = of_component(dir.path(), "a", Some("t1"));
        let there: Vec<_> = found.iter().filter(|path| path.exists()).collect();
        assert_eq!(there, [&dir.path().join("prefix/t1/a")]);
        assert!(found.contains(&dir.path().join("logs/t1/a.log")));
        assert_eq!(
            of_component(dir.path(), "a", None)
                .iter()
                .filter(|path| path.exists())
                .count(),
            2
        );
    }
}
