//! The store of published wheels as data: what can be asked for, and the lock beside it that pins every file. It reads and writes
//! texts; finding out what a registry has is not its business.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use gates::known::{self, Known, applies};
use gates::manifest::Exception;
use gates::wheel::normal_name;
use globset::Glob;
use serde::{Deserialize, Serialize};
use store::{Pin, Pypi};
use toolchains::Target;

use crate::python::Python;
use crate::store::{Gap, Held, Wanted, close};
use crate::wheel::Wheel;

/// The head of a lock's text.
const HEAD: &str = "\
# Written by `cargo xtask lock`, from wheels.toml and what a package index has; not by hand.
#
# wheel              One file of the store:
#   file, sha256     What it is called, and what it must hash to.
#   project, version Where a package index has it.
#   targets          The targets that it is for.
#   license          Its licence as an SPDX expression.
#   summary          What it is, in its own words.
#   requires-python  The Pythons that it runs in.
#   requires         What it requires, with its own markers.
";

/// `wheels.toml`: what can be asked for. Its head comment explains the keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Asked {
    /// The version of Python that the store is for.
    pub python: String,
    /// The wheels.
    #[serde(default)]
    pub wheel: Vec<AskedWheel>,
    /// What a target cannot have.
    #[serde(default)]
    pub absent: Vec<AbsentWheel>,
}

/// One project that can be asked for, or that one of those needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AskedWheel {
    /// Its normal name.
    pub project: String,
    /// Its exact version.
    pub version: String,
    /// What it is there for.
    pub why: String,
    /// Shell patterns over the triples of the targets that it is for; empty means every target.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Its licence as an SPDX expression, where its own metadata have none.
    #[serde(default)]
    pub license: Option<String>,
    /// Paths in the wheel of texts of its licence that lie elsewhere than among its metadata.
    #[serde(default)]
    pub licence_files: Vec<String>,
    /// Findings in it that are known and accepted, by their paths in the wheel; an empty one is the wheel itself.
    #[serde(default)]
    pub exception: Vec<Known>,
}

/// A project that has no wheel for some targets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsentWheel {
    /// Its normal name.
    pub project: String,
    /// Shell patterns over target triples.
    pub targets: Vec<String>,
    /// Why, for whoever misses it.
    pub reason: String,
}

/// Every file of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The files, by name.
    #[serde(default)]
    pub wheel: Vec<Locked>,
}

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Locked {
    /// Its name.
    pub file: String,
    /// What it must hash to.
    pub sha256: String,
    /// Its project's normal name.
    pub project: String,
    /// Its version.
    pub version: String,
    /// The triples of the targets that it is for.
    pub targets: Vec<String>,
    /// Its licence as an SPDX expression.
    pub license: String,
    /// What it is, in its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The Pythons that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// What it requires, with its own markers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
}

impl Asked {
    /// Reads the text of `wheels.toml`.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, asks for a project twice, or calls something absent that nobody asks for.
    pub fn parse(text: &str) -> Result<Asked> {
        let asked: Asked = toml_edit::de::from_str(text)?;
        let mut names = BTreeSet::new();
        for wheel in &asked.wheel {
            let normal = normal_name(&wheel.project);
            ensure!(
                wheel.project == normal,
                "wheel `{}`: wanted its normal name, `{normal}`",
                wheel.project
            );
            ensure!(names.insert(&wheel.project), "wheel `{normal}`: is asked for twice");
            patterns(&wheel.targets).with_context(|| format!("wheel `{normal}`"))?;
        }
        for absent in &asked.absent {
            let project = &absent.project;
            ensure!(
                names.contains(project),
                "absent `{project}`: there is no wheel of that name"
            );
            ensure!(!absent.targets.is_empty(), "absent `{project}`: names no target");
            patterns(&absent.targets).with_context(|| format!("absent `{project}`"))?;
        }
        Ok(asked)
    }

    /// The wheels that a target should have; those that it cannot have are not among them.
    pub fn for_target<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a AskedWheel> {
        self.wheel
            .iter()
            .filter(|wheel| wheel.is_for(target) && self.absence(&wheel.project, target).is_none())
    }

    /// Why a target does not have a project, if that is written.
    pub fn absence(&self, project: &str, target: &Target) -> Option<&AbsentWheel> {
        let mut absences = self.absent.iter();
        absences.find(|absent| absent.project == project && applies(&absent.targets, &target.triple))
    }

    /// The wheel of that name.
    pub fn get(&self, project: &str) -> Option<&AskedWheel> {
        self.wheel.iter().find(|wheel| wheel.project == project)
    }
}

impl AskedWheel {
    /// Whether the project is for a target.
    pub fn is_for(&self, target: &Target) -> bool {
        applies(&self.targets, &target.triple)
    }

    /// The findings that are accepted on a target, in the gates' words; `file` is the wheel's path in the bundle.
    pub fn exceptions(&self, target: &Target, file: &str) -> Vec<Exception> {
        known::exceptions(&self.exception, &target.triple)
            .map(|exception| Exception {
                path: match exception.path.as_str() {
                    "" => file.to_owned(),
                    path => format!("{file}:{path}"),
                },
                ..exception
            })
            .collect()
    }
}

impl Lock {
    /// Reads the text of a lock.
    ///
    /// # Errors
    /// If it is none, or a pin in it cannot work.
    pub fn parse(text: &str) -> Result<Lock> {
        let lock: Lock = toml_edit::de::from_str(text)?;
        lock.wheel.iter().try_for_each(|wheel| wheel.pin().check())?;
        Ok(lock)
    }

    /// The text: sorted, so that equal content gives equal text.
    ///
    /// # Errors
    /// Never: every value can be written.
    pub fn to_text(&self) -> Result<String> {
        let mut sorted = self.clone();
        sorted.wheel.sort();
        let mut text = HEAD.to_owned();
        for wheel in &sorted.wheel {
            let table = toml_edit::ser::to_string_pretty(wheel).context("lock cannot be written")?;
            text += &format!("\n[[wheel]]\n{table}");
        }
        Ok(text)
    }

    /// The files for a target.
    pub fn for_target<'a, 't>(&'a self, target: &'t Target) -> impl Iterator<Item = &'a Locked> + use<'a, 't> {
        self.wheel.iter().filter(|wheel| wheel.targets.contains(&target.triple))
    }

    /// The files for a Python that `wanted` leads to; all of its target's if nothing is. `more` are wheels that are there besides.
    ///
    /// # Errors
    /// If a requirement is met by nothing: the wheel, the requirement, the target and the remedy are named.
    pub fn select(&self, python: &Python, wanted: &[Wanted], more: &[Held]) -> Result<Vec<&Locked>> {
        let files: BTreeMap<&str, &Locked> = self
            .for_target(python.target())
            .map(|locked| (locked.file.as_str(), locked))
            .collect();
        let held: Vec<Held> = files
            .values()
            .map(|locked| locked.held())
            .chain(more.iter().cloned())
            .collect();
        let (taken, gaps) = close(python, &held, wanted)?;
        if !gaps.is_empty() {
            let lines: Vec<String> = gaps.iter().map(ToString::to_string).collect();
            bail!("{}\n\nhint: {}", lines.join("\n"), remedy(&gaps));
        }
        Ok(taken
            .iter()
            .filter_map(|held| files.get(held.file.as_str()).copied())
            .collect())
    }
}

/// What mends a store that does not close.
fn remedy(gaps: &[Gap]) -> String {
    let first = gaps.first().map_or("", |gap| gap.requirement.as_str());
    format!(
        "give components/wheels/wheels.toml a [[wheel]] that meets `{first}`, or write the wheel that requires it down as [[absent]]; then \
         cargo xtask lock"
    )
}

impl Locked {
    /// What a wheel's lock says, read out of it.
    ///
    /// # Errors
    /// If the wheel is another project's or another version's than asked for, or neither its metadata nor `asked` name a licence.
    pub fn of(wheel: &Wheel, sha256: &str, asked: &AskedWheel) -> Result<Locked> {
        let metadata = wheel.metadata()?;
        let (name, version) = (metadata.first("Name"), metadata.first("Version"));
        ensure!(
            name.map(normal_name).as_ref() == Some(&asked.project) && version == Some(&asked.version),
            "{}: is {} {}, wanted {} {}",
            wheel.file(),
            name.unwrap_or_default(),
            version.unwrap_or_default(),
            asked.project,
            asked.version
        );
        let own = metadata.first("License-Expression").or_else(|| {
            let text = metadata.first("License")?;
            spdx::Expression::parse(text).is_ok().then_some(text)
        });
        let license = match (own, &asked.license) {
            (Some(own), Some(said)) if own != said => bail!(
                "{}: says `{own}` of its licence, and wheels.toml `{said}`\n\nhint: remove `license` from wheels.toml",
                wheel.file()
            ),
            (Some(text), _) => text.to_owned(),
            (None, Some(said)) => said.clone(),
            (None, None) => bail!(
                "{}: says `{}` of its licence, wanted an SPDX expression\n\nhint: give its [[wheel]] in wheels.toml a `license`",
                wheel.file(),
                metadata
                    .first("License")
                    .unwrap_or_default()
                    .lines()
                    .next()
                    .unwrap_or_default()
            ),
        };
        Ok(Locked {
            file: wheel.file().to_owned(),
            sha256: sha256.to_owned(),
            project: asked.project.clone(),
            version: asked.version.clone(),
            targets: Vec::new(),
            license,
            summary: metadata.first("Summary").unwrap_or_default().to_owned(),
            requires_python: metadata.first("Requires-Python").map(str::to_owned),
            requires: metadata.all("Requires-Dist").map(str::to_owned).collect(),
        })
    }

    /// The file as what has to be fetched.
    pub fn pin(&self) -> Pin {
        Pin {
            file: self.file.clone(),
            sha256: self.sha256.clone(),
            url: Vec::new(),
            debian: None,
            pypi: Some(Pypi {
                project: self.project.clone(),
                version: self.version.clone(),
            }),
            crate_: None,
        }
    }

    /// The wheel as a part of a store.
    pub fn held(&self) -> Held {
        Held {
            file: self.file.clone(),
            project: self.project.clone(),
            version: self.version.clone(),
            requires: self.requires.clone(),
            requires_python: self.requires_python.clone(),
        }
    }
}

fn patterns(patterns: &[String]) -> Result<()> {
    for pattern in patterns {
        Glob::new(pattern).with_context(|| format!("`{pattern}` is no pattern"))?;
        let fits = Target::all()
            .iter()
            .any(|target| applies(std::slice::from_ref(pattern), &target.triple));
        ensure!(fits, "`{pattern}` matches no target");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "python = '3.13.15'
[[wheel]]
project = 'a'
version = '1'
why = 'w'
[[wheel]]
project = 'b'
version = '2'
why = 'w'
targets = ['*-windows-*']
[[absent]]
project = 'a'
targets = ['riscv64gc-*']
reason = 'r'
";

    fn locked(project: &str, requires: &[&str]) -> Locked {
        Locked {
            file: format!("{project}-1-py3-none-any.whl"),
            sha256: "ab".repeat(32),
            project: project.into(),
            version: "1".into(),
            targets: vec!["x86_64-pc-windows-msvc".into()],
            license: "MIT".into(),
            summary: String::new(),
            requires_python: Some(">=3.9".into()),
            requires: requires.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn what_is_asked_for_depends_on_the_target() {
        let asked = Asked::parse(ASKED).unwrap();
        let names = |triple: &str| -> Vec<String> {
            let target = Target::load(triple).unwrap();
            asked.for_target(&target).map(|wheel| wheel.project.clone()).collect()
        };
        assert_eq!(names("x86_64-pc-windows-msvc"), ["a", "b"]);
        assert_eq!(names("riscv64gc-unknown-linux-gnu"), Vec::<String>::new());
        let why = |from: &str, to: &str| format!("{:#}", Asked::parse(&ASKED.replace(from, to)).unwrap_err());
        assert!(why("'b'", "'a'").contains("wheel `a`: is asked for twice"));
        assert!(why("project = 'a'\ntargets", "project = 'c'\ntargets").contains("there is no wheel of that name"));
        assert!(why("riscv64gc-*", "risc-*").contains("`risc-*` matches no target"));
        assert!(why("'b'", "'B_x'").contains("wanted its normal name, `b-x`"));
    }

    #[test]
    fn a_lock_is_the_same_whatever_order_it_was_made_in() {
        let one = Lock {
            wheel: vec![locked("b", &[]), locked("a", &["b>=1; os_name == \"nt\""])],
        };
        let text = one.to_text().unwrap();
        assert!(text.starts_with("# Written by `cargo xtask lock`"));
        let again = Lock::parse(&text).unwrap();
        assert_eq!(again.to_text().unwrap(), text);
        assert_eq!(again.wheel[0], one.wheel[1]);
    }

    #[test]
    fn a_store_that_does_not_close_says_what_is_missing_and_the_remedy() {
        let python = Python::new(&Target::load("x86_64-pc-windows-msvc").unwrap(), "3.13.15").unwrap();
        let lock = Lock {
            wheel: vec![locked("a", &["gone>=2"])],
        };
        let error = lock.select(&python, &[], &[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "a-1-py3-none-any.whl: requires `gone>=2`, which the store for x86_64-pc-windows-msvc does not have\n\nhint: give \
             components/wheels/wheels.toml a [[wheel]] that meets `gone>=2`, or write the wheel that requires it down as [[absent]]; \
             then cargo xtask lock"
        );
        let built = Held {
            version: "2.5".into(),
            ..locked("gone", &[]).held()
        };
        assert_eq!(lock.select(&python, &[], &[built]).unwrap().len(), 1);
    }
}
