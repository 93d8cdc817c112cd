//! Files by their paths, from a folder or out of a container, and the containers among them with their own files.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Options;
use crate::read::container::{self, Budget, Entry, Header, What};
use crate::read::{self, Content};
use crate::rules::link_lines;
use crate::sbom;
use crate::scan::{Scan, dll_names};
use crate::stamps;
use crate::subject::{File, name};

/// A text is kept when it is not longer than this.
const TEXT_BYTES_MAX: usize = 32 << 20;

/// What files were packed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    No,
    Zip,
    Tar,
    Deb,
    Image,
}

/// Files by their paths.
#[derive(Clone)]
pub(super) struct Tree {
    pub packed: Packed,
    pub files: BTreeMap<String, Arc<File>>,
    pub links: BTreeMap<String, String>,
    pub irregular: Vec<(String, String)>,
    /// What a tar archive says of its members, in their order; folders are among them.
    pub headers: Vec<(String, Header)>,
    /// Containers by their paths, which are among `files` too.
    pub inner: Vec<(String, Tree)>,
    /// Whether a single file was named, and no folder.
    pub is_single: bool,
}

/// Reads files for a tree.
pub(super) struct Reader<'a> {
    options: &'a Options<'a>,
    hashes: bool,
}

impl Tree {
    pub fn new(packed: Packed) -> Tree {
        Tree {
            packed,
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            irregular: Vec::new(),
            headers: Vec::new(),
            inner: Vec::new(),
            is_single: false,
        }
    }

    /// Keeps what lies below a folder alone, by its paths from there.
    pub fn below(&mut self, folder: &str) {
        let short = |path: String| path.strip_prefix(folder).map(str::to_owned);
        let files = std::mem::take(&mut self.files).into_iter();
        self.files = files.filter_map(|(path, file)| Some((short(path)?, file))).collect();
        let links = std::mem::take(&mut self.links).into_iter();
        self.links = links.filter_map(|(path, to)| Some((short(path)?, to))).collect();
        let inner = std::mem::take(&mut self.inner).into_iter();
        self.inner = inner.filter_map(|(path, tree)| Some((short(path)?, tree))).collect();
        let headers = std::mem::take(&mut self.headers).into_iter();
        self.headers = headers
            .filter_map(|(path, header)| Some((short(path)?, header)))
            .collect();
    }

    /// Takes over what another thread has read.
    pub fn absorb(&mut self, mut other: Tree) {
        self.files.append(&mut other.files);
        self.links.append(&mut other.links);
        self.irregular.append(&mut other.irregular);
        self.headers.append(&mut other.headers);
        self.inner.append(&mut other.inner);
    }
}

impl<'a> Reader<'a> {
    pub fn new(options: &'a Options<'a>, hashes: bool) -> Reader<'a> {
        Reader { options, hashes }
    }

    pub fn budget(&self) -> Budget {
        Budget::new(self.options.limits)
    }

    /// Reads one file into a tree, and everything that is packed in it.
    pub fn take(&self, tree: &mut Tree, path: String, bytes: &[u8], budget: &mut Budget, depth: usize) {
        tree.is_single = depth == 0 && tree.files.is_empty();
        let file = self.file(&path, bytes);
        if let Ok(Content::Container(kind)) = file.content {
            if depth == budget.depth() {
                let what = format!("is packed deeper than {depth} containers");
                tree.irregular.push((path.clone(), what));
            } else {
                self.unpack(tree, &path, kind, bytes, budget, depth);
            }
        }
        tree.files.insert(path, Arc::new(file));
    }

    fn unpack(
        &self,
        tree: &mut Tree,
        path: &str,
        kind: container::Kind,
        bytes: &[u8],
        budget: &mut Budget,
        depth: usize,
    ) {
        let packed = match kind {
            container::Kind::Zip => Packed::Zip,
            container::Kind::Deb => Packed::Deb,
            _ => Packed::Tar,
        };
        // What is packed is hashed wherever hashes are wanted: wheels list the hashes of their files.
        let reader = Reader::new(self.options, self.options.hashes);
        let mut below = Tree::new(packed);
        let mut count = 0;
        let trouble = container::open(kind, bytes, name(path), budget, &mut |budget, entry| {
            count += usize::from(!matches!(entry.what, What::Folder));
            reader.member(&mut below, entry, budget, depth + 1);
        });
        let trouble = trouble.into_iter().map(|why| (path.to_owned(), why));
        let is_stream = !matches!(kind, container::Kind::Zip | container::Kind::Tar | container::Kind::Deb);
        if is_stream && count == 1 && below.inner.is_empty() && below.links.is_empty() {
            // A lone compressed file, say a manual page, is a file among the others.
            tree.irregular.extend(trouble);
            for (inner, file) in below.files {
                tree.files.insert(format!("{path}:{inner}"), file);
            }
            return;
        }
        tree.irregular.extend(trouble);
        tree.inner.push((path.to_owned(), below));
    }

    fn member(&self, tree: &mut Tree, entry: Entry, budget: &mut Budget, depth: usize) {
        let path = entry.path;
        let path = match path.strip_prefix('/') {
            Some(below) => below.to_owned(),
            None => path,
        };
        let path = match entry.what {
            // The archive's own root is named by some.
            What::Folder if matches!(path.as_str(), "" | "." | "./") => return,
            What::Folder => path.trim_end_matches('/').to_owned(),
            _ => path,
        };
        let leads_out = path.split(['/', '\\']).any(|part| part == "..") || path.contains('\0');
        if leads_out || path.is_empty() {
            return tree
                .irregular
                .push((path, "has a name that leads out of its container".to_owned()));
        }
        if let Some(header) = entry.header {
            tree.headers.push((path.clone(), header));
        }
        match entry.what {
            What::Folder => {}
            What::File(bytes) => self.take(tree, path, &bytes, budget, depth),
            What::Symlink(to) => drop(tree.links.insert(path, to)),
            What::Hardlink(to) => drop(tree.links.insert(path, format!("/{}", to.trim_start_matches('/')))),
            What::Special(what) => tree.irregular.push((path, format!("is {what}"))),
        }
    }

    fn file(&self, path: &str, bytes: &[u8]) -> File {
        let content = read::read(bytes);
        let found = self
            .options
            .scan
            .map(|scan: &Scan| scan.search(bytes))
            .unwrap_or_default();
        let is_pe = matches!(content, Ok(Content::Pe(_)));
        File {
            size: bytes.len() as u64,
            sha256: self.hashes.then(|| Sha256::digest(bytes).into()),
            text: is_text(path, bytes).then(|| String::from_utf8_lossy(bytes).into_owned()),
            build_paths: found.build_paths,
            stamps: match (&content, self.options.scan) {
                (Ok(content), Some(_)) => stamps::find(bytes, content),
                _ => Vec::new(),
            },
            private_keys: found.private_keys,
            dll_names: match self.options.scan.is_some() && is_pe {
                true => dll_names(bytes),
                false => Vec::new(),
            },
            code: match (&content, self.options.code) {
                (Ok(content), Some(measure)) => measure.read(bytes, content),
                _ => Vec::new(),
            },
            content,
        }
    }
}

/// Whether a rule reads the text: modules of pkg-config, what wheels and packages say of themselves, a Python's configuration, the
/// lists of an image, the parts that a component recorded.
fn is_text(path: &str, bytes: &[u8]) -> bool {
    let name = name(path);
    let of_wheel = path.contains(".dist-info/") && matches!(name, "WHEEL" | "METADATA" | "RECORD");
    let of_image = path.starts_with("blobs/") && bytes.first() == Some(&b'{') || path == "index.json";
    bytes.len() <= TEXT_BYTES_MAX
        && (of_wheel
            || of_image
            || name.ends_with(".pc")
            || path.starts_with(crate::parity::RECORDS) && name.ends_with(".toml")
            || path == "DEBIAN/control"
            || sbom::is_named(name)
            || link_lines::is_named(name)
            || matches!(name, "pyvenv.cfg" | "sitecustomize.py")
            || name.ends_with(".pth"))
}
