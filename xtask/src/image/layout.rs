//! The layout of an image on disk (OCI image layout 1.0, with the referrers of 1.1): blobs under their hashes, and one index that
//! names what is in it. It knows nothing of bundles.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use oci_spec::image::{
    Descriptor, DescriptorBuilder, ImageIndexBuilder, ImageManifestBuilder, MediaType, OciLayoutBuilder, Sha256Digest,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::canonical;
use crate::sbom::rfc3339;

/// The annotation by which clients find an image in a layout.
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// The annotations that say when something was made, and what a file is called.
pub const CREATED: &str = "org.opencontainers.image.created";
const TITLE: &str = "org.opencontainers.image.title";

/// One document that tells of an image.
pub struct Attachment {
    /// What it is, as a media type, for whoever lists referrers.
    pub artifact_type: &'static str,
    /// The media type of its text.
    pub media_type: &'static str,
    /// Its name as a file.
    pub title: String,
    /// Further annotations.
    pub annotations: Vec<(&'static str, String)>,
    /// The text.
    pub text: String,
}

/// A layout in the making.
pub struct Layout {
    root: PathBuf,
    manifests: Vec<Descriptor>,
    streams: AtomicU32,
}

/// A blob in the making: hashed while it is written, and named when it is finished.
pub struct BlobWriter {
    file: BufWriter<File>,
    path: PathBuf,
    folder: PathBuf,
    hash: Sha256,
    size: u64,
}

impl Layout {
    /// An empty layout in a folder that is not there yet.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(root: &Path) -> Result<Layout> {
        store::tree::create_dir(&root.join("blobs/sha256"))?;
        Ok(Layout {
            root: root.to_owned(),
            manifests: Vec::new(),
            streams: AtomicU32::new(0),
        })
    }

    /// Begins a blob.
    ///
    /// # Errors
    /// If its file cannot be created.
    pub fn stream(&self) -> Result<BlobWriter> {
        let path = self
            .root
            .join(format!("blob.{}", self.streams.fetch_add(1, Ordering::Relaxed)));
        let file = File::create(&path).with_context(|| format!("{}: cannot be created", path.display()))?;
        Ok(BlobWriter {
            file: BufWriter::new(file),
            path,
            folder: self.root.join("blobs/sha256"),
            hash: Sha256::new(),
            size: 0,
        })
    }

    /// Writes a blob.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn blob(&self, media_type: MediaType, bytes: &[u8]) -> Result<Descriptor> {
        let mut blob = self.stream()?;
        blob.write_all(bytes)
            .with_context(|| format!("{}: cannot be written", blob.path.display()))?;
        blob.finish(media_type)
    }

    /// Writes a document.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn json(&self, media_type: MediaType, value: &impl Serialize) -> Result<Descriptor> {
        self.blob(media_type, &canonical::compact(value))
    }

    /// Names something in the layout, so that clients find it.
    pub fn name(&mut self, descriptor: &Descriptor, name: &str) {
        let mut named = descriptor.clone();
        named.set_annotations(Some(HashMap::from([(REF_NAME.to_owned(), name.to_owned())])));
        self.manifests.push(named);
    }

    /// Attaches a document to an image or index. Who has the subject finds it by the index of the layout, as by a registry's list
    /// of referrers.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn attach(&mut self, subject: &Descriptor, attachment: &Attachment, epoch: u64) -> Result<()> {
        let mut blob = self.blob(MediaType::from(attachment.media_type), attachment.text.as_bytes())?;
        blob.set_annotations(Some(HashMap::from([(TITLE.to_owned(), attachment.title.clone())])));
        let mut annotations = HashMap::from([(CREATED.to_owned(), rfc3339(epoch)?)]);
        for (key, value) in &attachment.annotations {
            annotations.insert((*key).to_owned(), value.clone());
        }
        let empty = self.blob(MediaType::EmptyJSON, b"{}")?;
        // Names and platforms are the subject's place in some index, and not the subject.
        let plain = DescriptorBuilder::default()
            .media_type(subject.media_type().clone())
            .digest(subject.digest().clone())
            .size(subject.size());
        let manifest = ImageManifestBuilder::default()
            .schema_version(2_u32)
            .media_type(MediaType::ImageManifest)
            .artifact_type(MediaType::from(attachment.artifact_type))
            .config(empty)
            .layers(vec![blob])
            .subject(plain.build()?)
            .annotations(annotations.clone())
            .build()?;
        let mut descriptor = self.json(MediaType::ImageManifest, &manifest)?;
        descriptor.set_artifact_type(Some(MediaType::from(attachment.artifact_type)));
        descriptor.set_annotations(Some(annotations));
        self.manifests.push(descriptor);
        Ok(())
    }

    /// Writes an index over images.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn index(&self, manifests: Vec<Descriptor>, epoch: u64) -> Result<Descriptor> {
        let index = ImageIndexBuilder::default()
            .schema_version(2_u32)
            .media_type(MediaType::ImageIndex)
            .manifests(manifests)
            .annotations(HashMap::from([(CREATED.to_owned(), rfc3339(epoch)?)]))
            .build()?;
        self.json(MediaType::ImageIndex, &index)
    }

    /// Writes what makes the folder a layout.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
        let put = |name: &str, text: Vec<u8>| {
            let path = self.root.join(name);
            fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))
        };
        let index = ImageIndexBuilder::default()
            .schema_version(2_u32)
            .media_type(MediaType::ImageIndex)
            .manifests(self.manifests.clone())
            .build()?;
        put("index.json", canonical::compact(&index))?;
        let layout = OciLayoutBuilder::default().image_layout_version("1.0.0").build()?;
        put("oci-layout", canonical::compact(&layout))
    }
}

impl BlobWriter {
    /// Gives the blob its name.
    ///
    /// # Errors
    /// If the rest of it cannot be written.
    pub fn finish(mut self, media_type: MediaType) -> Result<Descriptor> {
        self.file
            .flush()
            .with_context(|| format!("{}: cannot be written", self.path.display()))?;
        let hex = crate::sbom::hex(&self.hash.finalize());
        let to = self.folder.join(&hex);
        fs::rename(&self.path, &to).with_context(|| format!("{}: cannot be renamed", self.path.display()))?;
        let digest: Sha256Digest = hex.parse().context("a hash is no digest")?;
        Ok(Descriptor::new(media_type, self.size, digest))
    }
}

impl Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
