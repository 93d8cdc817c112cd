//! What the machine must have of its own, and the command that installs what it lacks. Everything else is brought by
//! `fetch`; a tool of that kind is not looked for here.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use crate::disk;
use crate::environment;
use crate::progress;
use crate::session::Session;

/// The least room in the state folder for a first bundle: sources, tools, one work folder, prefixes.
const FREE_BYTES_MIN: u64 = 6 << 30;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Check {
    /// What.
    pub what: String,
    /// What was found, or nothing.
    pub found: Option<String>,
    /// Whether a bundle cannot be made without it.
    pub needed: bool,
    /// What it is for.
    pub reason: &'static str,
    /// The command that mends it.
    pub hint: Option<String>,
}

/// A program of the machine.
struct Tool {
    name: &'static str,
    needed: bool,
    reason: &'static str,
    /// The packages that have it: apt, dnf, pacman, apk.
    packages: [&'static str; 4],
    version: &'static [&'static str],
}

const TOOLS: [Tool; 7] = [
    Tool {
        name: "cc",
        needed: true,
        reason: "links the build scripts, and compiles generators that upstreams run while they build",
        packages: ["gcc libc6-dev", "gcc", "gcc", "gcc musl-dev"],
        version: &["--version"],
    },
    Tool {
        name: "make",
        needed: true,
        reason: "drives upstreams that are built with make",
        packages: ["make"; 4],
        version: &["--version"],
    },
    Tool {
        name: "sh",
        needed: true,
        reason: "runs configure scripts and the wrappers of compilers",
        packages: ["dash", "bash", "bash", "busybox"],
        version: &[],
    },
    Tool {
        name: "perl",
        needed: true,
        reason: "runs configure scripts and writes the assembly of upstreams",
        packages: ["perl"; 4],
        version: &[],
    },
    Tool {
        name: "python3",
        needed: true,
        reason: "runs the generators of upstreams, and tells pip's settings",
        packages: ["python3", "python3", "python", "python3"],
        version: &["--version"],
    },
    Tool {
        name: "pip",
        needed: false,
        reason: "tells which Python package index this machine uses; PIP_INDEX_URL does too",
        packages: ["python3-pip", "python3-pip", "python-pip", "py3-pip"],
        version: &["--version"],
    },
    Tool {
        name: "unshare",
        needed: false,
        reason: "cuts the network off from builds",
        packages: ["util-linux"; 4],
        version: &["--version"],
    },
];

/// Runs the verb.
///
/// # Errors
/// If something is missing without which no bundle can be made.
pub fn run(session: &Session) -> Result<()> {
    let mut checks = tools(&environment::path(), true);
    checks.extend(places(session));
    let mut human = String::new();
    for check in &checks {
        let mark = match (&check.found, check.needed) {
            (Some(_), _) => "ok     ",
            (None, true) => "missing",
            (None, false) => "without",
        };
        let _ = writeln!(
            human,
            "{mark} {:<13} {}",
            check.what,
            check.found.as_deref().unwrap_or(check.reason)
        );
    }
    session.print("doctor", serde_json::json!({ "checks": checks }), &human)?;
    complain(&checks)
}

/// The part without which a bundle would fail late: quick, and without a word if all is well.
///
/// # Errors
/// If something is missing.
pub fn before_bundle() -> Result<()> {
    complain(&tools(&environment::path(), false))
}

fn complain(checks: &[Check]) -> Result<()> {
    let missing: Vec<&Check> = checks
        .iter()
        .filter(|check| check.needed && check.found.is_none())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for check in &missing {
        let _ = writeln!(text, "{}: not found, wanted because it {}", check.what, check.reason);
    }
    for hint in missing.iter().filter_map(|check| check.hint.as_ref()) {
        let _ = write!(text, "\nhint: {hint}");
    }
    bail!("{text}")
}

/// Looks for every tool in the folders of PATH; `versions` also starts them.
fn tools(path: &[PathBuf], versions: bool) -> Vec<Check> {
    let install = installer(path);
    let is_root = rustix::process::geteuid().is_root();
    TOOLS
        .iter()
        .map(|tool| {
            let names: &[&str] = if tool.name == "pip" {
                &["pip3", "pip"]
            } else {
                &[tool.name]
            };
            let found = names.iter().find_map(|name| find(name, path));
            Check {
                what: tool.name.to_owned(),
                found: found.map(|program| match versions {
                    true => version(&program, tool.version),
                    false => program.display().to_string(),
                }),
                needed: tool.needed,
                reason: tool.reason,
                hint: install.map(|(at, command)| {
                    let sudo = if is_root { "" } else { "sudo " };
                    format!("{sudo}{command} {}", tool.packages[at])
                }),
            }
        })
        .collect()
}

/// The state folder: writable, and with room.
fn places(session: &Session) -> Vec<Check> {
    let root = session.state.root();
    let writable = session.state.prepare();
    let hint = || Some("export WINDLASS_STATE=/path/with/space".to_owned());
    let free = disk::free(root);
    vec![
        Check {
            what: "state folder".into(),
            found: writable.is_ok().then(|| root.display().to_string()),
            needed: true,
            reason: "holds sources, tools and prefixes, and must be writable",
            hint: hint(),
        },
        Check {
            what: "free space".into(),
            found: free.filter(|free| *free >= FREE_BYTES_MIN).map(progress::bytes),
            needed: true,
            reason: "holds a first bundle only with 6 GiB",
            hint: hint(),
        },
    ]
}

/// The machine's package manager: its place in `Tool::packages` and its command.
fn installer(path: &[PathBuf]) -> Option<(usize, &'static str)> {
    let known = [
        ("apt-get", "apt-get install"),
        ("dnf", "dnf install"),
        ("pacman", "pacman -S"),
        ("apk", "apk add"),
    ];
    let mut known = known.iter().enumerate();
    known.find_map(|(at, (name, command))| find(name, path).map(|_| (at, *command)))
}

fn find(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let executable = |file: &PathBuf| {
        file.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    path.iter().map(|folder| folder.join(name)).find(executable)
}

fn version(program: &Path, arguments: &[&str]) -> String {
    let place = program.display().to_string();
    if arguments.is_empty() {
        return place;
    }
    let told = duct::cmd(program, arguments)
        .stderr_null()
        .stdin_null()
        .unchecked()
        .read();
    match told.ok().and_then(|text| text.lines().next().map(str::to_owned)) {
        Some(line) if !line.is_empty() => line,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_make_is_one_clear_error_with_the_command_that_installs_it() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["cc", "sh", "perl", "python3", "apt-get"] {
            std::os::unix::fs::symlink("/bin/sh", dir.path().join(name)).unwrap();
        }
        let error = complain(&tools(&[dir.path().to_owned()], false)).unwrap_err();
        let text = crate::failure::report(&error);
        let sudo = if rustix::process::geteuid().is_root() {
            ""
        } else {
            "sudo "
        };
        assert_eq!(
            text,
            format!(
                "error: make: not found, wanted because it drives upstreams that are built with make\nhint: {sudo}apt-get install make"
            )
        );
        std::os::unix::fs::symlink("/bin/sh", dir.path().join("make")).unwrap();
        complain(&tools(&[dir.path().to_owned()], false)).unwrap();
    }
}
