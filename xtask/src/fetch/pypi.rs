//! Python package indexes: which ones pip uses, by pip's own settings, and where in them a file is (the simple
//! repository API, PEP 503 in HTML and PEP 691 in JSON). A hash in an index is not believed; the pin has its own.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use store::Pypi;
use url::Url;

use super::download::{self, Client};
use super::{Candidate, Options, Settings};

/// The forms of an index that are understood, the richest first.
const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// Where pip would look.
#[derive(Debug, Default, PartialEq, Eq)]
struct Places {
    indexes: Vec<String>,
    links: Vec<String>,
}

/// Where the file of that name may be.
///
/// # Errors
/// If no index has the project with a file of that name; each that was asked is named.
pub fn candidates(
    client: &Client,
    settings: &Settings,
    options: &Options,
    project: &Pypi,
    file: &str,
) -> Result<Vec<Candidate>> {
    let places = places(settings)?;
    let mut found = Vec::new();
    let mut reasons = Vec::new();
    for link in &places.links {
        let folder = Path::new(link.strip_prefix("file://").unwrap_or(link));
        if folder.join(file).is_file() {
            found.push(Candidate::File(folder.join(file)));
        }
    }
    let pages = places
        .indexes
        .iter()
        .map(|index| format!("{}/{}/", index.trim_end_matches('/'), project.project))
        .chain(places.links.iter().filter(|link| link.starts_with("http")).cloned());
    for page in pages {
        match on_page(client, options, &page, file) {
            Ok(Some(address)) => found.push(Candidate::Address(address)),
            Ok(None) => reasons.push(format!(
                "{}: has no file of that name for {} {}",
                download::shown(&page),
                project.project,
                project.version
            )),
            Err(error) => reasons.push(format!("{error:#}")),
        }
        // One index that has it is enough; the others are asked only if there is none.
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        bail!("{}", reasons.join("\n"));
    }
    Ok(found)
}

/// The names of all files of a project: on the first index that has it, and in folders of links.
///
/// # Errors
/// If no index has the project; each that was asked is named.
pub fn files(client: &Client, settings: &Settings, options: &Options, project: &str) -> Result<Vec<String>> {
    let mut reasons = Vec::new();
    for index in places(settings)?.indexes {
        let page = format!("{}/{project}/", index.trim_end_matches('/'));
        let names = client.page(&page, ACCEPT, options).and_then(|page| {
            match page.content_type.contains("json") {
                true => names_in_json(&page.text),
                false => Ok(names_in_html(&page.text)),
            }
            .with_context(|| format!("{}: not a simple index in JSON", page.address))
        });
        match names {
            Ok(names) if !names.is_empty() => return Ok(names),
            Ok(_) => reasons.push(format!("{}: has no file", download::shown(&page))),
            Err(error) => reasons.push(format!("{error:#}")),
        }
    }
    bail!("{project}: is on no index\n{}", reasons.join("\n"));
}

fn on_page(client: &Client, options: &Options, page: &str, file: &str) -> Result<Option<String>> {
    let page = client.page(page, ACCEPT, options)?;
    let base = Url::parse(&page.address).with_context(|| format!("{}: not an address", page.address))?;
    let address = if page.content_type.contains("json") {
        in_json(&page.text, file).with_context(|| format!("{}: not a simple index in JSON", page.address))?
    } else {
        in_html(&page.text, file)
    };
    let Some(address) = address else {
        return Ok(None);
    };
    let mut address = base
        .join(&address)
        .with_context(|| format!("{}: `{address}` is not an address", page.address))?;
    address.set_fragment(None);
    Ok(Some(address.into()))
}

/// A project's page in JSON.
#[derive(Deserialize)]
struct Project {
    files: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    filename: String,
    url: String,
}

fn in_json(text: &str, file: &str) -> Result<Option<String>> {
    let project: Project = serde_json::from_str(text)?;
    let mut files = project.files.into_iter();
    Ok(files.find(|entry| entry.filename == file).map(|entry| entry.url))
}

fn names_in_json(text: &str) -> Result<Vec<String>> {
    let project: Project = serde_json::from_str(text)?;
    Ok(project.files.into_iter().map(|entry| entry.filename).collect())
}

/// The target of the first anchor that ends in the file's name.
fn in_html(text: &str, file: &str) -> Option<String> {
    let mut anchors = anchors(text).into_iter();
    anchors.find(|(name, _)| name == file).map(|(_, target)| target)
}

fn names_in_html(text: &str) -> Vec<String> {
    let anchors = anchors(text).into_iter().map(|(name, _)| name);
    anchors.filter(|name| name.contains('.')).collect()
}

/// The names of files and where they are. An index is a flat list of anchors, so no tree is built.
fn anchors(text: &str) -> Vec<(String, String)> {
    let mut anchors = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("<a").or_else(|| rest.find("<A")) {
        rest = &rest[at + 2..];
        let tag = rest.split('>').next().unwrap_or_default();
        let Some(target) = attribute(tag, "href") else {
            continue;
        };
        let target = target.replace("&amp;", "&");
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        anchors.push((percent_decoded(name), target));
    }
    anchors
}

/// The value of an attribute of a tag, quoted or not.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find(name).map(|at| at + from) {
        from = at + name.len();
        let whole = lower[..at].ends_with(|before: char| before.is_ascii_whitespace());
        let Some(value) = tag[from..].trim_start().strip_prefix('=') else {
            continue;
        };
        if !whole {
            continue;
        }
        let value = value.trim_start();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split_ascii_whitespace().next(),
        };
        return value.map(str::to_owned);
    }
    None
}

fn percent_decoded(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (first, code.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The variables, then what pip itself says of its files, then pip's built-in index.
fn places(settings: &Settings) -> Result<Places> {
    let split = |value: &Option<String>| -> Vec<String> {
        value
            .iter()
            .flat_map(|value| value.split_whitespace().map(str::to_owned))
            .collect()
    };
    let mut places = Places {
        indexes: split(&settings.pip_index),
        links: split(&settings.pip_links),
    };
    let mut extra = split(&settings.pip_extra);
    if settings.ask_pip {
        let told = from_config(&python(&["-m", "pip", "config", "list"]).unwrap_or_default());
        if places.indexes.is_empty() {
            places.indexes = told.index;
        }
        if extra.is_empty() {
            extra = told.extra;
        }
        if places.links.is_empty() {
            places.links = told.links;
        }
        if places.indexes.is_empty() {
            let default = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)";
            places.indexes = vec![python(&["-c", default]).context(
                "pip does not say which index it uses\nhint: apt-get install python3-pip, or export PIP_INDEX_URL=ADDRESS",
            )?];
        }
    }
    places.indexes.append(&mut extra);
    Ok(places)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    index: Vec<String>,
    extra: Vec<String>,
    links: Vec<String>,
}

/// Reads `pip config list`: lines of `section.key='value'`, where a list has line breaks written as `\n`.
fn from_config(text: &str) -> Told {
    let mut told = Told::default();
    // Later sections win over `global`, as in pip.
    for section in ["global.", "download.", "install.", ":env:."] {
        for line in text.lines() {
            let Some((key, value)) = line.strip_prefix(section).and_then(|rest| rest.split_once('=')) else {
                continue;
            };
            let value = value.trim_matches(['\'', '"']).replace("\\n", " ");
            let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
            match key {
                "index-url" => told.index = words,
                "extra-index-url" => told.extra = words,
                "find-links" => told.links = words,
                _ => {}
            }
        }
    }
    told
}

fn python(arguments: &[&str]) -> Result<String> {
    let text = duct::cmd("python3", arguments)
        .stderr_null()
        .read()
        .context("python3 cannot be asked")?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pips_own_list_is_understood() {
        let told = from_config(
            "global.index-url='https://a.example/simple'\nglobal.extra-index-url='\\nhttps://b.example/simple\\nhttps://c.example/simple'\ninstall.index-url='https://d.example/simple'\n:env:.find-links='/opt/wheels'\n",
        );
        assert_eq!(told.index, ["https://d.example/simple"]);
        assert_eq!(told.extra, ["https://b.example/simple", "https://c.example/simple"]);
        assert_eq!(told.links, ["/opt/wheels"]);
    }

    #[test]
    fn anchors_are_found_however_they_are_written() {
        let page = "<a data-x='href=no' href=\"../../f/a-1%2B2.whl?x=1&amp;y=2#sha256=00\" data-requires-python=\"&gt;=3\">a</a><A HREF=b.zip>b</A>";
        assert_eq!(
            in_html(page, "a-1+2.whl").unwrap(),
            "../../f/a-1%2B2.whl?x=1&y=2#sha256=00"
        );
        assert_eq!(in_html(page, "b.zip").unwrap(), "b.zip");
        assert_eq!(in_html(page, "c.zip"), None);
        assert_eq!(names_in_html(page), ["a-1+2.whl", "b.zip"]);
    }
}
