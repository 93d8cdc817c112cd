//! Windows: what MSBuild would do with upstream's project files, by Ninja and on this machine.

use anyhow::{Result, bail};
use kit::Cx;

/// Builds and installs the interpreter.
pub(crate) fn build(cx: &Cx) -> Result<()> {
    bail!("{}: the recipe for Windows is not there yet", cx.target().triple)
}
