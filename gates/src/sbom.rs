//! Lists of what something is made of, as others write them: SPDX 2.3 and CycloneDX 1.x, both in JSON. Of either only the files are
//! taken, with their hash and whether a package or component has them; licences are another rule's.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

/// A component in a component is followed this deep.
const DEPTH_MAX: usize = 32;

/// What one document says of files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sbom {
    /// The files, by path without a leading `./`.
    pub files: BTreeMap<String, Listed>,
}

/// One file of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The SHA-256 in lower case; absent if there is none.
    pub sha256: Option<String>,
    /// Whether a package or a component has it.
    pub is_owned: bool,
}

/// Whether a file's name says that it is such a document.
pub(crate) fn is_named(name: &str) -> bool {
    [".spdx.json", ".cdx.json", ".bom.json"]
        .iter()
        .any(|end| name.ends_with(end))
        || name == "bom.json"
}

/// Understands the text of a document.
///
/// # Errors
/// If it is neither format, or lacks what the format demands; the text says what.
pub(crate) fn parse(text: &str) -> Result<Sbom, String> {
    let document: Value = serde_json::from_str(text).map_err(|why| format!("is no JSON: {why}"))?;
    let version = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let shape = |why: serde_json::Error| format!("has not the shape of its format: {why}");
    match (version("spdxVersion").as_str(), version("bomFormat").as_str()) {
        ("SPDX-2.3" | "SPDX-2.2", _) => Spdx::deserialize(&document).map_err(shape)?.files(),
        ("", "CycloneDX") if version("specVersion").starts_with("1.") => {
            let document = Cyclone::deserialize(&document).map_err(shape)?;
            let mut sbom = Sbom::default();
            components(&document.components, false, 0, &mut sbom)?;
            Ok(sbom)
        }
        ("", "") => Err("says neither `spdxVersion` nor `bomFormat`".to_owned()),
        ("", format) => Err(format!("is {format} of version `{}`", version("specVersion"))),
        (version, _) => Err(format!("is of version `{version}`")),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spdx {
    #[serde(rename = "SPDXID")]
    _id: String,
    _name: Option<String>,
    creation_info: Value,
    #[serde(default)]
    files: Vec<SpdxFile>,
    #[serde(default)]
    packages: Vec<SpdxPackage>,
    #[serde(default)]
    relationships: Vec<SpdxRelation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpdxFile {
    #[serde(rename = "SPDXID")]
    id: String,
    file_name: String,
    checksums: Vec<SpdxChecksum>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpdxChecksum {
    algorithm: String,
    checksum_value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpdxPackage {
    #[serde(rename = "SPDXID")]
    id: String,
    #[serde(default)]
    has_files: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpdxRelation {
    spdx_element_id: String,
    relationship_type: String,
    related_spdx_element: String,
}

impl Spdx {
    fn files(self) -> Result<Sbom, String> {
        if !self.creation_info.is_object() {
            return Err("does not say who made it (`creationInfo`)".to_owned());
        }
        let packages: BTreeSet<&str> = self.packages.iter().map(|package| package.id.as_str()).collect();
        let mut owned: BTreeSet<&str> = self
            .packages
            .iter()
            .flat_map(|package| &package.has_files)
            .map(String::as_str)
            .collect();
        for relation in &self.relationships {
            let (one, other) = (
                relation.spdx_element_id.as_str(),
                relation.related_spdx_element.as_str(),
            );
            match relation.relationship_type.as_str() {
                "CONTAINS" if packages.contains(one) => drop(owned.insert(other)),
                "CONTAINED_BY" if packages.contains(other) => drop(owned.insert(one)),
                _ => {}
            }
        }
        let mut sbom = Sbom::default();
        for file in &self.files {
            let checksum = file.checksums.iter().find(|sum| sum.algorithm == "SHA256");
            let listed = Listed {
                sha256: checksum.map(|sum| sum.checksum_value.to_ascii_lowercase()),
                is_owned: owned.contains(file.id.as_str()),
            };
            let path = file.file_name.strip_prefix("./").unwrap_or(&file.file_name).to_owned();
            add(&mut sbom, path, listed)?;
        }
        Ok(sbom)
    }
}

#[derive(Deserialize)]
struct Cyclone {
    #[serde(default)]
    components: Vec<CycloneComponent>,
}

#[derive(Deserialize)]
struct CycloneComponent {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    #[serde(default)]
    hashes: Vec<CycloneHash>,
    #[serde(default)]
    components: Vec<CycloneComponent>,
}

#[derive(Deserialize)]
struct CycloneHash {
    alg: String,
    content: String,
}

fn components(all: &[CycloneComponent], is_owned: bool, depth: usize, sbom: &mut Sbom) -> Result<(), String> {
    if depth == DEPTH_MAX {
        return Err(format!("has components in components deeper than {DEPTH_MAX}"));
    }
    for component in all {
        if component.kind == "file" {
            let hash = component.hashes.iter().find(|hash| hash.alg == "SHA-256");
            let listed = Listed {
                sha256: hash.map(|hash| hash.content.to_ascii_lowercase()),
                is_owned,
            };
            add(sbom, component.name.clone(), listed)?;
        }
        components(&component.components, true, depth + 1, sbom)?;
    }
    Ok(())
}

fn add(sbom: &mut Sbom, path: String, listed: Listed) -> Result<(), String> {
    match sbom.files.insert(path.clone(), listed) {
        None => Ok(()),
        Some(_) => Err(format!("names `{path}` twice")),
    }
}
