//! Linux: upstream's configure and make, with the host role's interpreter as the one that builds.

use anyhow::{Result, bail};
use kit::Cx;

/// Builds and installs the interpreter.
pub(crate) fn build(cx: &Cx) -> Result<()> {
    bail!("{}: the recipe for Linux is not there yet", cx.target().triple)
}
