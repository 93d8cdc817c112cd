//! What lies below the bundle in an image for Linux: chosen files of pinned Debian packages, a few links and texts. Packages are
//! read and never installed: none of their scripts is run, and what was not asked for is not there.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, bail, ensure};
use gates::read::container::{self, Budget, Entry, Limits};
use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use store::{Pin, State};
use toolchains::Arch;

use super::layer::{Layer, What};

/// Where scanners for known faults look for the packages of an image without a package manager.
const STATUS: &str = "var/lib/dpkg/status.d";

/// The architecture of packages that are for all of them.
const ALL: &str = "all";

/// One package of a base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Package {
    /// Its name.
    name: String,
    /// The licence of what is kept, as an SPDX expression.
    license: String,
    /// What is kept of it: shell patterns over its paths.
    #[serde(default)]
    keep: Vec<String>,
    /// Files that are put together into one.
    #[serde(default)]
    join: Option<Join>,
    /// The package, by Debian's name of the architecture.
    pin: BTreeMap<String, Pin>,
}

/// Files that are put together into one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    into: String,
    from: String,
}

/// A symbolic link of a base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    path: String,
    to: String,
    #[serde(default)]
    architectures: Vec<String>,
}

/// A file that is made from the recipe.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    path: String,
    text: String,
}

/// What a recipe says of its base.
#[derive(Clone, Debug, Default)]
pub struct Parts<'a> {
    pub packages: &'a [Package],
    pub links: &'a [Link],
    pub texts: &'a [Text],
}

/// One package as it was read.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its architecture, in Debian's words.
    pub architecture: String,
    /// The licence of what is kept.
    pub license: String,
    /// The file that it was read from.
    pub pin: Pin,
}

/// A base that was put together.
pub struct Base {
    /// Its layer.
    pub layer: Layer,
    /// The packages in it.
    pub packages: Vec<Taken>,
}

impl Taken {
    /// Its package URL.
    pub fn url(&self) -> String {
        let encoded: String = url::form_urlencoded::byte_serialize(self.version.as_bytes()).collect();
        format!("pkg:deb/debian/{}@{encoded}?arch={}", self.name, self.architecture)
    }
}

impl Parts<'_> {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.links.is_empty() && self.texts.is_empty()
    }

    /// What is wrong with it, by key.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut need = |holds: bool, fault: String| {
            if !holds {
                faults.push(fault);
            }
        };
        let is_absolute = |path: &str| path.strip_prefix('/').is_some_and(super::recipe::is_path);
        for package in self.packages {
            let name = &package.name;
            let patterns = package.keep.iter().chain(package.join.iter().map(|join| &join.from));
            for pattern in patterns {
                need(
                    Glob::new(pattern).is_ok() && !pattern.starts_with('/'),
                    format!("package `{name}`: `{pattern}` is no pattern over its paths"),
                );
            }
            need(
                !package.keep.is_empty() || package.join.is_some(),
                format!("package `{name}`: nothing of it is kept"),
            );
            if let Some(join) = &package.join {
                need(
                    is_absolute(&join.into),
                    format!("package `{name}`: join: wanted an absolute path, found `{}`", join.into),
                );
            }
            if let Err(error) = spdx::Expression::parse(&package.license) {
                let license = &package.license;
                need(
                    false,
                    format!(
                        "package `{name}`: license `{license}` is no SPDX expression: {}",
                        error.reason
                    ),
                );
            }
            need(!package.pin.is_empty(), format!("package `{name}`: has no pin"));
            for pin in package.pin.values() {
                if let Err(error) = pin.check() {
                    need(false, format!("package `{name}`: {error:#}"));
                }
            }
        }
        let paths = self.links.iter().map(|link| ("link", &link.path));
        for (key, path) in paths.chain(self.texts.iter().map(|text| ("text", &text.path))) {
            need(
                is_absolute(path),
                format!("{key}: wanted an absolute path, found `{path}`"),
            );
        }
        faults
    }

    /// What has to be fetched for an architecture.
    ///
    /// # Errors
    /// If a package is not pinned for its architecture.
    pub fn pins(&self, arch: Arch) -> Result<Vec<Pin>> {
        let all = self.packages.iter().map(|package| Ok(package.pin(arch)?.1.clone()));
        all.collect()
    }

    /// Reads the packages and puts the layer together.
    ///
    /// # Errors
    /// If a package was not fetched, is another one or for another architecture, cannot be read, lacks what is kept of it, or a link
    /// leads to nothing.
    pub fn read(&self, arch: Arch, state: &State) -> Result<Base> {
        let mut layer = Layer::new("base");
        let mut packages = Vec::new();
        let mut links = Vec::new();
        let own = debian(arch);
        for link in self.links {
            if link.architectures.is_empty() || link.architectures.iter().any(|name| name == own) {
                layer.add(link.path.trim_start_matches('/'), What::Link(link.to.clone()))?;
                links.push((link.path.trim_start_matches('/').to_owned(), "the recipe".to_owned()));
            }
        }
        for text in self.texts {
            let bytes = text.text.trim_start_matches('\n').as_bytes().to_vec();
            layer.add(text.path.trim_start_matches('/'), What::plain(bytes))?;
        }
        for package in self.packages {
            let taken = package
                .read(arch, state, &mut layer, &mut links)
                .with_context(|| package.name.clone())?;
            packages.push(taken);
        }
        for (path, whose) in links {
            if !layer.leads_to_something(&path) {
                bail!("{whose}: the link `{path}` leads to nothing in the base, wanted its target among what is kept");
            }
        }
        Ok(Base { layer, packages })
    }
}

impl Package {
    /// The pin for an architecture, with the architecture that the package has to name.
    fn pin(&self, arch: Arch) -> Result<(&str, &Pin)> {
        let own = debian(arch);
        let found = self.pin.get_key_value(own).or_else(|| self.pin.get_key_value(ALL));
        let (architecture, pin) = found.with_context(|| {
            let known: Vec<&str> = self.pin.keys().map(String::as_str).collect();
            format!("{}: is not pinned for {own}, found: {}", self.name, known.join(", "))
        })?;
        Ok((architecture, pin))
    }

    fn read(&self, arch: Arch, state: &State, layer: &mut Layer, links: &mut Vec<(String, String)>) -> Result<Taken> {
        let (architecture, pin) = self.pin(arch)?;
        let path = state.need(pin)?;
        let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let entries = entries(&bytes).map_err(|why| anyhow!("{}: {why}", pin.file))?;
        let control = entries.iter().find_map(|entry| match (&entry.path[..], &entry.what) {
            ("DEBIAN/control", container::What::File(bytes)) => Some(bytes.clone()),
            _ => None,
        });
        let control = control.with_context(|| format!("{}: has no control file", pin.file))?;
        let text = String::from_utf8_lossy(&control).into_owned();
        for (field, wanted) in [("Package", self.name.as_str()), ("Architecture", architecture)] {
            let found = self::field(&text, field).unwrap_or_default();
            ensure!(
                found == wanted,
                "{}: its control file says `{field}: {found}`, wanted {wanted}",
                pin.file
            );
        }
        self.take(&pin.file, &entries, layer, links)?;
        layer.add(&format!("{STATUS}/{}", self.name), What::plain(control))?;
        Ok(Taken {
            name: self.name.clone(),
            version: self::field(&text, "Version").unwrap_or_default().to_owned(),
            architecture: architecture.to_owned(),
            license: self.license.clone(),
            pin: pin.clone(),
        })
    }

    /// Puts what is kept into the layer.
    fn take(&self, file: &str, entries: &[Entry], layer: &mut Layer, links: &mut Vec<(String, String)>) -> Result<()> {
        for pattern in &self.keep {
            let matcher = matcher(pattern)?;
            let mut count = 0;
            for entry in entries.iter().filter(|entry| matcher.is_match(&entry.path)) {
                if matches!(entry.what, container::What::Folder) {
                    continue;
                }
                count += 1;
                if matches!(entry.what, container::What::Symlink(_)) {
                    links.push((entry.path.clone(), file.to_owned()));
                }
                layer
                    .add(&entry.path, what(file, entry, entries)?)
                    .with_context(|| file.to_owned())?;
            }
            ensure!(count > 0, "{file}: `{pattern}` matches nothing in it");
        }
        let Some(join) = &self.join else { return Ok(()) };
        let matcher = matcher(&join.from)?;
        let mut parts: Vec<(&str, &[u8])> = entries
            .iter()
            .filter(|entry| matcher.is_match(&entry.path))
            .filter_map(|entry| match &entry.what {
                container::What::File(bytes) => Some((entry.path.as_str(), &bytes[..])),
                _ => None,
            })
            .collect();
        ensure!(!parts.is_empty(), "{file}: `{}` matches nothing in it", join.from);
        parts.sort_unstable();
        let whole = parts.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        layer.add(join.into.trim_start_matches('/'), What::plain(whole))
    }
}

/// What a member of a package becomes in the layer.
fn what(file: &str, entry: &Entry, all: &[Entry]) -> Result<What> {
    let executable = entry.header.is_some_and(|header| header.mode & 0o111 != 0);
    Ok(match &entry.what {
        container::What::File(bytes) => What::Bytes {
            bytes: bytes.clone(),
            executable,
        },
        container::What::Symlink(to) => What::Link(to.clone()),
        container::What::Hardlink(to) => {
            let first = all.iter().find_map(|other| match &other.what {
                container::What::File(bytes) if other.path == *to => Some(bytes.clone()),
                _ => None,
            });
            let bytes = first.with_context(|| {
                format!(
                    "{file}: `{}` is a second name of `{to}`, which is not in it",
                    entry.path
                )
            })?;
            What::Bytes { bytes, executable }
        }
        container::What::Folder => What::Folder,
        container::What::Special(what) => bail!("{file}: `{}` is {what}", entry.path),
    })
}

/// Every member of a package.
fn entries(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let mut all = Vec::new();
    if container::sniff(bytes) != Some(container::Kind::Deb) {
        return Err("is no Debian package".to_owned());
    }
    let mut budget = Budget::new(Limits::default());
    let trouble = container::open(container::Kind::Deb, bytes, "", &mut budget, &mut |_, entry| {
        all.push(entry);
    });
    match trouble.first() {
        None => Ok(all),
        Some(why) => Err(why.clone()),
    }
}

/// A field of a control file.
fn field<'a>(control: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = control.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
}

fn matcher(pattern: &str) -> Result<GlobMatcher> {
    Ok(Glob::new(pattern)?.compile_matcher())
}

/// An architecture in Debian's words.
pub fn debian(arch: Arch) -> &'static str {
    match arch {
        Arch::Aarch64 => "arm64",
        Arch::X86_64 => "amd64",
        Arch::Riscv64 => "riscv64",
    }
}
