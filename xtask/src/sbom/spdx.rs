//! The bundle as a document of SPDX 2.3 (ISO/IEC 5962's successor): one package for each owner of files, one for each source that
//! was built from, one for each tool, and every file with its hashes.

use std::collections::BTreeMap;

use anyhow::Result;
use gates::manifest::{BUNDLER, Component, File, Kind};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use super::{Facts, TOOL, hex, package_url};
use crate::canonical;

const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const BUNDLE: &str = "SPDXRef-Bundle";

/// What nobody has looked up: copyright notices and the licence that each single text names.
const UNKNOWN: &str = "NOASSERTION";

/// Writes the document.
pub(super) fn write(facts: &Facts<'_>) -> Result<String> {
    let manifest = facts.manifest;
    let name = format!("windlass-{}-{}", facts.what, manifest.target);
    let mut packages = vec![bundle(facts)];
    let mut relations = vec![relation(DOCUMENT, "DESCRIBES", BUNDLE)];
    for owner in facts.owners() {
        packages.push(owner_package(facts, owner));
        relations.push(relation(BUNDLE, "CONTAINS", &package_id(owner)));
    }
    for component in &manifest.components {
        // What is shipped as it is has no source here.
        let sources = component.sources.iter().filter(|_| !component.published);
        for (at, source) in sources.enumerate() {
            let id = format!("{}-source-{at}", package_id(&component.name));
            packages.push(json!({
                "SPDXID": id,
                "name": source.file,
                "versionInfo": component.version,
                "downloadLocation": source.url.first().map_or(UNKNOWN, String::as_str),
                "filesAnalyzed": false,
                "licenseConcluded": UNKNOWN,
                "licenseDeclared": UNKNOWN,
                "copyrightText": UNKNOWN,
                "primaryPackagePurpose": "SOURCE",
                "checksums": [{ "algorithm": "SHA256", "checksumValue": source.sha256 }],
            }));
            relations.push(relation(&package_id(&component.name), "GENERATED_FROM", &id));
        }
        for need in &component.needs {
            relations.push(relation(&package_id(&component.name), "DEPENDS_ON", &package_id(need)));
        }
    }
    below(facts, &mut packages, &mut relations);
    tools(facts, &mut packages, &mut relations);
    let mut files = Vec::new();
    for (at, file) in manifest.files.iter().enumerate() {
        let id = format!("SPDXRef-File-{at}");
        files.push(self::file(facts, &id, file));
        relations.push(relation(&package_id(&file.owner), "CONTAINS", &id));
    }
    let mut document = json!({
        "SPDXID": DOCUMENT,
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "name": name,
        "documentNamespace": format!("https://spdx.org/spdxdocs/{name}-{}", facts.uuid()),
        "creationInfo": {
            "created": facts.created()?,
            "creators": [format!("Tool: {TOOL}-{}", env!("CARGO_PKG_VERSION"))],
        },
        "packages": packages,
        "files": files,
        "relationships": relations,
    });
    let own = own_licences(&manifest.components);
    if !own.is_empty() {
        document["hasExtractedLicensingInfos"] = json!(own);
    }
    Ok(canonical::pretty(&document))
}

/// The licences that SPDX has no name for, each with where its text is: whoever uses such a name has to say what it stands for.
fn own_licences(components: &[Component]) -> Vec<Value> {
    let mut own = BTreeMap::new();
    for component in components {
        let is_name = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
        let words = component.license.split(|character| !is_name(character));
        for name in words.filter(|word| word.starts_with("LicenseRef-")) {
            let texts = component.licence_files.join(", ");
            own.entry(name).or_insert_with(|| {
                json!({
                    "licenseId": name,
                    "name": name.trim_start_matches("LicenseRef-").replace('-', " "),
                    "extractedText": format!("The text is shipped: {texts}"),
                })
            });
        }
    }
    own.into_values().collect()
}

/// The packages of others that are shipped with it.
fn below(facts: &Facts<'_>, packages: &mut Vec<Value>, relations: &mut Vec<Value>) {
    for package in &facts.packages {
        let id = format!("SPDXRef-Package-{}", part(&package.name));
        packages.push(json!({
            "SPDXID": id,
            "name": package.name,
            "versionInfo": package.version,
            "downloadLocation": UNKNOWN,
            "filesAnalyzed": false,
            "licenseConcluded": package.license,
            "licenseDeclared": package.license,
            "copyrightText": UNKNOWN,
            "checksums": [{ "algorithm": "SHA256", "checksumValue": package.sha256 }],
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": package.url,
            }],
        }));
        relations.push(relation(BUNDLE, "CONTAINS", &id));
    }
}

/// The tools that made it.
fn tools(facts: &Facts<'_>, packages: &mut Vec<Value>, relations: &mut Vec<Value>) {
    for tool in &facts.manifest.tools {
        let id = format!("SPDXRef-Tool-{}", part(&tool.name));
        packages.push(json!({
            "SPDXID": id,
            "name": tool.name,
            "versionInfo": tool.version,
            "downloadLocation": UNKNOWN,
            "filesAnalyzed": false,
            "licenseConcluded": UNKNOWN,
            "licenseDeclared": UNKNOWN,
            "copyrightText": UNKNOWN,
            "primaryPackagePurpose": "APPLICATION",
            "comment": format!("with everything that it stands on, by content: {}", tool.digest),
        }));
        relations.push(relation(&id, "BUILD_TOOL_OF", BUNDLE));
    }
}

/// All of it, as one thing that is shipped.
fn bundle(facts: &Facts<'_>) -> Value {
    let license = facts.whole_license();
    json!({
        "SPDXID": BUNDLE,
        "name": facts.title(),
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": false,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": UNKNOWN,
        "primaryPackagePurpose": "ARCHIVE",
    })
}

/// The files of one owner.
fn owner_package(facts: &Facts<'_>, owner: &str) -> Value {
    let license = facts.license(owner);
    let mut package = json!({
        "SPDXID": package_id(owner),
        "name": owner,
        "downloadLocation": UNKNOWN,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": UNKNOWN,
        "primaryPackagePurpose": "LIBRARY",
    });
    match verification_code(facts, owner) {
        None => package["filesAnalyzed"] = json!(false),
        Some(code) => {
            package["filesAnalyzed"] = json!(true);
            package["licenseInfoFromFiles"] = json!([UNKNOWN]);
            package["packageVerificationCode"] = json!({ "packageVerificationCodeValue": code });
        }
    }
    match facts.manifest.component(owner) {
        Some(component) => describe(&mut package, component),
        None => {
            package["versionInfo"] = json!(env!("CARGO_PKG_VERSION"));
            package["comment"] = json!("what the bundler itself wrote");
        }
    }
    package
}

fn describe(package: &mut Value, component: &Component) {
    package["versionInfo"] = json!(component.version);
    if let Some(homepage) = &component.homepage {
        package["homepage"] = json!(homepage);
    }
    if let Some(url) = component.sources.iter().find_map(|source| source.url.first()) {
        package["downloadLocation"] = json!(url);
    }
    if component.published {
        package["comment"] = json!("published by its upstream, not built here");
    }
    if let Some(variant) = &component.variant {
        package["comment"] = json!(format!("variant {variant}"));
    }
    package["externalRefs"] = json!([{
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": package_url(component),
    }]);
}

fn file(facts: &Facts<'_>, id: &str, file: &File) -> Value {
    let kind = match file.kind {
        Kind::Program | Kind::Library | Kind::Plugin => "BINARY",
        Kind::ImportLibrary | Kind::StaticLibrary => "ARCHIVE",
        Kind::Header | Kind::Script => "SOURCE",
        Kind::PkgConfig => "TEXT",
        Kind::Licence => "DOCUMENTATION",
        Kind::File => "OTHER",
    };
    let sha1 = facts.sha1.get(&file.path).map_or("", String::as_str);
    json!({
        "SPDXID": id,
        "fileName": format!("./{}", file.path),
        "fileTypes": [kind],
        "checksums": [
            { "algorithm": "SHA1", "checksumValue": sha1 },
            { "algorithm": "SHA256", "checksumValue": file.sha256 },
        ],
        "licenseConcluded": facts.license(&file.owner),
        "licenseInfoInFiles": [UNKNOWN],
        "copyrightText": UNKNOWN,
    })
}

/// The hash over the hashes of an owner's files (SPDX 2.3, clause 7.9); nothing where it owns none.
fn verification_code(facts: &Facts<'_>, owner: &str) -> Option<String> {
    let own = facts.manifest.files.iter().filter(|file| file.owner == owner);
    let mut hashes: Vec<&str> = own
        .filter_map(|file| facts.sha1.get(&file.path).map(String::as_str))
        .collect();
    hashes.sort_unstable();
    (!hashes.is_empty()).then(|| hex(&Sha1::digest(hashes.concat())))
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({ "spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to })
}

fn package_id(owner: &str) -> String {
    match owner {
        BUNDLER => "SPDXRef-Bundler".to_owned(),
        name => format!("SPDXRef-Component-{}", part(name)),
    }
}

/// A name as a part of an identifier, which has letters, digits, dots and hyphens alone.
fn part(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    name.chars().map(|c| if plain(c) { c } else { '-' }).collect()
}
