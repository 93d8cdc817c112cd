//! What tests say about commands and bundles that must be there and must succeed. It starts nothing by itself.

use std::path::PathBuf;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

use crate::root;

/// How many of the last lines of a failed command are shown.
const TAIL_LINES: usize = 20;

/// The bundle of a target, which has to be made before.
///
/// # Errors
/// If it is not there.
pub fn bundle(triple: &str) -> Result<PathBuf> {
    let bundle = root().join("target/windlass").join(triple).join("bundle");
    ensure!(
        bundle.join("manifest.json").is_file(),
        "{}: is not there\n\nhint: cargo xtask bundle --target {triple} --only ffmpeg",
        bundle.display()
    );
    Ok(bundle)
}

/// What a command printed, for the message of a failed test.
pub fn said(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The standard output of a command that must have succeeded.
///
/// # Panics
/// If it did not, or printed what is not UTF-8.
pub fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

/// Runs a command to its end and returns its standard output.
///
/// # Errors
/// If it cannot be started or does not succeed, with the last lines of what it said.
pub fn finish(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{:?}: cannot be started", command.get_program()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    ensure!(
        output.status.success(),
        "{:?}: {}\n{}",
        command.get_program(),
        output.status,
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
