//! One thing that is judged, as the rules see it: a bundle, a folder, a wheel, a package, an image. It has the files with what
//! they are, the links, and what the thing says of itself; nothing of that is believed here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::code::Code;
use crate::manifest::Manifest;
use crate::platform::{Os, Platform};
use crate::read::{Content, Machine, container::Header, elf::Elf, pe::Pe};
use crate::wheel::{Fields, Wheel};

/// A link that leads to a link, and so on, is followed this far, as the kernel does.
const LINKS_MAX: usize = 40;

/// One thing that is judged.
pub struct Subject {
    /// What is put before the paths of its files in findings: empty, or the container's path and a colon.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// What a bundle says of itself.
    pub manifest: Option<Manifest>,
    /// What it is for; absent if nothing tells it.
    pub platform: Option<Platform>,
    /// Who says what it is for; absent if it was guessed from the content.
    pub claim: Option<String>,
    /// Every regular file but a bundle's manifest, by its path with `/` between the parts.
    pub files: BTreeMap<String, Arc<File>>,
    /// Symbolic links and where they lead; hard links lead from the root.
    pub links: BTreeMap<String, String>,
    /// What is no file that can be judged, with what is wrong with it.
    pub irregular: Vec<(String, String)>,
    /// What a wheel says of itself.
    pub wheel: Option<Wheel>,
    /// What a Debian package says of itself.
    pub deb: Option<Fields>,
    /// What an image says beside its files.
    pub image: Option<Image>,
    owners: BTreeMap<String, String>,
    /// Places of files by their path in lower case, as the loader of Windows compares them.
    by_path: HashMap<String, Vec<u32>>,
    /// Places of files by their name in lower case.
    by_name: HashMap<String, Vec<u32>>,
    /// Paths in the order of `files`.
    paths: Vec<String>,
}

/// What a subject is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A folder with a manifest of ours.
    Bundle,
    /// Any other folder.
    Folder,
    /// A file that is not packed.
    File,
    /// A zip or tar archive.
    Archive,
    /// A Python wheel.
    Wheel,
    /// A Debian package.
    Deb,
    /// An image of a container, its layers put over each other.
    Image,
}

/// What an image says beside its files: how its layers came to them, and what its configuration tells.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Every entry of every layer, with the layer's name before the path.
    pub entries: Vec<(String, Header)>,
    /// What a layer does to those below it: the entry, as in `entries`, and what it takes away or replaces.
    pub covers: Vec<(String, Cover)>,
    /// The user that its programs run as; empty for root.
    pub user: String,
    /// When it was made, as its configuration spells it; empty if that says nothing.
    pub created: String,
}

/// What an entry of a layer does to files of lower ones, which are shipped all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// It is a whiteout, and takes so many away.
    Gone(usize),
    /// It takes the place of one.
    Replaced,
}

/// One file that was read.
#[derive(Debug)]
pub struct File {
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256; absent where nothing is compared with it.
    pub sha256: Option<[u8; 32]>,
    /// What it is, or why it could not be read.
    pub content: Result<Content, String>,
    /// The text, of files that rules read.
    pub text: Option<String>,
    /// Paths of a machine that builds, found in its bytes.
    pub build_paths: Vec<String>,
    /// Times of a build, in words.
    pub stamps: Vec<String>,
    /// Private keys, found in its bytes.
    pub private_keys: usize,
    /// Names of DLLs that stand in a native file as strings, in lower case.
    pub dll_names: Vec<String>,
    /// What the code asks of the processor, by architecture; empty where it was not asked, and of what holds no code.
    pub code: Vec<Code>,
}

impl Subject {
    pub(crate) fn new(path: String, kind: Kind, files: BTreeMap<String, Arc<File>>) -> Subject {
        let mut subject = Subject {
            path,
            kind,
            manifest: None,
            platform: None,
            claim: None,
            links: BTreeMap::new(),
            irregular: Vec::new(),
            wheel: None,
            deb: None,
            image: None,
            owners: BTreeMap::new(),
            by_path: HashMap::with_capacity(files.len()),
            by_name: HashMap::with_capacity(files.len()),
            paths: files.keys().cloned().collect(),
            files,
        };
        for (place, path) in subject.paths.iter().enumerate() {
            let path = path.to_ascii_lowercase();
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            subject.by_name.entry(name).or_default().push(place as u32);
            subject.by_path.entry(path).or_default().push(place as u32);
        }
        subject
    }

    /// Shows it below a name, where several things are judged at once.
    pub(crate) fn put_below(&mut self, name: &str) {
        // A container's own path begins with that name already.
        if !self.path.starts_with(name) {
            self.path = format!("{name}:{}", self.path);
        }
    }

    pub(crate) fn own_by(&mut self, manifest: Manifest) {
        let owner = |file: &crate::manifest::File| (file.path.clone(), file.owner.clone());
        self.owners = manifest.files.iter().map(owner).collect();
        self.manifest = Some(manifest);
    }

    /// The component that a file belongs to: the manifest's, or the wheel's project. Empty when nobody owns it.
    pub fn owner(&self, path: &str) -> &str {
        let file = path.split(':').next().unwrap_or(path);
        let project = self
            .wheel
            .as_ref()
            .and_then(|wheel| Some(wheel.name.as_ref()?.project.as_str()));
        let package = self.deb.as_ref().and_then(|deb| deb.first("Package"));
        let own = self.owners.get(file).map(String::as_str);
        own.or(project).or(package).unwrap_or_default()
    }

    /// The target's triple, for commands; empty where there is no manifest.
    pub fn target(&self) -> &str {
        self.manifest.as_ref().map_or("", |manifest| manifest.target.as_str())
    }

    /// Whether it is for Windows.
    pub fn is_windows(&self) -> bool {
        self.platform.is_some_and(Platform::is_windows)
    }

    /// Whether it is for Linux.
    pub fn is_linux(&self) -> bool {
        self.platform.is_some_and(|platform| platform.os != Os::Windows)
    }

    /// Every PE program and DLL.
    pub fn images(&self) -> impl Iterator<Item = (&str, &Pe)> {
        self.files.iter().filter_map(|(path, file)| match &file.content {
            Ok(Content::Pe(pe)) => Some((path.as_str(), &**pe)),
            _ => None,
        })
    }

    /// Every ELF program and library.
    pub fn elves(&self) -> impl Iterator<Item = (&str, &Elf)> {
        self.files.iter().filter_map(|(path, file)| match &file.content {
            Ok(Content::Elf(elf)) if elf.is_image() => Some((path.as_str(), &**elf)),
            _ => None,
        })
    }

    /// The PE file at a path.
    pub fn pe(&self, path: &str) -> Option<&Pe> {
        match &self.files.get(path)?.content {
            Ok(Content::Pe(pe)) => Some(pe),
            _ => None,
        }
    }

    /// The ELF file at a path.
    pub fn elf(&self, path: &str) -> Option<&Elf> {
        match &self.files.get(path)?.content {
            Ok(Content::Elf(elf)) => Some(elf),
            _ => None,
        }
    }

    /// The path of the file with that name in that folder, in any case.
    pub fn in_folder(&self, folder: &str, name: &str) -> Option<&str> {
        let path = match folder {
            "" => name.to_ascii_lowercase(),
            folder => format!("{folder}/{name}").to_ascii_lowercase(),
        };
        self.by_path.get(&path).and_then(|places| self.at(*places.first()?))
    }

    /// The paths of the files with that name in any folder, in any case.
    pub fn anywhere(&self, name: &str) -> Vec<&str> {
        let places = self.by_name.get(&name.to_ascii_lowercase());
        places
            .into_iter()
            .flatten()
            .filter_map(|place| self.at(*place))
            .collect()
    }

    /// Groups of paths that differ in nothing but the case of letters.
    pub fn same_but_for_case(&self) -> Vec<Vec<&str>> {
        let several = self.by_path.values().filter(|places| places.len() > 1);
        let mut groups: Vec<Vec<&str>> = several
            .map(|places| places.iter().filter_map(|place| self.at(*place)).collect())
            .collect();
        groups.sort();
        groups
    }

    /// The file that a path leads to, links followed; absent if there is none in the subject.
    pub fn follow(&self, path: &str) -> Option<&str> {
        let mut wanted: Vec<String> = parts(path).rev().collect();
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(part) = wanted.pop() {
            match part.as_str() {
                "." => continue,
                ".." => {
                    done.pop()?;
                    continue;
                }
                _ => done.push(part),
            }
            let Some(to) = self.links.get(&done.join("/")) else {
                continue;
            };
            links += 1;
            if links > LINKS_MAX {
                return None;
            }
            match to.starts_with('/') {
                true => done.clear(),
                false => drop(done.pop()),
            }
            wanted.extend(parts(to).rev());
        }
        self.files.get_key_value(&done.join("/")).map(|(path, _)| path.as_str())
    }

    /// How many native files, members of archives among them, are for each format and machine.
    pub(crate) fn census(&self) -> BTreeMap<(bool, Machine), usize> {
        let mut census = BTreeMap::new();
        for file in self.files.values() {
            let found = match &file.content {
                Ok(Content::Pe(pe)) => (true, pe.machine),
                Ok(Content::Elf(elf)) => (false, elf.machine),
                Ok(Content::Archive(archive)) => {
                    let first = archive.members.iter().find_map(|member| match &member.content {
                        Ok(Content::Coff(machine)) => Some((true, *machine)),
                        Ok(Content::ShortImport(import)) => Some((true, import.machine)),
                        Ok(Content::Elf(elf)) => Some((false, elf.machine)),
                        _ => None,
                    });
                    let Some(first) = first else { continue };
                    first
                }
                Ok(Content::Coff(machine)) => (true, *machine),
                _ => continue,
            };
            *census.entry(found).or_default() += 1;
        }
        census
    }

    fn at(&self, place: u32) -> Option<&str> {
        self.paths.get(place as usize).map(String::as_str)
    }
}

fn parts(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned)
}

/// A path's folder, empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path's last part.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit(['/', ':']).next().unwrap_or(path)
}

/// A hash as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[&str], links: &[(&str, &str)]) -> Subject {
        let file = || File {
            size: 0,
            sha256: None,
            content: Ok(Content::Other),
            text: None,
            build_paths: Vec::new(),
            stamps: Vec::new(),
            private_keys: 0,
            dll_names: Vec::new(),
            code: Vec::new(),
        };
        let files = files
            .iter()
            .map(|path| ((*path).to_owned(), Arc::new(file())))
            .collect();
        let mut subject = Subject::new(String::new(), Kind::Folder, files);
        subject.links = links.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
        subject
    }

    #[test]
    fn links_are_followed_within_the_subject_and_no_further() {
        let subject = subject(
            &["usr/lib/liba.so.1.2"],
            &[
                ("lib", "usr/lib"),
                ("usr/lib/liba.so", "liba.so.1"),
                ("usr/lib/liba.so.1", "/usr/lib/liba.so.1.2"),
                ("circle", "circle"),
                ("out", "../../etc/passwd"),
            ],
        );
        assert_eq!(subject.follow("lib/liba.so"), Some("usr/lib/liba.so.1.2"));
        assert_eq!(subject.follow("usr/../lib/./liba.so"), Some("usr/lib/liba.so.1.2"));
        for nowhere in ["circle", "out", "lib/libb.so"] {
            assert_eq!(subject.follow(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn names_are_compared_as_windows_does() {
        let subject = subject(&["bin/A.dll", "bin/a.dll", "lib/a.dll"], &[]);
        assert_eq!(subject.same_but_for_case(), [["bin/A.dll", "bin/a.dll"]]);
        assert_eq!(subject.anywhere("A.DLL").len(), 3);
        assert_eq!(subject.in_folder("BIN", "a.dll"), Some("bin/A.dll"));
    }
}
