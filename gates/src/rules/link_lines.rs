//! `link-lines`: what build systems will put on a command line, from CMake's exports, libtool's archives, Qt's lists and a Python's
//! configuration, names no library, folder or search path of the machine that built it. Modules of pkg-config have a rule of their
//! own, which knows their variables.

use super::Case;
use crate::report::Report;
use crate::subject::name;

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

/// Whether a rule reads the text of such a file.
pub(crate) fn is_named(name: &str) -> bool {
    [".cmake", ".la", ".pri", ".prl"].iter().any(|end| name.ends_with(end))
        || name.starts_with("_sysconfigdata") && name.ends_with(".py")
}

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, file) in &case.subject.files {
        let Some(text) = file.text.as_deref().filter(|_| is_named(name(path))) else {
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
            let found = format!("puts `{word}` on command lines");
            report.add(case.finding(RULE, path, found, "paths of the same tree"));
        }
    }
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
}
