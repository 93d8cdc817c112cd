//! The words above a diff: what it does, why it is needed, and what the upstream knows of it.

use anyhow::{Result, ensure};

use super::status;

const STATUS: &str = "Upstream-Status:";

/// Checks the words above the first diff.
///
/// # Errors
/// If one of the three is missing.
pub(super) fn check(text: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(text);
    let prose = text
        .lines()
        .take_while(|line| !line.starts_with("--- ") && !line.starts_with("diff ") && line.trim_end() != "---");
    let mut sentences = 0;
    let mut upstream = None;
    for line in prose {
        if let Some(value) = line.strip_prefix(STATUS) {
            upstream = Some(value.to_owned());
        } else if !line.trim().is_empty() && !is_mail_header(line) {
            sentences += 1;
        }
    }
    ensure!(
        sentences >= 2,
        "has no proper header: wanted a line that says what it does and, below it, why it is needed"
    );
    match upstream {
        Some(value) => status::check(&value),
        None => anyhow::bail!("has no proper header: wanted a line `{STATUS} …`"),
    }
}

/// What mail and version control write by themselves, and so explains nothing.
fn is_mail_header(line: &str) -> bool {
    ["From ", "From:", "Date:", "Signed-off-by:", "index ", "Co-authored-by:"]
        .iter()
        .any(|start| line.starts_with(start))
}
