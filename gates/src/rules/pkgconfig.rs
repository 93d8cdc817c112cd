//! `pkgconfig-relocatable`: the modules of pkg-config work wherever the bundle lies.

use super::Case;
use crate::report::Report;

const RULE: &str = "pkgconfig-relocatable";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        let Some(text) = file.text.as_ref().filter(|_| path.ends_with(".pc")) else {
            continue;
        };
        let mut wrong = |found: String, wanted: &str| report.add(case.finding(RULE, path, found, wanted));
        let prefix = lines(text).find_map(|line| line.strip_prefix("prefix="));
        match prefix.map(|prefix| prefix.trim().trim_matches('"')) {
            Some(prefix) if prefix.starts_with("${pcfiledir}") => {}
            Some(prefix) => wrong(
                format!("has the prefix `{prefix}`"),
                "a prefix that begins with `${pcfiledir}`",
            ),
            None => wrong("has no prefix".to_owned(), "a prefix that begins with `${pcfiledir}`"),
        }
        let version = lines(text)
            .find_map(|line| line.strip_prefix("Version:"))
            .unwrap_or("")
            .trim();
        if !version.starts_with(|first: char| first.is_ascii_digit()) {
            wrong(format!("has the version `{version}`"), "`Version:` with a number");
        }
        for line in lines(text).filter(|line| !is_prose(line)) {
            if let Some(absolute) = words(line).find(|word| is_absolute(word)) {
                wrong(
                    format!("holds the absolute path `{absolute}`"),
                    "paths below `${prefix}`",
                );
            }
        }
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with('#'))
}

/// Lines for people, in which a slash is not a path.
fn is_prose(line: &str) -> bool {
    ["Name:", "Description:", "URL:", "License:"]
        .iter()
        .any(|key| line.starts_with(key))
}

/// The words of a line that could be paths: after a variable's `=`, and without the flag before them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let value = line.split_once('=').map_or(line, |(_, value)| value);
    [line, value].into_iter().flat_map(str::split_whitespace).map(|word| {
        let quotes = ['"', '\''];
        let word = word.trim_matches(quotes);
        let flags = ["-L", "-I", "-isystem", "/LIBPATH:", "-libpath:", "-LIBPATH:"];
        let path = flags.iter().find_map(|flag| word.strip_prefix(flag));
        path.unwrap_or(word).trim_matches(quotes)
    })
}

/// Whether a word is a path from a root: `/usr/lib`, `C:\lib`, `C:/lib`, `\\server\lib`.
fn is_absolute(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has_drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    has_drive || word.starts_with('/') || word.starts_with("\\\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_paths_are_seen_behind_flags() {
        let found = |line| words(line).any(is_absolute);
        for bad in [
            "libdir=/windlass/lib",
            "Libs: -L/usr/lib -lz",
            "Cflags: -I\"C:/x\"",
            "prefix=C:\\x",
            "Libs: //a/b",
        ] {
            assert!(found(bad), "{bad}");
        }
        for good in ["libdir=${prefix}/lib", "Libs: -L${libdir} -lz", "Requires: zlib >= 1.2"] {
            assert!(!found(good), "{good}");
        }
    }
}
