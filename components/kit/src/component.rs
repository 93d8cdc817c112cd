//! `component.toml`: the pin, the promise and the lists of one upstream, read once and checked. It holds no `if`:
//! whatever depends on a decision is in the recipe.

mod check;
mod ships;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gates::known::{self, Known, applies};
use gates::manifest::{Exception, Load, Role};
use serde::{Deserialize, Serialize};
use toolchains::Target;

pub use ships::Ships;
pub use source::Source;

/// The file's name in a component's folder.
pub const FILE: &str = "component.toml";

/// What one `component.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Component {
    /// The name of the component: its folder's, not written in the file.
    #[serde(skip)]
    pub name: String,
    /// The upstream's version. Other strings may say `{version}`.
    pub version: String,
    /// The licence of what is shipped, as an SPDX expression.
    pub license: String,
    /// Where people read about the upstream.
    #[serde(default)]
    pub homepage: Option<String>,
    /// Paths in the source tree of the texts that must go with what is shipped.
    #[serde(default, alias = "licence_files")]
    pub licence_files: Vec<String>,
    /// Shell patterns over target triples; empty means every target. For others there is nothing to build, nothing is bundled, and
    /// whoever needs it has no such need.
    #[serde(default)]
    pub targets: Vec<String>,
    /// For which machine the recipe is run: the target, the host (code generators), or both.
    #[serde(default = "target_only")]
    pub roles: Vec<Role>,
    /// Build tools the recipe calls beside the compiler.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Where the source comes from; the first is the tree itself, further ones are unpacked into it. Each may be for some targets
    /// alone.
    #[serde(deserialize_with = "source::one_or_many")]
    pub source: Vec<Source>,
    /// What must be in the prefix, or the build has failed.
    pub ships: Ships,
    /// What the component's crate is told of the installed headers.
    #[serde(default)]
    pub facts: Option<Facts>,
    /// What a target cannot have, each with the reason.
    #[serde(default)]
    pub absent: Vec<Absent>,
    /// The order of the files in `patches/`, when it is not the order of their names.
    #[serde(default)]
    pub patch: Vec<PatchRef>,
    /// Small changes of the source that are no diff because their place moves between versions.
    #[serde(default)]
    pub edit: Vec<Edit>,
    /// What it loads by name at run time; for the gates.
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Findings that are known and accepted; for the gates.
    #[serde(default)]
    pub exception: Vec<Known>,
    /// Lists that the recipe joins into arguments.
    #[serde(default)]
    pub lists: BTreeMap<String, Vec<String>>,
    /// Other forms of the component under other licences, by name. None is built unless it is asked for by its name.
    #[serde(default, rename = "variant")]
    pub variants: BTreeMap<String, Variant>,
    /// The variant that was asked for; not written in the file.
    #[serde(skip)]
    pub variant: Option<String>,
}

/// Another form of a component, under another licence. What it has besides is the recipe's to know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Variant {
    /// The licence of what is shipped, as an SPDX expression.
    pub license: String,
    /// Paths in the source tree of the texts that must go with what is shipped.
    pub licence_files: Vec<String>,
    /// What it has that the usual form has not.
    pub what: String,
}

/// A build tool that a recipe calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// CMake, with Ninja; from a pinned package.
    Cmake,
    /// GNU Make; from the machine.
    Make,
    /// Meson, with Ninja; from a pinned package.
    Meson,
    /// The assembler of x86; from a pinned package.
    Nasm,
    /// Ninja; from a pinned package.
    Ninja,
    /// `pkg-config`; from a pinned package, and it sees only the components that are needed.
    Pkgconf,
    /// Perl 5; from the machine.
    Perl,
    /// Python 3; from the machine.
    Python3,
    /// The runner of the target's programs, for upstreams that run what they have just built.
    Runner,
}

/// The constants that a component's crate takes from the installed headers, and with them the proof that the headers can be
/// read for the target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Headers below `include/` that are read beside the promised ones.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The constants; each of them must be found.
    pub names: Vec<String>,
}

/// One absence: what a target does not have, and why.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// What is not there, in the words of the upstream.
    pub what: String,
    /// Shell patterns over target triples; empty means every target.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Why, for whoever misses it.
    pub reason: String,
}

/// One patch, named because its order or its targets are not the default.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PatchRef {
    /// The file's name in `patches/`.
    pub file: String,
    /// Shell patterns over target triples; empty means every target.
    #[serde(default)]
    pub targets: Vec<String>,
}

/// One anchored edit of the source.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Edit {
    /// The file in the source tree.
    pub file: String,
    /// The exact text that is looked for; it may span lines.
    pub find: String,
    /// What takes its place.
    pub replace: String,
    /// How often the text must be found.
    #[serde(default = "once")]
    pub count: usize,
    /// What the edit does and why it is needed.
    pub why: String,
    /// What the upstream knows of it; the same words as in a patch's header.
    pub upstream_status: String,
    /// Shell patterns over target triples; empty means every target.
    #[serde(default)]
    pub targets: Vec<String>,
}

impl Component {
    /// Reads and checks the `component.toml` in a component's folder. The folder's name is the component's.
    ///
    /// # Errors
    /// If the file cannot be read, has a key that is not known, or [`Component::parse`] refuses it.
    pub fn load(folder: &Path) -> Result<Component> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let Some(name) = folder.file_name().and_then(|name| name.to_str()) else {
            bail!("{}: a component's folder needs a name", folder.display());
        };
        Component::parse(name, &text).with_context(|| path.display().to_string())
    }

    /// Reads and checks the text of a `component.toml`.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, lacks a needed one, or says something that cannot be meant.
    pub fn parse(name: &str, text: &str) -> Result<Component> {
        let mut component: Component = toml_edit::de::from_str(text)?;
        component.name = name.to_owned();
        component.expand();
        check::check(&component)?;
        Ok(component)
    }

    /// The component in the form that was asked for, if one was.
    ///
    /// # Errors
    /// If it has no variant of that name.
    pub fn choose(mut self, variant: Option<&str>) -> Result<Component> {
        let Some(name) = variant else { return Ok(self) };
        let Some(variant) = self.variants.get(name) else {
            let known: Vec<&str> = self.variants.keys().map(String::as_str).collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            };
            bail!("{}: there is no variant `{name}`, found: {known}", self.name);
        };
        self.license = variant.license.clone();
        self.licence_files = variant.licence_files.clone();
        self.variant = Some(name.to_owned());
        Ok(self)
    }

    /// Whether there is such a component for a target.
    pub fn is_for(&self, triple: &str) -> bool {
        applies(&self.targets, triple)
    }

    /// The sources that are unpacked for a target.
    pub fn sources(&self, triple: &str) -> impl Iterator<Item = &Source> {
        self.source
            .iter()
            .filter(move |source| applies(&source.targets, triple))
    }

    /// The pins of everything that has to be fetched for a target.
    pub fn pins(&self, triple: &str) -> impl Iterator<Item = &store::Pin> {
        self.sources(triple).filter_map(|source| source.pin.as_ref())
    }

    /// The pins of all targets.
    pub fn all_pins(&self) -> impl Iterator<Item = &store::Pin> {
        self.source.iter().filter_map(|source| source.pin.as_ref())
    }

    /// A list of the file, joined with commas.
    ///
    /// # Errors
    /// If there is no list of that name.
    pub fn list(&self, name: &str) -> Result<String> {
        Ok(self.items(name)?.join(","))
    }

    /// A list of the file.
    ///
    /// # Errors
    /// If there is no list of that name.
    pub fn items(&self, name: &str) -> Result<&[String]> {
        match self.lists.get(name) {
            Some(items) => Ok(items),
            None => bail!(
                "{}: {FILE} has no list `{name}`, found: {}",
                self.name,
                self.lists.keys().cloned().collect::<Vec<_>>().join(", ")
            ),
        }
    }

    /// The absences that hold for a target.
    pub fn absences(&self, target: &Target) -> impl Iterator<Item = &Absent> {
        self.absent
            .iter()
            .filter(move |absent| applies(&absent.targets, &target.triple))
    }

    /// The findings that are accepted on a target, in the gates' words.
    pub fn exceptions(&self, target: &Target) -> Vec<Exception> {
        known::exceptions(&self.exception, &target.triple).collect()
    }

    /// Whether the recipe calls a tool.
    pub fn uses(&self, tool: Tool) -> bool {
        self.tools.contains(&tool)
    }

    /// Puts the version in the place of `{version}` wherever a string may say it.
    fn expand(&mut self) {
        let version = self.version.clone();
        for source in &mut self.source {
            source.expand(&version);
        }
        self.ships.expand(&version);
        for file in &mut self.licence_files {
            *file = file.replace("{version}", &version);
        }
    }
}

/// The tree that a component names as its source, in its own folder.
pub(crate) fn inside(folder: &Path, relative: &str) -> PathBuf {
    folder.join(relative)
}

fn target_only() -> Vec<Role> {
    vec![Role::Target]
}

fn once() -> usize {
    1
}
