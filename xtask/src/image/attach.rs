//! What is attached to an image as referrers: everything that tells of the whole bundle. In a layer it would change with every
//! component, and who pulls an image to run it does not read it; who asks for it finds it by the image's digest.

use std::fs;

use anyhow::{Context, Result};
use gates::parity::Declared;

use super::layout::Attachment;
use super::{Made, Options, Source, provenance};
use crate::sbom::{self, Facts, licences, rfc3339};
use crate::{parity, prove};

/// The documents of one image.
///
/// # Errors
/// If one that the bundle should have cannot be read.
pub fn of_image(source: &Source, image: &Made, options: &Options) -> Result<Vec<Attachment>> {
    let in_bundle = [
        ("README.md", "application/vnd.windlass.readme.v1", "text/markdown"),
        (
            gates::manifest::FILE,
            "application/vnd.windlass.manifest.v1",
            "application/json",
        ),
    ];
    let mut all = bills(source, options)?;
    for (file, artifact_type, media_type) in in_bundle {
        let path = source.bundle.join(file);
        let text = fs::read_to_string(&path).with_context(|| {
            format!(
                "{}: cannot be read\n\nhint: cargo xtask bundle --target {}",
                path.display(),
                source.target.triple
            )
        })?;
        all.push(Attachment {
            artifact_type,
            media_type,
            title: file.replace('/', "-"),
            annotations: Vec::new(),
            text,
        });
    }
    if let Some(ledger) = &source.ledger {
        all.push(Attachment {
            artifact_type: "application/vnd.windlass.proof.v1",
            media_type: "application/json",
            title: prove::FILE.to_owned(),
            annotations: Vec::new(),
            text: ledger.clone(),
        });
    }
    all.push(provenance::attachment(source, image, options));
    Ok(all)
}

/// The bills of materials and the licence report of an image: of the bundle's files that are in its layers, and the packages below
/// them.
fn bills(source: &Source, options: &Options) -> Result<Vec<Attachment>> {
    let mut manifest = source.manifest.clone();
    manifest.files.retain(super::is_in_layer);
    let mut facts = Facts::read(&manifest, &source.bundle, options.epoch)?;
    facts.what = "image";
    facts.packages = source.packages();
    let report = Attachment {
        artifact_type: "application/vnd.windlass.licences.v1",
        media_type: "text/markdown",
        title: licences::REPORT.replace('/', "-"),
        annotations: Vec::new(),
        text: licences::report(facts.what, &manifest, &facts.packages),
    };
    let documents = facts.documents()?.into_iter();
    let documents = documents.map(|(name, text)| {
        let media_type = match name {
            sbom::SPDX => "application/spdx+json",
            _ => "application/vnd.cyclonedx+json",
        };
        Attachment {
            artifact_type: media_type,
            media_type,
            title: name.to_owned(),
            annotations: Vec::new(),
            text,
        }
    });
    Ok(documents.chain([report]).collect())
}

/// What tells of several images: how their bundles differ. Whether they may is for `parity` to say.
///
/// # Errors
/// If a bundle cannot be read.
pub fn of_index(sources: &[Source], options: &Options) -> Result<Vec<Attachment>> {
    if sources.len() < 2 {
        return Ok(Vec::new());
    }
    let bundles: Vec<&std::path::Path> = sources.iter().map(|source| source.bundle.as_path()).collect();
    // By the image's own time: the same inputs give the same image on every day.
    let time = rfc3339(options.epoch)?;
    let day = time.split('T').next().unwrap_or_default();
    let (table, _) = parity::compare(&bundles, &Declared::standard(), day)?;
    let media_type = |name: &str| {
        parity::FILES
            .iter()
            .find(|(file, _)| *file == name)
            .map_or("", |(_, kind)| kind)
    };
    let documents = parity::documents(&table).into_iter();
    Ok(documents
        .map(|(name, text)| Attachment {
            artifact_type: "application/vnd.windlass.parity.v1",
            media_type: media_type(name),
            title: name.to_owned(),
            annotations: Vec::new(),
            text,
        })
        .collect())
}
