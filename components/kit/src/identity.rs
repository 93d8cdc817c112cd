//! What a prefix is made of, and the digest that names it. Everything here is data: nothing is unpacked, started or
//! assembled, so that finding out that there is nothing to do costs milliseconds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use store::{Digest, DigestWriter};

use crate::component::{self, Component};
use crate::patch;

/// The digest of the kit's own sources and of the state folder's, made when the kit was compiled.
pub const KIT_SOURCES: &str = env!("KIT_SOURCES");

/// Files that a recipe hands to the upstream, beside `component.toml`.
pub const FILES: &str = "files";

/// Keys of `component.toml` that decide nothing in a prefix: a bundle's manifest takes them from the file itself.
const OF_THE_MANIFEST: [&str; 4] = ["absent", "exception", "homepage", "loads"];

/// What decides on a prefix beside the component's own folder.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// The target's triple.
    pub triple: &'a str,
    /// The identity of compilers, system root and tools.
    pub toolchain: &'a Digest,
    /// The same component for the machine that builds, where the recipe is given it.
    pub host: Option<&'a Digest>,
    /// The direct needs and the digests of their prefixes.
    pub needs: BTreeMap<String, Digest>,
}

/// The identity of one prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The prefix's name in the state folder.
    pub digest: Digest,
    /// What the digest was made of, for people who ask why something was rebuilt.
    pub inputs: BTreeMap<String, String>,
}

impl Identity {
    /// Works out the identity of the prefix that a component would have.
    ///
    /// # Errors
    /// If a file of the component cannot be read.
    pub fn of(folder: &Path, component: &Component, surroundings: &Surroundings) -> Result<Identity> {
        let mut inputs = BTreeMap::new();
        let mut put = |name: &str, value: &dyn ToString| inputs.insert(name.to_owned(), value.to_string());
        put("kit", &KIT_SOURCES);
        put("target", &surroundings.triple);
        put("toolchain", &surroundings.toolchain);
        put("declaration", &declaration(&folder.join(component::FILE))?);
        put("recipe", &file(&folder.join("build.rs"))?);
        if let Some(variant) = &component.variant {
            put("variant", variant);
        }
        // The recipe's modules, its diffs and what it hands over.
        for part in ["build", patch::FOLDER, FILES] {
            if folder.join(part).is_dir() {
                put(part, &tree(&folder.join(part))?);
            }
        }
        for (at, source) in component.sources(surroundings.triple).enumerate() {
            match (&source.pin, &source.path) {
                (Some(pin), _) => put(&format!("source {at}"), &pin.sha256),
                (None, Some(path)) => put(&format!("source {at}"), &tree(&component::inside(folder, path))?),
                (None, None) => None,
            };
        }
        if let Some(host) = surroundings.host {
            put("host", host);
        }
        for (name, digest) in &surroundings.needs {
            put(&format!("needs {name}"), digest);
        }
        let mut writer = DigestWriter::new("component");
        writer.field("name", &component.name);
        for (name, value) in &inputs {
            writer.field(name, value);
        }
        Ok(Identity {
            digest: writer.finish(),
            inputs,
        })
    }
}

/// What `component.toml` says to the recipe, whatever its layout, its comments and the order of its keys.
fn declaration(path: &Path) -> Result<Digest> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let mut said: BTreeMap<String, serde_json::Value> =
        toml_edit::de::from_str(&text).with_context(|| path.display().to_string())?;
    said.retain(|key, _| !OF_THE_MANIFEST.contains(&key.as_str()));
    let mut writer = DigestWriter::new("declaration");
    writer.field("said", &serde_json::to_string(&said)?);
    Ok(writer.finish())
}

fn file(path: &Path) -> Result<Digest> {
    let mut writer = DigestWriter::new("file");
    writer.file("content", path)?;
    Ok(writer.finish())
}

fn tree(path: &Path) -> Result<Digest> {
    let mut writer = DigestWriter::new("tree");
    writer.tree("content", path)?;
    Ok(writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(component::FILE);
        std::fs::write(&path, text).unwrap();
        declaration(&path).unwrap().to_string()
    }

    #[test]
    fn what_only_the_manifest_says_rebuilds_nothing() {
        let plain = "version = '1'\nlicense = 'MIT'\n";
        let more = "# Why.\nlicense = 'MIT'\nversion = '1'\nhomepage = 'https://example.org'\n[[absent]]\nwhat = 'a'\nreason = 'b'\n\
                    [[exception]]\nrule = 'pdb'\n[[loads]]\nname = 'c.dll'\n";
        assert_eq!(digest(plain), digest(more));
        assert_ne!(digest(plain), digest("version = '2'\nlicense = 'MIT'\n"));
        assert_ne!(
            digest(plain),
            digest("version = '1'\nlicense = 'MIT'\ntools = ['make']\n")
        );
    }
}
