//! `python-config`: a Python says of itself what it is for: the name and content of `_sysconfigdata`, and the suffixes of its
//! extension modules. It has beside it what it needs to start, finds the DLLs of its modules, and knows no folder of the machine that
//! built it; and the interpreter that built it could not mistake its modules for its own.

use std::sync::Arc;

use super::{Case, imports};
use crate::read::pe::Pe;
use crate::report::Report;
use crate::subject::{File, folder, name};
use crate::{Arch, Os, Platform};

const RULE: &str = "python-config";

/// The variables of the configuration that name a platform, in their own value or in a compiler's name.
const VARIABLES: [&str; 11] = [
    "EXT_SUFFIX",
    "SOABI",
    "MULTIARCH",
    "HOST_GNU_TYPE",
    "SHLIB_SUFFIX",
    "CC",
    "CXX",
    "LDSHARED",
    "AR",
    "INSTSONAME",
    "PLATFORM_TRIPLET",
];

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(platform) = case.subject.platform else { return };
    if platform.is_windows() {
        windows(case, report);
    }
    for (path, file) in &case.subject.files {
        let own = name(path);
        match &file.text {
            Some(text) if own.starts_with("_sysconfigdata") => config(case, platform, path, text, report),
            Some(text) if own.ends_with(".pth") || own == "pyvenv.cfg" => folders(case, path, text, report),
            _ => {}
        }
        // Wheels have a rule of their own, which knows their tags.
        if case.subject.wheel.is_some() {
            continue;
        }
        if let Some(foreign) = Suffix::of(own).and_then(|suffix| suffix.is_foreign(platform)) {
            let found = format!("has the suffix of {foreign}");
            report.add(case.finding(RULE, path, found, format!("a suffix of {platform}")));
        }
    }
}

/// What a file that leads the interpreter to folders says of those of one machine.
fn folders(case: &Case<'_>, path: &str, text: &str, report: &mut Report) {
    for line in text.lines() {
        let folder = match line.split_once('=') {
            Some((key, value)) if key.trim() == "home" => value.trim(),
            Some(_) => continue,
            None => line.trim(),
        };
        let mut bytes = folder.bytes();
        let is_drive = matches!(
            (bytes.next(), bytes.next()),
            (Some(b'a'..=b'z' | b'A'..=b'Z'), Some(b':'))
        );
        if folder.starts_with('/') || is_drive {
            let found = format!("leads to `{folder}`, which only one machine has");
            report.add(case.finding(RULE, path, found, "folders of the same tree"));
        }
    }
}

/// A Python for Windows: the C runtime lies beside each interpreter, and modules whose DLLs lie elsewhere find them, for Python does
/// not search PATH for them.
fn windows(case: &Case<'_>, report: &mut Report) {
    let is_interpreter = |path: &&str| matches!(name(path), "python.exe" | "pythonw.exe");
    let interpreters: Vec<&str> = case
        .subject
        .images()
        .map(|(path, _)| path)
        .filter(is_interpreter)
        .collect();
    for path in &interpreters {
        for dll in case.policy.imports.with_python.iter().filter(|dll| !dll.contains('*')) {
            let imports = |pe: &Pe| pe.imports.iter().any(|from| from.dll.eq_ignore_ascii_case(dll));
            let is_needed = case.subject.images().any(|(_, pe)| imports(pe));
            if is_needed && case.subject.in_folder(folder(path), dll).is_none() {
                let found = format!("has no {dll} beside it");
                report.add(case.finding(RULE, path, found, "the C runtime beside the interpreter"));
            }
        }
    }
    if interpreters.is_empty() {
        return;
    }
    let is_shim = |(path, file): (&String, &Arc<File>)| {
        let text = file.text.as_deref().unwrap_or_default();
        (name(path) == "sitecustomize.py" || path.ends_with(".pth")) && text.contains("add_dll_directory")
    };
    if case.subject.files.iter().any(is_shim) {
        return;
    }
    for (path, pe) in case.subject.images().filter(|(path, _)| path.ends_with(".pyd")) {
        for (dll, home, _) in imports::homes_of(case, path, pe) {
            let Some(home) = home.map(folder) else { continue };
            if home != folder(path) && !interpreters.iter().any(|python| folder(python) == home) {
                let found = format!("needs {dll}, which lies in {home}");
                let wanted = "a sitecustomize.py or .pth that adds the folder (`os.add_dll_directory`)";
                report.add(case.finding(RULE, path, found, wanted));
            }
        }
    }
}

fn config(case: &Case<'_>, platform: Platform, path: &str, text: &str, report: &mut Report) {
    let stem = name(path).trim_end_matches(".py");
    // `_sysconfigdata_<flags>_<system>_<multiarch>`; without a multiarch there is nothing to compare.
    if let Some(foreign) = foreign_arch(stem, platform) {
        let found = format!("is named for {foreign}");
        report.add(case.finding(RULE, path, found, format!("the name of {platform}")));
    }
    built_by(case, path, text, report);
    for variable in VARIABLES {
        let Some(value) = value(text, variable) else { continue };
        let is_windows_value = value.ends_with(".pyd");
        let foreign = foreign_arch(value, platform).map(|arch| arch.to_string());
        let foreign = foreign.or_else(|| (is_windows_value && !platform.is_windows()).then(|| "Windows".to_owned()));
        if let Some(foreign) = foreign {
            let found = format!("says {variable} = `{value}`, which is {foreign}'s");
            report.add(case.finding(RULE, path, found, format!("the value of {platform}")));
        }
    }
}

/// The interpreter that a cross build ran. One that finds modules of what it builds takes them for its own where their names are those
/// of its own; they are where system and architecture are the same, for the version has to be.
fn built_by(case: &Case<'_>, path: &str, text: &str, report: &mut Report) {
    let (Some(build), Some(soabi)) = (value(text, "BUILD_GNU_TYPE"), value(text, "SOABI")) else {
        return;
    };
    let Some(command) = literals(text, "PYTHON_FOR_BUILD") else {
        return;
    };
    // `cpython-314-x86_64-linux-gnu`, and `x86_64-pc-linux-gnu`.
    let of_target = soabi.splitn(3, '-').nth(2).unwrap_or_default();
    let system = build.rsplit('-').take(2).collect::<Vec<_>>();
    let of_build = [
        &[build.split('-').next().unwrap_or_default()][..],
        &[system.get(1).unwrap_or(&""), system[0]],
    ]
    .concat();
    if of_target != of_build.join("-") {
        return;
    }
    let folders = command.split("PYTHONPATH=").nth(1).unwrap_or_default();
    // The next variable ends the list, which holds a call of the shell.
    let folders = folders.split(" _PYTHON").next().unwrap_or_default();
    let is_own = folders.contains("pybuilddir.txt") || folders.contains("build/lib.");
    if is_own {
        let program = command.split_whitespace().last().map_or("", name);
        let found = format!(
            "was built by {program} of `{build}`, which searched the modules of what it built (PYTHONPATH in PYTHON_FOR_BUILD) and \
             takes those of `{soabi}` for its own"
        );
        let wanted = "a build Python that finds its own modules alone (`_PYTHON_SYSCONFIGDATA_PATH`)";
        report.add(case.finding(RULE, path, found, wanted));
    }
}

/// The text of a variable whose value may be broken into several literals, of either quotes.
fn literals(text: &str, variable: &str) -> Option<String> {
    let key = format!("'{variable}':");
    let mut rest = text[text.find(&key)? + key.len()..].trim_start();
    let mut whole = String::new();
    while let Some(quote) = rest.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        let end = rest[1..].find(quote)? + 1;
        whole.push_str(&rest[1..end]);
        rest = rest[end + 1..].trim_start();
    }
    Some(whole)
}

/// The text of a variable: `'NAME': 'value'`.
fn value<'a>(text: &'a str, variable: &str) -> Option<&'a str> {
    let key = format!("'{variable}': '");
    let start = text.find(&key)? + key.len();
    text[start..].split('\'').next()
}

/// The architecture that a text names, if it is another one.
fn foreign_arch(text: &str, platform: Platform) -> Option<Arch> {
    let all = [Arch::Aarch64, Arch::X86_64, Arch::Riscv64];
    all.into_iter()
        .find(|arch| *arch != platform.arch && text.contains(&arch.to_string()))
}

/// What the suffix of an extension module says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Suffix<'a> {
    /// The interpreter: `cp313t`, `cpython-313t` is the same; empty for modules of the stable ABI and without one.
    pub python: &'a str,
    /// The platform, as the suffix spells it.
    pub platform: &'a str,
}

impl<'a> Suffix<'a> {
    /// Understands `name.cp313-win_arm64.pyd` and `name.cpython-313-aarch64-linux-gnu.so`; others say nothing.
    pub fn of(file: &'a str) -> Option<Suffix<'a>> {
        let stem = file.strip_suffix(".pyd").or_else(|| file.strip_suffix(".so"))?;
        let (_, middle) = stem.rsplit_once('.')?;
        if let Some(rest) = middle.strip_prefix("cpython-") {
            let (python, platform) = rest.split_once('-')?;
            return Some(Suffix { python, platform });
        }
        let (python, platform) = middle.split_once('-')?;
        let python = python.strip_prefix("cp")?;
        Some(Suffix { python, platform })
    }

    /// The platform that the suffix names, if it is another one.
    pub fn is_foreign(self, platform: Platform) -> Option<&'a str> {
        let wanted = match platform.os {
            Os::Windows => match platform.arch {
                Arch::X86_64 => "win_amd64".to_owned(),
                _ => "win_arm64".to_owned(),
            },
            Os::Linux => format!("{}-linux-gnu", platform.arch),
            Os::Musl => format!("{}-linux-musl", platform.arch),
        };
        (self.platform != wanted).then_some(self.platform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_several_literals_are_joined() {
        let text = "{'A': 'a',\n 'B': \"x='' \"\n      'y',\n 'C': ''}";
        let found = |name| literals(text, name);
        assert_eq!((found("A"), found("B")), (Some("a".into()), Some("x='' y".into())));
        assert_eq!((found("C"), found("D")), (Some(String::new()), None));
    }

    #[test]
    fn suffixes_are_understood() {
        let of = |file| Suffix::of(file).map(|suffix| (suffix.python, suffix.platform));
        assert_eq!(of("a.cp313t-win_arm64.pyd"), Some(("313t", "win_arm64")));
        assert_eq!(
            of("a.cpython-313-aarch64-linux-gnu.so"),
            Some(("313", "aarch64-linux-gnu"))
        );
        for silent in ["a.abi3.so", "a.so", "liba-1.2.so", "a.pyd", "libx-0.1.so.3"] {
            assert_eq!(of(silent), None, "{silent}");
        }
    }
}
