//! libc++'s tests as a list: which there are, which belong to the sample, how one is compiled, linked and run, and what came of
//! all of them held against the list of known failures. It knows no target and no runner.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use store::tree;

use super::lit::{Directives, Features};

/// What `libcxx.toml` says; its head comment explains every key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    pub sample: BTreeMap<String, usize>,
    pub features: Vec<String>,
    pub flags: Vec<String>,
    silent: Vec<String>,
    #[serde(default)]
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    target: Option<String>,
    reason: String,
    tests: Vec<String>,
}

impl Data {
    /// Reads and checks the data: every failure has a reason and stands once.
    pub fn load(folder: &Path) -> Result<Data> {
        let path = folder.join("libcxx.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let data: Data = toml_edit::de::from_str(&text).with_context(|| path.display().to_string())?;
        let mut seen = BTreeSet::new();
        for failure in &data.failure {
            ensure!(
                !failure.reason.is_empty(),
                "{}: a failure without a reason",
                path.display()
            );
            ensure!(
                failure.tests.is_sorted(),
                "{}: not sorted: {}",
                path.display(),
                failure.reason
            );
            for test in &failure.tests {
                ensure!(
                    seen.insert((test, &failure.target)),
                    "{}: `{test}` stands twice",
                    path.display()
                );
            }
        }
        Ok(data)
    }

    /// Why a test is known to fail on a target.
    fn known(&self, test: &str, triple: &str) -> Option<&str> {
        self.failure
            .iter()
            .filter(|failure| failure.target.as_deref().is_none_or(|target| target == triple))
            .find(|failure| failure.tests.iter().any(|it| it == test))
            .map(|failure| failure.reason.as_str())
    }
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It did what it should.
    Passed,
    /// It failed where it says that it does.
    FailedAsItSays,
    /// It cannot run here, for this reason.
    Unsupported(String),
    /// It did not do what it should.
    Failed(String),
}

/// Where things are.
pub struct Room<'a> {
    pub data: &'a Data,
    /// The folder `libcxx/test`.
    pub tests: &'a Path,
    /// The folder of the compiler wrappers.
    pub bin: &'a Path,
    /// The object that says when a program ends.
    pub sentinel: &'a Path,
    pub features: &'a Features,
    /// Makes the command that runs a program of the target.
    pub start: &'a (dyn Fn(&Path) -> Result<Command> + Sync),
}

/// What the sentinel prints.
const ENDED: &str = "libc++ test ended";

/// The tests in `libcxx/test`, sorted: programs that must compile and run, and sources that must compile. The frozen headers of
/// C++03 have tests of their own, which say nothing about a compiler that is asked for C++26.
pub fn list(tests: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["extensions", "libcxx", "std"] {
        for entry in tree::list(&tests.join(folder))? {
            if entry.path.ends_with(".pass.cpp") {
                found.push(format!("{folder}/{}", entry.path));
            }
        }
    }
    ensure!(
        found.len() > 8000,
        "found {} tests, wanted more than 8,000",
        found.len()
    );
    found.sort();
    Ok(found)
}

impl Room<'_> {
    /// Compiles and runs one test in an empty folder.
    pub fn run(&self, test: &str, work: &Path) -> Result<Outcome> {
        let path = self.tests.join(test);
        let text = fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let folder = path.parent().context("a test lies in a folder")?;
        let directives = Directives::read(
            &String::from_utf8_lossy(&text),
            &folder.display().to_string(),
            self.features,
        )
        .with_context(|| test.to_owned())?;
        if let Some(reason) = directives.unsupported {
            return Ok(Outcome::Unsupported(reason));
        }
        let mut trouble = None;
        for _ in 0..directives.attempts {
            tree::remove(work)?;
            tree::create_dir(work)?;
            for file in &directives.files {
                copy(&folder.join(file), work)?;
            }
            trouble = self.attempt(test, &directives, work)?;
            if trouble.is_none() {
                break;
            }
        }
        Ok(match (trouble, directives.fails) {
            (None, None) => Outcome::Passed,
            (Some(_), Some(_)) => Outcome::FailedAsItSays,
            (Some(trouble), None) => Outcome::Failed(trouble),
            (None, Some(condition)) => Outcome::Failed(format!("passes, but says that it fails with {condition}")),
        })
    }

    /// Tries a test once; gives what went wrong.
    fn attempt(&self, test: &str, directives: &Directives, work: &Path) -> Result<Option<String>> {
        let mut compile = Command::new(self.bin.join("clang-cl"));
        compile.current_dir(work).arg("/nologo").args(&self.data.flags);
        compile.arg(format!("-I{}", self.tests.join("support").display()));
        compile.args(directives.flags.iter().map(|flag| match flag.as_str() {
            // These have names of their own in the driver's cl form, which win over the other form's.
            "-fno-exceptions" => "/EHs-c-".to_owned(),
            "-fno-rtti" => "/GR-".to_owned(),
            // The rest of the other form's options it takes behind `/clang:`.
            other => format!("/clang:{other}"),
        }));
        let only = test.ends_with(".compile.pass.cpp");
        compile.args(if only {
            ["/Zs"].as_slice()
        } else {
            ["/c", "/Fotest.obj"].as_slice()
        });
        compile.arg("--").arg(self.tests.join(test));
        if let Some(trouble) = trouble("compile", &output(&mut compile)?) {
            return Ok(Some(trouble));
        }
        if only {
            return Ok(None);
        }
        let mut link = Command::new(self.bin.join("lld-link"));
        link.current_dir(work).args(["/nologo", "test.obj", "/out:test.exe"]);
        link.arg(self.sentinel);
        if let Some(trouble) = trouble("link", &output(&mut link)?) {
            return Ok(Some(trouble));
        }
        if test.ends_with(".link.pass.cpp") {
            return Ok(None);
        }
        let ran = output((self.start)(&work.join("test.exe"))?.current_dir(work))?;
        let ended =
            String::from_utf8_lossy(&ran.stdout).contains(ENDED) || self.data.silent.iter().any(|it| it == test);
        Ok(match trouble("run", &ran) {
            None if !ended => Some("run: exit code 0, but it did not come to its end".to_owned()),
            trouble => trouble,
        })
    }
}

fn copy(from: &Path, work: &Path) -> Result<()> {
    let to = work.join(from.file_name().context("a file has a name")?);
    if from.is_dir() {
        return tree::copy(from, &to);
    }
    fs::copy(from, &to).with_context(|| format!("{}: cannot be copied", from.display()))?;
    Ok(())
}

fn output(command: &mut Command) -> Result<Output> {
    command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?}: not started"))
}

/// The stage, the status and the first complaints of a command that failed.
fn trouble(stage: &str, output: &Output) -> Option<String> {
    if output.status.success() {
        return None;
    }
    let said = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    let said = String::from_utf8_lossy(&said);
    let mut lines: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(3).collect();
    if lines.is_empty() {
        lines = said.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
    }
    let mut text = format!("{stage}: {}", output.status);
    for line in lines {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n    {}", line.chars().take(300).collect::<String>());
    }
    Some(text)
}

/// The outcomes of a run, by test.
pub struct Report(pub BTreeMap<String, Outcome>);

impl Report {
    /// What is not as the list of known failures says: failures that it does not have, and tests of it that pass.
    pub fn surprises(&self, data: &Data, triple: &str) -> Vec<String> {
        let mut surprises = Vec::new();
        for (test, outcome) in &self.0 {
            match (outcome, data.known(test, triple)) {
                (Outcome::Failed(trouble), None) => surprises.push(format!("{test}: {trouble}")),
                (Outcome::Passed | Outcome::FailedAsItSays, Some(reason)) => {
                    surprises.push(format!("{test}: does what it should, but is listed: {reason}"));
                }
                (Outcome::Unsupported(why), Some(_)) => {
                    surprises.push(format!("{test}: is listed as a failure, but cannot run here: {why}"));
                }
                _ => {}
            }
        }
        surprises
    }

    /// One line with the numbers.
    pub fn summary(&self) -> String {
        let count = |wanted: &dyn Fn(&Outcome) -> bool| self.0.values().filter(|outcome| wanted(outcome)).count();
        let passed = count(&|outcome| *outcome == Outcome::Passed);
        let as_they_say = count(&|outcome| *outcome == Outcome::FailedAsItSays);
        let unsupported = count(&|outcome| matches!(outcome, Outcome::Unsupported(_)));
        let failed = count(&|outcome| matches!(outcome, Outcome::Failed(_)));
        let ran = passed + as_they_say + failed;
        format!(
            "{} tests: {unsupported} cannot run here; of {ran} others {passed} passed, {as_they_say} failed as they say, {failed} failed ({:.2} % right)",
            self.0.len(),
            100.0 * (passed + as_they_say) as f64 / ran.max(1) as f64
        )
    }

    /// Everything, one test a paragraph, for whoever looks for the reason of a failure.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for (test, outcome) in &self.0 {
            let _ = match outcome {
                Outcome::Passed => writeln!(text, "passed {test}"),
                Outcome::FailedAsItSays => writeln!(text, "failed-as-it-says {test}"),
                Outcome::Unsupported(why) => writeln!(text, "unsupported {test}: {why}"),
                Outcome::Failed(trouble) => writeln!(text, "failed {test}: {trouble}"),
            };
        }
        tree::write_atomic(path, text.as_bytes())
    }
}

/// The part of the tests that a word asks for: `3/16` is every sixteenth, from the fourth on; anything else are parts of paths,
/// with commas between them.
pub fn choose(tests: Vec<String>, word: Option<&str>) -> Result<Vec<String>> {
    let Some(word) = word else { return Ok(tests) };
    if let Some((part, parts)) = word.split_once('/')
        && let (Ok(part), Ok(parts)) = (part.parse::<usize>(), parts.parse::<usize>())
    {
        if part >= parts {
            bail!("`{word}`: wanted a part below {parts}");
        }
        return Ok(tests.into_iter().skip(part).step_by(parts).collect());
    }
    let named = |test: &String| word.split(',').any(|part| test.contains(part));
    Ok(tests.into_iter().filter(named).collect())
}
