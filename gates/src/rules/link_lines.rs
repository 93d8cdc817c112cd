//! `link-lines`: what build systems will put on a command line, from CMake's exports, libtool's archives, Qt's lists and a Python's
//! configuration, names no library, folder or search path of the machine that built it. In a folder that something was built in the
//! lines are there as they were run, and beside them who told the path: a pkg-config that answers for the machine that builds. Modules
//! of pkg-config have a rule of their own, which knows their variables.

use super::Case;
use crate::report::Report;
use crate::subject::{folder, name};

const RULE: &str = "link-lines";

/// Folders that hold the libraries and headers of a machine's own system.
const SYSTEM: [&str; 7] = [
    "/usr/lib",
    "/usr/local/",
    "/usr/include",
    "/lib/",
    "/lib64/",
    "/opt/",
    "/usr/X11",
];

/// What stands before a path in one word.
const FLAGS: [&str; 8] = ["-L", "-I", "-isystem", "-rpath-link=", "-rpath=", "-R", "-F", "-B"];

/// What Meson keeps of the programs that it asked.
const MESON_LOG: &str = "meson-log.txt";

/// What CMake keeps of what it found.
const CMAKE_CACHE: &str = "CMakeCache.txt";

/// Whether a rule reads the text of such a file.
pub(crate) fn is_named(name: &str) -> bool {
    has_lines(name) || matches!(name, MESON_LOG | CMAKE_CACHE)
}

/// Whether a file holds what will be, or was, on command lines.
fn has_lines(name: &str) -> bool {
    [".cmake", ".la", ".pri", ".prl", ".rsp"]
        .iter()
        .any(|end| name.ends_with(end))
        || matches!(name, "build.ninja" | "link.txt")
        || name.starts_with("_sysconfigdata") && name.ends_with(".py")
}

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        let Some(text) = file.text.as_deref().filter(|_| has_lines(name(path))) else {
            continue;
        };
        let mut found: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .flat_map(words)
            .collect();
        found.sort_unstable();
        found.dedup();
        for word in found {
            let (whose, teller) = (case.of_another(word), told_by(case, word));
            let found = format!(
                "puts `{word}` on command lines{whose}{}",
                teller.as_deref().unwrap_or_default()
            );
            let wrong = case.finding(RULE, path, found, "paths of the same tree");
            let hint = match teller {
                Some(_) => "set PKG_CONFIG_LIBDIR to the target's modules alone",
                None => "",
            };
            report.add(wrong.hint(hint));
        }
    }
}

/// Which pkg-config told a path, or the folder that it is in; to be put behind the path.
fn told_by(case: &Case<'_>, word: &str) -> Option<String> {
    let is_it = |answer: &str| {
        let mut answers = answer
            .split([' ', ';'])
            .map(|word| word.strip_prefix("-L").unwrap_or(word));
        answers.any(|answer| answer.starts_with('/') && (answer == word || answer == folder(word)))
    };
    case.subject.files.iter().find_map(|(path, file)| {
        let text = file.text.as_deref()?;
        let told = match name(path) {
            MESON_LOG => asked_by_meson(text, is_it)?,
            CMAKE_CACHE => found_by_cmake(text, is_it)?,
            _ => return None,
        };
        Some(format!(", which {told} told ({})", case.shown(path)))
    })
}

/// The call in Meson's log whose answer is meant. A call is one line with the command between backticks, the answer those after it.
fn asked_by_meson(log: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut call = None;
    for line in log.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("Called: `") {
            let command = rest.split('`').next().unwrap_or_default();
            call = Some(command).filter(|command| command.contains("pkg-config") || command.contains("pkgconf"));
        } else if let Some(command) = call.filter(|_| is_it(line)) {
            return Some(format!("`{command}`"));
        }
    }
    None
}

/// The variable in CMake's cache that holds what pkg-config answered, with the program that was asked.
fn found_by_cmake(cache: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let entries = || {
        cache
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| {
                let key = key.split(':').next().unwrap_or(key);
                (key, value)
            })
    };
    // FindPkgConfig.cmake writes a list of folders and, for each library, its path.
    let is_answer =
        |key: &str| key.starts_with("pkgcfg_lib_") || key.ends_with("_LIBRARY_DIRS") || key.ends_with("_LIBDIR");
    let (key, _) = entries().find(|(key, value)| is_answer(key) && is_it(value))?;
    let program = entries()
        .find(|(key, _)| *key == "PKG_CONFIG_EXECUTABLE")
        .map_or("pkg-config", |(_, path)| path);
    Some(format!("`{program}` for `{key}`"))
}

/// The paths of a line that only one machine's system has. A linker's words come joined by commas, CMake's by semicolons.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ';' | ',' | '"' | '\'' | '(' | ')');
    line.split(is_between).filter_map(|word| {
        let path = FLAGS.iter().find_map(|flag| word.strip_prefix(flag)).unwrap_or(word);
        SYSTEM.iter().any(|folder| path.starts_with(folder)).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_behind_flags_and_between_signs() {
        let found = |line| words(line).collect::<Vec<_>>();
        assert_eq!(
            found("set(L \"-Wl,-rpath,/usr/lib/x86_64-linux-gnu;/usr/lib/libX11.so\")"),
            ["/usr/lib/x86_64-linux-gnu", "/usr/lib/libX11.so"]
        );
        assert_eq!(found("dependency_libs=' -L/usr/local/lib -lz'"), ["/usr/local/lib"]);
        for innocent in [
            "${_IMPORT_PREFIX}/lib/libz.so",
            "-lz",
            "see https://a.org/usr/lib",
            "/usr/share/doc",
        ] {
            assert_eq!(found(innocent), [""; 0], "{innocent}");
        }
    }

    #[test]
    fn the_answer_of_pkg_config_is_found() {
        let is_it = |line: &str| line == "/usr/lib/x86_64-linux-gnu";
        let log = "Called: `/usr/bin/cc -v` -> 0\n/usr/lib/x86_64-linux-gnu\nCalled: `/usr/bin/pkg-config --libs x11` -> 0\nstdout:\n/usr/lib/x86_64-linux-gnu\n";
        assert_eq!(
            asked_by_meson(log, is_it).as_deref(),
            Some("`/usr/bin/pkg-config --libs x11`")
        );
        assert_eq!(asked_by_meson("/usr/lib/x86_64-linux-gnu\n", is_it), None);
        let cache = "PKG_CONFIG_EXECUTABLE:FILEPATH=/usr/bin/pkgconf\nA:PATH=/usr/lib/x86_64-linux-gnu\nX11_LIBRARY_DIRS:INTERNAL=/usr/lib/x86_64-linux-gnu\n";
        assert_eq!(
            found_by_cmake(cache, is_it).as_deref(),
            Some("`/usr/bin/pkgconf` for `X11_LIBRARY_DIRS`")
        );
    }
}
