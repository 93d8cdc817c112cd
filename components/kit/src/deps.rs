//! The prefixes of what a component needs. It names only direct needs; search paths are complete through their closures.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use store::Digest;

/// One direct need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dep {
    /// The component's name.
    pub name: String,
    /// Its prefix.
    pub root: PathBuf,
    /// The identity of its prefix.
    pub digest: Digest,
    /// Its own prefix and those of everything below it.
    pub closure: Vec<PathBuf>,
}

/// All direct needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Deps(pub Vec<Dep>);

impl Deps {
    /// The direct need of that name.
    pub fn get(&self, name: &str) -> Option<&Dep> {
        self.0.iter().find(|dep| dep.name == name)
    }

    /// The prefixes of all needs, direct and not, in the order of the needs and each once.
    pub fn closure(&self) -> Vec<PathBuf> {
        let mut roots = Vec::new();
        for root in self.0.iter().flat_map(|dep| &dep.closure) {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        roots
    }

    /// Where pkg-config finds the modules of all needs, joined with colons.
    pub fn pkg_config_path(&self) -> String {
        let folders: Vec<String> = self
            .closure()
            .iter()
            .flat_map(|root| [root.join("lib/pkgconfig"), root.join("share/pkgconfig")])
            .map(|folder| folder.display().to_string())
            .collect();
        folders.join(":")
    }
}
