//! One file of `images/`: what an image looks like around its bundle. Data only; a fault in it is reported with its key, and
//! nothing in it can lead out of the image.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use gates::manifest::{Exception, Manifest};
use serde::Deserialize;
use serde_json::{Value, json};
use toolchains::{Os, Target};

use super::base::{Link, Package, Parts, Text};
use crate::failure;

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
    /// Variables of its programs.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Further labels.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// The packages of its base.
    #[serde(default, rename = "package")]
    packages: Vec<Package>,
    /// Links of its base.
    #[serde(default, rename = "link")]
    links: Vec<Link>,
    /// Files of its base that are made here.
    #[serde(default, rename = "text")]
    texts: Vec<Text>,
    /// Findings of the gates about its base that are known.
    #[serde(default, rename = "exception")]
    exceptions: Vec<Known>,
}

/// A finding of the gates about a base that is known and accepted; as an exception of the gates, but of some architectures alone,
/// because one that covers nothing is a finding itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    rule: String,
    path: String,
    #[serde(default)]
    found: String,
    reason: String,
    link: String,
    until: String,
    #[serde(default)]
    architectures: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum System {
    Linux,
    Windows,
}

/// A command that shows that an image works.
#[derive(Clone, Debug)]
pub struct Smoke {
    /// The program, by its path in the image, and its arguments.
    pub command: Vec<String>,
    /// What only a program that did its work prints.
    pub sentinel: String,
}

impl Smoke {
    /// The check as engines of Docker's line want it, in nanoseconds.
    pub fn healthcheck(&self) -> Value {
        let words: Vec<&str> = std::iter::once("CMD")
            .chain(self.command.iter().map(String::as_str))
            .collect();
        json!({ "Test": words, "Interval": 60_000_000_000_u64, "Timeout": 30_000_000_000_u64, "Retries": 3 })
    }
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
        let base = self.base();
        need(
            self.os == System::Linux || base.is_empty(),
            "package, link, text: an image for Windows has no base".into(),
        );
        faults.extend(base.faults());
        faults
    }

    /// What lies below the bundle.
    pub fn base(&self) -> Parts<'_> {
        Parts {
            packages: &self.packages,
            links: &self.links,
            texts: &self.texts,
        }
    }

    fn is_for(&self, os: Os) -> bool {
        self.os
            == match os {
                Os::Linux => System::Linux,
                Os::Windows => System::Windows,
            }
    }

    /// What is known of its base on a target and accepted.
    pub fn exceptions(&self, target: &Target) -> Vec<Exception> {
        let own = super::base::debian(target.arch);
        let is_for = |known: &&Known| {
            known.architectures.is_empty() || known.architectures.iter().any(|architecture| architecture == own)
        };
        let exception = |known: &Known| Exception {
            rule: known.rule.clone(),
            path: known.path.clone(),
            found: known.found.clone(),
            reason: known.reason.clone(),
            link: Some(known.link.clone()),
            until: Some(known.until.clone()),
        };
        self.exceptions.iter().filter(is_for).map(exception).collect()
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

    /// What is run to see that an image works: a program of the bundle by its name.
    pub fn smoke(&self, program: &str, arguments: &[String], sentinel: &str) -> Smoke {
        let program = match self.os {
            System::Linux => format!("{{root}}/bin/{program}"),
            System::Windows => format!("{{root}}\\bin\\{program}.exe"),
        };
        let mut command = vec![self.expand(&program)];
        command.extend(arguments.iter().cloned());
        Smoke {
            command,
            sentinel: sentinel.to_owned(),
        }
    }

    fn expand(&self, text: &str) -> String {
        match self.os {
            System::Linux => text.replace("{root}", &self.root),
            System::Windows => text.replace("{root}", &format!("C:{}", self.root.replace('/', "\\"))),
        }
    }

    /// The labels of the image.
    ///
    /// # Errors
    /// Never for what [`Recipe::parse`] let pass.
    pub fn labels(&self, manifest: &Manifest, license: &str, smoke: Option<&Smoke>) -> Result<HashMap<String, String>> {
        let versions: Vec<String> = manifest
            .components
            .iter()
            .map(|component| format!("{} {}", component.name, component.version))
            .collect();
        let mut labels: HashMap<String, String> = self.labels.clone().into_iter().collect();
        for (key, value) in [
            ("title", self.title.clone()),
            ("description", self.description.clone()),
            ("licenses", license.to_owned()),
            ("version", versions.join(", ")),
        ] {
            labels.insert(format!("{STANDARD}{key}"), value);
        }
        labels.insert("windlass.target".to_owned(), manifest.target.clone());
        labels.insert("windlass.root".to_owned(), self.root.clone());
        if let Some(smoke) = smoke {
            let command = serde_json::to_string(&smoke.command)?;
            labels.insert("windlass.smoke.command".to_owned(), command);
            labels.insert("windlass.smoke.sentinel".to_owned(), smoke.sentinel.clone());
        }
        Ok(labels)
    }
}

/// Whether a text is a path of plain names.
pub fn is_path(text: &str) -> bool {
    text.split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.starts_with(".wh.") && !part.contains(['\\', '\0', ':']))
}

fn is_unprivileged(user: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
    user.split_once(':')
        .is_some_and(|(user, group)| number(user) && number(group))
}
