//! Changes a component's pin in its `component.toml`, in place and with its comments, and compares pins with what lies in
//! the state folder. It never invents a hash: that comes from the fetched file or from the user.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use store::{Digest, Pin, tree};
use toml_edit::{DocumentMut, Item, value};

use crate::components::FILE;
use crate::fetch::{self, Settings};
use crate::flags;
use crate::session::Session;

/// Runs the verb.
///
/// # Errors
/// If a component does not exist, its file cannot be edited, or a file differs from its pin.
pub fn run(session: &Session, flags: &flags::Pin) -> Result<()> {
    match flags {
        flags::Pin::Set { name, version, sha256 } => set(session, name, version, sha256.as_deref()),
        flags::Pin::Check { names } => check(session, names),
    }
}

fn set(session: &Session, name: &str, version: &str, sha256: Option<&str>) -> Result<()> {
    let components = session.components()?;
    let path = components.get(name)?.folder.join(FILE);
    let text = fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let context = || path.display().to_string();
    let moved = with_version(&text, version).with_context(context)?;
    let hash = match sha256 {
        Some(hash) => Digest::from_hex(hash)?.to_string(),
        None => {
            ensure!(
                !session.common.offline,
                "{name}: the source of {version} has to be fetched for its hash, and --offline forbids it\n\nhint: cargo xtask pin set {name} {version} --sha256 HASH"
            );
            let pin = first_pin(name, &moved).with_context(context)?;
            let options = fetch::Options::default();
            fetch::learn(&session.state, &pin, &Settings::read(), &options, &session.progress)?
        }
    };
    let text = with_hash(&moved, &hash).with_context(context)?;
    tree::write_atomic(&path, text.as_bytes())?;
    let human = format!("{name} {version}: sha256 {hash}");
    session.print(
        "pinned",
        serde_json::json!({ "name": name, "version": version, "sha256": hash }),
        &human,
    )
}

/// The text with another version; where strings spell the old one out, they follow it.
fn with_version(text: &str, version: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("is not TOML")?;
    let Some(old) = document.get("version").and_then(Item::as_str).map(str::to_owned) else {
        bail!("has no `version`");
    };
    ensure!(old != version, "is at version {version} already");
    replace(&mut document["version"], version);
    let source = first_source(&mut document)?;
    let put = |item: &mut Item| {
        if let Some(now) = item.as_str().map(|text| text.replace(&old, version)) {
            replace(item, &now);
        }
    };
    for key in ["file", "debian"] {
        source.get_mut(key).into_iter().for_each(put);
    }
    for table in ["pypi", "crate"] {
        if let Some(item) = source.get_mut(table).and_then(|table| table.get_mut("version")) {
            put(item);
        }
    }
    if let Some(addresses) = source.get_mut("url").and_then(Item::as_array_mut) {
        for address in addresses.iter_mut() {
            if let Some(now) = address.as_str().map(|text| text.replace(&old, version)) {
                let decor = address.decor().clone();
                *address = now.into();
                *address.decor_mut() = decor;
            }
        }
    }
    Ok(document.to_string())
}

fn with_hash(text: &str, hash: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("is not TOML")?;
    let source = first_source(&mut document)?;
    ensure!(source.contains_key("sha256"), "its source has no `sha256`");
    replace(&mut source["sha256"], hash);
    Ok(document.to_string())
}

/// Another string in the same place, with what stands around it.
fn replace(item: &mut Item, text: &str) {
    let decor = item.as_value().map(|value| value.decor().clone());
    *item = value(text);
    if let (Some(decor), Some(value)) = (decor, item.as_value_mut()) {
        *value.decor_mut() = decor;
    }
}

/// `[source]`, or the first `[[source]]`: the upstream itself.
fn first_source(document: &mut DocumentMut) -> Result<&mut toml_edit::Table> {
    let found = match document.get_mut("source") {
        Some(Item::Table(table)) => Some(table),
        Some(Item::ArrayOfTables(tables)) => tables.get_mut(0),
        _ => None,
    };
    found.context("has no [source] table")
}

fn first_pin(name: &str, text: &str) -> Result<Pin> {
    let component = kit::Component::parse(name, text)?;
    component.all_pins().next().cloned().context("its source is no pin")
}

fn check(session: &Session, names: &[String]) -> Result<()> {
    let components = session.components()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut good, mut absent, mut bad) = (0, 0, Vec::new());
    for component in components.in_order(&names)? {
        for pin in kit::Component::load(&component.folder)?.all_pins() {
            let path = session.state.source_path(pin);
            match path.is_file().then(|| hash(&path)).transpose()? {
                None => absent += 1,
                Some(found) if found == pin.sha256 => good += 1,
                Some(found) => bad.push(format!(
                    "{}: {}: sha256 is {found}, wanted {}\nhint: rm {}",
                    component.name,
                    pin.file,
                    pin.sha256,
                    path.display()
                )),
            }
        }
    }
    if !bad.is_empty() {
        bail!("{}", bad.join("\n"));
    }
    let human = format!("{good} sources are what their pins say, {absent} not fetched");
    session.print("pins", serde_json::json!({ "good": good, "absent": absent }), &human)
}

fn hash(path: &Path) -> Result<String> {
    Ok(store::sha256_file(path)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        # ffmpeg, and why.\n\
        version = \"9.0.2\" # stable\n\
        license = \"MIT\"\n\
        \n\
        [source]\n\
        # upstream first\n\
        file = \"ffmpeg-{version}.tar.xz\"\n\
        sha256 = \"00\" # of the tarball\n\
        url = [\n\
        \x20   \"https://example.org/ffmpeg-9.0.2.tar.xz\", # main\n\
        ]\n\
        debian = \"pool/main/f/ffmpeg/ffmpeg_9.0.2.orig.tar.xz\"\n";

    #[test]
    fn a_version_moves_wherever_it_is_spelt_and_comments_stay() {
        let moved = with_hash(&with_version(TEXT, "9.1").unwrap(), "ff").unwrap();
        let wanted = TEXT.replace("9.0.2", "9.1").replace("\"00\"", "\"ff\"");
        assert_eq!(moved, wanted);
    }

    #[test]
    fn the_same_version_is_refused() {
        let error = with_version(TEXT, "9.0.2").unwrap_err().to_string();
        assert_eq!(error, "is at version 9.0.2 already");
    }
}
