//! The changes that a component makes to its upstream's source: unified diffs with zero fuzz and anchored edits. Each
//! says why it exists, each is checked on the patched text, and one that the upstream already has is reported. What
//! the changes are for is the component's business.

mod diff;
pub(crate) mod edit;
mod header;
pub(crate) mod status;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use gates::known::applies;
use store::tree;

use crate::component::{Component, Edit};

/// The folder of a component that holds its diffs.
pub const FOLDER: &str = "patches";

/// The ordered changes of one component for one target.
#[derive(Debug)]
pub struct PatchSet {
    diffs: Vec<Diff>,
    edits: Vec<Edit>,
}

#[derive(Debug)]
struct Diff {
    name: String,
    text: Vec<u8>,
}

/// What became of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The diff's file name, or the edited file's.
    pub name: String,
    /// How it fitted.
    pub fit: Fit,
}

/// How a change fitted the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Exactly where it says.
    Exact,
    /// At the one place that matches, this many lines from where the diff says, at most.
    Moved(usize),
    /// Not needed: the source already reads as patched.
    Upstream,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fit {
            Fit::Exact => write!(f, "{}: applied", self.name),
            Fit::Moved(lines) => write!(f, "{}: applied, {lines} lines from where it says", self.name),
            Fit::Upstream => write!(f, "{}: the upstream already has it, it can be dropped", self.name),
        }
    }
}

impl PatchSet {
    /// Reads the changes of a component that apply to a target, and checks what each says of itself.
    ///
    /// # Errors
    /// If a diff cannot be read, has no proper header, is named twice or is named but not there.
    pub fn load(folder: &Path, component: &Component, triple: &str) -> Result<PatchSet> {
        let patches = folder.join(FOLDER);
        let mut diffs = Vec::new();
        for name in ordered(&patches, component, triple)? {
            let path = patches.join(&name);
            let text = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
            header::check(&text).with_context(|| path.display().to_string())?;
            diffs.push(Diff { name, text });
        }
        let edits = component.edit.iter().filter(|edit| applies(&edit.targets, triple));
        Ok(PatchSet {
            diffs,
            edits: edits.cloned().collect(),
        })
    }

    /// Applies every change to a source tree, diffs first. A tree that has them already is left as it is.
    ///
    /// # Errors
    /// If a change does not fit exactly once, or the text read back is not the patched one. A change that does not fit
    /// leaves every file as it was.
    pub fn apply(&self, tree: &Path) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for diff in &self.diffs {
            let fit = diff::apply(&diff.text, tree).with_context(|| format!("{FOLDER}/{}", diff.name))?;
            outcomes.push(Outcome {
                name: diff.name.clone(),
                fit,
            });
        }
        for edit in &self.edits {
            let path = tree.join(&edit.file);
            let fit = edit::apply(&path, &edit.find, &edit.replace, edit.count)
                .with_context(|| format!("edit of `{}`", edit.file))?;
            outcomes.push(Outcome {
                name: format!("edit of `{}`", edit.file),
                fit,
            });
        }
        Ok(outcomes)
    }
}

/// The names of the diffs in the order in which they apply: as `[[patch]]` lists them, then the rest by name.
fn ordered(patches: &Path, component: &Component, triple: &str) -> Result<Vec<String>> {
    let mut rest = BTreeSet::new();
    if patches.is_dir() {
        for entry in tree::list(patches)? {
            let plain = entry.kind == tree::Kind::File && !entry.path.contains('/') && entry.path.ends_with(".patch");
            ensure!(
                plain,
                "{}: wanted only `*.patch` files, found `{}`",
                patches.display(),
                entry.path
            );
            rest.insert(entry.path);
        }
    }
    let mut names = Vec::new();
    for patch in &component.patch {
        if !rest.remove(&patch.file) {
            bail!(
                "{}: is named in [[patch]], but not there or named twice",
                patches.join(&patch.file).display()
            );
        }
        if applies(&patch.targets, triple) {
            names.push(patch.file.clone());
        }
    }
    names.extend(rest);
    Ok(names)
}

/// One file as it will be once a change is written.
pub(crate) struct Rewrite {
    pub(crate) path: PathBuf,
    /// The new content; nothing removes the file.
    pub(crate) content: Option<Vec<u8>>,
}

impl Rewrite {
    /// Writes the file and reads it back: an exit code or a success value proves nothing about the text.
    pub(crate) fn write(&self) -> Result<()> {
        let context = || format!("{}: cannot be written", self.path.display());
        let Some(content) = &self.content else {
            return std::fs::remove_file(&self.path)
                .with_context(|| format!("{}: cannot be removed", self.path.display()));
        };
        if let Some(parent) = self.path.parent() {
            tree::create_dir(parent)?;
        }
        std::fs::write(&self.path, content).with_context(context)?;
        let back = std::fs::read(&self.path).with_context(context)?;
        ensure!(
            &back == content,
            "{}: does not read back as it was patched",
            self.path.display()
        );
        Ok(())
    }
}
