//! Who needs whom, for one file: a tree of the libraries that the loader brings in for it, and the files that need it.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::rules::{Case, imports, needed};
use crate::{Policy, Subject};

/// The tree below a file, and who needs it. The file is named by its path in a finding, or by the end of it.
///
/// # Errors
/// If there is no native file of that name, or several; the text says which.
pub fn needs(subjects: &[Subject], policy: &Policy, file: &str) -> Result<String, String> {
    let shown = |subject: &Subject, path: &str| format!("{}{path}", subject.path);
    let mut found: Vec<(&Subject, &str)> = subjects
        .iter()
        .flat_map(|subject| {
            let native = subject.images().map(|(path, _)| path);
            native
                .chain(subject.elves().map(|(path, _)| path))
                .map(move |path| (subject, path))
        })
        .filter(|(subject, path)| shown(subject, path).ends_with(file))
        .collect();
    if found.len() > 1 {
        let exact = |(subject, path): &(&Subject, &str)| shown(subject, path) == file;
        found = match found.iter().position(exact) {
            Some(place) => vec![found[place]],
            None => found,
        };
    }
    let [(subject, path)] = found[..] else {
        let all: Vec<String> = found
            .iter()
            .take(5)
            .map(|(subject, path)| shown(subject, path))
            .collect();
        return Err(match all.is_empty() {
            true => format!("{file}: there is no program and no library of that name"),
            false => format!("{file}: it could be {}", all.join(", ")),
        });
    };
    let case = Case {
        subject,
        all: subjects,
        policy,
        baseline: None,
        ledger: None,
    };
    let mut text = format!("{}\n", shown(subject, path));
    below(&case, path, 1, &mut BTreeSet::from([path]), &mut text);
    for (user, homes) in users(&case) {
        if homes.contains(&path) {
            writeln!(text, "needed by {user}").map_err(|why| why.to_string())?;
        }
    }
    Ok(text.trim_end().to_owned())
}

/// The files of a subject that the loader brings in before a program of it starts. What is looked for at the first call is not
/// among them.
pub fn loaded_with(subject: &Subject, policy: &Policy, program: &str) -> BTreeSet<String> {
    let case = Case {
        subject,
        all: &[],
        policy,
        baseline: None,
        ledger: None,
    };
    let mut loaded = BTreeSet::new();
    let mut todo = vec![program];
    while let Some(path) = todo.pop() {
        let delayed: BTreeSet<&str> = match subject.pe(path) {
            Some(pe) => pe
                .imports
                .iter()
                .filter(|from| from.delayed)
                .map(|from| from.dll)
                .collect(),
            None => BTreeSet::new(),
        };
        for (name, file, _) in homes(&case, path) {
            let Some(file) = file.filter(|_| !delayed.contains(name.as_str())) else {
                continue;
            };
            if file != program && loaded.insert(file.to_owned()) {
                todo.push(file);
            }
        }
    }
    loaded
}

/// The direct needs of a file.
fn homes<'a>(case: &'a Case<'a>, path: &'a str) -> Vec<(String, Option<&'a str>, String)> {
    match (case.subject.pe(path), case.subject.elf(path)) {
        (Some(pe), _) => imports::homes_of(case, path, pe),
        (_, Some(elf)) => needed::homes_of(case, path, elf),
        _ => Vec::new(),
    }
}

/// Writes what a file needs, each of its files once with what it needs itself.
fn below<'a>(case: &'a Case<'a>, path: &'a str, depth: usize, known: &mut BTreeSet<&'a str>, text: &mut String) {
    for (name, file, words) in homes(case, path) {
        let is_new = file.is_some_and(|file| known.insert(file));
        let again = match (file, is_new) {
            (Some(_), false) => " (above)",
            _ => "",
        };
        text.push_str(&format!("{:indent$}{name}: {words}{again}\n", "", indent = 2 * depth));
        if let Some(file) = file.filter(|_| is_new) {
            below(case, file, depth + 1, known, text);
        }
    }
}

/// Every file of the subject with the files of the subject that it needs.
fn users<'a>(case: &'a Case<'a>) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
    let native = case.subject.images().map(|(path, _)| path);
    let native = native.chain(case.subject.elves().map(|(path, _)| path));
    native.map(|path| {
        let needs = homes(case, path).into_iter().filter_map(|(_, file, _)| file);
        (path, needs.collect())
    })
}
