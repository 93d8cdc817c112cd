//! What a bundle is made of, in the words of others: SPDX 2.3 and CycloneDX 1.6, and the licences for people. All of it is
//! written from the manifest and adds no fact to it; only the SHA-1 of each file, which SPDX demands, is read from the files.
//! Nothing here judges.

mod cyclonedx;
pub mod licences;
mod spdx;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use gates::manifest::{BUNDLER, Component, Manifest};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The SPDX document at the root of a bundle.
pub const SPDX: &str = "sbom.spdx.json";

/// The CycloneDX document at the root of a bundle.
pub const CYCLONEDX: &str = "sbom.cdx.json";

/// The name of this program in the documents that it writes.
const TOOL: &str = "windlass";

/// The licence of what the bundler itself writes: this workspace's.
const OWN_LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// What both documents are written from.
pub struct Facts<'a> {
    /// What the bundle says of itself; the documents are not among its files.
    pub manifest: &'a Manifest,
    /// The SHA-1 of every file of the manifest, by path.
    pub sha1: BTreeMap<String, String>,
    /// The time that the documents name, in seconds after 1970.
    pub epoch: u64,
    /// What it is that they tell of: `bundle` or `image`.
    pub what: &'static str,
    /// Packages of others that are shipped with it and that no manifest lists.
    pub packages: Vec<Package>,
}

/// A package of somebody else's, shipped as it is.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence, as an SPDX expression.
    pub license: String,
    /// The SHA-256 of the file that it came in.
    pub sha256: String,
    /// Its package URL.
    pub url: String,
}

impl<'a> Facts<'a> {
    /// Reads the files that the manifest lists.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(manifest: &'a Manifest, bundle: &Path, epoch: u64) -> Result<Facts<'a>> {
        let hashes = manifest.files.iter().map(|file| {
            let hash = sha1(&bundle.join(&file.path))?;
            Ok((file.path.clone(), hash))
        });
        Ok(Facts {
            sha1: hashes.collect::<Result<_>>()?,
            manifest,
            epoch,
            what: "bundle",
            packages: Vec::new(),
        })
    }

    /// The documents by the names of their files.
    ///
    /// # Errors
    /// If the epoch is no time.
    pub fn documents(&self) -> Result<[(&'static str, String); 2]> {
        Ok([(SPDX, spdx::write(self)?), (CYCLONEDX, cyclonedx::write(self)?)])
    }

    /// The time as both standards spell it.
    fn created(&self) -> Result<String> {
        rfc3339(self.epoch)
    }

    /// A UUID that is made of the manifest and the time, so that equal content has equal documents (RFC 9562, version 8).
    fn uuid(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.epoch.to_le_bytes());
        hash.update(self.what);
        hash.update(self.manifest.to_json());
        for package in &self.packages {
            hash.update(&package.sha256);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = hex(&bytes);
        let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        parts.join("-")
    }

    /// The licence of an owner's files.
    fn license(&self, owner: &str) -> &str {
        license(self.manifest, owner)
    }

    /// The licence of all of it together.
    fn whole_license(&self) -> String {
        whole_license(
            self.manifest,
            self.packages.iter().map(|package| package.license.as_str()),
        )
    }

    /// What all of it is called.
    fn title(&self) -> String {
        format!("windlass {} for {}", self.what, self.manifest.target)
    }

    /// The owners of files: the components, and the bundler.
    fn owners(&self) -> impl Iterator<Item = &str> {
        owners(self.manifest)
    }
}

fn owners(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let components = manifest.components.iter();
    components.map(|component| component.name.as_str()).chain([BUNDLER])
}

fn license<'a>(manifest: &'a Manifest, owner: &str) -> &'a str {
    match manifest.component(owner) {
        Some(component) => &component.license,
        None => OWN_LICENSE,
    }
}

/// The licence of a whole bundle and of what is shipped with it, as one SPDX expression.
pub fn whole_license<'a>(manifest: &'a Manifest, more: impl Iterator<Item = &'a str>) -> String {
    let own = owners(manifest).map(|owner| license(manifest, owner));
    let mut all: Vec<&str> = own.chain(more).collect();
    all.sort_unstable();
    all.dedup();
    let parts: Vec<String> = all
        .iter()
        .map(|text| match text.contains(' ') && all.len() > 1 {
            true => format!("({text})"),
            false => (*text).to_owned(),
        })
        .collect();
    parts.join(" AND ")
}

/// Seconds after 1970 as RFC 3339 spells a time.
///
/// # Errors
/// If there is no such time: the year has to have four digits.
pub fn rfc3339(epoch: u64) -> Result<String> {
    let time = i64::try_from(epoch)
        .ok()
        .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    time.and_then(|time| time.format(&Rfc3339).ok())
        .with_context(|| format!("{epoch} is no time in seconds after 1970"))
}

/// The package URL of what a component was built from, or of the package that was taken as it is.
fn package_url(component: &Component) -> String {
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let kind = if component.published { "pypi" } else { "generic" };
    let (name, version) = (&component.name, &component.version);
    let mut text = format!("pkg:{kind}/{}@{}", encoded(name), encoded(version));
    if let Some(source) = component.sources.first() {
        if component.published {
            text += &format!("?file_name={}&checksum=sha256:{}", encoded(&source.file), source.sha256);
            return text;
        }
        text += &format!("?checksum=sha256:{}", source.sha256);
        if let Some(url) = source.url.first() {
            text += &format!("&download_url={}", encoded(url));
        }
    }
    text
}

fn sha1(path: &Path) -> Result<String> {
    let context = || format!("{}: cannot be read", path.display());
    let mut file = File::open(path).with_context(context)?;
    let mut hash = Sha1::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).with_context(context)? {
            0 => return Ok(hex(&hash.finalize())),
            count => hash.update(&buffer[..count]),
        }
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
