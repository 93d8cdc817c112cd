//! What the lines of a running build tell: which step it is in and how far. It draws nothing and stores nothing.
//! The forms are not promised by the tools that print them; a line that is not understood changes nothing.

/// What one line told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told<'a> {
    /// A component's build begins for one of its roles, and writes this log.
    Log(&'a str),
    /// A step of the recipe begins.
    Step(&'a str),
    /// Ninja's or CMake's own count.
    Count(u64, u64),
    /// One more command of a make that does not know how many there are.
    Command(&'a str),
}

/// The kit's own announcement of a step.
const STEP: &str = "windlass: step ";

/// The kit's own announcement of where a build is written down.
const LOG: &str = "windlass: log ";

/// Understands a line of a build, without cargo's prefix.
pub fn read(line: &str) -> Option<Told<'_>> {
    if let Some(step) = line.strip_prefix(STEP) {
        return Some(Told::Step(step));
    }
    if let Some(log) = line.strip_prefix(LOG) {
        return Some(Told::Log(log));
    }
    if let Some((done, total)) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .and_then(|(count, _)| count.split_once('/'))
    {
        let (done, total) = (done.trim().parse().ok()?, total.trim().parse().ok()?);
        return (total > 0 && done <= total).then_some(Told::Count(done, total));
    }
    // Kbuild-like makes, FFmpeg's among them, print `CC<tab>file`.
    let (verb, file) = line.split_once('\t')?;
    let command = !verb.is_empty() && verb.len() <= 10 && verb.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    (command && !file.is_empty() && !file.contains(' ')).then_some(Told::Command(file))
}

/// A line of a build script's output, without the `[NAME VERSION] ` that `cargo build -vv` puts before it.
pub fn of_package<'a>(line: &'a str, name: &str, version: &str) -> Option<&'a str> {
    line.strip_prefix('[')?
        .strip_prefix(name)?
        .strip_prefix(' ')?
        .strip_prefix(version)?
        .strip_prefix("] ")
}

/// What a script of a package gave as the reason of its failure, out of cargo's line about it.
pub fn script_error<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (package, reason) = line.strip_prefix("error: ")?.split_once(": ")?;
    (package.split('@').next() == Some(name)).then_some(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_ninja_make_and_the_kit_are_understood_and_others_ignored() {
        assert_eq!(read("[12/340] CC foo.obj"), Some(Told::Count(12, 340)));
        assert_eq!(read("CC\tlibavcodec/x.o"), Some(Told::Command("libavcodec/x.o")));
        assert_eq!(read("windlass: step configure"), Some(Told::Step("configure")));
        assert_eq!(read("windlass: log /s/x.log"), Some(Told::Log("/s/x.log")));
        for line in [
            "",
            "[",
            "[a/b] c",
            "[9/3] x",
            "[1/0]",
            "note:\tx",
            "CC\ttwo words",
            "C++ code",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn cargos_prefixes_are_taken_off_for_the_right_package_only() {
        assert_eq!(of_package("[ffmpeg 0.1.0] CC\tx.o", "ffmpeg", "0.1.0"), Some("CC\tx.o"));
        assert_eq!(of_package("[kit 0.1.0] x", "ffmpeg", "0.1.0"), None);
        assert_eq!(
            script_error("error: ffmpeg@0.1.0: make failed: exit 2", "ffmpeg"),
            Some("make failed: exit 2")
        );
        assert_eq!(script_error("error: could not compile `ffmpeg`", "ffmpeg"), None);
    }
}
