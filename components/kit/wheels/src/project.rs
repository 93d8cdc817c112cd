//! `pyproject.toml` (PEP 621, PEP 639): what a project says of itself, and the core metadata that follows from it. TOML and
//! requirements are read by parsers, so that neither line ends nor the layout of lists matter. No build backend's own tables are read
//! beyond the question which backend it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use gates::wheel::normal_name;
use globset::{GlobBuilder, GlobMatcher};
use pep508_rs::pep440_rs::{Version, VersionSpecifiers};
use pep508_rs::{ExtraName, Requirement, VerbatimUrl};
use serde::Deserialize;
use store::tree;

use crate::headers::Headers;

/// The version of the core metadata that is written: the first with licences as expressions (PEP 639).
const METADATA_VERSION: &str = "2.4";

/// Files that are licences where a project names none (PEP 639, "default patterns").
const LICENCE_FILES: [&str; 4] = ["LICEN[CS]E*", "COPYING*", "NOTICE*", "AUTHORS*"];

/// The longest `pyproject.toml` and readme that are read.
const BYTES_MAX: u64 = 16 << 20;

/// A project's own words.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Its name, as it spells it.
    pub name: String,
    /// Its version; absent where the backend finds it out.
    pub version: Option<String>,
    /// What is to be installed with it.
    pub dependencies: Vec<Requirement<VerbatimUrl>>,
    /// What is to be installed with its extras, by their normal names.
    pub extras: BTreeMap<String, Vec<Requirement<VerbatimUrl>>>,
    /// What it is built with.
    pub build_requires: Vec<Requirement<VerbatimUrl>>,
    /// The module whose hooks build it; setuptools' old one where it names none (PEP 517).
    pub backend: String,
    /// Folders of the project in which that module lies, where it lies in none of what is required.
    pub backend_path: Vec<String>,
    /// Fields that the backend finds out.
    pub dynamic: Vec<String>,
    requires_python: Option<String>,
    summary: Option<String>,
    readme: Option<Readme>,
    license: Option<License>,
    license_files: Option<Vec<String>>,
    people: Vec<(&'static str, String)>,
    keywords: Vec<String>,
    classifiers: Vec<String>,
    urls: Vec<(String, String)>,
    entry_points: BTreeMap<String, BTreeMap<String, String>>,
}

/// A project's licence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum License {
    /// An SPDX expression.
    Expression(String),
    /// Words, as before PEP 639.
    Text(String),
}

#[derive(Clone, Debug)]
struct Readme {
    file: Option<String>,
    text: Option<String>,
    content_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct File {
    build_system: Option<BuildSystem>,
    project: Option<Table>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct BuildSystem {
    requires: Vec<String>,
    build_backend: Option<String>,
    #[serde(default)]
    backend_path: Vec<String>,
}

/// `[project]`; a key that the standard does not have is refused, as it wants it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Table {
    name: String,
    version: Option<String>,
    description: Option<String>,
    readme: Option<OneOrTable>,
    requires_python: Option<String>,
    license: Option<OneOrTable>,
    license_files: Option<Vec<String>>,
    #[serde(default)]
    authors: Vec<Person>,
    #[serde(default)]
    maintainers: Vec<Person>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    classifiers: Vec<String>,
    #[serde(default)]
    urls: BTreeMap<String, String>,
    #[serde(default)]
    scripts: BTreeMap<String, String>,
    #[serde(default)]
    gui_scripts: BTreeMap<String, String>,
    #[serde(default)]
    entry_points: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    dependencies: Vec<String>,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    dynamic: Vec<String>,
    #[serde(default, rename = "import-names")]
    _import_names: Vec<String>,
    #[serde(default, rename = "import-namespaces")]
    _import_namespaces: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrTable {
    One(String),
    #[serde(rename_all = "kebab-case")]
    Table {
        file: Option<String>,
        text: Option<String>,
        content_type: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Person {
    name: Option<String>,
    email: Option<String>,
}

impl Project {
    /// Reads the `pyproject.toml` at the root of a source tree.
    ///
    /// # Errors
    /// As [`Project::parse`], or if it is not there.
    pub fn read(tree: &Path) -> Result<Project> {
        let path = tree.join("pyproject.toml");
        let shown = || path.display().to_string();
        let length = path
            .metadata()
            .with_context(|| format!("{}: cannot be read", shown()))?
            .len();
        ensure!(
            length <= BYTES_MAX,
            "{}: is {length} bytes long, at most {BYTES_MAX} are read",
            shown()
        );
        let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", shown()))?;
        Project::parse(&bytes).with_context(shown)
    }

    /// Understands the bytes of a `pyproject.toml`.
    ///
    /// # Errors
    /// If they are not UTF-8 or not TOML, a requirement, version or licence cannot be understood, or a key of `[project]` is unknown.
    pub fn parse(bytes: &[u8]) -> Result<Project> {
        let text = utf8(bytes)?;
        let file: File = toml_edit::de::from_str(text)?;
        let mut project = file.project.map(Project::of).transpose()?.unwrap_or_default();
        if let Some(system) = &file.build_system {
            project.build_requires = requirements(&system.requires, "build-system.requires")?;
            project.backend_path = system.backend_path.clone();
        } else {
            project.build_requires = requirements(&["setuptools".to_owned()], "build-system.requires")?;
        }
        let backend = file.build_system.and_then(|system| system.build_backend);
        project.backend = backend.unwrap_or_else(|| "setuptools.build_meta:__legacy__".to_owned());
        Ok(project)
    }

    fn of(table: Table) -> Result<Project> {
        let version = table.version.as_deref().map(version).transpose()?;
        ensure!(
            version.is_some() || table.dynamic.iter().any(|field| field == "version"),
            "project.version: is neither there nor `dynamic`"
        );
        if let Some(specifiers) = &table.requires_python {
            VersionSpecifiers::from_str(specifiers)
                .map_err(|why| anyhow!("project.requires-python: `{specifiers}` cannot be understood: {why}"))?;
        }
        let extras = table.optional_dependencies.iter().map(|(extra, list)| {
            let key = format!("project.optional-dependencies.{extra}");
            Ok((normal_name(extra), requirements(list, &key)?))
        });
        let people = people("Author", &table.authors).chain(people("Maintainer", &table.maintainers));
        let mut entry_points = table.entry_points;
        for (group, scripts) in [("console_scripts", table.scripts), ("gui_scripts", table.gui_scripts)] {
            ensure!(
                !entry_points.contains_key(group),
                "project.entry-points.{group}: belongs into project.{}",
                group.trim_start_matches("console_").replace('_', "-")
            );
            if !scripts.is_empty() {
                entry_points.insert(group.to_owned(), scripts);
            }
        }
        Ok(Project {
            dependencies: requirements(&table.dependencies, "project.dependencies")?,
            extras: extras.collect::<Result<_>>()?,
            license: table.license.map(license).transpose()?,
            readme: table.readme.map(Readme::of),
            people: people.collect(),
            name: name(&table.name)?,
            summary: table.description.map(|text| text.lines().collect::<Vec<_>>().join(" ")),
            urls: table.urls.into_iter().collect(),
            requires_python: table.requires_python,
            license_files: table.license_files,
            keywords: table.keywords,
            classifiers: table.classifiers,
            dynamic: table.dynamic,
            entry_points,
            version,
            ..Project::default()
        })
    }

    /// The licence, if it names one.
    pub fn license(&self) -> Option<&License> {
        self.license.as_ref()
    }

    /// The files of the tree that are licences, by their paths in it.
    ///
    /// # Errors
    /// If a pattern is none or matches nothing, or the tree cannot be read.
    pub fn licence_files(&self, folder: &Path) -> Result<Vec<String>> {
        let defaults = LICENCE_FILES.map(str::to_owned).to_vec();
        let patterns = self.license_files.clone().unwrap_or(defaults);
        let mut matchers: Vec<(String, GlobMatcher)> = Vec::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
            let glob = glob.with_context(|| format!("project.license-files: `{pattern}` is no pattern"))?;
            matchers.push((pattern, glob.compile_matcher()));
        }
        let files: Vec<String> = tree::list(folder)?
            .into_iter()
            .filter(|entry| matches!(entry.kind, tree::Kind::File | tree::Kind::Program))
            .map(|entry| entry.path)
            .collect();
        if self.license_files.is_some() {
            let unused = matchers
                .iter()
                .find(|(_, glob)| !files.iter().any(|file| glob.is_match(file)));
            if let Some((pattern, _)) = unused {
                bail!(
                    "project.license-files: `{pattern}` matches no file of {}",
                    folder.display()
                );
            }
        }
        let is_licence = |file: &String| matchers.iter().any(|(_, glob)| glob.is_match(file));
        Ok(files.into_iter().filter(is_licence).collect())
    }

    /// The core metadata of a version. `found` holds fields that the project calls dynamic and the caller knows, as
    /// `Requires-Dist`; `tree` is where the readme and the licences lie.
    ///
    /// # Errors
    /// If a file cannot be read, or a dynamic field is neither in `found` nor one that may stay open.
    pub fn metadata(&self, tree: &Path, version: &str, found: &[(&str, Vec<String>)]) -> Result<Headers> {
        let mut headers = Headers::default();
        let version = self::version(version)?;
        headers
            .add("Metadata-Version", METADATA_VERSION)
            .add("Name", &self.name)
            .add("Version", version);
        let mut put = |key: &str, value: &Option<String>| {
            if let Some(value) = value {
                headers.add(key, value);
            }
        };
        put("Summary", &self.summary);
        put(
            "Keywords",
            &Some(self.keywords.join(",")).filter(|keywords| !keywords.is_empty()),
        );
        for (key, value) in &self.people {
            headers.add(key, value);
        }
        match &self.license {
            Some(License::Expression(expression)) => drop(headers.add("License-Expression", expression)),
            Some(License::Text(text)) => drop(headers.add("License", text)),
            None => {}
        }
        for file in self.licence_files(tree)? {
            headers.add("License-File", file);
        }
        for classifier in &self.classifiers {
            headers.add("Classifier", classifier);
        }
        for (label, url) in &self.urls {
            headers.add("Project-URL", format!("{label}, {url}"));
        }
        if let Some(specifiers) = &self.requires_python {
            headers.add("Requires-Python", specifiers);
        }
        for extra in self.extras.keys() {
            headers.add("Provides-Extra", extra);
        }
        for row in self.requires()? {
            headers.add("Requires-Dist", row);
        }
        self.dynamic_fields(&mut headers, found)?;
        if let Some(readme) = &self.readme {
            readme.describe(tree, &mut headers)?;
        }
        Ok(headers)
    }

    /// Every requirement as metadata have it: those of extras with a marker.
    ///
    /// # Errors
    /// If the name of an extra is none.
    pub fn requires(&self) -> Result<Vec<String>> {
        let mut rows: Vec<String> = self.dependencies.iter().map(ToString::to_string).collect();
        for (extra, requirements) in &self.extras {
            let name = ExtraName::from_str(extra).with_context(|| format!("extra `{extra}`"))?;
            rows.extend(
                requirements
                    .iter()
                    .map(|it| it.clone().with_extra_marker(&name).to_string()),
            );
        }
        Ok(rows)
    }

    /// Puts in what the caller found out for the backend, and refuses to leave out what installers need.
    fn dynamic_fields(&self, headers: &mut Headers, found: &[(&str, Vec<String>)]) -> Result<()> {
        for (key, values) in found {
            headers.set(key, values.iter().cloned());
        }
        for (field, key) in [
            ("dependencies", "Requires-Dist"),
            ("optional-dependencies", "Provides-Extra"),
            ("requires-python", "Requires-Python"),
        ] {
            let is_dynamic = self.dynamic.iter().any(|name| name == field);
            ensure!(
                !is_dynamic || found.iter().any(|(name, _)| name.eq_ignore_ascii_case(key)),
                "{}: project.{field} is dynamic, wanted {key} from whoever builds it",
                self.name
            );
        }
        Ok(())
    }

    /// The text of `entry_points.txt`; absent where there are none.
    pub fn entry_points(&self) -> Option<String> {
        let groups = self.entry_points.iter().map(|(group, entries)| {
            let lines = entries.iter().map(|(name, object)| format!("{name} = {object}\n"));
            format!("[{group}]\n{}", lines.collect::<String>())
        });
        let groups: Vec<String> = groups.collect();
        (!groups.is_empty()).then(|| groups.join("\n"))
    }
}

impl Readme {
    fn of(value: OneOrTable) -> Readme {
        match value {
            OneOrTable::One(file) => Readme {
                file: Some(file),
                text: None,
                content_type: None,
            },
            OneOrTable::Table {
                file,
                text,
                content_type,
            } => Readme {
                file,
                text,
                content_type,
            },
        }
    }

    fn describe(&self, tree: &Path, headers: &mut Headers) -> Result<()> {
        let suffix = self.file.as_deref().and_then(|file| file.rsplit_once('.'));
        let known = match suffix.map(|(_, suffix)| suffix.to_ascii_lowercase()).as_deref() {
            Some("md") => Some("text/markdown"),
            Some("rst") => Some("text/x-rst"),
            Some("txt") => Some("text/plain"),
            _ => None,
        };
        let content_type = self.content_type.as_deref().or(known);
        let content_type =
            content_type.context("project.readme: has no content-type, and its file's suffix tells none")?;
        let body = match (&self.file, &self.text) {
            (Some(file), None) => {
                crate::archive::check_path(file).context("project.readme")?;
                let path = tree.join(file);
                let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
                utf8(&bytes)
                    .with_context(|| path.display().to_string())?
                    .replace("\r\n", "\n")
            }
            (None, Some(text)) => text.clone(),
            _ => bail!("project.readme: wanted either `file` or `text`"),
        };
        headers.add("Description-Content-Type", content_type);
        headers.body = body;
        Ok(())
    }
}

/// Bytes as text, without the mark that some editors of Windows put before it.
fn utf8(bytes: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(bytes)
        .map_err(|why| anyhow!("is not UTF-8 from byte {} on, wanted UTF-8", why.valid_up_to()))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn requirements(list: &[String], key: &str) -> Result<Vec<Requirement<VerbatimUrl>>> {
    let parse = |text: &String| {
        Requirement::from_str(text).map_err(|why| anyhow!("{key}: `{text}` cannot be understood: {}", why.message))
    };
    list.iter().map(parse).collect()
}

fn version(text: &str) -> Result<String> {
    let version = Version::from_str(text).map_err(|why| anyhow!("project.version: `{text}` is no version: {why}"))?;
    Ok(version.to_string())
}

fn name(text: &str) -> Result<String> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let edges = [text.bytes().next(), text.bytes().next_back()];
    let at_edges = edges
        .iter()
        .all(|byte| byte.is_some_and(|byte| byte.is_ascii_alphanumeric()));
    ensure!(
        at_edges && text.bytes().all(is_good),
        "project.name: `{text}` is no name, wanted letters, digits, `-`, `_` and `.`"
    );
    Ok(text.to_owned())
}

fn license(value: OneOrTable) -> Result<License> {
    match value {
        OneOrTable::One(expression) => {
            spdx::Expression::parse(&expression)
                .map_err(|why| anyhow!("project.license: `{expression}` is no SPDX expression: {}", why.reason))?;
            Ok(License::Expression(expression))
        }
        OneOrTable::Table { file: Some(file), .. } => Ok(License::Text(format!("see {file}"))),
        OneOrTable::Table { text: Some(text), .. } => Ok(License::Text(text)),
        OneOrTable::Table { .. } => bail!("project.license: wanted an SPDX expression, `file` or `text`"),
    }
}

/// The fields of people: with an address they are a mailbox, without one a name.
fn people(role: &'static str, people: &[Person]) -> impl Iterator<Item = (&'static str, String)> {
    let email = match role {
        "Author" => "Author-email",
        _ => "Maintainer-email",
    };
    people
        .iter()
        .filter_map(move |person| match (&person.name, &person.email) {
            (Some(name), Some(address)) => Some((email, format!("{name} <{address}>"))),
            (None, Some(address)) => Some((email, address.clone())),
            (Some(name), None) => Some((role, name.clone())),
            (None, None) => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"[build-system]
requires = ["setuptools>=78", "cython>=3,<4"]
build-backend = "setuptools.build_meta"

[project]
name = "Foo.Bar"
version = "1.0.0-rc1"
description = "one"
readme = "README.md"
license = "MIT AND BSD-3-Clause"
requires-python = ">=3.10"
authors = [{ name = "A", email = "a@example.org" }, { name = "B" }]
dependencies = ["numpy>=1.2; python_version >= '3.9'", "typing-extensions ; python_version < '3.9'"]
dynamic = []

[project.optional-dependencies]
More_Things = ["pandas", "win; sys_platform == 'win32' or os_name == 'nt'"]

[project.scripts]
foo = "foo.bar:main"

[project.urls]
home = "https://example.org"

[tool.other]
anything = 1
"#;

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("README.md"), "# Foo\r\n").unwrap();
        std::fs::write(dir.path().join("LICENSE"), "MIT").unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        std::fs::write(dir.path().join("sub/LICENSE"), "BSD").unwrap();
        dir
    }

    const WANTED: &str = "Metadata-Version: 2.4
Name: Foo.Bar
Version: 1.0.0rc1
Summary: one
Author-email: A <a@example.org>
Author: B
License-Expression: MIT AND BSD-3-Clause
License-File: LICENSE
Project-URL: home, https://example.org
Requires-Python: >=3.10
Provides-Extra: more-things
Requires-Dist: numpy>=1.2 ; python_full_version >= '3.9'
Requires-Dist: typing-extensions ; python_full_version < '3.9'
Requires-Dist: pandas ; extra == 'more-things'
Requires-Dist: win ; (sys_platform == 'win32' and extra == 'more-things') or (os_name == 'nt' and extra == 'more-things')
Description-Content-Type: text/markdown

# Foo
";

    #[test]
    fn metadata_follows_from_the_project_file_whatever_its_layout() {
        let dir = tree();
        let one_line = TEXT
            .replace("dependencies = [\"numpy", "dependencies = [    \"numpy")
            .replace("\", \"typing", "\",\n  # a comment, with [\n  \"typing");
        for text in [
            TEXT.to_owned(),
            TEXT.replace('\n', "\r\n"),
            one_line,
            format!("\u{feff}{TEXT}"),
        ] {
            let project = Project::parse(text.as_bytes()).unwrap();
            let headers = project.metadata(dir.path(), "1.0.0-rc1", &[]).unwrap();
            assert_eq!(headers.to_text(), WANTED);
            assert_eq!(
                project.entry_points().unwrap(),
                "[console_scripts]\nfoo = foo.bar:main\n"
            );
            assert_eq!(project.build_requires.len(), 2);
            assert_eq!(project.backend, "setuptools.build_meta");
        }
    }

    #[test]
    fn licence_files_are_found_by_pattern_and_each_pattern_must_match() {
        let dir = tree();
        let with = |list: &str| {
            let text = TEXT.replace("dynamic = []", &format!("license-files = {list}"));
            Project::parse(text.as_bytes()).unwrap().licence_files(dir.path())
        };
        assert_eq!(with("['**/LICENSE']").unwrap(), ["LICENSE", "sub/LICENSE"]);
        assert_eq!(with("[]").unwrap(), Vec::<String>::new());
        assert!(
            with("['NOTICE']")
                .unwrap_err()
                .to_string()
                .contains("`NOTICE` matches no file")
        );
    }

    #[test]
    fn dynamic_fields_have_to_come_from_somewhere() {
        let dir = tree();
        let text = TEXT
            .replace("dynamic = []", "dynamic = ['dependencies', 'version']")
            .replace("version = \"1.0.0-rc1\"\n", "")
            .lines()
            .filter(|line| !line.starts_with("dependencies"))
            .collect::<Vec<_>>()
            .join("\n");
        let project = Project::parse(text.as_bytes()).unwrap();
        let why = project.metadata(dir.path(), "2", &[]).unwrap_err().to_string();
        assert_eq!(
            why,
            "Foo.Bar: project.dependencies is dynamic, wanted Requires-Dist from whoever builds it"
        );
        let found = [("Requires-Dist", vec!["numpy".to_owned()])];
        let headers = project.metadata(dir.path(), "2", &found).unwrap();
        assert_eq!(headers.first("Version"), Some("2"));
        assert_eq!(
            headers.all("Requires-Dist").count(),
            1,
            "what is found takes the place of all"
        );
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        let why = |from: &str, to: &str| {
            let error = Project::parse(TEXT.replace(from, to).as_bytes()).unwrap_err();
            format!("{error:#}")
        };
        assert!(why("pandas", "pandas >>= 1").starts_with("project.optional-dependencies.More_Things: `pandas >>= 1`"));
        assert!(why("MIT AND BSD-3-Clause", "MIT AND Nonsense").contains("is no SPDX expression"));
        assert!(why("1.0.0-rc1", "one").contains("project.version: `one` is no version"));
        assert!(why("Foo.Bar", "../x").contains("is no name"));
        assert!(why("description", "descriptoin").contains("unknown field `descriptoin`"));
        assert!(why("version = \"1.0.0-rc1\"\n", "").contains("neither there nor `dynamic`"));
        let error = Project::parse(b"[project]\nname = '\xff'").unwrap_err().to_string();
        assert_eq!(error, "is not UTF-8 from byte 18 on, wanted UTF-8");
    }

    #[test]
    fn a_project_without_a_build_system_is_built_by_setuptools() {
        let project = Project::parse(b"[tool.black]\nline-length = 1\n").unwrap();
        assert_eq!(project.backend, "setuptools.build_meta:__legacy__");
        assert_eq!(project.build_requires[0].to_string(), "setuptools");
    }
}
