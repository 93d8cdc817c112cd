//! The components of the workspace: what cargo knows of their order and what `component.toml` says of their pins. It
//! reads; it builds nothing and has no list of its own: a package with a `component.toml` beside its manifest is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use xshell::Shell;

use crate::failure;

/// One component.
#[derive(Clone, Debug)]
pub struct Component {
    /// The package's name.
    pub name: String,
    /// The package's version, which cargo puts before a build's lines.
    pub package_version: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The components it needs directly, sorted.
    pub needs: Vec<String>,
    /// Whether it is one of the workspace's upstreams, and not one that only tests build.
    pub upstream: bool,
    /// Whether its script calls the kit, and so stands on the target's toolchain.
    pub on_kit: bool,
}

/// All components of the workspace, by name.
#[derive(Clone, Debug, Default)]
pub struct Components {
    all: BTreeMap<String, Component>,
}

/// The part of `cargo metadata` that is read.
#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    // Nothing for normal dependencies. Only those carry a prefix on to the dependent.
    kind: Option<String>,
}

/// The file that makes a package a component.
pub const FILE: &str = "component.toml";

impl Components {
    /// Asks cargo. Nothing is resolved, so neither the network nor a lock file is needed.
    ///
    /// # Errors
    /// If cargo fails.
    pub fn of_workspace(root: &Path, cargo: &str) -> Result<Components> {
        let shell = Shell::new().context("shell cannot be made")?;
        shell.change_dir(root);
        let json = xshell::cmd!(shell, "{cargo} metadata --offline --no-deps --format-version 1 --quiet")
            .quiet()
            .read()
            .context("cargo metadata failed")?;
        Components::from_metadata(&json, &|folder| folder.join(FILE).is_file())
    }

    /// Reads cargo's answer; `is_component` says of a package's folder whether it is one.
    ///
    /// # Errors
    /// If the answer is not one of `cargo metadata`.
    pub fn from_metadata(json: &str, is_component: &dyn Fn(&Path) -> bool) -> Result<Components> {
        let metadata: Metadata = serde_json::from_str(json).context("cargo metadata answered something else")?;
        let upstreams = metadata.workspace_root.join("components");
        let mut found = Vec::new();
        for package in metadata.packages {
            let Some(folder) = package.manifest_path.parent().map(Path::to_owned) else {
                continue;
            };
            if is_component(&folder) {
                found.push((folder, package));
            }
        }
        let names: BTreeSet<String> = found.iter().map(|(_, package)| package.name.clone()).collect();
        let all = found.into_iter().map(|(folder, package)| {
            let on_kit = package
                .dependencies
                .iter()
                .any(|dependency| dependency.name == "kit" && dependency.kind.as_deref() == Some("build"));
            let needs: BTreeSet<String> = package
                .dependencies
                .into_iter()
                .filter(|dependency| dependency.kind.is_none() && names.contains(&dependency.name))
                .map(|dependency| dependency.name)
                .collect();
            let component = Component {
                on_kit,
                upstream: folder.starts_with(&upstreams),
                name: package.name.clone(),
                package_version: package.version,
                folder,
                needs: needs.into_iter().collect(),
            };
            (package.name, component)
        });
        Ok(Components { all: all.collect() })
    }

    /// The component of that name.
    ///
    /// # Errors
    /// If there is none; the likeliest one is named.
    pub fn get(&self, name: &str) -> Result<&Component> {
        if let Some(component) = self.all.get(name) {
            return Ok(component);
        }
        let known: Vec<&str> = self.all.keys().map(String::as_str).collect();
        match failure::did_you_mean(name, known.iter().copied()) {
            Some(meant) => bail!("component `{name}`: there is none\n\nhint: did you mean `{meant}`?"),
            None => bail!("component `{name}`: there is none, found: {}", known.join(", ")),
        }
    }

    /// The named components (every upstream, if none is named) and everything they need, needs first; where the order is
    /// free it is that of the names.
    ///
    /// # Errors
    /// If there is no component of a name.
    pub fn in_order(&self, names: &[&str]) -> Result<Vec<&Component>> {
        let mut wanted: Vec<&Component> = match names {
            [] => self.all.values().filter(|component| component.upstream).collect(),
            names => names.iter().map(|name| self.get(name)).collect::<Result<_>>()?,
        };
        wanted.sort_by(|a, b| a.name.cmp(&b.name));
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for component in wanted {
            self.visit(component, &mut seen, &mut order);
        }
        Ok(order)
    }

    /// Cargo refuses cycles, so this ends.
    fn visit<'a>(&'a self, component: &'a Component, seen: &mut BTreeSet<&'a str>, order: &mut Vec<&'a Component>) {
        if !seen.insert(&component.name) {
            return;
        }
        for need in component.needs.iter().filter_map(|need| self.all.get(need)) {
            self.visit(need, seen, order);
        }
        order.push(component);
    }
}
