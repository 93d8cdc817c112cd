//! Where FFmpeg's tests are built and run: the folder in which the recipe built ffmpeg for a target, kept by `WINDLASS_KEEP`,
//! so that no flag stands here; or a native build of the same source, which tells what is FFmpeg's own fault. It judges nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use pipeline::{finish, kept, root};
use store::archive::{Unpack, unpack};
use store::{DigestWriter, State, tree};
use toolchains::{Os, RunOptions, Runner, Silent, Target, Tools};

/// The name of the control lane.
pub const NATIVE: &str = "native";

/// Where the DLLs of a build are.
const LIBRARIES: [&str; 7] = [
    "libavutil",
    "libavcodec",
    "libavformat",
    "libavfilter",
    "libavdevice",
    "libswscale",
    "libswresample",
];

/// After this time a program has hung; the slowest takes minutes on a machine of its own.
const LIMIT: Duration = Duration::from_secs(3600);

/// A folder in which ffmpeg was built.
pub struct Tree {
    build: PathBuf,
    /// The program that runs a command in the environment of the build; none for the native one.
    enter: Option<PathBuf>,
    runner: Option<Runner>,
    /// What the names of programs end in.
    suffix: &'static str,
}

/// How one of FFmpeg's tests ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// With the status that FFmpeg's script recorded.
    Failed(String),
    /// What it needs could not be made.
    NotRun,
}

impl Tree {
    /// The tree of a target, or of this machine.
    pub fn of(lane: &str) -> Result<Tree> {
        match lane {
            NATIVE => Tree::native(),
            triple => Tree::cross(triple),
        }
    }

    fn cross(triple: &str) -> Result<Tree> {
        let work = kept("ffmpeg", triple)?;
        let target = Target::load(triple)?;
        Ok(Tree {
            build: work.join("build"),
            enter: Some(work.join("enter")),
            runner: Some(Runner::ensure(&State::locate()?, &target, &Silent)?),
            suffix: match target.os {
                Os::Windows => ".exe",
                Os::Linux => "",
            },
        })
    }

    fn native() -> Result<Tree> {
        let state = State::locate()?;
        let component = kit::Component::load(&root().join("components/ffmpeg"))?;
        let pin = component.all_pins().next().context("ffmpeg has no source")?;
        let nasm = Tools::ensure(&state, &Silent)?.nasm()?;
        let configure = [
            "--disable-autodetect",
            "--disable-doc",
            "--disable-debug",
            "--cc=cc",
            &format!("--x86asmexe={}", nasm.display()),
        ];
        let mut digest = DigestWriter::new("native-fate");
        digest
            .field("source", &pin.sha256)
            .field("configure", configure.join("\n"));
        let tree = Tree {
            build: state.work(NATIVE, "fate", &digest.finish()),
            enter: None,
            runner: None,
            suffix: "",
        };
        if !tree.build.join("built").exists() {
            tree::remove(&tree.build)?;
            unpack(&state.need(pin)?, &tree.build, &Unpack::strip(1))?;
            finish(tree.command("sh").arg("./configure").args(configure))?;
            finish(&mut tree.make(&[]))?;
            fs::write(tree.build.join("built"), "")?;
        }
        Ok(tree)
    }

    /// A command in the build folder, in the environment of the build.
    fn command(&self, program: &str) -> Command {
        let mut command = match &self.enter {
            Some(enter) => {
                let mut command = Command::new(enter);
                command.arg(program);
                command
            }
            None => {
                let mut command = Command::new(program);
                command
                    .env_clear()
                    .env("PATH", "/usr/bin:/bin")
                    .env("HOME", &self.build);
                command
            }
        };
        command.current_dir(&self.build);
        command
    }

    fn make(&self, targets: &[String]) -> Command {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let mut command = self.command("make");
        command
            .args(["--keep-going", &format!("--jobs={jobs}"), "CCDEP=", "CXXDEP="])
            .args(targets);
        command
    }

    /// All tests that need no sample files.
    pub fn tests(&self) -> Result<Vec<String>> {
        let list = finish(&mut self.make(&["--silent".into(), "fate-list".into()]))?;
        Ok(list
            .lines()
            .filter_map(|line| line.strip_prefix("fate-"))
            .map(str::to_owned)
            .collect())
    }

    /// Runs tests and says how each ended. `resume` leaves out those that passed before, in this tree and by this runner:
    /// all of them take hours, and a run that was stopped should not have been for nothing.
    pub fn run(&self, tests: &[String], resume: bool) -> Result<BTreeMap<String, Outcome>> {
        let before = fs::read(self.script_path(None)).ok();
        let script = self.script(None)?;
        let same = match &script {
            Some(script) => before == fs::read(script).ok(),
            None => true,
        };
        if !(resume && same) {
            finish(&mut self.make(&["fate-clear-reports".into()]))?;
        }
        let mut targets = Vec::new();
        for test in tests {
            if self.outcome(test)? != Outcome::Passed {
                targets.push(format!("fate-{test}"));
            }
        }
        if targets.is_empty() {
            return tests.iter().map(|test| Ok((test.clone(), Outcome::Passed))).collect();
        }
        if let Some(script) = script {
            targets.push(format!("TARGET_EXEC={}", script.display()));
        }
        // Make fails if any test does; the reports say which.
        let log = self.build.join("fate.log");
        let file = fs::File::create(&log).with_context(|| format!("{}: cannot be written", log.display()))?;
        self.make(&targets)
            .stdout(file.try_clone()?)
            .stderr(file)
            .stdin(std::process::Stdio::null())
            .status()
            .context("make cannot be started")?;
        tests
            .iter()
            .map(|test| Ok((test.clone(), self.outcome(test)?)))
            .collect()
    }

    /// Reads the report of a test, whose fields are separated by colons: its name, its status, what differs, what it said.
    fn outcome(&self, test: &str) -> Result<Outcome> {
        let path = self.build.join("tests/data/fate").join(format!("{test}.rep"));
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Outcome::NotRun),
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        };
        match text.split(':').nth(1) {
            Some("0") => Ok(Outcome::Passed),
            Some(status) => Ok(Outcome::Failed(status.to_owned())),
            None => bail!("{}: is no report", path.display()),
        }
    }

    /// Runs the test of the assembly functions against their C forms, all of it in one process, and returns what it said.
    pub fn checkasm(&self, cpu: Option<&str>) -> Result<String> {
        let program = format!("tests/checkasm/checkasm{}", self.suffix);
        finish(&mut self.make(std::slice::from_ref(&program)))?;
        let mut command = match self.script(cpu)? {
            Some(script) => {
                let mut command = Command::new(script);
                command.arg(self.build.join(&program));
                command
            }
            None => self.command(&self.build.join(&program).display().to_string()),
        };
        // The seed of its random input: the same for every lane and every day.
        let output = command.arg("1").current_dir(&self.build).output()?;
        let said = String::from_utf8_lossy(&output.stderr).replace('\r', "");
        ensure!(output.status.success(), "checkasm: {}\n{said}", output.status);
        Ok(said)
    }

    fn script_path(&self, cpu: Option<&str>) -> PathBuf {
        self.build.join(format!("run-{}", cpu.unwrap_or("default")))
    }

    /// A program that runs a program of the target with the build's DLLs; none where nothing is in between.
    fn script(&self, cpu: Option<&str>) -> Result<Option<PathBuf>> {
        let Some(runner) = &self.runner else {
            return Ok(None);
        };
        let options = RunOptions {
            cpu: cpu.map(str::to_owned),
            timeout: Some(LIMIT),
            path: LIBRARIES.map(|library| self.build.join(library)).into(),
            ..RunOptions::default()
        };
        let command = runner.command(Path::new(""), &[] as &[&str], &options)?;
        let mut text = String::from("#!/bin/sh\nexec env");
        // The build's environment knows nothing of the runner's home.
        let home = std::env::var_os("WINDLASS_RUN_HOME").map(|home| ("WINDLASS_RUN_HOME".into(), home));
        let set = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        for (name, value) in set.chain(home) {
            text += &format!(" {}='{}'", name.display(), value.display());
        }
        text += &format!(" '{}' \"$@\"\n", runner.script().display());
        let path = self.script_path(cpu);
        fs::write(&path, text)
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(Some(path))
    }
}
