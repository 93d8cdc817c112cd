//! One file of `images/`: what an image looks like around its bundle. Data only; a fault in it is reported with its key, and
//! nothing in it can lead out of the image.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use gates::manifest::Manifest;
use serde::Deserialize;
use serde_json::{Value, json};
use toolchains::{Os, Target};

use crate::failure;
use crate::sbom::{self, rfc3339};

/// The keys that the standard gives to labels.
const STANDARD: &str = "org.opencontainers.image.";

/// One image's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// The operating system of the bundles that it is for.
    os: System,
    /// What people call the image.
    title: String,
    /// What it is for, in a sentence.
    description: String,
    /// The folder that the bundle lies in.
    root: String,
    /// Who runs programs in it.
    #[serde(default)]
    pub user: Option<String>,
    /// What is run when nothing else is said.
    #[serde(default)]
    pub command: Vec<String>,
    /// Variables of its programs.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Further labels.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// What shows that it works.
    #[serde(default)]
    smoke: Option<Smoke>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum System {
    Linux,
    Windows,
}

/// A command that shows that an image works.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Smoke {
    /// The program and its arguments.
    command: Vec<String>,
    /// What only a program that did its work prints.
    sentinel: String,
}

impl Recipe {
    /// The image for a target: the one that was named, or the only one for the target's system.
    ///
    /// # Errors
    /// If there is none or more than one, or a file cannot be read or says what cannot be meant.
    pub fn find(folder: &Path, target: &Target, named: Option<&str>) -> Result<Recipe> {
        let all = Recipe::all(folder)?;
        let os = target.os;
        let names = |fitting: &[&Recipe]| fitting.iter().map(|recipe| recipe.name.clone()).collect::<Vec<_>>();
        if let Some(named) = named {
            let Some(recipe) = all.iter().find(|recipe| recipe.name == named) else {
                let known = all.iter().map(|recipe| recipe.name.as_str());
                match failure::did_you_mean(named, known) {
                    Some(meant) => bail!("image `{named}`: there is none\n\nhint: did you mean `{meant}`?"),
                    None => bail!(
                        "image `{named}`: there is none, found: {}",
                        names(&all.iter().collect::<Vec<_>>()).join(", ")
                    ),
                }
            };
            ensure!(recipe.is_for(os), "image `{named}`: is not for {}", target.triple);
            return Ok(recipe.clone());
        }
        let fitting: Vec<&Recipe> = all.iter().filter(|recipe| recipe.is_for(os)).collect();
        match &fitting[..] {
            [only] => Ok((*only).clone()),
            [] => bail!("{}: no image is for {}", folder.display(), target.triple),
            several => bail!(
                "{}: is wanted as one of several images: {}\n\nhint: --image {}",
                target.triple,
                names(several).join(", "),
                several[0].name
            ),
        }
    }

    fn all(folder: &Path) -> Result<Vec<Recipe>> {
        let context = || format!("{}: cannot be read", folder.display());
        let mut all = Vec::new();
        for item in std::fs::read_dir(folder).with_context(context)? {
            let path = item.with_context(context)?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                let text =
                    std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                all.push(Recipe::parse(&name, &text).with_context(|| path.display().to_string())?);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Reads and checks the text of an image's file.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or says what cannot be meant; all faults are named at once.
    pub fn parse(name: &str, text: &str) -> Result<Recipe> {
        let mut recipe: Recipe = toml_edit::de::from_str(text)?;
        name.clone_into(&mut recipe.name);
        let faults = recipe.faults();
        match faults.is_empty() {
            true => Ok(recipe),
            false => bail!("{}", faults.join("\n")),
        }
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut need = |holds: bool, fault: String| {
            if !holds {
                faults.push(fault);
            }
        };
        need(!self.title.trim().is_empty(), "title: is empty".into());
        need(!self.description.trim().is_empty(), "description: is empty".into());
        let is_below = self.root.strip_prefix('/').is_some_and(is_path);
        need(
            is_below,
            format!("root: wanted an absolute path below `/`, found `{}`", self.root),
        );
        match (self.os, &self.user) {
            (System::Windows, Some(user)) => need(false, format!("user: Windows has none by number, found `{user}`")),
            (System::Linux, None) => need(false, "user: is missing, wanted UID:GID".into()),
            (_, Some(user)) => need(
                is_unprivileged(user),
                format!("user: wanted UID:GID, both above 0, found `{user}`"),
            ),
            (_, None) => {}
        }
        for name in self.environment.keys() {
            need(
                !name.is_empty() && !name.contains(['=', '\0']),
                format!("environment: `{name}` is no name of a variable"),
            );
        }
        for name in self.labels.keys() {
            need(
                !name.is_empty() && !name.starts_with(STANDARD),
                format!("labels: `{name}` is written by the program"),
            );
        }
        if let Some(smoke) = &self.smoke {
            need(
                smoke.command.first().is_some_and(|program| !program.is_empty()) && !smoke.sentinel.is_empty(),
                "smoke: `command` and `sentinel` may not be empty".into(),
            );
        }
        faults
    }

    fn is_for(&self, os: Os) -> bool {
        self.os
            == match os {
                Os::Linux => System::Linux,
                Os::Windows => System::Windows,
            }
    }

    /// The folder of the bundle, relative to the image's root.
    pub fn root(&self) -> &str {
        self.root.trim_start_matches('/')
    }

    /// The variables as `NAME=VALUE`.
    pub fn environment(&self) -> Vec<String> {
        let variables = self.environment.iter();
        variables
            .map(|(name, value)| format!("{name}={}", self.expand(value)))
            .collect()
    }

    /// Words with the bundle's folder put in.
    pub fn expanded(&self, words: &[String]) -> Vec<String> {
        words.iter().map(|word| self.expand(word)).collect()
    }

    fn expand(&self, text: &str) -> String {
        match self.os {
            System::Linux => text.replace("{root}", &self.root),
            System::Windows => text.replace("{root}", &format!("C:{}", self.root.replace('/', "\\"))),
        }
    }

    /// The annotations of the image's manifest.
    ///
    /// # Errors
    /// If the epoch is no time.
    pub fn labels(&self, manifest: &Manifest, epoch: u64) -> Result<HashMap<String, String>> {
        let mut labels = self.config_labels(manifest)?;
        labels.insert(format!("{STANDARD}created"), rfc3339(epoch)?);
        Ok(labels)
    }

    /// The labels of the image's configuration.
    ///
    /// # Errors
    /// Never for what [`Recipe::parse`] let pass.
    pub fn config_labels(&self, manifest: &Manifest) -> Result<HashMap<String, String>> {
        let versions: Vec<String> = manifest
            .components
            .iter()
            .map(|component| format!("{} {}", component.name, component.version))
            .collect();
        let mut labels: HashMap<String, String> = self.labels.clone().into_iter().collect();
        for (key, value) in [
            ("title", self.title.clone()),
            ("description", self.description.clone()),
            ("licenses", sbom::whole_license(manifest)),
            ("version", versions.join(", ")),
        ] {
            labels.insert(format!("{STANDARD}{key}"), value);
        }
        labels.insert("windlass.target".to_owned(), manifest.target.clone());
        labels.insert("windlass.root".to_owned(), self.root.clone());
        if let Some(smoke) = &self.smoke {
            let command = serde_json::to_string(&self.expanded(&smoke.command))?;
            labels.insert("windlass.smoke.command".to_owned(), command);
            labels.insert("windlass.smoke.sentinel".to_owned(), smoke.sentinel.clone());
        }
        Ok(labels)
    }

    /// The check of the smoke command as engines of Docker's line want it, in nanoseconds.
    pub fn healthcheck(&self) -> Option<Value> {
        let smoke = self.smoke.as_ref()?;
        let words: Vec<String> = std::iter::once("CMD".to_owned())
            .chain(self.expanded(&smoke.command))
            .collect();
        Some(json!({ "Test": words, "Interval": 60_000_000_000_u64, "Timeout": 30_000_000_000_u64, "Retries": 3 }))
    }
}

/// Whether a text is a path of plain names.
fn is_path(text: &str) -> bool {
    text.split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.starts_with(".wh.") && !part.contains(['\\', '\0', ':']))
}

fn is_unprivileged(user: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
    user.split_once(':')
        .is_some_and(|(user, group)| number(user) && number(group))
}
