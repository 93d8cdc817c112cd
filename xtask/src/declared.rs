//! What xtask takes out of a `component.toml`: version, sources, promises, absences. Whether the file is right is for the
//! kit, which refuses unknown keys; here nothing is refused that is not needed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use gates::manifest::{Absence, Exception, Kind, Load, Promise, Role};
use serde::Deserialize;
use store::Pin;

use crate::components::FILE;

/// The part of a declaration that is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Declared {
    /// The upstream's version.
    pub version: String,
    /// Its licence, as an SPDX expression.
    pub license: String,
    /// Where people read about it.
    pub homepage: Option<String>,
    #[serde(default)]
    roles: Vec<Role>,
    source: Sources,
    #[serde(default)]
    ships: Ships,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    absent: Vec<Absent>,
    #[serde(default)]
    pub(crate) loads: Vec<Load>,
    #[serde(default)]
    pub(crate) exceptions: Vec<Exception>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Sources {
    One(Box<Source>),
    Many(Vec<Source>),
}

#[derive(Clone, Debug, Deserialize)]
struct Source {
    file: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    url: Vec<String>,
    debian: Option<String>,
    pypi: Option<store::Pypi>,
    #[serde(rename = "crate")]
    crate_: Option<store::CrateRef>,
}

#[derive(Clone, Debug, Deserialize)]
struct Absent {
    what: String,
    #[serde(default)]
    targets: Vec<String>,
    reason: String,
}

/// The lists of `[ships]`, and those of one operating system below them.
#[derive(Clone, Debug, Default, Deserialize)]
struct Ships {
    #[serde(flatten)]
    lists: BTreeMap<String, Names>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    List(Vec<String>),
    Own(Box<Ships>),
}

impl Declared {
    /// Reads the declaration in a component's folder.
    ///
    /// # Errors
    /// If it cannot be read or lacks what is needed.
    pub fn load(folder: &Path) -> Result<Declared> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        toml_edit::de::from_str(&text).with_context(|| path.display().to_string())
    }

    /// The pins, with the version in the place of `{version}`.
    pub fn pins(&self) -> Vec<Pin> {
        let sources = match &self.source {
            Sources::One(source) => std::slice::from_ref(&**source),
            Sources::Many(sources) => sources,
        };
        let put = |text: &String| text.replace("{version}", &self.version);
        sources
            .iter()
            .filter_map(|source| {
                Some(Pin {
                    file: put(source.file.as_ref()?),
                    sha256: source.sha256.clone()?,
                    url: source.url.iter().map(put).collect(),
                    debian: source.debian.as_ref().map(put),
                    pypi: source.pypi.clone().map(|pypi| store::Pypi {
                        version: put(&pypi.version),
                        ..pypi
                    }),
                    crate_: source.crate_.clone().map(|named| store::CrateRef {
                        version: put(&named.version),
                        ..named
                    }),
                })
            })
            .collect()
    }

    /// Whether the recipe calls a build tool of that name.
    pub fn uses(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }

    /// For which machines the recipe is run.
    pub fn roles(&self) -> Vec<Role> {
        match &self.roles[..] {
            [] => vec![Role::Target],
            roles => roles.to_vec(),
        }
    }

    /// What it promises on Windows or elsewhere, by path in the prefix.
    pub fn promises(&self, windows: bool) -> Vec<Promise> {
        let mut all = Vec::new();
        self.ships.collect(windows, &self.version, &mut all);
        all.sort();
        all.dedup();
        all
    }

    /// What it does not have for a target.
    ///
    /// # Errors
    /// If a pattern over targets is none.
    pub fn absences(&self, triple: &str) -> Vec<Absence> {
        self.absent
            .iter()
            .filter(|absent| absent.targets.is_empty() || absent.targets.iter().any(|pattern| matches(pattern, triple)))
            .map(|absent| Absence {
                what: absent.what.clone(),
                reason: absent.reason.clone(),
            })
            .collect()
    }
}

impl Ships {
    fn collect(&self, windows: bool, version: &str, all: &mut Vec<Promise>) {
        for (list, names) in &self.lists {
            let names = match names {
                Names::List(names) => names,
                Names::Own(own) => {
                    if (list == "windows") == windows {
                        own.collect(windows, version, all);
                    }
                    continue;
                }
            };
            for name in names {
                let name = name.replace("{version}", version);
                let (kind, path) = match (list.as_str(), windows) {
                    ("programs", true) => (Kind::Program, format!("bin/{name}.exe")),
                    ("programs", false) => (Kind::Program, format!("bin/{name}")),
                    ("libs", true) => (Kind::Library, format!("bin/{name}.dll")),
                    ("libs", false) => (Kind::Library, format!("lib/{name}")),
                    ("import-libs" | "import_libs", true) => (Kind::ImportLibrary, format!("lib/{name}.lib")),
                    ("import-libs" | "import_libs", false) => continue,
                    ("headers", _) => (Kind::Header, format!("include/{name}")),
                    ("pkgconfig", _) => (Kind::PkgConfig, format!("lib/pkgconfig/{name}.pc")),
                    ("plugins", true) => (Kind::Plugin, format!("{name}.dll")),
                    ("plugins", false) => (Kind::Plugin, format!("{name}.so")),
                    _ => (Kind::File, name),
                };
                all.push(Promise { kind, path });
            }
        }
    }
}

/// Whether a shell pattern, of which only `*` is used over triples, matches.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text
            .strip_prefix(head)
            .is_some_and(|rest| (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(tail, &rest[at..]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_put_in_and_operating_systems_kept_apart() {
        let declared: Declared = toml_edit::de::from_str(
            "version = '2'\nlicense = 'MIT'\n[source]\nfile = 'a-{version}.tgz'\nsha256 = 'x'\nurl = ['u/{version}']\n\
             [ships]\nprograms = ['a']\nheaders = ['a{version}.h']\n[ships.windows]\nimport-libs = ['a']\n[ships.linux]\nlibs = ['liba.so']\n\
             [[absent]]\nwhat = 'x'\ntargets = ['*-windows-*']\nreason = 'because'\n",
        )
        .unwrap();
        let pin = &declared.pins()[0];
        assert_eq!((pin.file.as_str(), pin.url[0].as_str()), ("a-2.tgz", "u/2"));
        let paths = |windows| -> Vec<String> { declared.promises(windows).into_iter().map(|p| p.path).collect() };
        assert_eq!(paths(true), ["bin/a.exe", "lib/a.lib", "include/a2.h"]);
        assert_eq!(paths(false), ["bin/a", "lib/liba.so", "include/a2.h"]);
        assert_eq!(declared.absences("aarch64-pc-windows-msvc").len(), 1);
        assert!(declared.absences("riscv64gc-unknown-linux-gnu").is_empty());
    }
}
