//! From what an upstream installed to a prefix: relocatable, without times and paths of this machine, with its licences,
//! and holding what was promised. What is in the files beyond that is for the gates to judge.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use memchr::memmem::Finder;
use store::tree::{self, Kind};

use crate::component::Component;
use crate::cx::Cx;
use crate::surroundings::EPOCH_SECONDS;
use crate::{PREFIX, facts, scan};

/// At most this many lines of one kind are shown; the rest is counted.
const LINES_MAX: usize = 25;

/// Makes the prefix out of the stage and checks it.
pub(crate) fn finish(cx: &Cx) -> Result<()> {
    let partial = &cx.order.partial;
    collect(cx, partial)?;
    copy_licences(cx, partial)?;
    check_ships(&cx.component, cx, partial)?;
    facts::write(cx, partial)?;
    normalise(partial)?;
    let mut secrets = cx.order.secrets.clone();
    secrets.push(cx.order.work.display().to_string());
    check_paths(partial, &secrets)?;
    scan::check(cx)
}

/// Moves the staged tree into the prefix, and refuses anything that was installed beside it.
fn collect(cx: &Cx, partial: &Path) -> Result<()> {
    let staged = cx.staged();
    ensure!(staged.is_dir(), "nothing was installed into {PREFIX}");
    let beside: Vec<String> = tree::list(&cx.stage())?
        .into_iter()
        .map(|entry| format!("/{}", entry.path))
        .filter(|path| *path != PREFIX && !path.starts_with(&format!("{PREFIX}/")))
        .collect();
    ensure!(
        beside.is_empty(),
        "was installed outside of {PREFIX}: {}",
        capped(&beside, ", ")
    );
    for entry in tree::list(&staged)? {
        if !entry.path.contains('/') {
            let (from, to) = (staged.join(&entry.path), partial.join(&entry.path));
            std::fs::rename(&from, &to).with_context(|| format!("{}: cannot be moved", from.display()))?;
        }
    }
    Ok(())
}

fn copy_licences(cx: &Cx, partial: &Path) -> Result<()> {
    let folder = partial.join("share/licenses").join(&cx.component.name);
    for name in &cx.component.licence_files {
        let from = cx.source().join(name);
        let to = folder.join(name);
        if let Some(parent) = to.parent() {
            tree::create_dir(parent)?;
        }
        std::fs::copy(&from, &to).with_context(|| format!("{}: licence cannot be copied", from.display()))?;
    }
    Ok(())
}

/// Drops what is of no use elsewhere, makes texts relocatable, and evens out permissions and times.
fn normalise(partial: &Path) -> Result<()> {
    for entry in tree::list(partial)? {
        let path = partial.join(&entry.path);
        // libtool's archives name absolute folders and serve no linker of ours.
        if entry.path.ends_with(".la") {
            std::fs::remove_file(&path).with_context(|| format!("{}: cannot be removed", path.display()))?;
            continue;
        }
        if entry.path.ends_with(".pc") && entry.kind == Kind::File {
            relocate_module(&path, &entry.path)?;
        }
        let mode = match entry.kind {
            Kind::Link => continue,
            Kind::Folder | Kind::Program => 0o755,
            Kind::File => 0o644,
        };
        std::fs::set_permissions(&path, Permissions::from_mode(mode))
            .with_context(|| format!("{}: permissions cannot be set", path.display()))?;
    }
    let epoch = SystemTime::UNIX_EPOCH + Duration::from_secs(EPOCH_SECONDS);
    // Folders after what is in them, for writing into a folder changes its time.
    for entry in tree::list(partial)?
        .iter()
        .rev()
        .filter(|entry| entry.kind != Kind::Link)
    {
        let path = partial.join(&entry.path);
        File::open(&path)
            .and_then(|file| file.set_modified(epoch))
            .with_context(|| format!("{}: time cannot be set", path.display()))?;
    }
    Ok(())
}

/// Makes a pkg-config module find itself: its prefix is said relative to its own folder.
fn relocate_module(path: &Path, relative: &str) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let up = vec![".."; relative.matches('/').count()].join("/");
    std::fs::write(path, relocated(&text, &up)).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The text of a module with `prefix` relative and every other mention of it, or of the neutral prefix around it, said through
/// that.
fn relocated(text: &str, up: &str) -> String {
    let value = |line: &str| match line.split_once('=') {
        Some((name, value)) if name.trim() == "prefix" => Some(value.trim().to_owned()),
        _ => None,
    };
    // An upstream may have a folder of its own in the prefix.
    let own = text.lines().find_map(value).filter(|own| own.starts_with(PREFIX));
    let own = own.unwrap_or_else(|| PREFIX.to_owned());
    let mut lines = vec![format!("prefix=${{pcfiledir}}/{up}{}", &own[PREFIX.len()..])];
    for line in text.lines().filter(|line| value(line).is_none()) {
        let line = line.replace(&own, "${prefix}");
        lines.push(line.replace(PREFIX, &format!("${{pcfiledir}}/{up}")));
    }
    lines.join("\n") + "\n"
}

/// Reports everything that was promised and is not there.
fn check_ships(component: &Component, cx: &Cx, partial: &Path) -> Result<()> {
    let missing: Vec<String> = component
        .ships
        .resolve(&cx.target)
        .into_iter()
        .filter(|promise| !partial.join(&promise.path).is_file())
        .map(|promise| format!("{:?} `{}`", promise.kind, promise.path))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let there: Vec<String> = tree::list(partial)?
        .into_iter()
        .filter(|entry| entry.kind != Kind::Folder && !entry.path.starts_with("include/"))
        .map(|entry| entry.path)
        .collect();
    bail!(
        "[ships] promises what was not installed: {}; found: {}",
        capped(&missing, ", "),
        capped(&there, ", ")
    )
}

/// Reports every file that names a folder of this machine, and every text that is fixed to the neutral prefix.
fn check_paths(partial: &Path, secrets: &[String]) -> Result<()> {
    let finders: Vec<_> = secrets.iter().map(|secret| (secret, Finder::new(secret))).collect();
    let fixed = Finder::new(PREFIX);
    let mut faults = Vec::new();
    for entry in tree::list(partial)? {
        let path = partial.join(&entry.path);
        let content = match entry.kind {
            Kind::Folder => continue,
            Kind::Link => std::fs::read_link(&path)
                .with_context(|| format!("{}: link cannot be read", path.display()))?
                .into_os_string()
                .into_encoded_bytes(),
            Kind::File | Kind::Program => {
                std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?
            }
        };
        if let Some((secret, _)) = finders.iter().find(|(_, finder)| finder.find(&content).is_some()) {
            faults.push(format!("{}: names `{secret}`", entry.path));
        }
        let text = content.starts_with(b"#!") || entry.path.ends_with(".cmake") || entry.path.ends_with(".pc");
        if (text || entry.kind == Kind::Link) && fixed.find(&content).is_some() {
            faults.push(format!("{}: is fixed to {PREFIX}, wanted a relative path", entry.path));
        }
    }
    ensure!(faults.is_empty(), "is not relocatable: {}", capped(&faults, "; "));
    Ok(())
}

fn capped(lines: &[String], between: &str) -> String {
    let shown = lines[..lines.len().min(LINES_MAX)].join(between);
    match lines.len().saturating_sub(LINES_MAX) {
        0 => shown,
        more => format!("{shown}{between}and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_finds_itself_from_any_depth() {
        let text = "prefix=/windlass\nlibdir=/windlass/lib\nName: x\nCflags: -I${prefix}/include\n";
        assert_eq!(
            relocated(text, "../.."),
            "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\nName: x\nCflags: -I${prefix}/include\n"
        );
    }

    #[test]
    fn a_module_of_an_upstream_with_a_folder_of_its_own_finds_that() {
        let text = "prefix=/windlass/python\nlibdir=/windlass/python/lib\nName: x\nLibs: -L${libdir} -L/windlass/lib\n";
        assert_eq!(
            relocated(text, "../.."),
            "prefix=${pcfiledir}/../../python\nlibdir=${prefix}/lib\nName: x\nLibs: -L${libdir} -L${pcfiledir}/../../lib\n"
        );
    }

    #[test]
    fn a_path_of_the_machine_is_found_in_text_binary_and_link() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.dll"), b"MZ\0/home/me/work/x.c\0").unwrap();
        std::fs::write(dir.path().join("b.cmake"), "set(X /windlass/lib)").unwrap();
        std::fs::write(dir.path().join("c.txt"), "see /windlass/lib").unwrap();
        std::os::unix::fs::symlink("/home/me/work", dir.path().join("d")).unwrap();
        let error = check_paths(dir.path(), &["/home/me/work".into()])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "is not relocatable: a.dll: names `/home/me/work`; \
             b.cmake: is fixed to /windlass, wanted a relative path; d: names `/home/me/work`"
        );
    }

    #[test]
    fn permissions_and_times_are_evened_out_and_libtool_archives_dropped() {
        let dir = tempfile::tempdir().unwrap();
        tree::create_dir(&dir.path().join("lib")).unwrap();
        std::fs::write(dir.path().join("lib/x.la"), "").unwrap();
        std::fs::write(dir.path().join("lib/x"), "").unwrap();
        std::fs::set_permissions(dir.path().join("lib/x"), Permissions::from_mode(0o600)).unwrap();
        normalise(dir.path()).unwrap();
        assert!(!dir.path().join("lib/x.la").exists());
        for (path, mode) in [("lib", 0o755), ("lib/x", 0o644)] {
            let meta = dir.path().join(path).metadata().unwrap();
            assert_eq!(meta.permissions().mode() & 0o7777, mode, "{path}");
            let seconds = meta.modified().unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            assert_eq!(seconds.as_secs(), EPOCH_SECONDS, "{path}");
        }
    }
}
