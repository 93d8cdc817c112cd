//! The part of MSBuild's language that upstream's project files are written in: properties, conditions, imports, item
//! definitions and items, evaluated in MSBuild's order. It runs no target and knows no compiler; what it does not know is an
//! error with the file, the line and the text, and never an empty value.
//!
//! The order is that of MSBuild's own evaluation: first all properties and imports as they stand in the files, then all item
//! definitions, then all items. The later passes therefore see the last value of every property.

#[path = "msbuild/condition.rs"]
mod condition;
#[path = "msbuild/element.rs"]
mod element;
#[path = "msbuild/expand.rs"]
mod expand;
#[path = "msbuild/function.rs"]
mod function;
#[cfg(test)]
#[path = "msbuild/tests.rs"]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};

pub(crate) use element::Element;
use expand::Scope;

/// Names and values; what it is of, the owner says.
pub(crate) type Values = BTreeMap<String, String>;

/// The properties of one project. Names are the same in any case, as MSBuild has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties(Values);

impl Properties {
    /// A property's value, if it was set.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// Sets a property.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_ascii_lowercase(), value.into());
    }
}

/// One item: a file or a name, with what is said about it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its kind, which is the name of its element.
    pub(crate) kind: String,
    /// What `Include` said of it.
    pub(crate) include: String,
    /// What is said about it, definitions included.
    pub(crate) metadata: Values,
}

/// What all projects share: MSBuild's global properties and the toolset that they are written for.
pub(crate) struct World {
    /// Set from outside, so that no project can set them.
    pub(crate) globals: Values,
    /// Properties that nobody has to set; every other one that is never set in any file is an error.
    pub(crate) optional: BTreeSet<String>,
    /// Item definitions that the toolset makes before any file does.
    pub(crate) definitions: BTreeMap<String, Values>,
    /// What an import of the toolset's file of that name does to the properties.
    pub(crate) toolset: fn(&str, &mut Properties) -> Result<()>,
    /// Imports, by their file names, that are left out.
    pub(crate) without: BTreeSet<String>,
}

/// The value of `VCTargetsPath`: imports from there are the toolset's.
pub(crate) const TOOLSET: &str = "toolset";

/// Attributes of items that change lists which are there already; outside of targets upstream has none.
const LISTS: [&str; 5] = ["Exclude", "KeepDuplicates", "MatchOnMetadata", "Remove", "Update"];

/// One evaluated project.
pub(crate) struct Project {
    /// Its name, which is its file's without the suffix.
    pub(crate) name: String,
    /// The folder of its file, which relative paths start from.
    pub(crate) folder: PathBuf,
    /// Its properties.
    pub(crate) properties: Properties,
    /// What holds for each kind of item unless the item says otherwise.
    pub(crate) definitions: BTreeMap<String, Values>,
    /// Its items, in the order of the files.
    pub(crate) items: Vec<Item>,
    /// The names of its targets, which were not run.
    pub(crate) targets: BTreeSet<String>,
}

impl World {
    /// A world whose optional properties are those named, and which has `toolset` as its toolset.
    pub(crate) fn new(optional: &[&str], toolset: fn(&str, &mut Properties) -> Result<()>) -> World {
        World {
            globals: Values::from([("VCTargetsPath".to_owned(), TOOLSET.to_owned())]),
            optional: optional.iter().map(|name| name.to_ascii_lowercase()).collect(),
            definitions: BTreeMap::new(),
            toolset,
            without: BTreeSet::new(),
        }
    }

    /// Sets a global property.
    pub(crate) fn global(&mut self, name: &str, value: impl Into<String>) {
        self.globals.insert(name.to_owned(), value.into());
    }

    /// Adds the properties that the files of a folder set anywhere, inside targets too. Only what no file sets and nobody named
    /// is a mistake.
    ///
    /// # Errors
    /// If the folder or a project file in it cannot be read.
    pub(crate) fn know_folder(&mut self, folder: &Path) -> Result<()> {
        let suffixes = ["vcxproj", "props", "targets", "proj"];
        for path in files_of(folder)? {
            let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
            if suffixes.contains(&suffix) {
                let root = Element::read(&path)?;
                root.walk(&mut |element| {
                    if element.name == "PropertyGroup" {
                        let names = element.children.iter().map(|child| child.name.to_ascii_lowercase());
                        self.optional.extend(names);
                    }
                });
            }
        }
        Ok(())
    }

    /// Evaluates a project file.
    ///
    /// # Errors
    /// If a file cannot be read or says something that is not known here.
    pub(crate) fn evaluate(&self, path: &Path) -> Result<Project> {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        let mut evaluation = Evaluation {
            world: self,
            project: Project {
                name: name.to_owned(),
                folder,
                properties: Properties::default(),
                definitions: self.definitions.clone(),
                items: Vec::new(),
                targets: BTreeSet::new(),
            },
            later: Vec::new(),
        };
        for (global, value) in &self.globals {
            evaluation.project.properties.set(global, value.clone());
        }
        evaluation.project.properties.set("ProjectName", name);
        evaluation.project.properties.set("MSBuildProjectName", name);
        evaluation.properties(path)?;
        evaluation.groups()?;
        Ok(evaluation.project)
    }

    fn is_global(&self, name: &str) -> bool {
        self.globals.keys().any(|global| global.eq_ignore_ascii_case(name))
    }
}

impl Project {
    /// A property, or nothing if it is not set or empty.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).filter(|value| !value.is_empty())
    }

    /// A property that has to be there.
    ///
    /// # Errors
    /// If it is not set, or empty.
    pub(crate) fn wanted(&self, name: &str) -> Result<&str> {
        self.property(name)
            .with_context(|| format!("{}: property `{name}` is not set", self.name))
    }

    /// What holds for a kind of item.
    pub(crate) fn definition(&self, kind: &str) -> Values {
        self.definitions.get(kind).cloned().unwrap_or_default()
    }

    /// The items of a kind.
    pub(crate) fn items_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| item.kind == kind)
    }

    /// The path that a text of this project names: from its folder, with backslashes as slashes.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        full_path(&self.folder, text)
    }
}

/// One project while it is evaluated.
struct Evaluation<'a> {
    world: &'a World,
    project: Project,
    /// The groups for the later passes, with the folder of their file.
    later: Vec<(Rc<Element>, PathBuf)>,
}

impl Evaluation<'_> {
    /// The first pass: properties and imports.
    fn properties(&mut self, path: &Path) -> Result<()> {
        let root = Element::read(path)?;
        ensure!(
            root.name == "Project",
            "{}: is no project, found `{}`",
            root.place(),
            root.name
        );
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        for child in &root.children {
            self.enter(&folder);
            self.visit(child, &folder)?;
        }
        Ok(())
    }

    /// Says which folder the file lies in that is read now.
    fn enter(&mut self, folder: &Path) {
        let here = format!("{}/", folder.display());
        self.project.properties.set("MSBuildThisFileDirectory", here);
    }

    fn visit(&mut self, element: &Rc<Element>, folder: &Path) -> Result<()> {
        match element.name.as_str() {
            "PropertyGroup" => {
                if self.holds(element)? {
                    for property in &element.children {
                        self.assign(property)?;
                    }
                }
            }
            "Import" => self.import(element, folder)?,
            "ImportGroup" => {
                if self.holds(element)? {
                    for child in &element.children {
                        ensure!(
                            child.name == "Import",
                            "{}: `{}` in an ImportGroup",
                            child.place(),
                            child.name
                        );
                        self.import(child, folder)?;
                    }
                }
            }
            "ItemGroup" | "ItemDefinitionGroup" => self.later.push((element.clone(), folder.to_owned())),
            "Target" => {
                let name = element.attribute("Name").unwrap_or_default();
                self.project.targets.insert(name.to_owned());
            }
            // The implementation of tasks, which only targets call.
            "UsingTask" => {}
            _ => bail!("{}: element `{}` is not known here", element.place(), element.name),
        }
        Ok(())
    }

    fn assign(&mut self, property: &Element) -> Result<()> {
        property.only(&["Condition", "Label"])?;
        property.leaf()?;
        if self.world.is_global(&property.name) || !self.holds(property)? {
            return Ok(());
        }
        let value = self
            .scope(None)
            .expand(&property.text)
            .with_context(|| property.place())?;
        self.project.properties.set(&property.name, value);
        Ok(())
    }

    fn import(&mut self, element: &Element, folder: &Path) -> Result<()> {
        element.only(&["Condition", "Label", "Project"])?;
        if !self.holds(element)? {
            return Ok(());
        }
        let said = element.attribute("Project").unwrap_or_default();
        let named = self.scope(None).expand(said).with_context(|| element.place())?;
        let named = named.replace('\\', "/");
        let file = named.rsplit('/').next().unwrap_or_default();
        if self.world.without.contains(file) {
            return Ok(());
        }
        if named.strip_prefix(TOOLSET).is_some_and(|rest| rest.starts_with('/')) {
            return (self.world.toolset)(file, &mut self.project.properties).with_context(|| element.place());
        }
        self.properties(&full_path(folder, &named))
            .with_context(|| format!("imported at {}", element.place()))?;
        self.enter(folder);
        Ok(())
    }

    /// The second and the third pass: item definitions, then items.
    fn groups(&mut self) -> Result<()> {
        let later = std::mem::take(&mut self.later);
        for pass in ["ItemDefinitionGroup", "ItemGroup"] {
            for (group, folder) in later.iter().filter(|(group, _)| group.name == pass) {
                self.enter(folder);
                group.only(&["Condition", "Label"])?;
                if self.holds(group)? {
                    for child in &group.children {
                        match pass {
                            "ItemGroup" => self.item(child)?,
                            _ => self.define(child)?,
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn define(&mut self, element: &Element) -> Result<()> {
        element.only(&["Condition"])?;
        if !self.holds(element)? {
            return Ok(());
        }
        let mut values = self.project.definition(&element.name);
        self.describe(element, &mut values)?;
        self.project.definitions.insert(element.name.clone(), values);
        Ok(())
    }

    fn item(&mut self, element: &Element) -> Result<()> {
        element.without(&LISTS)?;
        if !self.holds(element)? {
            return Ok(());
        }
        let said = element.attribute("Include");
        let said = said.with_context(|| format!("{}: item without `Include`", element.place()))?;
        for include in self.scope(None).list(said).with_context(|| element.place())? {
            ensure!(
                !include.contains('*'),
                "{}: patterns over files are not known here: `{include}`",
                element.place()
            );
            let mut metadata = self.project.definition(&element.name);
            for (name, said) in element.attributes_but(&["Condition", "Include", "Label"]) {
                let value = self
                    .scope(Some(&metadata))
                    .expand(said)
                    .with_context(|| element.place())?;
                metadata.insert(name.to_owned(), value);
            }
            self.describe(element, &mut metadata)?;
            self.project.items.push(Item {
                kind: element.name.clone(),
                include,
                metadata,
            });
        }
        Ok(())
    }

    /// What the children of an element say about it, in their order: each may use what was said before as `%(Name)`.
    fn describe(&self, element: &Element, values: &mut Values) -> Result<()> {
        for child in &element.children {
            child.only(&["Condition"])?;
            child.leaf()?;
            let scope = self.scope(Some(values));
            let holds = match child.attribute("Condition") {
                Some(text) => condition::holds(text, &scope).with_context(|| child.place())?,
                None => true,
            };
            if holds {
                let value = scope.expand(&child.text).with_context(|| child.place())?;
                values.insert(child.name.clone(), value);
            }
        }
        Ok(())
    }

    fn holds(&self, element: &Element) -> Result<bool> {
        match element.attribute("Condition") {
            Some(text) => condition::holds(text, &self.scope(None)).with_context(|| element.place()),
            None => Ok(true),
        }
    }

    fn scope<'s>(&'s self, metadata: Option<&'s Values>) -> Scope<'s> {
        Scope {
            properties: &self.project.properties,
            optional: &self.world.optional,
            metadata,
            items: &self.project.items,
            folder: &self.project.folder,
        }
    }
}

/// The path that a text names, from a folder, without links being followed. A slash at the end does not stay.
pub(crate) fn full_path(folder: &Path, text: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(text.replace('\\', "/")).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

/// The files of a folder, sorted.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let items = std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut files = Vec::new();
    for item in items {
        files.push(item.with_context(|| folder.display().to_string())?.path());
    }
    files.sort();
    Ok(files)
}
