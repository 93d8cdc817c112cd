//! Licences: whether what a component says is an SPDX expression, and the report that people and lawyers read. Which licence is
//! right it does not know.

use anyhow::{Result, bail};
use gates::manifest::{BUNDLER, Kind, Manifest};
use spdx::Expression;

use super::{OWN_LICENSE, Package};

/// The report in a bundle.
pub const REPORT: &str = "licences/README.md";

/// The texts of what the bundler itself writes, by their names in a bundle.
pub const OWN_TEXTS: [(&str, &str); 2] = [
    (
        "licences/bundle/LICENSE-APACHE",
        include_str!("../../../LICENSE-APACHE"),
    ),
    ("licences/bundle/LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
];

/// Refuses a component whose licence is no SPDX expression, before anything of it is built. That the texts are there the gates see.
///
/// # Errors
/// If that of the usual form or of a variant is none.
pub fn check(component: &kit::Component) -> Result<()> {
    let variants = component.variants.values();
    let all = std::iter::once(&component.license).chain(variants.map(|variant| &variant.license));
    for license in all {
        if let Err(error) = Expression::parse(license) {
            bail!(
                "{}: license `{license}` is no SPDX expression: {}",
                component.name,
                error.reason
            );
        }
    }
    Ok(())
}

/// Who owns what under which licence, as Markdown. `what` is a bundle or an image, `packages` what others made and it holds too.
pub fn report(what: &str, manifest: &Manifest, packages: &[Package]) -> String {
    let mut text = format!(
        "# Licences of the {what} for {}\n\nEvery file belongs to one of these; `manifest.json` says to which.\n\n\
         | component | version | licence (SPDX) | files | texts |\n|---|---|---|---|---|\n",
        manifest.target
    );
    let own = (BUNDLER, env!("CARGO_PKG_VERSION"), None, OWN_LICENSE);
    let upstreams = manifest.components.iter().map(|component| {
        let variant = component.variant.as_deref();
        (
            component.name.as_str(),
            component.version.as_str(),
            variant,
            component.license.as_str(),
        )
    });
    for (name, version, variant, license) in upstreams.chain([own]) {
        let is_published = manifest.component(name).is_some_and(|component| component.published);
        let files = manifest.files.iter().filter(|file| file.owner == name);
        let (texts, others): (Vec<_>, Vec<_>) = files.partition(|file| file.kind == Kind::Licence);
        let texts: Vec<String> = texts
            .iter()
            .map(|file| {
                let path = file.path.strip_prefix("licences/").unwrap_or(&file.path);
                format!("[{path}]({path})")
            })
            .collect();
        let variant = match (variant, is_published) {
            (Some(name), _) => format!(", variant {name}"),
            (None, true) => ", as published, not built here".to_owned(),
            (None, false) => String::new(),
        };
        let (count, texts) = (others.len(), texts.join(", "));
        text += &format!("| {name} | {version}{variant} | {license} | {count} | {texts} |\n");
    }
    for Package {
        name, version, license, ..
    } in packages
    {
        text += &format!("| {name} | {version} | {license} | a Debian package | /usr/share/doc/{name}/copyright |\n");
    }
    text += "\n## Sources\n\n";
    for component in &manifest.components {
        for source in &component.sources {
            let from = match source.url.first() {
                Some(url) => format!("<{url}>"),
                None => "a package registry".to_owned(),
            };
            text += &format!(
                "- {}: {}, sha256 {}, from {from}\n",
                component.name, source.file, source.sha256
            );
        }
    }
    text
}
