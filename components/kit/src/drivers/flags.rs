//! Compiler flags per file, as edits of the generated `build.ninja`. An edit says how many files it must reach at least;
//! below that floor the build stops, for then the upstream has moved its files and the edit would be a silent no-op.

use anyhow::{Context, Result, bail, ensure};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use store::tree;

use crate::cx::Cx;

/// One change of the flags of some files.
#[derive(Clone, Debug)]
pub struct FlagEdit {
    /// Why these files need it; goes to the log.
    pub why: &'static str,
    /// Shell patterns over the paths of sources, `**/mlas/*_sve.cpp` for example.
    pub files: Vec<String>,
    /// Flags that are put behind the others.
    pub add: Vec<String>,
    /// Flags that are taken away.
    pub remove: Vec<String>,
    /// The least number of compilations that the patterns must reach.
    pub floor: usize,
}

/// Applies edits to the generated file; it is left as it was unless all of them hold.
pub(super) fn apply(cx: &Cx, edits: &[FlagEdit]) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    cx.step("flags");
    let path = cx.build().join("build.ninja");
    let mut text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    for edit in edits {
        let (edited, reached) = edited(&text, edit)?;
        cx.note(format_args!("flags of {reached} files changed: {}", edit.why));
        text = edited;
    }
    tree::write_atomic(&path, text.as_bytes())?;
    // Ninja would see a file that is not the generator's, and have it generated again without the edits.
    cx.call("ninja").args(["-t", "restat", "build.ninja"]).run()
}

/// The text with one edit applied, and how many compilations it reached.
fn edited(text: &str, edit: &FlagEdit) -> Result<(String, usize)> {
    let patterns = patterns(&edit.files)?;
    let mut reached = 0;
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(statement) = line.strip_prefix("build ") {
            inside = sources(statement).any(|source| patterns.is_match(source));
        } else if !line.starts_with(' ') {
            inside = false;
        }
        // CMake calls the variable FLAGS, Meson ARGS.
        match line.trim_start().split_once(" = ") {
            Some((name @ ("FLAGS" | "ARGS"), flags)) if inside => {
                reached += 1;
                let indent = &line[..line.len() - line.trim_start().len()];
                lines.push(format!("{indent}{name} = {}", changed(flags, edit)));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    ensure!(
        reached >= edit.floor && reached > 0,
        "build.ninja: {} reaches {reached} compilations, wanted at least {} ({})",
        edit.files.join(", "),
        edit.floor.max(1),
        edit.why
    );
    Ok((lines.join("\n") + "\n", reached))
}

/// The flags without what is taken away and with what is added, once however often it is applied.
fn changed(flags: &str, edit: &FlagEdit) -> String {
    let mut words: Vec<&str> = flags
        .split_whitespace()
        .filter(|word| !edit.remove.iter().chain(&edit.add).any(|other| other == word))
        .collect();
    words.extend(edit.add.iter().map(String::as_str));
    words.join(" ")
}

/// The explicit inputs of a build statement, without Ninja's escapes.
fn sources(statement: &str) -> impl Iterator<Item = String> {
    let inputs = statement.split_once(": ").map_or("", |(_, rest)| rest);
    let explicit = inputs.split(" |").next().unwrap_or_default();
    explicit
        .replace("$ ", "\u{0}")
        .split_whitespace()
        // The first word is the rule.
        .skip(1)
        .map(|word| {
            word.replace('\u{0}', " ")
                .replace("$:", ":")
                .trim_start_matches('/')
                .to_owned()
        })
        .collect::<Vec<_>>()
        .into_iter()
}

fn patterns(files: &[String]) -> Result<GlobSet> {
    if files.is_empty() {
        bail!("a flag edit names no files");
    }
    let mut set = GlobSetBuilder::new();
    for file in files {
        let glob = GlobBuilder::new(file)
            .literal_separator(true)
            .build()
            .with_context(|| format!("`{file}` is not a pattern"))?;
        set.add(glob);
    }
    set.build().context("patterns cannot be used")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINJA: &str = "\
build CMakeFiles/x.dir/a.cpp.obj: CXX_COMPILER__x /w/source/x/a.cpp || order
  FLAGS = /O2 /W3
  DEFINES = -DX
build CMakeFiles/x.dir/b.cpp.obj: CXX_COMPILER__x /w/source/y/b.cpp
  FLAGS = /O2 /W3
build c.obj: c_COMPILER ../source/x/c$ c.c
 ARGS = \"-O2\" /W3
";

    fn edit(floor: usize) -> FlagEdit {
        FlagEdit {
            why: "they use SVE",
            files: vec!["**/x/*".into()],
            add: vec!["-march=armv8.2-a+sve".into()],
            remove: vec!["/W3".into()],
            floor,
        }
    }

    #[test]
    fn flags_change_for_the_matching_files_alone_and_once() {
        let (once, reached) = edited(NINJA, &edit(2)).unwrap();
        assert_eq!(reached, 2);
        assert_eq!(
            once,
            "\
build CMakeFiles/x.dir/a.cpp.obj: CXX_COMPILER__x /w/source/x/a.cpp || order
  FLAGS = /O2 -march=armv8.2-a+sve
  DEFINES = -DX
build CMakeFiles/x.dir/b.cpp.obj: CXX_COMPILER__x /w/source/y/b.cpp
  FLAGS = /O2 /W3
build c.obj: c_COMPILER ../source/x/c$ c.c
 ARGS = \"-O2\" -march=armv8.2-a+sve
"
        );
        assert_eq!(edited(&once, &edit(2)).unwrap().0, once);
    }

    #[test]
    fn below_the_floor_the_build_stops() {
        let error = edited(NINJA, &edit(3)).unwrap_err().to_string();
        assert_eq!(
            error,
            "build.ninja: **/x/* reaches 2 compilations, wanted at least 3 (they use SVE)"
        );
    }
}
