//! The XML of project files as a small tree of its own, with the place of each element for errors. It gives no meaning to
//! anything.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};

/// The namespace of project files.
const NAMESPACE: &str = "http://schemas.microsoft.com/developer/msbuild/2003";

/// One element.
#[derive(Debug)]
pub(crate) struct Element {
    /// Its name, without the namespace.
    pub(crate) name: String,
    /// Its elements.
    pub(crate) children: Vec<Rc<Element>>,
    /// Its text, if it has no elements; without white space around it.
    pub(crate) text: String,
    attributes: BTreeMap<String, String>,
    file: Rc<str>,
    line: u32,
}

impl Element {
    /// Reads a file's root element.
    ///
    /// # Errors
    /// If the file cannot be read, or is not XML of this namespace.
    pub(crate) fn read(path: &Path) -> Result<Element> {
        let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Element::parse(&name, &text)
    }

    /// Understands a file's text; `file` is its name in errors.
    ///
    /// # Errors
    /// If it is not XML of this namespace.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Element> {
        // Half of upstream's files begin with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let document = roxmltree::Document::parse(text).with_context(|| format!("{file}: is not XML"))?;
        convert(document.root_element(), &Rc::from(file))
    }

    /// An attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Refuses attributes that are not named.
    ///
    /// # Errors
    /// If there is another one.
    pub(crate) fn only(&self, names: &[&str]) -> Result<()> {
        match self.attributes.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => bail!(
                "{}: attribute `{name}` of `{}` is not known here",
                self.place(),
                self.name
            ),
        }
    }

    /// Refuses attributes that are named.
    ///
    /// # Errors
    /// If there is one of them.
    pub(crate) fn without(&self, names: &[&str]) -> Result<()> {
        match names.iter().find(|name| self.attributes.contains_key(**name)) {
            None => Ok(()),
            Some(name) => bail!(
                "{}: attribute `{name}` of `{}` is not known here",
                self.place(),
                self.name
            ),
        }
    }

    /// The attributes that are not named, by their names.
    pub(crate) fn attributes_but<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let others = self
            .attributes
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()));
        others.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Refuses elements in it.
    ///
    /// # Errors
    /// If there is one.
    pub(crate) fn leaf(&self) -> Result<()> {
        match self.children.first() {
            None => Ok(()),
            Some(child) => bail!(
                "{}: `{}` in `{}`, where a text is wanted",
                child.place(),
                child.name,
                self.name
            ),
        }
    }

    /// Where it stands, for errors.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Calls `see` with it and everything in it.
    pub(crate) fn walk(&self, see: &mut impl FnMut(&Element)) {
        see(self);
        for child in &self.children {
            child.walk(see);
        }
    }
}

fn convert(node: roxmltree::Node, file: &Rc<str>) -> Result<Element> {
    let line = node.document().text_pos_at(node.range().start).row;
    let name = node.tag_name();
    ensure!(
        name.namespace() == Some(NAMESPACE),
        "{file}:{line}: `{}` is not of MSBuild's namespace",
        name.name()
    );
    let children = node.children().filter(roxmltree::Node::is_element);
    let children = children
        .map(|child| convert(child, file).map(Rc::new))
        .collect::<Result<Vec<_>>>()?;
    let text: String = node
        .children()
        .filter(roxmltree::Node::is_text)
        .filter_map(|child| child.text())
        .collect();
    let text = text.trim().to_owned();
    ensure!(
        children.is_empty() || text.is_empty(),
        "{file}:{line}: text beside elements: `{text}`"
    );
    let attributes = node.attributes();
    let attributes = attributes.map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()));
    Ok(Element {
        name: name.name().to_owned(),
        attributes: attributes.collect(),
        children,
        text,
        file: file.clone(),
        line,
    })
}
