//! The types of a bundle's `manifest.json`: what was made, of what, by what, and which component owns each file. The
//! bundler writes it, the judge compares it with what lies there. It holds no rule.
//!
//! The text is deterministic: lists are sorted by [`Manifest::to_json`], and nothing in it is a time or a path of a machine.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file's name at the root of a bundle. It is the one file that it does not list.
pub const FILE: &str = "manifest.json";

/// The version of these types. A manifest of another version is refused, never half understood.
pub const SCHEMA: u32 = 1;

/// The owner of files that the bundler itself writes: environment scripts, the README.
pub const BUNDLER: &str = "bundle";

/// What a bundle says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// The triple that everything in the bundle is for, say `aarch64-pc-windows-msvc`.
    pub target: String,
    /// Whose headers and import libraries it was built against.
    pub provider: Provider,
    /// The upstreams in it, by name.
    pub components: Vec<Component>,
    /// Every file but the manifest, by path.
    pub files: Vec<File>,
    /// Every symbolic link, by path; none on Windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// What was asked for besides components and nobody publishes for the target, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
    /// The tools that made it, by name.
    pub tools: Vec<Tool>,
}

/// Whose headers and import libraries a bundle was built against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// The open sysroot, assembled from freely licensed packages.
    Open,
    /// Microsoft's SDK and CRT.
    Xwin,
    /// A Linux distribution's packages.
    Debian,
}

/// One upstream in the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Component {
    /// Its name: its folder's in the workspace.
    pub name: String,
    /// The upstream's version.
    pub version: String,
    /// The licence of what is shipped, as an SPDX expression.
    pub license: String,
    /// The form of the component that was asked for, when it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Whether it is shipped as its upstream published it, and was not built here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
    /// Where people read about the upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The digest of the prefix that it was copied from: 64 hexadecimal digits over all its inputs.
    pub digest: String,
    /// For which machine its recipe was run.
    pub roles: Vec<Role>,
    /// What it was built from, by file name.
    pub sources: Vec<Source>,
    /// What it promised to ship.
    pub ships: Vec<Promise>,
    /// Paths in the bundle of the texts of its licence.
    pub licence_files: Vec<String>,
    /// The other components that it was built against, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// DLLs or shared objects that it loads at run time by name, so that no import table tells of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// The vector paths that are in its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub simd: Vec<Simd>,
    /// What it does not have for this target, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
    /// Findings that are known and accepted, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<Exception>,
}

/// For which machine a recipe was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The machine that builds.
    Host,
    /// The machine that the bundle is for.
    Target,
}

/// One file that an upstream was built from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// Its name, without a folder.
    pub file: String,
    /// Its SHA-256: 64 hexadecimal digits.
    pub sha256: String,
    /// Where the upstream publishes it; empty when it only comes from a package registry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub url: Vec<String>,
}

/// One promised file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Promise {
    /// What it has to be.
    pub kind: Kind,
    /// Its path in the bundle, with `/` between the parts.
    pub path: String,
}

/// What a file is for. What it *is* is decided by its content alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A program.
    Program,
    /// A shared library.
    Library,
    /// An import library.
    ImportLibrary,
    /// An archive of objects.
    StaticLibrary,
    /// A header.
    Header,
    /// A module of pkg-config.
    PkgConfig,
    /// A library that a program loads by itself.
    Plugin,
    /// The text of a licence.
    Licence,
    /// A script that sets the environment up.
    Script,
    /// Anything else.
    File,
}

/// One file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// Its path in the bundle, with `/` between the parts.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256: 64 hexadecimal digits.
    pub sha256: String,
    /// What it is for.
    pub kind: Kind,
    /// The component it belongs to, or [`BUNDLER`].
    pub owner: String,
}

/// One symbolic link of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Link {
    /// Its path in the bundle, with `/` between the parts.
    pub path: String,
    /// Where it leads, as it is written.
    pub to: String,
    /// The component it belongs to, or [`BUNDLER`].
    pub owner: String,
}

/// One name that a component hands to `LoadLibrary` or `dlopen`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Load {
    /// The name as the loader gets it.
    pub name: String,
    /// The file in the bundle that loads it; absent when any of the component's may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether the component goes on without it.
    #[serde(default)]
    pub optional: bool,
    /// What it is loaded for.
    pub reason: String,
}

/// A vector path that is in a file, so that a build which lost it is noticed before somebody measures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Simd {
    /// The file's path in the bundle.
    pub path: String,
    /// The extension, as [`crate::code::Set`] names it: `neon`, `avx2`.
    pub set: String,
    /// The least number of functions that use it.
    pub functions: usize,
}

/// What a component does not have for this target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Absence {
    /// What is not there, in the words of the upstream.
    pub what: String,
    /// Why, for whoever misses it.
    pub reason: String,
}

/// One finding that is known and accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exception {
    /// The id of the rule.
    pub rule: String,
    /// A shell pattern over paths in the bundle; `lib:member` for a member of an archive.
    pub path: String,
    /// Text that the finding must hold, so that the exception covers no other; empty covers every one at the path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found: String,
    /// Why it is accepted.
    pub reason: String,
    /// Where the upstream tracks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The last day on which it holds, as `2027-06-30`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// One tool that took part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of the prefix that holds it: 64 hexadecimal digits.
    pub digest: String,
}

/// Why a manifest could not be had.
#[derive(Debug)]
pub enum Error {
    /// The file could not be read.
    Read(PathBuf, io::Error),
    /// The text is not a manifest.
    Parse(PathBuf, serde_json::Error),
    /// The manifest is of another version.
    Schema(PathBuf, u64),
}

impl Manifest {
    /// Reads the manifest at the root of a bundle.
    ///
    /// # Errors
    /// If there is none, if it is not one, or if it is of another [`SCHEMA`].
    pub fn load(bundle: &Path) -> Result<Manifest, Error> {
        let path = bundle.join(FILE);
        match std::fs::read(&path) {
            Ok(text) => Manifest::parse(&path, &text),
            Err(error) => Err(Error::Read(path, error)),
        }
    }

    /// Understands the text of a manifest; `path` is for messages.
    ///
    /// # Errors
    /// If it is not one, or if it is of another [`SCHEMA`].
    pub fn parse(path: &Path, text: &[u8]) -> Result<Manifest, Error> {
        // The version first, so that a newer manifest is called newer and not full of unknown keys.
        #[derive(Deserialize)]
        struct Version {
            schema: u64,
        }
        let version: Version = serde_json::from_slice(text).map_err(|error| Error::Parse(path.to_owned(), error))?;
        if version.schema != u64::from(SCHEMA) {
            return Err(Error::Schema(path.to_owned(), version.schema));
        }
        serde_json::from_slice(text).map_err(|error| Error::Parse(path.to_owned(), error))
    }

    /// The text of `manifest.json`: sorted, indented by two, closed by a line feed. Equal content gives equal text.
    ///
    /// # Panics
    /// Never: the types hold nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        let mut sorted = self.clone();
        sorted.sort();
        let mut text = serde_json::to_string_pretty(&sorted).expect("strings, numbers and lists are always JSON");
        text.push('\n');
        text
    }

    /// The component of that name.
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.components.iter().find(|component| component.name == name)
    }

    /// The listed files by their paths.
    pub fn files_by_path(&self) -> BTreeMap<&str, &File> {
        self.files.iter().map(|file| (file.path.as_str(), file)).collect()
    }

    fn sort(&mut self) {
        self.components.sort_by(|a, b| a.name.cmp(&b.name));
        self.files.sort();
        self.absences.sort();
        self.tools.sort();
        for component in &mut self.components {
            component.roles.sort();
            component.simd.sort();
            component.sources.sort();
            component.ships.sort();
            component.licence_files.sort();
            component.needs.sort();
            component.loads.sort();
            component.simd.sort();
            component.absences.sort();
            component.exceptions.sort();
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Program => "program",
            Kind::Library => "library",
            Kind::ImportLibrary => "import library",
            Kind::StaticLibrary => "static library",
            Kind::Header => "header",
            Kind::PkgConfig => "pkg-config module",
            Kind::Plugin => "plug-in",
            Kind::Licence => "licence text",
            Kind::Script => "script",
            Kind::File => "file",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(path, error) => write!(f, "{}: cannot be read: {error}", path.display()),
            Error::Parse(path, error) => write!(f, "{}: not a manifest: {error}", path.display()),
            Error::Schema(path, found) => {
                write!(f, "{}: schema {found}, wanted {SCHEMA}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(_, error) => Some(error),
            Error::Parse(_, error) => Some(error),
            Error::Schema(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let file = |path: &str| File {
            path: path.into(),
            size: 3,
            sha256: "ab".repeat(32),
            kind: Kind::Library,
            owner: "b".into(),
        };
        let component = |name: &str| Component {
            name: name.into(),
            version: "1".into(),
            license: "MIT".into(),
            variant: None,
            published: false,
            homepage: None,
            digest: "00".repeat(32),
            roles: vec![Role::Target, Role::Host],
            sources: vec![],
            ships: vec![],
            licence_files: vec![],
            needs: vec![],
            loads: vec![],
            simd: vec![],
            absences: vec![],
            exceptions: vec![],
        };
        Manifest {
            schema: SCHEMA,
            target: "aarch64-pc-windows-msvc".into(),
            provider: Provider::Open,
            components: vec![component("b"), component("a")],
            files: vec![file("bin/b.dll"), file("bin/a.dll")],
            links: vec![],
            absences: vec![],
            tools: vec![],
        }
    }

    #[test]
    fn the_order_of_lists_does_not_reach_the_text() {
        let one = manifest();
        let mut other = one.clone();
        other.files.reverse();
        other.components.reverse();
        assert_eq!(one.to_json(), other.to_json());
        let read = Manifest::parse(Path::new(FILE), one.to_json().as_bytes()).unwrap();
        assert_eq!(read.to_json(), one.to_json());
    }

    #[test]
    fn another_schema_is_named_before_its_unknown_keys() {
        let text = br#"{"schema": 9, "new-key": 1}"#;
        let error = Manifest::parse(Path::new(FILE), text).unwrap_err();
        assert_eq!(error.to_string(), "manifest.json: schema 9, wanted 1");
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let text = manifest()
            .to_json()
            .replacen("\"target\"", "\"colour\": 1,\n  \"target\"", 1);
        let error = Manifest::parse(Path::new(FILE), text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("unknown field `colour`"), "{error}");
    }
}
