//! From a path to the subjects that lie there: a folder is walked, every file is read once, and every container is opened as
//! deep as they are nested. Files are mapped into memory and not copied, so that a rule that needs tables alone touches only
//! the pages that hold them.

mod image;
mod map;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::code::Measure;
use crate::manifest::{self, Manifest};
use crate::platform::{Os, Platform};
use crate::read::container::Limits;
use crate::read::{Content, Machine};
use crate::scan::Scan;
use crate::subject::{Kind, Subject, name};
use crate::wheel::{Fields, Name, Wheel, record};
use tree::{Packed, Reader, Tree};

/// Files are read by this many threads.
const THREADS: usize = 2;

/// How a path is opened.
pub(crate) struct Options<'a> {
    /// What everything there has to be for; absent if each subject may say it itself.
    pub target: Option<Platform>,
    /// How much containers may hold.
    pub limits: Limits,
    /// The search over all bytes; absent if no rule needs it.
    pub scan: Option<&'a Scan>,
    /// Whether hashes are needed.
    pub hashes: bool,
    /// What is asked of code; absent if no rule needs it.
    pub code: Option<&'a Measure>,
}

/// Why there is nothing to judge: the file, and what is wrong with it.
pub(crate) struct NotOpened {
    pub path: String,
    pub found: String,
    pub wanted: String,
}

/// Who says what a subject is for, and what.
#[derive(Clone)]
struct Claim {
    platform: Option<Platform>,
    who: String,
}

/// Opens a path. A folder with a manifest is a bundle; everything in it is for the bundle's target.
pub(crate) fn open(path: &Path, options: &Options<'_>) -> Result<Vec<Subject>, NotOpened> {
    let cannot = |found: String| NotOpened {
        path: path.display().to_string(),
        found,
        wanted: "a folder or a file that can be read".to_owned(),
    };
    let metadata = std::fs::metadata(path).map_err(|why| cannot(format!("cannot be read: {why}")))?;
    let claim = options.target.map(|platform| Claim {
        platform: Some(platform),
        who: "the command line".to_owned(),
    });
    let mut subjects = Vec::new();
    if metadata.is_dir() {
        let manifest = path.join(manifest::FILE);
        let manifest = match is_ours(&manifest) {
            true => Some(Manifest::load(path).map_err(|error| NotOpened {
                path: manifest::FILE.to_owned(),
                found: error.to_string(),
                wanted: format!("a manifest of schema {}", manifest::SCHEMA),
            })?),
            false => None,
        };
        let tree = walk(path, manifest.is_some(), options);
        build(String::new(), tree, manifest, claim.as_ref(), &mut subjects)?;
    } else {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let file = file.unwrap_or_else(|| "file".to_owned());
        let bytes = map::file(path).map_err(|why| cannot(format!("cannot be read: {why}")))?;
        let reader = Reader::new(options, options.hashes);
        let mut tree = Tree::new(Packed::No);
        reader.take(&mut tree, file, &bytes, &mut reader.budget(), 0);
        build(String::new(), tree, None, claim.as_ref(), &mut subjects)?;
    }
    Ok(subjects)
}

/// Whether a manifest is one of ours, of any version: images and other tools have files of that name too.
fn is_ours(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|text| {
        let value: Result<serde_json::Value, _> = serde_json::from_slice(&text);
        // What cannot be understood is called so, and not taken for somebody else's.
        value.map_or(true, |value| value.get("schema").is_some())
    })
}

fn walk(root: &Path, is_bundle: bool, options: &Options<'_>) -> Tree {
    let mut tree = Tree::new(Packed::No);
    let mut found = Vec::new();
    collect(root, "", is_bundle, &mut found, &mut tree);
    let reader = Reader::new(
        options,
        options.hashes && (is_bundle || root.join("oci-layout").is_file()),
    );
    let next = AtomicUsize::new(0);
    let read_some = || {
        let mut own = Tree::new(Packed::No);
        while let Some((path, file)) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            match map::file(file) {
                Ok(bytes) => reader.take(&mut own, path.clone(), &bytes, &mut reader.budget(), 0),
                Err(why) => own.irregular.push((path.clone(), format!("cannot be read: {why}"))),
            }
        }
        own
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS).map(|_| scope.spawn(read_some)).collect();
        tree.absorb(read_some());
        for thread in threads {
            match thread.join() {
                Ok(own) => tree.absorb(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    tree.irregular.sort();
    tree
}

/// Collects the regular files below a folder. Links are noted and not followed: one that leads out would be judged by what is not
/// in the subject.
fn collect(folder: &Path, prefix: &str, is_bundle: bool, found: &mut Vec<(String, PathBuf)>, tree: &mut Tree) {
    let entries = match std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) => {
            let what = format!("cannot be listed: {error}");
            return tree.irregular.push((prefix.to_owned(), what));
        }
    };
    for entry in entries {
        let file_name = entry.file_name();
        let name = file_name.to_string_lossy();
        let path = match prefix {
            "" => name.clone().into_owned(),
            prefix => format!("{prefix}/{name}"),
        };
        if file_name.to_str().is_none() {
            tree.irregular.push((path, "has a name that is not UTF-8".to_owned()));
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), &path, is_bundle, found, tree),
            Ok(kind) if kind.is_file() && is_bundle && path == manifest::FILE => {}
            Ok(kind) if kind.is_file() => found.push((path, entry.path())),
            Ok(kind) if kind.is_symlink() => match std::fs::read_link(entry.path()) {
                Ok(to) => drop(tree.links.insert(path, to.to_string_lossy().into_owned())),
                Err(error) => tree.irregular.push((path, format!("cannot be read: {error}"))),
            },
            Ok(_) => tree.irregular.push((path, "is no regular file".to_owned())),
            Err(error) => tree.irregular.push((path, format!("cannot be read: {error}"))),
        }
    }
}

/// Makes subjects of a tree and of the trees in it.
fn build(
    path: String,
    mut tree: Tree,
    manifest: Option<Manifest>,
    outer: Option<&Claim>,
    subjects: &mut Vec<Subject>,
) -> Result<(), NotOpened> {
    let mut inner = std::mem::take(&mut tree.inner);
    for image in image::compose(&path, &mut tree, &mut inner) {
        let own = Claim {
            platform: image.platform,
            who: "the image's index".to_owned(),
        };
        let place = subjects.len();
        build(image.path.clone(), image.tree, None, outer.or(Some(&own)), subjects)?;
        if let Some(subject) = subjects.get_mut(place).filter(|subject| subject.path == image.path) {
            subject.image = Some(image.facts);
        }
    }
    let mut subject = subject(path.clone(), tree);
    if let Some(manifest) = manifest {
        subject.kind = Kind::Bundle;
        subject.own_by(manifest);
    }
    let own = own_claim(&subject)?;
    let claim = outer.or(own.as_ref());
    subject.platform = match claim.and_then(|claim| claim.platform) {
        Some(platform) => Some(platform),
        None => guess(&subject),
    };
    subject.claim = claim.map(|claim| claim.who.clone());
    // A file that was named by itself and packs others is not judged beside what it packs.
    let is_wrapping = subject.path.is_empty() && subject.files.len() == 1 && inner.len() == 1;
    if !is_wrapping && !subject.is_empty() {
        subjects.push(subject);
    }
    inner.sort_by(|a, b| a.0.cmp(&b.0));
    for (below, tree) in inner {
        build(format!("{path}{below}:"), tree, None, claim, subjects)?;
    }
    Ok(())
}

/// A subject of a tree, with what it says of itself.
fn subject(path: String, tree: Tree) -> Subject {
    let file = name(path.trim_end_matches(':')).to_owned();
    let info = tree.files.keys().filter_map(|path| path.strip_suffix("/WHEEL"));
    let info = info
        .filter(|folder| folder.ends_with(".dist-info") && !folder.contains('/'))
        .map(str::to_owned)
        .next();
    let is_wheel = tree.packed == Packed::Zip && (info.is_some() || file.ends_with(".whl"));
    let kind = match tree.packed {
        _ if is_wheel => Kind::Wheel,
        Packed::No if path.is_empty() && tree.files.len() == 1 && tree.is_single => Kind::File,
        Packed::No => Kind::Folder,
        Packed::Zip | Packed::Tar => Kind::Archive,
        Packed::Deb => Kind::Deb,
        Packed::Image => Kind::Image,
    };
    let text = |path: &str| tree.files.get(path).and_then(|file| file.text.clone());
    let control = text("DEBIAN/control").map(|control| Fields::parse(&control));
    let wheel = is_wheel.then(|| {
        let info = info.unwrap_or_default();
        let part = |name: &str| text(&format!("{info}/{name}")).unwrap_or_default();
        Wheel {
            name: Name::parse(&file),
            file,
            wheel: Fields::parse(&part("WHEEL")),
            metadata: Fields::parse(&part("METADATA")),
            record: record(&part("RECORD")),
            info,
        }
    });
    let mut subject = Subject::new(path, kind, tree.files);
    subject.links = tree.links;
    subject.irregular = tree.irregular;
    subject.wheel = wheel;
    subject.deb = control.filter(|_| kind == Kind::Deb);
    subject
}

/// What a subject says that it is for.
fn own_claim(subject: &Subject) -> Result<Option<Claim>, NotOpened> {
    if let Some(manifest) = &subject.manifest {
        let Some(platform) = Platform::of_triple(&manifest.target) else {
            return Err(NotOpened {
                path: manifest::FILE.to_owned(),
                found: format!("target `{}`", manifest.target),
                wanted: "a triple like `aarch64-pc-windows-msvc` or `riscv64gc-unknown-linux-gnu`".to_owned(),
            });
        };
        return Ok(Some(Claim {
            platform: Some(platform),
            who: "the manifest".to_owned(),
        }));
    }
    let wheel = subject.wheel.as_ref().and_then(|wheel| wheel.name.as_ref());
    if let Some(name) = wheel.filter(|name| !name.is_any()) {
        return Ok(Some(Claim {
            platform: name.platform(),
            who: format!("the tag `{}`", name.platforms.join(".")),
        }));
    }
    let architecture = subject.deb.as_ref().and_then(|deb| deb.first("Architecture"));
    Ok(architecture.filter(|name| *name != "all").map(|architecture| Claim {
        platform: Platform::of_debian(architecture),
        who: format!("the architecture `{architecture}`"),
    }))
}

/// What most of the native files are for.
fn guess(subject: &Subject) -> Option<Platform> {
    let census = subject.census();
    let known = census.iter().filter_map(|((is_pe, machine), count)| {
        let arch = machine.arch()?;
        Some((*count, *is_pe, *machine, arch))
    });
    let most = |(count, is_pe, machine, _): &(usize, bool, Machine, crate::Arch)| (*count, !*is_pe, *machine);
    let (_, is_pe, _, arch) = known.max_by_key(most)?;
    let is_musl = || {
        subject.elves().any(|(_, elf)| {
            let interpreter = elf.interpreter.as_deref().unwrap_or_default();
            interpreter.contains("ld-musl") || elf.needed.iter().any(|library| library.starts_with("libc.musl-"))
        })
    };
    let os = match is_pe {
        true => Os::Windows,
        false if is_musl() => Os::Musl,
        false => Os::Linux,
    };
    Some(Platform { os, arch })
}

impl Subject {
    fn is_empty(&self) -> bool {
        let is_container = |file: &crate::subject::File| matches!(file.content, Ok(Content::Container(_)));
        self.manifest.is_none()
            && self.wheel.is_none()
            && self.irregular.is_empty()
            && self.links.is_empty()
            && self.files.values().all(|file| is_container(file))
    }
}
