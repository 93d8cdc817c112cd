//! What holds of the repository's own text: every module says what it is for, functions fit a screen, data explains itself,
//! recipes stay recipes, and no file names a server or a folder of some machine. It reads files and builds nothing.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::PathBuf;

use pipeline::root;

/// What is not ours to judge: the version control's folder, what was built, and the lock file that cargo writes.
const NOT_OURS: [&str; 4] = [".git/", "target/", "gates/fuzz/target/", "Cargo.lock"];

/// Lines that a function may have, so that it fits a screen.
const FUNCTION_LINES: usize = 70;

/// Characters that a line may have; tables in Markdown and wrappers' arguments need some more than rustfmt's width.
const LINE_CHARACTERS: usize = 240;

/// Registries, which users' settings name, and folders of a developer's machine. Written in two parts, for this file is read too.
const FORBIDDEN: [(&str, &str); 9] = [
    ("deb.debian", ".org"),
    ("snapshot.debian", ".org"),
    ("ftp.debian", ".org"),
    ("pypi", ".org"),
    ("files.pythonhosted", ".org"),
    ("static.crates", ".io"),
    ("index.crates", ".io"),
    ("/home", "/"),
    ("/root", "/"),
];

/// One text file of the repository.
struct Text {
    path: String,
    lines: Vec<String>,
}

#[test]
fn every_module_says_what_it_is_for() {
    no_faults(&texts(&["rs"]), |text| {
        let first = text.lines.iter().find(|line| !line.starts_with("#!["));
        let said = first.is_some_and(|line| line.starts_with("//!"));
        (!said).then(|| "wanted a first line `//!` that says what the module is for".to_owned())
    });
}

#[test]
fn every_function_fits_a_screen() {
    let texts = texts(&["rs"]);
    let mut counted = 0;
    let faults: Vec<String> = texts
        .iter()
        .flat_map(|text| functions(text).into_iter().map(move |function| (text, function)))
        .inspect(|_| counted += 1)
        .filter(|(_, (_, lines))| *lines > FUNCTION_LINES)
        .map(|(text, (name, lines))| format!("{}: `{name}` has {lines} lines, wanted {FUNCTION_LINES}", text.path))
        .collect();
    assert!(counted > 500, "only {counted} functions were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_data_file_explains_itself() {
    no_faults(&texts(&["toml"]), |text| {
        // Cargo's and rustfmt's own formats are documented elsewhere; only the root manifest has something to say.
        let known = ["Cargo.toml", "rustfmt.toml", "clippy.toml"];
        let ours = text.path == "Cargo.toml" || !known.iter().any(|name| text.path.ends_with(name));
        let said = text.lines.first().is_some_and(|line| line.starts_with('#'));
        (ours && !said).then(|| "wanted a comment at the head that explains the keys".to_owned())
    });
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, table) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let lines: Vec<&str> = table.lines().take_while(|line| !line.starts_with('[')).collect();
    // A group of lines, between empty ones or comments, begins with its reason.
    let mut reasoned = false;
    let mut without = Vec::new();
    for line in &lines {
        match line.chars().next() {
            Some('#') => reasoned = true,
            None => reasoned = false,
            _ if !reasoned => without.push(*line),
            _ => {}
        }
    }
    assert!(lines.len() > 20, "the table of dependencies was not found");
    assert!(
        without.is_empty(),
        "wanted a comment with the reason above:\n{}",
        without.join("\n")
    );
}

#[test]
fn recipes_reach_the_world_through_the_kit_alone() {
    let recipes: Vec<Text> = texts(&["rs"])
        .into_iter()
        .filter(|text| text.path.ends_with("build.rs") && fs::exists(root().join(sibling(&text.path))).unwrap())
        .collect();
    no_faults(&recipes, |text| {
        let forbidden = ["std::env", "Command::", "println!", "/tmp", "/usr"];
        let found = forbidden
            .iter()
            .find(|word| text.lines.iter().any(|line| line.contains(**word)));
        found.map(|word| format!("a recipe may not say `{word}`"))
    });
}

#[test]
fn no_file_names_a_server_or_a_folder_of_some_machine() {
    let texts = texts(&[
        "rs", "toml", "md", "sh", "c", "h", "cpp", "S", "py", "txt", "patch", "run",
    ]);
    no_faults(&texts, |text| {
        let found = FORBIDDEN.iter().map(|(head, tail)| format!("{head}{tail}"));
        let mut found = found.filter(|word| text.lines.iter().any(|line| names(line, word)));
        found.next().map(|word| format!("names `{word}`"))
    });
}

#[test]
fn lines_stay_readable() {
    no_faults(&texts(&["rs", "md", "sh", "c", "h", "cpp", "run"]), |text| {
        let long = text
            .lines
            .iter()
            .position(|line| line.chars().count() > LINE_CHARACTERS)?;
        Some(format!("line {} is longer than {LINE_CHARACTERS} characters", long + 1))
    });
}

/// Whether a line names a forbidden word. A list of such beginnings names no folder; and in tests, paths of made-up users stand
/// for those of a machine.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_name = |character: char| character.is_ascii_alphanumeric();
        let made_up = ["ann/", "ann\"", "builder/", "me/", "user/"];
        let rest = &line[at + word.len()..];
        let folder = word.ends_with('/');
        let inside = line[..at].ends_with(|before: char| is_name(before) || before == '}');
        !inside && !(folder && (!rest.starts_with(is_name) || made_up.iter().any(|name| rest.starts_with(name))))
    })
}

/// The `component.toml` beside a recipe.
fn sibling(path: &str) -> String {
    path.trim_end_matches("build.rs").to_owned() + kit::FILE
}

/// Every function of a file and how many lines it has, by rustfmt's indentation.
fn functions(text: &Text) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for (at, line) in text.lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let words = [
            "fn ",
            "pub fn ",
            "pub(crate) fn ",
            "pub(super) fn ",
            "const fn ",
            "pub const fn ",
        ];
        let Some(rest) = words.iter().find_map(|word| trimmed.strip_prefix(word)) else {
            continue;
        };
        let end = line[..line.len() - trimmed.len()].to_owned() + "}";
        // A function without a body, or one on a single line, has no line that closes it before the next item.
        let close = text.lines[at..].iter().position(|line| *line == end);
        let bodiless = text.lines[at..]
            .iter()
            .take_while(|line| !line.contains('{'))
            .any(|line| line.trim_end().ends_with(';'));
        if let (Some(lines), false) = (close, bodiless) {
            let name = rest.split(['(', '<']).next().unwrap_or(rest);
            all.push((name.to_owned(), lines + 1));
        }
    }
    all
}

/// Fails with every fault that is found in any of the texts, and when there were none to look at.
fn no_faults(texts: &[Text], fault: impl Fn(&Text) -> Option<String>) {
    assert!(!texts.is_empty(), "there was nothing to look at");
    let faults: Vec<String> = texts
        .iter()
        .filter_map(|text| Some(format!("{}: {}", text.path, fault(text)?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The repository's files with one of the suffixes; a file without one counts by its name.
fn texts(suffixes: &[&str]) -> Vec<Text> {
    let mut texts = Vec::new();
    for entry in listing() {
        let name = entry.rsplit('/').next().unwrap_or(&entry);
        let suffix = name.rsplit('.').next().unwrap_or(name);
        if suffixes.contains(&suffix) {
            let content = fs::read_to_string(root().join(&entry)).unwrap();
            texts.push(Text {
                lines: content.lines().map(str::to_owned).collect(),
                path: entry,
            });
        }
    }
    texts
}

/// Every file of the repository, by its path from the root.
fn listing() -> Vec<String> {
    let mut open = vec![PathBuf::new()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            let text = path.to_str().unwrap().to_owned();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() && !NOT_OURS.contains(&format!("{text}/").as_str()) => open.push(path),
                kind if kind.is_file() && !NOT_OURS.contains(&text.as_str()) => files.push(text),
                _ => {}
            }
        }
    }
    files.sort();
    files
}
