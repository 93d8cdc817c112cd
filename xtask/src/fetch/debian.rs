//! Debian archives: which ones this machine uses, by apt's own sources (sources.list(5), both of its formats). A pool
//! path is the same in all of them, so no index is read.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::{Candidate, Settings};

/// Where the file at a pool path may be.
///
/// # Errors
/// If the machine knows no Debian archive.
pub fn candidates(settings: &Settings, pool: &str) -> Result<Vec<Candidate>> {
    let bases = match &settings.debian_mirror {
        Some(named) => named
            .split_whitespace()
            .map(|base| base.trim_end_matches('/').to_owned())
            .collect(),
        None => bases(&settings.apt),
    };
    if bases.is_empty() {
        bail!(
            "Debian {pool}: no Debian archive in {}\nhint: export WINDLASS_DEBIAN_MIRROR=ADDRESS of a folder that has pool/",
            settings.apt.display()
        );
    }
    Ok(bases
        .iter()
        .map(|base| match base.strip_prefix("file://") {
            Some(folder) => Candidate::File(Path::new(folder).join(pool)),
            None => Candidate::Address(format!("{base}/{pool}")),
        })
        .collect())
}

/// The base addresses of Debian's main archive among apt's sources, in the order of the files' names.
fn bases(apt: &Path) -> Vec<String> {
    let mut files = vec![apt.join("sources.list")];
    let mut parts: Vec<_> = fs::read_dir(apt.join("sources.list.d"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    parts.sort();
    files.append(&mut parts);
    let mut bases = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let found = match file.extension().and_then(|suffix| suffix.to_str()) {
            Some("list") => one_line(&text),
            Some("sources") => deb822(&text),
            _ => Vec::new(),
        };
        for base in found {
            let base = base.trim_end_matches('/').to_owned();
            // Third-party archives have other paths, and security updates are a part of the same pool only for a while.
            let ours = base.starts_with("http") && base.ends_with("/debian");
            if ours && !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    bases
}

/// `deb [option=value …] ADDRESS SUITE COMPONENT…`
fn one_line(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((kind, rest)) = line.split_once(char::is_whitespace) else {
            continue;
        };
        let rest = rest.trim_start();
        let rest = match rest.strip_prefix('[').and_then(|options| options.split_once(']')) {
            Some((_, rest)) => rest,
            None => rest,
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        if let ("deb" | "deb-src", [address, _, components @ ..]) = (kind, &words[..])
            && components.contains(&"main")
        {
            found.push((*address).to_owned());
        }
    }
    found
}

/// Stanzas of `Field: value`, where lines that begin with a blank go on with the value.
fn deb822(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for stanza in plain.split(|line| line.trim().is_empty()) {
        let field = |name: &str| -> Vec<String> {
            let mut words = Vec::new();
            let mut inside = false;
            for line in stanza {
                let value = if line.starts_with([' ', '\t']) {
                    line
                } else {
                    let (key, value) = line.split_once(':').unwrap_or((line, ""));
                    inside = key.trim().eq_ignore_ascii_case(name);
                    value
                };
                if inside {
                    words.extend(value.split_whitespace().map(str::to_owned));
                }
            }
            words
        };
        let enabled = !field("Enabled").iter().any(|word| word == "no" || word == "false");
        let main = field("Components").iter().any(|word| word == "main");
        if enabled && main {
            found.extend(field("URIs"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_give_debians_main_archive_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let parts = dir.path().join("sources.list.d");
        fs::create_dir(&parts).unwrap();
        fs::write(
            dir.path().join("sources.list"),
            "# deb http://off.example/debian stable main\n\
             deb [arch=amd64 signed-by=/x y] http://one.example/debian/ stable main contrib\n\
             deb http://one.example/debian-security stable-security main\n\
             deb cdrom:[x]/ stable main\n",
        )
        .unwrap();
        fs::write(
            parts.join("debian.sources"),
            "Types: deb\n# a remark\nURIs: http://one.example/debian\n  https://two.example/mirror/debian\nSuites: stable\n\
             Components: main\n\nTypes: deb\nURIs: http://three.example/debian\nSuites: x\nComponents: main\nEnabled: no\n",
        )
        .unwrap();
        fs::write(parts.join("other.list"), "deb https://third.example/apt any main\n").unwrap();
        assert_eq!(
            bases(dir.path()),
            ["http://one.example/debian", "https://two.example/mirror/debian"]
        );
    }
}
