//! Unified diffs, applied with zero fuzz: every context line must be there to the byte. A hunk goes where it says, or to
//! the only other place that matches; two such places are an error, for then the diff does not say which was meant.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};
use diffy::{Hunk, Line, Patch};

use super::{Fit, Rewrite};

/// Applies a diff of one or more files to a tree. All files are worked out before the first is written.
pub(super) fn apply(text: &[u8], tree: &Path) -> Result<Fit> {
    let mut rewrites = Vec::new();
    let mut fits = Vec::new();
    let mut hunks = 0;
    for file in PatchSet::parse_bytes(text, ParseOptions::unidiff()) {
        let file = file.context("is not a unified diff")?;
        let Some(patch) = file.patch().as_text() else {
            bail!("holds a binary change, wanted text");
        };
        hunks += patch.hunks().len();
        let (fit, rewrite) = apply_file(&file.operation().strip_prefix(1), patch, tree)?;
        fits.push(fit);
        rewrites.extend(rewrite);
    }
    // A damaged context line ends a hunk early, and what follows would be taken for prose.
    let written = text
        .split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"@@ "))
        .count();
    ensure!(
        hunks == written,
        "is damaged: {written} hunks begin, {hunks} can be read"
    );
    let upstream = fits.iter().filter(|fit| **fit == Fit::Upstream).count();
    ensure!(
        upstream == 0 || upstream == fits.len(),
        "is half applied: {upstream} of its {} files already read as patched",
        fits.len()
    );
    for rewrite in &rewrites {
        rewrite.write()?;
    }
    Ok(fits.into_iter().max_by_key(Fit::distance).unwrap_or(Fit::Exact))
}

impl Fit {
    fn distance(&self) -> usize {
        match self {
            Fit::Exact | Fit::Upstream => 0,
            Fit::Moved(lines) => *lines,
        }
    }
}

fn apply_file(
    operation: &FileOperation<'_, [u8]>,
    patch: &Patch<'_, [u8]>,
    tree: &Path,
) -> Result<(Fit, Option<Rewrite>)> {
    match operation {
        FileOperation::Create(path) => create(inside(path)?, patch, tree),
        FileOperation::Delete(path) => delete(inside(path)?, patch, tree),
        FileOperation::Modify { original, modified } if original == modified => modify(inside(original)?, patch, tree),
        FileOperation::Modify { original, modified } => bail!(
            "renames `{}` to `{}`: wanted a change in place",
            String::from_utf8_lossy(original),
            String::from_utf8_lossy(modified)
        ),
        _ => bail!("renames or copies a file: wanted a change in place"),
    }
}

fn create(name: &str, patch: &Patch<'_, [u8]>, tree: &Path) -> Result<(Fit, Option<Rewrite>)> {
    let path = tree.join(name);
    let content: Vec<u8> = patch
        .hunks()
        .iter()
        .flat_map(|hunk| side(hunk, Side::New))
        .flatten()
        .copied()
        .collect();
    match std::fs::read(&path) {
        Ok(found) if found == content => Ok((Fit::Upstream, None)),
        Ok(_) => bail!("{name}: is to be created, but is there with another content"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((
            Fit::Exact,
            Some(Rewrite {
                path,
                content: Some(content),
            }),
        )),
        Err(error) => Err(error).with_context(|| format!("{name}: cannot be read")),
    }
}

fn delete(name: &str, patch: &Patch<'_, [u8]>, tree: &Path) -> Result<(Fit, Option<Rewrite>)> {
    let path = tree.join(name);
    let wanted: Vec<u8> = patch
        .hunks()
        .iter()
        .flat_map(|hunk| side(hunk, Side::Old))
        .flatten()
        .copied()
        .collect();
    match std::fs::read(&path) {
        Ok(found) if found == wanted => Ok((Fit::Exact, Some(Rewrite { path, content: None }))),
        Ok(_) => bail!("{name}: is to be removed, but its content is not the one in the diff"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((Fit::Upstream, None)),
        Err(error) => Err(error).with_context(|| format!("{name}: cannot be read")),
    }
}

fn modify(name: &str, patch: &Patch<'_, [u8]>, tree: &Path) -> Result<(Fit, Option<Rewrite>)> {
    let path = tree.join(name);
    let found = std::fs::read(&path).with_context(|| format!("{name}: cannot be read"))?;
    let lines: Vec<&[u8]> = found.split_inclusive(|byte| *byte == b'\n').collect();
    ensure!(!patch.hunks().is_empty(), "{name}: the diff has no hunk");
    let forward = places(&lines, patch, Side::Old);
    let backward = places(&lines, patch, Side::New);
    let forward = match (forward, backward) {
        (Ok(forward), Ok(backward)) if backward.distance < forward.distance => {
            drop(forward);
            return Ok((Fit::Upstream, None));
        }
        (Ok(forward), _) => forward,
        (Err(_), Ok(_)) => return Ok((Fit::Upstream, None)),
        (Err(misfit), Err(_)) => bail!("{name}: {}", misfit.describe(&lines, patch)),
    };
    let mut content = Vec::with_capacity(found.len());
    let mut next = 0;
    for (hunk, place) in patch.hunks().iter().zip(&forward.ranges) {
        content.extend(lines[next..place.start].iter().flat_map(|line| line.iter()));
        content.extend(side(hunk, Side::New).flatten());
        next = place.end;
    }
    content.extend(lines[next..].iter().flat_map(|line| line.iter()));
    let fit = match forward.distance {
        0 => Fit::Exact,
        lines => Fit::Moved(lines),
    };
    Ok((
        fit,
        Some(Rewrite {
            path,
            content: Some(content),
        }),
    ))
}

/// Which text of a hunk is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// Where the hunks of one file go.
struct Places {
    ranges: Vec<Range<usize>>,
    /// How many lines the most displaced hunk is from where it says.
    distance: usize,
}

/// Why a hunk goes nowhere.
struct Misfit {
    hunk: usize,
    /// How many places match.
    matches: usize,
}

impl Misfit {
    fn describe(&self, lines: &[&[u8]], patch: &Patch<'_, [u8]>) -> String {
        let hunk = &patch.hunks()[self.hunk];
        let (number, start) = (self.hunk + 1, hunk.old_range().start());
        if self.matches > 1 {
            return format!(
                "hunk {number} does not match at line {start} and matches at {} other places",
                self.matches
            );
        }
        let from = start.saturating_sub(1);
        let differing = side(hunk, Side::Old)
            .enumerate()
            .find(|(at, wanted)| lines.get(from + at) != Some(wanted));
        let text = |line: &[u8]| String::from_utf8_lossy(line).trim_end().to_owned();
        match differing {
            Some((at, wanted)) => format!(
                "hunk {number} does not match: wanted `{}` in line {}, found {}",
                text(wanted),
                from + at + 1,
                lines
                    .get(from + at)
                    .map_or("the end of the file".to_owned(), |line| format!("`{}`", text(line)))
            ),
            None => format!("hunk {number} overlaps the one before it"),
        }
    }
}

/// Finds the place of every hunk, each behind the one before it.
fn places(lines: &[&[u8]], patch: &Patch<'_, [u8]>, which: Side) -> Result<Places, Misfit> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut distance = 0;
    for (number, hunk) in patch.hunks().iter().enumerate() {
        let wanted: Vec<&[u8]> = side(hunk, which).collect();
        let range = match which {
            Side::Old => hunk.old_range(),
            Side::New => hunk.new_range(),
        };
        let said = range.start().saturating_sub(1);
        let free = ranges.last().map_or(0, |range| range.end);
        let fits =
            |at: usize| at >= free && !wanted.is_empty() && lines.get(at..at + wanted.len()) == Some(&wanted[..]);
        let at = if fits(said) {
            said
        } else {
            let matches: Vec<usize> = (free..lines.len()).filter(|at| fits(*at)).collect();
            match matches[..] {
                [only] => only,
                _ => {
                    return Err(Misfit {
                        hunk: number,
                        matches: matches.len(),
                    });
                }
            }
        };
        distance = distance.max(at.abs_diff(said));
        ranges.push(at..at + wanted.len());
    }
    Ok(Places { ranges, distance })
}

/// The lines of one side of a hunk, with their ends.
fn side<'a>(hunk: &'a Hunk<'a, [u8]>, which: Side) -> impl Iterator<Item = &'a [u8]> {
    hunk.lines().iter().filter_map(move |line| match (line, which) {
        (Line::Context(text), _) | (Line::Delete(text), Side::Old) | (Line::Insert(text), Side::New) => Some(*text),
        _ => None,
    })
}

/// The path of a patched file, refused when it could leave the tree.
fn inside(path: &[u8]) -> Result<&str> {
    let path = std::str::from_utf8(path).context("a file name in the diff is not UTF-8")?;
    let safe = !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    ensure!(
        safe,
        "`{path}`: wanted a path below the source tree, with one leading folder (`a/`, `b/`)"
    );
    Ok(path)
}
