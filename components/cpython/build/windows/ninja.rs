//! What Ninja is told of a plan: a rule for each tool and a statement for each file that is made. It decides nothing.

use std::path::Path;

use crate::windows::plan::{Plan, Settings, Step, Unit, spelled};

/// The rules. Objects wait for the frozen modules and the configuration header without being made anew for them: everything is
/// made once, in a fresh folder.
const RULES: &str = "\
ninja_required_version = 1.8
rule compile
  command = clang-cl /nologo /c $options /Fo$out -- $in
  description = CC $out
rule resource
  command = llvm-rc /nologo $options /fo $out $in
  description = RC $out
rule link
  command = lld-link /OUT:$out $options @$out.rsp $libraries
  rspfile = $out.rsp
  rspfile_content = $in_newline
  description = LINK $out
rule freeze
  command = $freeze $module $in $out
  description = FREEZE $module
";

/// The text of the file that Ninja reads. `freeze` is the program of this machine that freezes modules.
pub(crate) fn render(settings: &Settings, plan: &Plan, freeze: &Path) -> String {
    let mut text = format!("{RULES}freeze = {}\n", quoted(&freeze.display().to_string()));
    let path = |path: &Path| escaped(&spelled(settings, path));
    let mut headers = Vec::new();
    for frozen in &plan.frozen {
        let header = path(&frozen.header);
        text += &format!(
            "build {header}: freeze {}\n  module = {}\n",
            path(&frozen.source),
            frozen.module
        );
        headers.push(header);
    }
    text += &format!("build frozen: phony {}\n", headers.join(" "));
    for unit in &plan.units {
        for (rule, steps) in [("compile", &unit.compiles), ("resource", &unit.resources)] {
            for step in steps {
                text += &format!(
                    "build {}: {rule} {} || frozen\n  options = {}\n",
                    path(&step.object),
                    path(&step.source),
                    options(settings, step)
                );
            }
        }
        let first = match unit.import_library.as_ref() == Some(&plan.core) {
            true => String::new(),
            false => format!(" || {}", path(&plan.core)),
        };
        text += &linked(settings, unit, &first);
    }
    text
}

/// A step's options with its folders of headers, as the shell takes them.
fn options(settings: &Settings, step: &Step) -> String {
    let folders = step
        .include
        .iter()
        .map(|folder| format!("/I{}", spelled(settings, folder)));
    let words = step.options.iter().cloned().chain(folders);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn linked(settings: &Settings, unit: &Unit, first: &str) -> String {
    let path = |path: &Path| escaped(&spelled(settings, path));
    let inputs = unit.compiles.iter().chain(&unit.resources).map(|step| &step.object);
    let inputs: Vec<String> = inputs.chain(&unit.references).map(|input| path(input)).collect();
    let implicit = unit
        .import_library
        .as_deref()
        .map_or_else(String::new, |library| format!(" | {}", path(library)));
    let words = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    format!(
        "build {}{implicit}: link {}{first}\n  options = {}\n  libraries = {}\n",
        path(&unit.output),
        inputs.join(" "),
        words(&unit.options),
        words(&unit.libraries)
    )
}

/// A path as Ninja's syntax takes it.
fn escaped(path: &str) -> String {
    path.replace('$', "$$").replace(':', "$:").replace(' ', "$ ")
}

/// A word as the shell takes it, in a value of Ninja's.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+./:,@%".contains(&byte);
    let word = match word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    word.replace('$', "$$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell_and_ninja() {
        assert_eq!(quoted("/DX=1"), "/DX=1");
        assert_eq!(quoted(r#"/DNAME=L"python3""#), r#"'/DNAME=L"python3"'"#);
        assert_eq!(quoted(r#"/DV="..\\..""#), r#"'/DV="..\\.."'"#);
        assert_eq!(quoted("it's $x"), r"'it'\''s $$x'");
        assert_eq!(escaped("a b$c:d"), "a$ b$$c$:d");
    }
}
