//! Whether a store of wheels closes for a target: everything that a wheel in it requires there is in it too, at a version that is
//! allowed. Markers are evaluated for the target, extras only where somebody asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use anyhow::{Result, anyhow};
use gates::wheel::normal_name;
use pep508_rs::pep440_rs::Version;
use pep508_rs::{ExtraName, Requirement, VerbatimUrl, VersionOrUrl};

use crate::python::Python;

/// One wheel of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its file's name.
    pub file: String,
    /// Its project's normal name.
    pub project: String,
    /// Its version.
    pub version: String,
    /// Its `Requires-Dist`.
    pub requires: Vec<String>,
    /// Its `Requires-Python`.
    pub requires_python: Option<String>,
}

/// Something that is to be installed from a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// The project's normal name.
    pub project: String,
    /// The normal names of its extras.
    pub extras: BTreeSet<String>,
}

/// A requirement that a store does not meet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The wheel that requires it.
    pub file: String,
    /// The requirement in its words.
    pub requirement: String,
    /// The target that it is required on.
    pub target: String,
    /// The version that is there in its stead, if any.
    pub found: Option<String>,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap {
            file,
            requirement,
            target,
            found,
        } = self;
        match found {
            Some(version) => write!(
                f,
                "{file}: requires `{requirement}`, and the store for {target} has {version}"
            ),
            None => write!(
                f,
                "{file}: requires `{requirement}`, which the store for {target} does not have"
            ),
        }
    }
}

/// What has to be installed for `wanted` on the Python's target, and the requirements that nothing meets. With nothing wanted,
/// everything is.
///
/// # Errors
/// If a wheel is not for the Python, or a version, requirement or extra cannot be understood.
pub fn close<'a>(python: &Python, held: &'a [Held], wanted: &[Wanted]) -> Result<(Vec<&'a Held>, Vec<Gap>)> {
    let store: BTreeMap<&str, &Held> = held.iter().map(|held| (held.project.as_str(), held)).collect();
    let mut queue: Vec<Wanted> = match wanted {
        [] => store.keys().map(|project| Wanted::plain(project)).collect(),
        wanted => wanted.to_vec(),
    };
    let (mut seen, mut taken, mut gaps) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    while let Some(next) = queue.pop() {
        let Some(held) = store.get(next.project.as_str()).filter(|_| seen.insert(next.clone())) else {
            continue;
        };
        taken.insert(next.project.clone());
        let extras: Vec<ExtraName> = next
            .extras
            .iter()
            .map(|extra| ExtraName::from_str(extra).map_err(|why| anyhow!("{}: extra `{extra}`: {why}", held.file)))
            .collect::<Result<_>>()?;
        held.check_python(python)?;
        for text in &held.requires {
            let requirement = requirement(&held.file, text)?;
            if !requirement.evaluate_markers(python.environment(), &extras) {
                continue;
            }
            let project = normal_name(requirement.name.as_ref());
            let found = store.get(project.as_str());
            if !found.is_some_and(|found| allows(&requirement, &found.version)) {
                gaps.insert(Gap {
                    file: held.file.clone(),
                    requirement: text.clone(),
                    target: python.target().triple.clone(),
                    found: found.map(|found| found.version.clone()),
                });
            }
            let extras = requirement.extras.iter().map(|extra| normal_name(extra.as_ref()));
            queue.push(Wanted {
                extras: extras.collect(),
                project,
            });
        }
    }
    let taken = taken.iter().filter_map(|project| store.get(project.as_str()).copied());
    Ok((taken.collect(), gaps.into_iter().collect()))
}

impl Wanted {
    /// A project without extras.
    pub fn plain(project: &str) -> Wanted {
        Wanted {
            project: normal_name(project),
            extras: BTreeSet::new(),
        }
    }
}

/// Whether a requirement allows a version; one that names an address allows none, and a version that is none is not allowed.
pub fn allows(requirement: &Requirement<VerbatimUrl>, version: &str) -> bool {
    match (&requirement.version_or_url, Version::from_str(version)) {
        (Some(VersionOrUrl::VersionSpecifier(wanted)), Ok(version)) => wanted.contains(&version),
        (None, Ok(_)) => true,
        // A wheel at an address is no wheel of a store.
        (Some(VersionOrUrl::Url(_)), _) | (_, Err(_)) => false,
    }
}

impl Held {
    fn check_python(&self, python: &Python) -> Result<()> {
        match &self.requires_python {
            Some(text) if !python.fits(text)? => Err(anyhow!(
                "{}: is for Python {text}, and the store for {}",
                self.file,
                python.version()
            )),
            _ => Ok(()),
        }
    }
}

fn requirement(file: &str, text: &str) -> Result<Requirement<VerbatimUrl>> {
    Requirement::from_str(text)
        .map_err(|why| anyhow!("{file}: requires `{text}`, which cannot be understood: {}", why.message))
}

#[cfg(test)]
mod tests {
    use toolchains::Target;

    use super::*;

    fn held(project: &str, version: &str, requires: &[&str]) -> Held {
        Held {
            file: format!("{project}-{version}-py3-none-any.whl"),
            project: project.into(),
            version: version.into(),
            requires: requires.iter().map(|text| (*text).to_owned()).collect(),
            requires_python: None,
        }
    }

    fn python(triple: &str) -> Python {
        Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap()
    }

    fn told(triple: &str, store: &[Held], wanted: &[Wanted]) -> (Vec<String>, Vec<String>) {
        let (taken, gaps) = close(&python(triple), store, wanted).unwrap();
        let taken = taken.iter().map(|held| held.project.clone()).collect();
        (taken, gaps.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn markers_are_those_of_the_target_and_not_of_this_machine() {
        let store = [
            held(
                "top",
                "1",
                &[
                    "win; sys_platform == 'win32'",
                    "arm; platform_machine == 'ARM64'",
                    "lin; os_name == 'posix'",
                ],
            ),
            held("win", "1", &[]),
        ];
        let (_, gaps) = told("aarch64-pc-windows-msvc", &store, &[]);
        assert_eq!(
            gaps,
            [
                "top-1-py3-none-any.whl: requires `arm; platform_machine == 'ARM64'`, which the store for aarch64-pc-windows-msvc does not have"
            ]
        );
        assert_eq!(told("x86_64-pc-windows-msvc", &store, &[]).1, Vec::<String>::new());
        assert_eq!(told("x86_64-unknown-linux-gnu", &store, &[]).1.len(), 1);
    }

    #[test]
    fn versions_must_be_allowed_and_old_releases_of_python_do_not_count() {
        let store = [
            held("top", "1", &["dep>=2,<3", "back; python_version < '3.11'"]),
            held("dep", "3.1", &[]),
        ];
        let (_, gaps) = told("aarch64-unknown-linux-gnu", &store, &[]);
        assert_eq!(
            gaps,
            ["top-1-py3-none-any.whl: requires `dep>=2,<3`, and the store for aarch64-unknown-linux-gnu has 3.1"]
        );
    }

    #[test]
    fn extras_count_where_somebody_asks_for_them_and_markers_beside_them() {
        let store = [
            held("top", "1", &["mid[Fast_Path]"]),
            held(
                "mid",
                "1",
                &[
                    "quick; extra == 'fast-path' and sys_platform == 'win32'",
                    "doc; extra == 'docs'",
                ],
            ),
        ];
        let (_, gaps) = told("x86_64-pc-windows-msvc", &store, &[]);
        assert_eq!(gaps.len(), 1, "{gaps:?}");
        assert!(gaps[0].contains("requires `quick"), "{gaps:?}");
        assert_eq!(told("x86_64-unknown-linux-gnu", &store, &[]).1, Vec::<String>::new());
    }

    #[test]
    fn only_what_is_wanted_and_what_it_needs_is_taken_and_circles_end() {
        let store = [held("a", "1", &["b"]), held("b", "1", &["a"]), held("c", "1", &[])];
        let (taken, gaps) = told("x86_64-unknown-linux-gnu", &store, &[Wanted::plain("A")]);
        assert_eq!((taken, gaps.len()), (vec!["a".to_owned(), "b".to_owned()], 0));
    }

    #[test]
    fn what_cannot_be_understood_is_an_error_with_the_wheel() {
        let why = |requires: &str| {
            let store = [held("top", "1", &[requires])];
            close(&python("x86_64-unknown-linux-gnu"), &store, &[])
                .unwrap_err()
                .to_string()
        };
        assert!(
            why("bad requirement")
                .starts_with("top-1-py3-none-any.whl: requires `bad requirement`, which cannot be understood")
        );
        let store = [Held {
            requires_python: Some(">=3.14".into()),
            ..held("new", "1", &[])
        }];
        let error = close(&python("x86_64-unknown-linux-gnu"), &store, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "new-1-py3-none-any.whl: is for Python >=3.14, and the store for 3.13.15"
        );
    }
}
