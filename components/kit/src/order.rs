//! What the supervising script tells the worker: all that the recipe may depend on, in one value. It is handed over as
//! JSON in an argument, because the worker's environment holds nothing of ours that a child could come to rely on.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use store::Digest;

use crate::deps::Deps;

/// One build that was found to be needed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The component's folder.
    pub(crate) folder: PathBuf,
    /// The target's triple.
    pub(crate) triple: String,
    /// The variant that was asked for.
    pub(crate) variant: Option<String>,
    /// Where headers and import libraries come from, by name.
    pub(crate) provider: String,
    /// The state folder.
    pub(crate) state: PathBuf,
    /// The identity of the prefix.
    pub(crate) digest: Digest,
    /// The folder in which everything happens; dropped after success.
    pub(crate) work: PathBuf,
    /// The folder that becomes the prefix.
    pub(crate) partial: PathBuf,
    /// How many processes may run at once.
    pub(crate) jobs: usize,
    /// The prefixes of direct needs.
    pub(crate) deps: Deps,
    /// The prefix of the same component for the machine that builds, if it has that role and this is not it.
    pub(crate) host: Option<PathBuf>,
    /// Paths of this machine that no product may contain.
    pub(crate) secrets: Vec<String>,
}

impl Order {
    /// The argument that says it.
    pub(crate) fn to_argument(&self) -> Result<String> {
        serde_json::to_string(self).context("order cannot be written")
    }

    /// Reads it back.
    pub(crate) fn from_argument(text: &str) -> Result<Order> {
        serde_json::from_str(text).context("order cannot be read")
    }
}
