//! The bundle as a document of CycloneDX 1.6: the components with their files below them, what they were built from, and the
//! tools as the formulation.

use anyhow::Result;
use gates::manifest::{BUNDLER, Component, File};
use serde_json::{Value, json};

use super::{Facts, TOOL, package_url};
use crate::canonical;

/// Writes the document.
pub(super) fn write(facts: &Facts<'_>) -> Result<String> {
    let manifest = facts.manifest;
    let root = format!("{}:{}", facts.what, manifest.target);
    let mut components: Vec<Value> = facts
        .owners()
        .map(|owner| match manifest.component(owner) {
            Some(component) => upstream(facts, component),
            None => own(facts),
        })
        .collect();
    components.extend(facts.packages.iter().map(|package| {
        json!({
            "type": "library",
            "bom-ref": package.url,
            "name": package.name,
            "version": package.version,
            "purl": package.url,
            "licenses": [{ "expression": package.license }],
            "hashes": [{ "alg": "SHA-256", "content": package.sha256 }],
        })
    }));
    let mut dependencies: Vec<Value> = manifest
        .components
        .iter()
        .map(|component| json!({ "ref": reference(&component.name), "dependsOn": references(&component.needs) }))
        .collect();
    let mut all: Vec<String> = facts.owners().map(reference).collect();
    all.extend(facts.packages.iter().map(|package| package.url.clone()));
    dependencies.push(json!({ "ref": root, "dependsOn": all }));
    dependencies.push(json!({ "ref": reference(BUNDLER), "dependsOn": [] }));
    let tools: Vec<Value> = manifest
        .tools
        .iter()
        .map(|tool| {
            json!({
                "type": "application",
                "bom-ref": format!("tool:{}", tool.name),
                "name": tool.name,
                "version": tool.version,
                "properties": [{ "name": "windlass:digest", "value": tool.digest }],
            })
        })
        .collect();
    let mut document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": format!("urn:uuid:{}", facts.uuid()),
        "version": 1,
        "metadata": {
            "timestamp": facts.created()?,
            "tools": { "components": [
                { "type": "application", "name": TOOL, "version": env!("CARGO_PKG_VERSION") },
            ] },
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": facts.title(),
                "licenses": [{ "expression": facts.whole_license() }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    if !tools.is_empty() {
        document["formulation"] = json!([{ "components": tools }]);
    }
    Ok(canonical::pretty(&document))
}

fn upstream(facts: &Facts<'_>, component: &Component) -> Value {
    let mut links: Vec<Value> = component
        .sources
        .iter()
        .flat_map(|source| source.url.iter().map(move |url| (source, url)))
        .map(|(source, url)| {
            json!({
                "type": "source-distribution",
                "url": url,
                "hashes": [{ "alg": "SHA-256", "content": source.sha256 }],
            })
        })
        .collect();
    links.extend(
        component
            .homepage
            .iter()
            .map(|homepage| json!({ "type": "website", "url": homepage })),
    );
    let mut properties = vec![json!({ "name": "windlass:digest", "value": component.digest })];
    if component.published {
        properties.push(json!({ "name": "windlass:origin", "value": "published by its upstream, not built here" }));
    }
    properties.extend(
        component
            .variant
            .iter()
            .map(|variant| json!({ "name": "windlass:variant", "value": variant })),
    );
    json!({
        "type": "library",
        "bom-ref": reference(&component.name),
        "name": component.name,
        "version": component.version,
        "purl": package_url(component),
        "licenses": [{ "expression": component.license }],
        "externalReferences": links,
        "properties": properties,
        "components": files(facts, &component.name),
    })
}

/// What the bundler itself wrote.
fn own(facts: &Facts<'_>) -> Value {
    json!({
        "type": "data",
        "bom-ref": reference(BUNDLER),
        "name": BUNDLER,
        "version": env!("CARGO_PKG_VERSION"),
        "licenses": [{ "expression": facts.license(BUNDLER) }],
        "components": files(facts, BUNDLER),
    })
}

fn files(facts: &Facts<'_>, owner: &str) -> Vec<Value> {
    let own = facts.manifest.files.iter().filter(|file| file.owner == owner);
    own.map(|file| self::file(facts, file)).collect()
}

fn file(facts: &Facts<'_>, file: &File) -> Value {
    json!({
        "type": "file",
        "bom-ref": format!("file:{}", file.path),
        "name": file.path,
        "hashes": [{ "alg": "SHA-256", "content": file.sha256 }],
        "licenses": [{ "expression": facts.license(&file.owner) }],
    })
}

fn reference(owner: &str) -> String {
    format!("component:{owner}")
}

fn references(names: &[String]) -> Vec<String> {
    names.iter().map(|name| reference(name)).collect()
}
