//! Images in the layout of the Open Container Initiative: an index names manifests, a manifest names layers, and the layers are
//! put over each other, with what a later one takes away taken away.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::tree::{Packed, Tree};
use crate::Platform;
use crate::subject::{Cover, Image as Facts};

/// An index in an index is followed this deep.
const DEPTH_MAX: usize = 4;

/// A layer's file of this name takes away everything that was in its folder.
const OPAQUE: &str = ".wh..wh..opq";

/// The folder of files in a layer for Windows; beside it lies the registry's.
const WINDOWS_FILES: &str = "Files/";

/// The configuration of what is no image: a document that is attached to one.
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// One image, put together.
pub(super) struct Image {
    pub path: String,
    pub platform: Option<Platform>,
    pub tree: Tree,
    pub facts: Facts,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    #[serde(default)]
    manifests: Vec<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
    config: Option<Descriptor>,
    artifact_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    digest: String,
    media_type: Option<String>,
    platform: Option<Runs>,
}

#[derive(Deserialize)]
struct Runs {
    architecture: String,
    os: String,
}

/// What an image's configuration says; a broken one says nothing.
#[derive(Default, Deserialize)]
struct Config {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    os: String,
    #[serde(default)]
    created: String,
    #[serde(default)]
    config: Option<Execution>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Execution {
    #[serde(default)]
    user: String,
}

impl Index {
    /// Whether it names a document that tells of an image, and no image.
    fn is_attached(&self) -> bool {
        let config = self.config.as_ref().and_then(|config| config.media_type.as_deref());
        self.artifact_type.is_some() || config == Some(EMPTY)
    }
}

/// Puts the images of a layout together and takes their layers out of `inner`. A tree that is no layout has none. Several images
/// may have a layer in common.
pub(super) fn compose(path: &str, tree: &mut Tree, inner: &mut Vec<(String, Tree)>) -> Vec<Image> {
    if !tree.files.contains_key("oci-layout") {
        return Vec::new();
    }
    let mut images = Vec::new();
    let mut used = Vec::new();
    let mut seen = BTreeSet::new();
    let mut todo = vec![("index.json".to_owned(), None, 0)];
    while let Some((file, runs, depth)) = todo.pop() {
        // An image may be named by itself and by an index.
        if !seen.insert(file.clone()) {
            continue;
        }
        let text = tree.files.get(&file).and_then(|file| file.text.as_deref());
        let mut index = match text.map(serde_json::from_str::<Index>) {
            Some(Ok(index)) => index,
            Some(Err(why)) => {
                tree.irregular
                    .push((file, format!("cannot be read as an index of images: {why}")));
                continue;
            }
            None => {
                tree.irregular.push((file, "is not in the layout".to_owned()));
                continue;
            }
        };
        if depth < DEPTH_MAX {
            for manifest in std::mem::take(&mut index.manifests) {
                todo.push((blob(&manifest.digest), manifest.platform, depth + 1));
            }
        }
        if index.layers.is_empty() || index.is_attached() {
            continue;
        }
        images.push(put_together(path, &file, &index, runs, tree, inner, &mut used));
    }
    inner.retain(|(path, _)| !used.contains(path));
    check_digests(tree);
    images
}

/// Puts one image's layers over each other, and notes which were used.
fn put_together(
    path: &str,
    file: &str,
    index: &Index,
    runs: Option<Runs>,
    tree: &mut Tree,
    inner: &[(String, Tree)],
    used: &mut Vec<String>,
) -> Image {
    let config = config(tree, index.config.as_ref());
    let runs = runs.unwrap_or_else(|| Runs {
        architecture: config.architecture.clone(),
        os: config.os.clone(),
    });
    let mut image = Tree::new(Packed::Image);
    let mut facts = Facts {
        user: config.config.map(|config| config.user).unwrap_or_default(),
        created: config.created,
        ..Facts::default()
    };
    for layer in &index.layers {
        let layer = blob(&layer.digest);
        match inner.iter().position(|(path, _)| *path == layer) {
            Some(place) => {
                let mut own = inner[place].1.clone();
                if runs.os == "windows" {
                    own.below(WINDOWS_FILES);
                }
                over(&mut image, own, &format!("layer-{}", digits(&layer)), &mut facts);
                used.push(layer);
            }
            None => tree
                .irregular
                .push((layer, "is named as a layer and is no tar archive".to_owned())),
        }
    }
    Image {
        path: format!("{path}{}:", short(file)),
        platform: platform(&runs),
        tree: image,
        facts,
    }
}

/// Puts a layer over what is there, and notes what it does to it.
fn over(image: &mut Tree, mut layer: Tree, name: &str, facts: &mut Facts) {
    let shown = |path: &str| format!("{name}/{path}");
    for path in layer.files.keys() {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(gone) = file.strip_prefix(".wh.") else {
            if image.files.contains_key(path) || image.links.contains_key(path) {
                facts.covers.push((shown(path), Cover::Replaced));
            }
            continue;
        };
        let below = match (file, folder) {
            (OPAQUE, folder) => folder.to_owned(),
            (_, "") => gone.to_owned(),
            (_, folder) => format!("{folder}/{gone}"),
        };
        let is_gone = |path: &String| {
            let rest = path.strip_prefix(&below);
            below.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let before = image.files.len() + image.links.len();
        image.files.retain(|path, _| !is_gone(path));
        image.links.retain(|path, _| !is_gone(path));
        image.inner.retain(|(path, _)| !is_gone(path));
        let count = before - image.files.len() - image.links.len();
        facts.covers.push((shown(path), Cover::Gone(count)));
    }
    layer
        .files
        .retain(|path, _| !crate::subject::name(path).starts_with(".wh."));
    for path in layer.files.keys() {
        image.links.remove(path);
        image.inner.retain(|(other, _)| other != path);
    }
    for path in layer.links.keys() {
        if image.files.remove(path).is_some() || image.links.contains_key(path) {
            facts.covers.push((shown(path), Cover::Replaced));
        }
    }
    let headers = std::mem::take(&mut layer.headers);
    facts
        .entries
        .extend(headers.into_iter().map(|(path, header)| (shown(&path), header)));
    image.absorb(layer);
}

/// A blob's name is the hash of its bytes.
fn check_digests(tree: &mut Tree) {
    for (path, file) in &tree.files {
        let (Some(digest), Some(sha256)) = (path.strip_prefix("blobs/sha256/"), &file.sha256) else {
            continue;
        };
        let found = crate::subject::hex(sha256);
        if digest != found && !digest.contains(':') {
            tree.irregular.push((path.clone(), format!("has the sha256 {found}")));
        }
    }
}

fn config(tree: &Tree, config: Option<&Descriptor>) -> Config {
    let file = config.and_then(|config| tree.files.get(&blob(&config.digest)));
    let text = file.and_then(|file| file.text.as_deref());
    text.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

fn platform(runs: &Runs) -> Option<Platform> {
    let linux = Platform::of_debian(&runs.architecture)?;
    match runs.os.as_str() {
        "windows" => Some(Platform {
            os: crate::Os::Windows,
            ..linux
        }),
        _ => Some(linux),
    }
}

fn blob(digest: &str) -> String {
    format!("blobs/{}", digest.replacen(':', "/", 1))
}

/// An image's name in findings: the first digits of its manifest's hash.
fn short(file: &str) -> String {
    format!("image-{}", digits(file))
}

fn digits(file: &str) -> &str {
    let digits = crate::subject::name(file);
    digits.get(..12).unwrap_or(digits)
}
