//! Where an image comes from, as an in-toto statement with SLSA's provenance, version 1: its digest, what was asked for, and every
//! input by hash. It is not signed: whoever publishes the image signs it by their own key.

use serde_json::{Value, json};

use super::layout::Attachment;
use super::{Made, Options, Source};
use crate::canonical;

/// What kind of build it was, and who ran it. Neither is an address: what they mean is described beside this program.
const BUILD_TYPE: &str = "urn:windlass:image:v1";
const BUILDER: &str = "urn:windlass:xtask";

const PREDICATE: &str = "https://slsa.dev/provenance/v1";

/// The statement, as a document to be attached.
pub fn attachment(source: &Source, image: &Made, options: &Options) -> Attachment {
    Attachment {
        artifact_type: "application/vnd.in-toto+json",
        media_type: "application/vnd.in-toto+json",
        title: "provenance.json".to_owned(),
        annotations: vec![("in-toto.io/predicate-type", PREDICATE.to_owned())],
        text: canonical::pretty(&statement(source, image, options)),
    }
}

fn statement(source: &Source, image: &Made, options: &Options) -> Value {
    let manifest = &source.manifest;
    let components: Vec<Value> = manifest
        .components
        .iter()
        .map(|component| match &component.variant {
            Some(variant) => json!({ "name": component.name, "variant": variant }),
            None => json!({ "name": component.name }),
        })
        .collect();
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{
            "name": image.target,
            "digest": { "sha256": image.descriptor.digest().digest() },
        }],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    "target": manifest.target,
                    "provider": manifest.provider,
                    "components": components,
                    "image": source.recipe.name,
                    "compression": options.compression,
                },
                "internalParameters": { "sourceDateEpoch": options.epoch },
                "resolvedDependencies": dependencies(source),
            },
            "runDetails": {
                "builder": { "id": BUILDER, "version": { "xtask": env!("CARGO_PKG_VERSION") } },
            },
        },
    })
}

/// Everything that went in: upstreams' sources by their hashes, and what was built of them and the tools by the digests of their
/// prefixes, which cover recipes, patches and all that they stand on.
fn dependencies(source: &Source) -> Vec<Value> {
    let manifest = &source.manifest;
    let mut all = Vec::new();
    for component in &manifest.components {
        for file in &component.sources {
            let mut dependency = json!({ "name": file.file, "digest": { "sha256": file.sha256 } });
            if let Some(url) = file.url.first() {
                dependency["uri"] = json!(url);
            }
            all.push(dependency);
        }
        all.push(json!({
            "name": format!("prefix of {} {}", component.name, component.version),
            "digest": { "windlassPrefix": component.digest },
        }));
    }
    for package in source.base.iter().flat_map(|base| &base.packages) {
        all.push(json!({
            "name": package.pin.file,
            "uri": package.url(),
            "digest": { "sha256": package.pin.sha256 },
        }));
    }
    for tool in &manifest.tools {
        all.push(json!({
            "name": format!("tool {} {}", tool.name, tool.version),
            "digest": { "windlassPrefix": tool.digest },
        }));
    }
    all
}
