//! Meson with Ninja. The `meson` crate knows no options, so the project is set up before it is called, and the crate, which
//! sees a folder that is set up, runs Ninja in it.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{FlagEdit, caught, flags};
use crate::PREFIX;
use crate::cx::Cx;

/// One Meson project.
#[must_use = "nothing is built until it is installed"]
pub struct Meson<'a> {
    cx: &'a Cx,
    source: PathBuf,
    options: Vec<(String, String)>,
    edits: Vec<FlagEdit>,
}

impl<'a> Meson<'a> {
    /// The project in the root of the source.
    pub fn new(cx: &'a Cx) -> Meson<'a> {
        Meson {
            cx,
            source: cx.source(),
            options: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// The project in a folder of the source.
    pub fn source_subdir(mut self, folder: &str) -> Self {
        self.source = self.cx.source().join(folder);
        self
    }

    /// Sets an option, the project's or a built-in one.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// Changes the flags of some files in what Meson generated.
    pub fn flags(mut self, edit: FlagEdit) -> Self {
        self.edits.push(edit);
        self
    }

    /// Sets up, builds and installs into the stage.
    ///
    /// # Errors
    /// If a step fails, or a flag edit matches too few files.
    pub fn install(self) -> Result<()> {
        self.cx.step("setup");
        let build = self.cx.build();
        self.cx
            .call("meson")
            .arg("setup")
            .args(["--prefix", PREFIX, "--libdir", "lib", "--buildtype", "release"])
            // A subproject that would be downloaded must come from a pin.
            .args(["--wrap-mode", "nodownload"])
            .arg("--cross-file")
            .arg(self.cx.toolset.meson_file()?)
            .args(self.options.iter().map(|(name, value)| format!("-D{name}={value}")))
            .arg(&build)
            .arg(&self.source)
            .dir(&self.cx.order.work)
            .run()?;
        flags::apply(self.cx, &self.edits)?;
        self.cx.step("build");
        let text = |path: &PathBuf| path.to_str().map(str::to_owned).context("a path is not UTF-8");
        let (source, folder) = (text(&self.source)?, text(&build)?);
        caught("ninja", || meson::build(&source, &folder))?;
        self.cx.step("install");
        self.cx
            .call("meson")
            .args(["install", "--no-rebuild", "--destdir"])
            .arg(self.cx.stage())
            .run()
    }
}
