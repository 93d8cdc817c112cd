//! What a build prints: to the log in full, to cargo's pipe live, and, of a failure, the first lines that say why.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::scan::fault;

/// Starts the line with which the worker names the step that begins.
pub(crate) const STEP: &str = "windlass: step ";

/// Starts the line with which the worker says why it gives up.
const FAILED: &str = "windlass: failed ";

/// Starts a line that the user should see although the build goes on.
pub(crate) const WARNING: &str = "windlass: warning ";

/// At most this many lines are kept as the reason of a failure.
const LINES_MAX: usize = 8;

/// Why the worker gave up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// The whole chain of causes.
    pub(crate) message: String,
}

impl Failure {
    /// Prints it for the supervising script, as one line whatever is in it.
    pub(crate) fn print(&self) {
        println!("{FAILED}{}", serde_json::to_string(self).unwrap_or_default());
    }
}

/// What was learnt from a build's lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The step that was running last.
    pub(crate) step: Option<String>,
    /// The first lines of that step that look like an error.
    pub(crate) errors: Vec<String>,
    /// Why the worker gave up.
    pub(crate) failure: Option<Failure>,
    /// What the user should see although the build went on.
    pub(crate) warnings: Vec<String>,
    /// Commands in which this machine and the target mix.
    pub(crate) strangers: Vec<String>,
}

/// Reads a build's output to its end.
///
/// # Errors
/// If the log cannot be written; the build is then not listened to any longer, which ends it.
pub(crate) fn listen(output: impl Read, log: &mut Log, echo: &mut impl Write) -> Result<Heard> {
    let mut heard = Heard::default();
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    loop {
        line.clear();
        // An error here is the worker's exit status, which the caller asks for itself.
        if output.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            return Ok(heard);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if let Some(failure) = text.strip_prefix(FAILED) {
            heard.failure = serde_json::from_str(failure).ok();
            continue;
        }
        log.line(text)?;
        heard.take(text);
        // An upstream, or the driver of one, must not talk to cargo in our name.
        if !text.starts_with("cargo:") {
            // Whoever listened may be gone; the log is complete all the same.
            let _ = writeln!(echo, "{text}");
        }
    }
}

impl Heard {
    fn take(&mut self, line: &str) {
        if let Some(step) = line.strip_prefix(STEP) {
            self.step = Some(step.to_owned());
            self.errors.clear();
        } else if let Some(warning) = line.strip_prefix(WARNING) {
            self.warnings.push(warning.to_owned());
        } else if let Some(fault) = fault(line) {
            self.strangers.push(format!("{fault}: {line}"));
        } else if is_error(line) && self.errors.len() < LINES_MAX {
            self.errors.push(line.trim().to_owned());
        }
    }
}

/// Whether a line of a compiler, a linker or a build system says that something went wrong.
fn is_error(line: &str) -> bool {
    const STARTS: [&str; 4] = ["FAILED: ", "CMake Error", "ninja: error", "ninja: fatal"];
    const PARTS: [&str; 9] = [
        ": error:",
        ": fatal error:",
        "lld-link: error",
        "ld.lld: error",
        ": ERROR: ",
        "undefined symbol",
        "*** ",
        "No space left on device",
        "not found: ",
    ];
    let line = line.trim_start();
    STARTS.iter().any(|start| line.starts_with(start))
        || PARTS.iter().any(|part| line.contains(part))
        || line.starts_with("error: ")
        || line.starts_with("ERROR: ")
}

/// The log of one build; the last one's is kept as `<name>.log.old`.
pub(crate) struct Log {
    file: File,
    path: String,
}

impl Log {
    /// Starts the log.
    pub(crate) fn create(path: &Path) -> Result<Log> {
        if let Some(parent) = path.parent() {
            store::tree::create_dir(parent)?;
        }
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        match std::fs::rename(path, old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{}: cannot be put aside", path.display()));
            }
            _ => {}
        }
        let file = File::create(path).with_context(|| format!("{}: log cannot be made", path.display()))?;
        Ok(Log {
            file,
            path: path.display().to_string(),
        })
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.file
            .write_all(format!("{text}\n").as_bytes())
            .with_context(|| format!("{}: log cannot be written", self.path))
    }
}
