//! What every verb is handed: where things are and how the user wants them done. It does nothing.

use std::path::PathBuf;

use anyhow::{Context, Result};
use store::State;

use crate::flags::{Common, Format};
use crate::progress::Progress;
use crate::{components::Components, environment, fetch};

/// One call of xtask.
pub struct Session {
    /// The checkout.
    pub root: PathBuf,
    /// The state folder.
    pub state: State,
    /// The cargo to call.
    pub cargo: String,
    /// How many processes a build may run.
    pub jobs: usize,
    /// The options of every verb.
    pub common: Common,
    /// How the user is told.
    pub progress: Progress,
}

impl Session {
    /// Reads the environment once.
    ///
    /// # Errors
    /// If the checkout or the state folder is not known.
    pub fn new(common: Common) -> Result<Session> {
        Ok(Session {
            root: environment::root()?,
            state: State::locate()?,
            cargo: environment::cargo(),
            jobs: match common.jobs {
                Some(jobs) => usize::from(jobs),
                None => environment::jobs()?,
            },
            progress: Progress::new(common.quiet),
            common,
        })
    }

    /// The components of this checkout.
    ///
    /// # Errors
    /// If cargo fails.
    pub fn components(&self) -> Result<Components> {
        Components::of_workspace(&self.root, &self.cargo)
    }

    /// Where bundles, images and reports of a target go.
    pub fn output(&self, triple: &str) -> PathBuf {
        self.root.join("target/windlass").join(triple)
    }

    /// Brings what is missing.
    ///
    /// # Errors
    /// If something cannot be had.
    pub fn fetch(&self, pins: &[store::Pin]) -> Result<fetch::Summary> {
        fetch::fetch(
            &self.state,
            pins,
            &fetch::Settings::read(),
            &self.fetching(),
            &self.progress,
        )
    }

    /// Brings Microsoft's SDK, unless it is there.
    ///
    /// # Errors
    /// If its licence was not accepted, or it cannot be had.
    pub fn fetch_sdk(&self, sdk: &toolchains::Sdk, licence: fetch::Licence) -> Result<()> {
        let settings = fetch::Settings::read();
        fetch::sdk(&self.state, sdk, licence, &settings, &self.fetching(), &self.progress)
    }

    /// The names of all files that a Python package index has of a project.
    ///
    /// # Errors
    /// If none has it.
    pub fn listed(&self, project: &str) -> Result<Vec<String>> {
        fetch::listed(&fetch::Settings::read(), &self.fetching(), project)
    }

    /// Brings a file whose hash is not known yet, and returns that.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn learn(&self, pin: &store::Pin) -> Result<String> {
        fetch::learn(
            &self.state,
            pin,
            &fetch::Settings::read(),
            &self.fetching(),
            &self.progress,
        )
    }

    fn fetching(&self) -> fetch::Options {
        fetch::Options {
            offline: self.common.offline,
            ..fetch::Options::default()
        }
    }

    /// Puts one result on standard output: a JSON object, or what people read.
    ///
    /// # Errors
    /// If standard output is closed.
    pub fn print(&self, reason: &str, value: serde_json::Value, human: &str) -> Result<()> {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        let line = match self.common.message_format {
            Format::Human => human.trim_end().to_owned(),
            Format::Json => {
                let mut object = serde_json::json!({ "reason": reason });
                if let (Some(object), serde_json::Value::Object(value)) = (object.as_object_mut(), value) {
                    object.extend(value);
                }
                object.to_string()
            }
        };
        if !line.is_empty() {
            writeln!(out, "{line}").context("standard output is closed")?;
        }
        Ok(())
    }
}
