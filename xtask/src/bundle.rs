//! Prefixes to one relocatable tree with a manifest, environment scripts, a README and licences. It is made aside and put
//! in place in one step; the same inputs leave it as it is. It builds nothing and judges nothing.

#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use gates::manifest::{self, Absence, BUNDLER, Kind, Manifest, Provider};
use kit::Component;
use serde::{Deserialize, Serialize};
use store::tree::{self, Kind as Entry};
use store::{Digest, DigestWriter, State, sha256_file};
use toolchains::Target;

use crate::sbom::{Facts, licences};
use crate::shelf::{FOLDER as WHEELS, Published, Shelf};

/// The sources that decide what a bundle looks like; a change of them is a change of every bundle.
const SOURCES: [&str; 6] = [
    include_str!("bundle.rs"),
    include_str!("bundle/texts.rs"),
    include_str!("sbom.rs"),
    include_str!("sbom/cyclonedx.rs"),
    include_str!("sbom/licences.rs"),
    include_str!("sbom/spdx.rs"),
];

/// The folder of licences in a prefix, and in the bundle.
const PREFIX_LICENCES: &str = "share/licenses/";
const LICENCES: &str = "licences/";

/// One component that goes into the bundle.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its prefix.
    pub prefix: PathBuf,
    /// The prefix's identity.
    pub digest: String,
    /// The components it was built against.
    pub needs: Vec<String>,
    /// What it says of itself.
    pub declared: Component,
    /// The vector paths that are in its files.
    pub simd: Vec<manifest::Simd>,
}

/// What a bundle is made of.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The target.
    pub target: Target,
    /// Whose headers and import libraries it was built against.
    pub provider: Provider,
    /// The components, by name.
    pub parts: Vec<Part>,
    /// Where fetched files lie.
    pub state: State,
    /// The wheels that others published, and what of them the target cannot have.
    pub shelf: Shelf,
    /// The tools that made it.
    pub tools: Vec<manifest::Tool>,
    /// The time that its documents name, in seconds after 1970.
    pub epoch: u64,
}

impl Inputs {
    /// Whether the bundle has Python wheels, published or built.
    fn has_wheels(&self) -> bool {
        !self.shelf.wheels.is_empty() || self.parts.iter().any(|part| part.prefix.join(WHEELS).is_dir())
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bundle was there already, made of the same.
    Fresh,
    /// The bundle was assembled.
    Assembled,
}

/// What is known of a finished bundle; it lies beside it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    digest: Digest,
    /// Every file and its size: enough to notice, without reading them, that somebody's hand was in the bundle.
    files: BTreeMap<String, u64>,
}

/// Assembles `<output>/bundle`, unless it is there already.
///
/// # Errors
/// If two components ship different files of one name, or something cannot be read or written.
pub fn assemble(output: &Path, inputs: &Inputs) -> Result<(PathBuf, Outcome)> {
    let bundle = output.join("bundle");
    tree::create_dir(output)?;
    let lock = output.join("bundle.lock");
    let lock = File::create(&lock).with_context(|| format!("{}: lock cannot be made", lock.display()))?;
    lock.lock().context("bundle cannot be locked")?;
    let digest = identity(inputs);
    let record_path = output.join("bundle.record");
    let known: Option<Record> = fs::read(&record_path)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok());
    if let Some(known) = known
        && known.digest == digest
        && sizes(&bundle).is_ok_and(|sizes| sizes == known.files)
    {
        return Ok((bundle, Outcome::Fresh));
    }
    let partial = output.join("bundle.partial");
    tree::remove(&partial)?;
    tree::create_dir(&partial)?;
    fill(&partial, inputs)?;
    let record = Record {
        digest,
        files: sizes(&partial)?,
    };
    // From here to the last line a kill leaves either the old bundle or the new one, and no record: the next run
    // assembles again.
    match fs::remove_file(&record_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("{}: cannot be removed", record_path.display()));
        }
        _ => {}
    }
    swap(&partial, &bundle)?;
    let text = serde_json::to_vec(&record).context("record cannot be written")?;
    tree::write_atomic(&record_path, &text)?;
    tree::remove(&partial)?;
    Ok((bundle, Outcome::Assembled))
}

/// The identity of a bundle: all its inputs, by content.
fn identity(inputs: &Inputs) -> Digest {
    let mut writer = DigestWriter::new("bundle");
    for source in SOURCES {
        writer.field("assembler", source);
    }
    writer.field("target", &inputs.target.triple);
    writer.field("epoch", inputs.epoch.to_string());
    writer.field("manifest", describe(inputs, Vec::new(), Vec::new()).to_json());
    writer.finish()
}

/// Puts a finished tree in the place of the old one.
///
/// # Errors
/// If the file system refuses it.
pub fn swap(partial: &Path, bundle: &Path) -> Result<()> {
    let context = || format!("{}: cannot be put in place", bundle.display());
    if !bundle.exists() {
        return fs::rename(partial, bundle).with_context(context);
    }
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, partial, CWD, bundle, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some network file systems cannot exchange; then there is a moment without a bundle, and no wrong one.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            tree::remove(bundle)?;
            fs::rename(partial, bundle).with_context(context)
        }
        Err(error) => Err(error).with_context(context),
    }
}

fn sizes(root: &Path) -> Result<BTreeMap<String, u64>> {
    let files = tree::list(root)?
        .into_iter()
        .filter(|entry| entry.kind != Entry::Folder);
    files
        .map(|entry| {
            let path = root.join(&entry.path);
            let meta = path
                .symlink_metadata()
                .with_context(|| format!("{}: cannot be examined", path.display()))?;
            Ok((entry.path, meta.len()))
        })
        .collect()
}

fn fill(into: &Path, inputs: &Inputs) -> Result<()> {
    let mut owners = BTreeMap::new();
    for part in &inputs.parts {
        copy(part, into, &mut owners)?;
    }
    for wheel in &inputs.shelf.wheels {
        shelve(wheel, &inputs.state, into, &mut owners)?;
    }
    let own_texts = licences::OWN_TEXTS.map(|(name, text)| (name.to_owned(), text.to_owned()));
    for (name, text) in texts::all(inputs).into_iter().chain(own_texts) {
        put(into, &name, &text)?;
        owners.insert(name, BUNDLER.to_owned());
    }
    let (files, links) = list(into, &owners, inputs)?;
    let mut manifest = describe(inputs, files, links);
    // Each of these tells of what is there before it; the manifest tells of all of them, and of itself it cannot.
    let report = licences::report("bundle", &manifest, &[]);
    manifest.files.push(document(into, licences::REPORT, &report)?);
    let documents = Facts::read(&manifest, into, inputs.epoch)?.documents()?;
    for (name, text) in documents {
        manifest.files.push(document(into, name, &text)?);
    }
    put(into, manifest::FILE, &manifest.to_json())
}

/// Writes a text into the bundle.
fn put(into: &Path, name: &str, text: &str) -> Result<()> {
    let path = into.join(name);
    tree::create_dir(path.parent().unwrap_or(into))?;
    fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))?;
    let mode = if name.ends_with(".sh") { 0o755 } else { 0o644 };
    fs::set_permissions(&path, Permissions::from_mode(mode))
        .with_context(|| format!("{}: permissions cannot be set", path.display()))
}

/// Writes a text that tells of the bundle, and gives its entry in the manifest.
fn document(into: &Path, name: &str, text: &str) -> Result<manifest::File> {
    put(into, name, text)?;
    Ok(manifest::File {
        path: name.to_owned(),
        size: text.len() as u64,
        sha256: sha256_file(&into.join(name))?.to_string(),
        kind: Kind::File,
        owner: BUNDLER.to_owned(),
    })
}

/// Copies a prefix. Not by hard links: an edit in the bundle would be one in the state folder.
fn copy(part: &Part, into: &Path, owners: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in tree::list(&part.prefix)? {
        if Path::new(&entry.path).starts_with(kit::OWN_FOLDER) {
            continue;
        }
        let path = match entry.path.strip_prefix(PREFIX_LICENCES) {
            Some(rest) => format!("{LICENCES}{rest}"),
            None => entry.path.clone(),
        };
        let (from, to) = (part.prefix.join(&entry.path), into.join(&path));
        if entry.kind == Entry::Folder {
            // A folder that only led to the licences would stay empty.
            if !PREFIX_LICENCES.starts_with(&format!("{}/", entry.path)) {
                tree::create_dir(&to)?;
            }
            continue;
        }
        if let Some(other) = owners.get(&path) {
            if same(&from, &to)? {
                continue;
            }
            bail!("{path}: {other} and {} ship different files of this name", part.name);
        }
        tree::create_dir(to.parent().unwrap_or(into))?;
        let context = || format!("{}: cannot be copied to {}", from.display(), to.display());
        match entry.kind {
            Entry::Link => {
                let target = fs::read_link(&from).with_context(context)?;
                std::os::unix::fs::symlink(target, &to).with_context(context)?;
            }
            _ => drop(fs::copy(&from, &to).with_context(context)?),
        }
        owners.insert(path, part.name.clone());
    }
    Ok(())
}

/// Puts a published wheel into the bundle as it is, and the texts of its licence beside the others.
fn shelve(wheel: &Published, state: &State, into: &Path, owners: &mut BTreeMap<String, String>) -> Result<()> {
    let project = &wheel.locked.project;
    let taken = owners.values().any(|owner| owner == project);
    ensure!(!taken, "wheel `{project}`: a component of the bundle has this name");
    let path = format!("{WHEELS}/{}", wheel.locked.file);
    let to = into.join(&path);
    tree::create_dir(&into.join(WHEELS))?;
    fs::copy(&wheel.path, &to).with_context(|| format!("{}: cannot be copied", wheel.path.display()))?;
    fs::set_permissions(&to, Permissions::from_mode(0o644))
        .with_context(|| format!("{}: permissions cannot be set", to.display()))?;
    owners.insert(path, project.clone());
    for (name, text) in wheel.licences(state)? {
        let path = format!("{LICENCES}{project}/{name}");
        let to = into.join(&path);
        tree::create_dir(to.parent().unwrap_or(into))?;
        fs::write(&to, text).with_context(|| format!("{}: cannot be written", to.display()))?;
        fs::set_permissions(&to, Permissions::from_mode(0o644))
            .with_context(|| format!("{}: permissions cannot be set", to.display()))?;
        owners.insert(path, project.clone());
    }
    Ok(())
}

fn same(one: &Path, other: &Path) -> Result<bool> {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink());
    match (is_link(one), is_link(other)) {
        (true, true) => Ok(fs::read_link(one).ok() == fs::read_link(other).ok()),
        (false, false) => Ok(sha256_file(one)? == sha256_file(other)?),
        _ => Ok(false),
    }
}

fn list(
    root: &Path,
    owners: &BTreeMap<String, String>,
    inputs: &Inputs,
) -> Result<(Vec<manifest::File>, Vec<manifest::Link>)> {
    let promised: BTreeMap<String, Kind> = inputs
        .parts
        .iter()
        .flat_map(|part| part.declared.ships.resolve(&inputs.target))
        .map(|promise| (in_bundle(&promise.path), promise.kind))
        .collect();
    let (mut files, mut links) = (Vec::new(), Vec::new());
    for (path, owner) in owners {
        let whole = root.join(path);
        let context = || format!("{}: cannot be examined", whole.display());
        let meta = whole.symlink_metadata().with_context(context)?;
        if meta.is_symlink() {
            links.push(manifest::Link {
                path: path.clone(),
                to: fs::read_link(&whole).with_context(context)?.display().to_string(),
                owner: owner.clone(),
            });
            continue;
        }
        files.push(manifest::File {
            path: path.clone(),
            size: meta.len(),
            sha256: sha256_file(&whole)?.to_string(),
            kind: promised.get(path).copied().unwrap_or_else(|| kind(path)),
            owner: owner.clone(),
        });
    }
    Ok((files, links))
}

/// What a file that nobody promised is for, by where it lies. What it is, the gates find out.
fn kind(path: &str) -> Kind {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match (folder, name.rsplit_once('.').map_or("", |(_, suffix)| suffix)) {
        _ if path.starts_with(LICENCES) => Kind::Licence,
        _ if path.starts_with("include/") => Kind::Header,
        ("", "cmd" | "ps1" | "sh") => Kind::Script,
        (_, "pc") if folder.ends_with("pkgconfig") => Kind::PkgConfig,
        ("bin", "exe" | "") => Kind::Program,
        ("bin", "dll") => Kind::Library,
        ("lib", _) if name.contains(".so") => Kind::Library,
        ("lib", "lib") => Kind::ImportLibrary,
        ("lib", "a") => Kind::StaticLibrary,
        _ => Kind::File,
    }
}

/// Where a path of a prefix is in the bundle.
fn in_bundle(path: &str) -> String {
    match path.strip_prefix(PREFIX_LICENCES) {
        Some(rest) => format!("{LICENCES}{rest}"),
        None => path.to_owned(),
    }
}

/// What the bundle says of itself.
fn describe(inputs: &Inputs, files: Vec<manifest::File>, links: Vec<manifest::Link>) -> Manifest {
    let components = inputs.parts.iter().map(|part| manifest::Component {
        name: part.name.clone(),
        version: part.declared.version.clone(),
        license: part.declared.license.clone(),
        variant: part.declared.variant.clone(),
        published: false,
        homepage: part.declared.homepage.clone(),
        digest: part.digest.clone(),
        roles: part.declared.roles.clone(),
        sources: part
            .declared
            .pins(&inputs.target.triple)
            .map(|pin| manifest::Source {
                file: pin.file.clone(),
                sha256: pin.sha256.clone(),
                url: pin.url.clone(),
            })
            .collect(),
        ships: part
            .declared
            .ships
            .resolve(&inputs.target)
            .into_iter()
            .map(|promise| manifest::Promise {
                path: in_bundle(&promise.path),
                ..promise
            })
            .collect(),
        licence_files: licence_files(&files, &part.name),
        needs: part.needs.clone(),
        loads: part.declared.loads.clone(),
        simd: part.simd.clone(),
        absences: absences(part, &inputs.target),
        exceptions: part.declared.exceptions(&inputs.target),
    });
    Manifest {
        schema: manifest::SCHEMA,
        target: inputs.target.triple.clone(),
        provider: inputs.provider,
        components: components
            .chain(inputs.shelf.wheels.iter().map(|wheel| published(wheel, &files)))
            .collect(),
        files,
        links,
        absences: inputs.shelf.absences.clone(),
        tools: inputs.tools.clone(),
    }
}

/// A published wheel in the manifest's words. What it is made of is the wheel itself.
fn published(wheel: &Published, files: &[manifest::File]) -> manifest::Component {
    let locked = &wheel.locked;
    manifest::Component {
        name: locked.project.clone(),
        version: locked.version.clone(),
        license: locked.license.clone(),
        variant: None,
        published: true,
        homepage: None,
        digest: locked.sha256.clone(),
        roles: vec![manifest::Role::Target],
        sources: vec![manifest::Source {
            file: locked.file.clone(),
            sha256: locked.sha256.clone(),
            url: Vec::new(),
        }],
        ships: vec![manifest::Promise {
            kind: Kind::File,
            path: format!("{WHEELS}/{}", locked.file),
        }],
        licence_files: licence_files(files, &locked.project),
        needs: Vec::new(),
        loads: Vec::new(),
        simd: Vec::new(),
        absences: Vec::new(),
        exceptions: wheel.exceptions.clone(),
    }
}

/// The texts of an owner's licence.
fn licence_files(files: &[manifest::File], owner: &str) -> Vec<String> {
    let own = files
        .iter()
        .filter(|file| file.owner == owner && file.path.starts_with(LICENCES));
    own.map(|file| file.path.clone()).collect()
}

/// What a component does not have for a target, in the manifest's words.
fn absences(part: &Part, target: &Target) -> Vec<Absence> {
    let absent = part.declared.absences(target);
    absent
        .map(|absent| Absence {
            what: absent.what.clone(),
            reason: absent.reason.clone(),
        })
        .collect()
}
