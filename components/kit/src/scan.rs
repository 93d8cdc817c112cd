//! No command that compiles or links for the target may name a folder of the machine's own headers or libraries: it would
//! find them, and the product would be wrong in a way that shows on another machine only. Judged on the command lines.

use anyhow::{Result, ensure};

use crate::component::Tool;
use crate::cx::Cx;

/// The programs that work for the target, by the names that the toolchain gives them.
const PROGRAMS: [&str; 6] = ["clang", "clang++", "clang-cl", "ld.lld", "lld-link", "llvm-rc"];

/// How a folder for headers or libraries is handed to one of them.
const FLAGS: [&str; 11] = [
    "-I",
    "/I",
    "-L",
    "-isystem",
    "-idirafter",
    "-imsvc",
    "/imsvc",
    "-libpath:",
    "/libpath:",
    "-LIBPATH:",
    "/LIBPATH:",
];

/// Where the machine keeps its own.
const FOLDERS: [&str; 5] = ["/usr/include", "/usr/lib", "/usr/local", "/lib/", "/usr/share"];

/// Checks the commands that Ninja ran. Those of make are checked as they are printed.
pub(crate) fn check(cx: &Cx) -> Result<()> {
    let uses_ninja = [Tool::Cmake, Tool::Meson, Tool::Ninja]
        .iter()
        .any(|tool| cx.component.uses(*tool));
    if !uses_ninja || !cx.build().join("build.ninja").is_file() {
        return Ok(());
    }
    let commands = cx.call("ninja").args(["-t", "commands"]).read()?;
    let first = commands
        .lines()
        .find_map(|line| host_folder(line).map(|folder| (line, folder)));
    ensure!(
        first.is_none(),
        "a compilation for the target names the machine's {}: {}",
        first.as_ref().map(|(_, folder)| folder.as_str()).unwrap_or_default(),
        first.as_ref().map(|(line, _)| *line).unwrap_or_default()
    );
    Ok(())
}

/// The folder of the machine that a command for the target names, if it does.
pub(crate) fn host_folder(command: &str) -> Option<String> {
    let words: Vec<&str> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']))
        .collect();
    let program = |word: &&str| PROGRAMS.contains(&word.rsplit('/').next().unwrap_or(word));
    words.iter().take(8).find(|word| program(word))?;
    words.iter().enumerate().find_map(|(at, word)| {
        let flag = FLAGS.iter().find(|flag| word.starts_with(**flag))?;
        let joined = &word[flag.len()..];
        let folder = match joined {
            "" => words.get(at + 1).copied().unwrap_or_default(),
            folder => folder,
        };
        FOLDERS
            .iter()
            .any(|host| folder.starts_with(host))
            .then(|| folder.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::host_folder;

    #[test]
    fn folders_of_the_machine_are_found_in_compilations_for_the_target_alone() {
        let cases = [
            ("/s/bin/clang-cl -I/usr/include/x -c a.c", Some("/usr/include/x")),
            ("clang-cl -imsvc /usr/include -c a.c", Some("/usr/include")),
            (
                "cd x && lld-link -libpath:/usr/lib/x86_64-linux-gnu a.obj",
                Some("/usr/lib/x86_64-linux-gnu"),
            ),
            ("clang-cl '-I/usr/local/include' -c a.c", Some("/usr/local/include")),
            ("clang-cl -I/home/u/source/usr/include -c a.c", None),
            ("gcc -I/usr/include -c hostprog.c", None),
            ("checking for /usr/lib", None),
        ];
        for (command, wanted) in cases {
            assert_eq!(host_folder(command).as_deref(), wanted, "{command}");
        }
    }
}
