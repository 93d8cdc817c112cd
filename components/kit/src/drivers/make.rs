//! GNU make, in the build folder. It says every command, for the log and for the check of what a compile line names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use crate::cx::Cx;

/// A folder with a makefile.
#[must_use = "nothing is made until it is told what"]
pub struct Make<'a> {
    cx: &'a Cx,
    folder: PathBuf,
    arguments: Vec<String>,
    variables: BTreeMap<String, OsString>,
}

impl<'a> Make<'a> {
    /// The makefile in the build folder.
    pub fn new(cx: &'a Cx) -> Make<'a> {
        Make {
            cx,
            folder: cx.build(),
            arguments: Vec::new(),
            variables: BTreeMap::new(),
        }
    }

    /// The makefile in the source folder, for upstreams that cannot build outside of it.
    pub fn in_source(cx: &'a Cx) -> Make<'a> {
        Make {
            folder: cx.source(),
            ..Make::new(cx)
        }
    }

    /// Adds an argument to every call, `CC=…` for example.
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable of every call's environment.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Makes targets; none means the makefile's first.
    ///
    /// # Errors
    /// If make fails.
    pub fn make(self, targets: &[&str]) -> Result<Make<'a>> {
        self.cx.step("make");
        let jobs = format!("-j{}", self.cx.jobs());
        // `V=1` is what most makefiles understand as "say the commands".
        self.call([&[jobs.as_str(), "V=1"], targets].concat())?;
        Ok(self)
    }

    /// Makes everything and installs it into the stage.
    ///
    /// # Errors
    /// If make fails.
    pub fn install(self) -> Result<()> {
        self.make(&[])?.install_only(&["install"])
    }

    /// Runs targets that install what was made. One job: installations write the same folders.
    ///
    /// # Errors
    /// If make fails.
    pub fn install_only(self, targets: &[&str]) -> Result<()> {
        self.cx.step("install");
        let destination = format!("DESTDIR={}", self.cx.stage().display());
        self.call([&["V=1", destination.as_str()], targets].concat())
    }

    fn call(&self, last: Vec<&str>) -> Result<()> {
        let mut call = self.cx.call("make").dir(&self.folder).args(&self.arguments).args(last);
        for (name, value) in &self.variables {
            call = call.env(name, value);
        }
        call.run()
    }
}
