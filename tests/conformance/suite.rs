//! The conformance programs: reads the list, builds every program with a target's compiler, runs it, compares exit code and output.
//!
//! It knows no target and no runner: the caller hands over the folder with the compiler wrappers and a function that makes the command
//! which starts a program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// What `conformance.toml` says. Its head comment explains every key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    #[serde(rename = "dll")]
    dlls: Vec<Dll>,
    #[serde(rename = "program")]
    programs: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dll {
    name: String,
    source: String,
    #[serde(default)]
    flags: Vec<String>,
}

/// One program with what it must print.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The program's name, without a suffix.
    pub name: String,
    source: String,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    link: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
    #[serde(default)]
    dlls: Vec<String>,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    exit: i32,
    output: String,
}

/// Makes the command that starts a program of the target, with its arguments.
pub type Start<'a> = dyn Fn(&Path, &[String]) -> Result<Command> + Sync + 'a;

/// Where things are: the programs' folder, the compiler wrappers, and a folder to build and run in.
pub struct Room<'a> {
    /// The folder of `conformance.toml`.
    pub suite: &'a Path,
    /// The folder with `clang-cl` and `lld-link` for the target.
    pub bin: &'a Path,
    /// An empty folder.
    pub work: &'a Path,
}

impl Suite {
    /// Reads and checks the list: sorted names, and no mention of a DLL that the list does not have.
    pub fn load(folder: &Path) -> Result<Suite> {
        let path = folder.join("conformance.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("{}: not readable", path.display()))?;
        let suite: Suite =
            toml_edit::de::from_str(&text).with_context(|| format!("{}: not as wanted", path.display()))?;
        let known: BTreeSet<&str> = suite.dlls.iter().map(|dll| dll.name.as_str()).collect();
        for program in &suite.programs {
            for name in program.imports.iter().chain(&program.dlls) {
                ensure!(
                    known.contains(name.as_str()),
                    "{}: no dll `{name}` in the list",
                    program.name
                );
            }
            ensure!(
                !program.output.is_empty(),
                "{}: expects no output, so nothing would be proven",
                program.name
            );
        }
        let sorted = suite.programs.is_sorted_by(|left, right| left.name < right.name);
        ensure!(
            sorted,
            "{}: the programs are not sorted by name, or one name stands twice",
            path.display()
        );
        Ok(suite)
    }

    /// All programs, sorted by name.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// The program of that name.
    pub fn program(&self, name: &str) -> Result<&Program> {
        self.programs
            .iter()
            .find(|program| program.name == name)
            .with_context(|| format!("no program `{name}` in the list"))
    }

    /// Builds every DLL and then every program, several at a time. Returns one text for each that failed.
    pub fn build(&self, room: &Room, jobs: usize) -> Vec<String> {
        let mut failures = each(&self.dlls, jobs, |dll| {
            dll.build(room).map_err(|error| format!("{}: {error:#}", dll.name))
        });
        if failures.is_empty() {
            failures = each(&self.programs, jobs, |it| {
                it.build(room).map_err(|error| format!("{}: {error:#}", it.name))
            });
        }
        failures
    }

    /// Runs every program, several at a time. Returns one text for each that did not do what the list says.
    pub fn run(&self, room: &Room, jobs: usize, start: &Start) -> Vec<String> {
        each(&self.programs, jobs, |it| {
            it.lay_out(room, &it.name)
                .and_then(|folder| it.run(&folder, start))
                .map_err(|error| format!("{}: {error:#}", it.name))
        })
    }
}

impl Dll {
    fn build(&self, room: &Room) -> Result<()> {
        let object = compile(room, &self.name, &self.source, &self.flags)?;
        let mut link = linker(room, &object);
        link.arg("/dll");
        link.arg(format!("/out:{}.dll", self.name))
            .arg(format!("/implib:{}.lib", self.name));
        finish(link)
    }
}

impl Program {
    fn build(&self, room: &Room) -> Result<()> {
        let object = compile(room, &self.name, &self.source, &self.flags)?;
        let mut link = linker(room, &object);
        link.arg(format!("/out:{}.exe", self.name));
        link.args(self.imports.iter().map(|name| format!("{name}.lib")))
            .args(&self.link);
        finish(link)
    }

    /// Puts the program and its DLLs into a folder of their own below the room, and returns that folder.
    pub fn lay_out(&self, room: &Room, name: &str) -> Result<PathBuf> {
        let folder = room.work.join("run").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("{}: not made", folder.display()))?;
        let files = self
            .dlls
            .iter()
            .map(|dll| format!("{dll}.dll"))
            .chain([format!("{}.exe", self.name)]);
        for file in files {
            fs::copy(room.work.join(&file), folder.join(&file)).with_context(|| format!("{file}: not copied"))?;
        }
        Ok(folder)
    }

    /// Runs the program in a folder from [`Program::lay_out`] and compares.
    pub fn run(&self, folder: &Path, start: &Start) -> Result<()> {
        let output = self.start(folder, &self.arguments, start)?;
        self.judge(&output, self.exit, &self.output)
    }

    /// Runs the program with other arguments and returns what came back.
    pub fn start(&self, folder: &Path, arguments: &[String], start: &Start) -> Result<Output> {
        let mut command = start(&folder.join(format!("{}.exe", self.name)), arguments)?;
        command.current_dir(folder).stdin(Stdio::null());
        command.output().with_context(|| format!("{command:?}: not started"))
    }

    fn judge(&self, output: &Output, exit: i32, wanted: &str) -> Result<()> {
        let seen = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        if output.status.code() == Some(exit) && seen == wanted {
            return Ok(());
        }
        let complaints = String::from_utf8_lossy(&output.stderr);
        bail!(
            "ended with {}, wanted exit code {exit}\n{}{complaints}",
            output.status,
            difference(wanted, &seen)
        )
    }
}

/// Shows the first line that differs, with what was wanted there.
fn difference(wanted: &str, seen: &str) -> String {
    let (mut left, mut right) = (wanted.lines(), seen.lines());
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (left, right) if left == right => {}
            (left, right) => {
                let [left, right] = [left, right].map(|line| line.unwrap_or("(end of output)"));
                return format!("line {number}: found `{right}`\nline {number}: wanted `{left}`\n");
            }
        }
    }
    String::new()
}

fn compile(room: &Room, name: &str, source: &str, flags: &[String]) -> Result<String> {
    let object = format!("{name}.obj");
    let standard = if source.ends_with(".cpp") {
        "/std:c++latest"
    } else {
        "/std:c17"
    };
    let mut command = Command::new(room.bin.join("clang-cl"));
    command
        .current_dir(room.work)
        .args(["/nologo", "/c", "/O2", "/MD", "/EHsc", "/W3", standard])
        .args(flags);
    // What follows `--` is a file; without it a path such as `/work/x.c` reads as a flag.
    command
        .arg(format!("/Fo{object}"))
        .arg("--")
        .arg(room.suite.join("programs").join(source));
    finish(command)?;
    Ok(object)
}

fn linker(room: &Room, object: &str) -> Command {
    let mut command = Command::new(room.bin.join("lld-link"));
    command.current_dir(room.work).args(["/nologo", object]);
    command
}

fn finish(mut command: Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}: not started"))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr]
            .map(|part| String::from_utf8_lossy(&part).into_owned())
            .concat();
        let first: Vec<&str> = text.lines().take(25).collect();
        bail!("{command:?}: ended with {}\n{}", output.status, first.join("\n"));
    }
    Ok(())
}

/// Does the work for each item on several threads and returns the failures in the order of the items.
pub fn each<T: Sync>(items: &[T], jobs: usize, work: impl Fn(&T) -> Result<(), String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((index, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
                {
                    if let Err(text) = work(item) {
                        failures
                            .lock()
                            .expect("no worker panics while it holds the list")
                            .push((index, text));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no worker panics while it holds the list");
    failures.sort();
    failures.into_iter().map(|(_, text)| text).collect()
}
