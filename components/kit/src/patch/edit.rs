//! Anchored edits: an exact text is found an exact number of times and replaced. Finding it never, or more or less often
//! than said, is an error, because then the upstream has changed and somebody must look.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{Fit, Rewrite};

/// Replaces `find`, which must be there `count` times, in one file.
pub(crate) fn apply(path: &Path, find: &str, replace: &str, count: usize) -> Result<Fit> {
    let text = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let text = String::from_utf8(text).with_context(|| format!("{}: is not UTF-8", path.display()))?;
    match edited(&text, find, replace, count).with_context(|| path.display().to_string())? {
        None => Ok(Fit::Upstream),
        Some(content) => {
            let rewrite = Rewrite {
                path: path.to_owned(),
                content: Some(content.into_bytes()),
            };
            rewrite.write()?;
            Ok(Fit::Exact)
        }
    }
}

/// The edited text, or nothing if it already reads as edited.
fn edited(text: &str, find: &str, replace: &str, count: usize) -> Result<Option<String>> {
    // What was replaced may contain the anchor, so anchors count only outside of it.
    let outside = |text: &str| match replace {
        "" => text.matches(find).count(),
        _ => text.split(replace).map(|part| part.matches(find).count()).sum(),
    };
    let done = if replace.is_empty() {
        0
    } else {
        text.matches(replace).count()
    };
    let found = outside(text);
    if found == 0 && done == count {
        return Ok(None);
    }
    ensure!(
        found == count,
        "wanted `{}` {count} times, found {found}",
        first_line(find)
    );
    // Otherwise the anchors inside what was replaced before would be replaced again.
    ensure!(
        done == 0 || !replace.contains(find),
        "is half applied: `{}` is replaced in {done} places and not in {found}",
        first_line(find)
    );
    let content = text.replace(find, replace);
    ensure!(
        outside(&content) == 0 && (replace.is_empty() || content.matches(replace).count() >= count),
        "`{}` is still there after the edit",
        first_line(find)
    );
    Ok(Some(content))
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or(text)
}
