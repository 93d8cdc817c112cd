//! Images in the layout of the Open Container Initiative: an index names manifests, a manifest names layers, and the layers are
//! put over each other, with what a later one takes away taken away.

use serde::Deserialize;

use super::tree::{Packed, Tree};
use crate::Platform;

/// An index in an index is followed this deep.
const DEPTH_MAX: usize = 4;

/// A layer's file of this name takes away everything that was in its folder.
const OPAQUE: &str = ".wh..wh..opq";

/// One image, put together.
pub(super) struct Image {
    pub path: String,
    pub platform: Option<Platform>,
    pub tree: Tree,
}

#[derive(Deserialize)]
struct Index {
    #[serde(default)]
    manifests: Vec<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
    config: Option<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    platform: Option<Runs>,
}

#[derive(Deserialize)]
struct Runs {
    architecture: String,
    os: String,
}

/// Puts the images of a layout together and takes their layers out of `inner`. A tree that is no layout has none. Several images
/// may have a layer in common.
pub(super) fn compose(path: &str, tree: &mut Tree, inner: &mut Vec<(String, Tree)>) -> Vec<Image> {
    if !tree.files.contains_key("oci-layout") {
        return Vec::new();
    }
    let mut images = Vec::new();
    let mut used = Vec::new();
    let mut todo = vec![("index.json".to_owned(), None, 0)];
    while let Some((file, runs, depth)) = todo.pop() {
        let text = tree.files.get(&file).and_then(|file| file.text.as_deref());
        let index = match text.map(serde_json::from_str::<Index>) {
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
            for manifest in index.manifests {
                todo.push((blob(&manifest.digest), manifest.platform, depth + 1));
            }
        }
        if index.layers.is_empty() {
            continue;
        }
        let runs = runs.or_else(|| config(tree, index.config.as_ref()?));
        let mut image = Tree::new(Packed::Image);
        for layer in &index.layers {
            let layer = blob(&layer.digest);
            match inner.iter().position(|(path, _)| *path == layer) {
                Some(place) => {
                    used.push(layer);
                    over(&mut image, inner[place].1.clone());
                }
                None => tree
                    .irregular
                    .push((layer, "is named as a layer and is no tar archive".to_owned())),
            }
        }
        images.push(Image {
            path: format!("{path}{}:", short(&file)),
            platform: runs.and_then(|runs| platform(&runs)),
            tree: image,
        });
    }
    inner.retain(|(path, _)| !used.contains(path));
    check_digests(tree);
    images
}

/// Puts a layer over what is there.
fn over(image: &mut Tree, mut layer: Tree) {
    for path in layer.files.keys() {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(gone) = name.strip_prefix(".wh.") else {
            continue;
        };
        let below = match (name, folder) {
            (OPAQUE, folder) => folder.to_owned(),
            (_, "") => gone.to_owned(),
            (_, folder) => format!("{folder}/{gone}"),
        };
        let is_gone = |path: &String| {
            let rest = path.strip_prefix(&below);
            below.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        image.files.retain(|path, _| !is_gone(path));
        image.links.retain(|path, _| !is_gone(path));
        image.inner.retain(|(path, _)| !is_gone(path));
    }
    layer
        .files
        .retain(|path, _| !crate::subject::name(path).starts_with(".wh."));
    for path in layer.files.keys() {
        image.links.remove(path);
        image.inner.retain(|(other, _)| other != path);
    }
    for path in layer.links.keys() {
        image.files.remove(path);
    }
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

fn config(tree: &Tree, config: &Descriptor) -> Option<Runs> {
    let text = tree.files.get(&blob(&config.digest))?.text.as_deref()?;
    serde_json::from_str(text).ok()
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
    let digits = crate::subject::name(file);
    format!("image-{}", digits.get(..12).unwrap_or(digits))
}
