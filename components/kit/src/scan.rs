//! Host and target never mix. No command that compiles or links for the target may name a folder of the machine's own headers
//! or libraries: it would find them, and the product would be wrong in a way that shows on another machine only. And no compiler
//! of this machine may be told what is the target's. Judged on the command lines.

use anyhow::{Result, bail};

use crate::component::Tool;
use crate::cx::Cx;

/// The programs that work for the target, by the names that the toolchain gives them.
const PROGRAMS: [&str; 6] = ["clang", "clang++", "clang-cl", "ld.lld", "lld-link", "llvm-rc"];

/// The machine's own compilers.
const HOST_PROGRAMS: [&str; 4] = ["cc", "gcc", "c++", "g++"];

/// Beginnings of arguments that only the target's compilers are given.
const TARGET_FLAGS: [&str; 5] = ["--target=", "--sysroot", "-march=", "-mcpu=", "-mabi="];

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
    let first = commands.lines().find_map(|line| fault(line).map(|fault| (line, fault)));
    match first {
        None => Ok(()),
        Some((line, fault)) => bail!("{fault}: {line}"),
    }
}

/// What is wrong with a command, if anything is.
pub(crate) fn fault(command: &str) -> Option<String> {
    let words: Vec<&str> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']))
        .collect();
    let calls = |programs: &[&str]| {
        let name = |word: &&&str| programs.contains(&word.rsplit('/').next().unwrap_or(word));
        words.iter().take(8).find(name).is_some()
    };
    if calls(&PROGRAMS) {
        let folder = host_folder(&words)?;
        return Some(format!("a command for the target names the machine's {folder}"));
    }
    if calls(&HOST_PROGRAMS) {
        let is_targets = |word: &&&str| TARGET_FLAGS.iter().any(|flag| word.starts_with(flag));
        let flag = words.iter().find(is_targets)?;
        return Some(format!("a command for this machine has the target's {flag}"));
    }
    None
}

/// The folder of the machine that is handed over for headers or libraries.
fn host_folder(words: &[&str]) -> Option<String> {
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
    use super::fault;

    #[test]
    fn what_is_the_machines_and_what_is_the_targets_do_not_mix() {
        let cases = [
            (
                "/s/bin/clang-cl -I/usr/include/x -c a.c",
                Some("a command for the target names the machine's /usr/include/x"),
            ),
            (
                "clang-cl -imsvc /usr/include -c a.c",
                Some("a command for the target names the machine's /usr/include"),
            ),
            (
                "cd x && lld-link -libpath:/usr/lib/x86_64-linux-gnu a.obj",
                Some("a command for the target names the machine's /usr/lib/x86_64-linux-gnu"),
            ),
            (
                "clang-cl '-I/usr/local/include' -c a.c",
                Some("a command for the target names the machine's /usr/local/include"),
            ),
            ("clang-cl -I/home/u/source/usr/include -c a.c", None),
            ("gcc -I/usr/include -c hostprog.c", None),
            (
                "/usr/bin/gcc -O2 -march=rv64gc -c gen.c",
                Some("a command for this machine has the target's -march=rv64gc"),
            ),
            (
                "cc --sysroot=/s -o gen gen.c",
                Some("a command for this machine has the target's --sysroot=/s"),
            ),
            ("clang --target=riscv64-unknown-linux-gnu -c a.S", None),
            ("checking for /usr/lib", None),
        ];
        for (command, wanted) in cases {
            assert_eq!(fault(command).as_deref(), wanted, "{command}");
        }
    }
}
