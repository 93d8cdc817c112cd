//! `Upstream-Status:` — what the upstream knows of a change, in the vocabulary of OpenEmbedded's patch guidelines.

use anyhow::{Result, ensure};

/// The words, and whether each needs a text in brackets after it.
const WORDS: [(&str, bool); 6] = [
    ("Backport", true),
    ("Denied", false),
    ("Inactive-Upstream", true),
    ("Inappropriate", true),
    ("Pending", false),
    ("Submitted", true),
];

/// Checks one value.
///
/// # Errors
/// If the word is not of the vocabulary, or lacks the text in brackets that says where or why.
pub(crate) fn check(value: &str) -> Result<()> {
    let (word, rest) = value.trim().split_once([' ', '[']).unwrap_or((value.trim(), ""));
    let known = WORDS.iter().find(|(known, _)| *known == word);
    let all = || WORDS.map(|(word, _)| word).join(", ");
    ensure!(
        known.is_some(),
        "Upstream-Status: wanted one of {}, found `{word}`",
        all()
    );
    let bracketed = rest.trim_end().ends_with(']') && rest.trim_end().len() > 1;
    ensure!(
        bracketed || !known.is_some_and(|(_, needs)| *needs),
        "Upstream-Status: `{word}` needs where or why in brackets, for example `{word} [version or reason]`"
    );
    Ok(())
}
