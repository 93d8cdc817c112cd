//! An interpreter of a bundle under its target's runner. It leaves nothing in the bundle: what is compiled of modules goes to a
//! folder of the tests'.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pipeline::{root, said};
use store::State;
use toolchains::{RunOptions, Runner, Silent, Target};

/// One interpreter.
pub(crate) struct Python {
    program: PathBuf,
    home: PathBuf,
    runner: Runner,
    /// Where this target's tests keep their files.
    folder: PathBuf,
}

impl Python {
    /// The interpreter in the bundle of a target.
    pub(crate) fn of(triple: &str) -> Result<Python> {
        let target = Target::load(triple)?;
        let folder = root().join("target/windlass").join(triple);
        let home = folder.join("bundle/python");
        let program = home.join("python.exe");
        ensure!(
            program.is_file(),
            "{}: is not there\n\nhint: cargo xtask bundle --target {triple} --only ffmpeg,cpython",
            program.display()
        );
        Ok(Python {
            program,
            home,
            runner: Runner::ensure(&State::locate()?, &target, &Silent)?,
            folder: folder.join("python-tests"),
        })
    }

    /// Another program, run as the interpreter is.
    pub(crate) fn at(&self, program: &Path) -> Result<Python> {
        ensure!(program.is_file(), "{}: is not there", program.display());
        Ok(Python {
            program: program.to_owned(),
            home: self.home.clone(),
            runner: self.runner.clone(),
            folder: self.folder.clone(),
        })
    }

    /// The version of pip that the bundle brings along.
    pub(crate) fn bundled_pip(&self) -> Result<String> {
        let folder = self.home.join("Lib/ensurepip/_bundled");
        let items = std::fs::read_dir(&folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
        let names = items.filter_map(|item| item.ok()?.file_name().into_string().ok());
        let mut versions = names.filter_map(|name| Some(name.strip_prefix("pip-")?.split('-').next()?.to_owned()));
        versions
            .next()
            .with_context(|| format!("{}: holds no pip", folder.display()))
    }

    /// A fresh folder for one test.
    pub(crate) fn scratch(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        store::tree::remove(&folder)?;
        store::tree::create_dir(&folder)?;
        Ok(folder)
    }

    /// A folder as the interpreter calls it: the runner shows this machine's root as `Z:`.
    pub(crate) fn windows_path(&self, path: &Path) -> String {
        format!("Z:{}", path.display()).replace('/', "\\")
    }

    /// Runs it to its end; it is stopped after `limit`.
    pub(crate) fn run(&self, arguments: &[&str], input: &str, limit: Duration) -> Result<Output> {
        let cache = self.folder.join("cache");
        store::tree::create_dir(&cache)?;
        let env = BTreeMap::from([
            ("PYTHONPYCACHEPREFIX".to_owned(), self.windows_path(&cache)),
            ("PYTHONUTF8".to_owned(), "1".to_owned()),
        ]);
        let options = RunOptions {
            timeout: Some(limit),
            env,
            ..RunOptions::default()
        };
        let mut child = self
            .runner
            .command(&self.program, arguments, &options)?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{}: cannot be started", self.program.display()))?;
        let mut stdin = child.stdin.take().context("no pipe")?;
        stdin.write_all(input.as_bytes()).context("input cannot be written")?;
        drop(stdin);
        child.wait_with_output().context("output cannot be read")
    }

    /// Runs it and returns what it printed, with plain line ends; it must succeed.
    pub(crate) fn finish(&self, arguments: &[&str], input: &str, limit: Duration) -> Result<String> {
        let output = self.run(arguments, input, limit)?;
        ensure!(output.status.success(), "{}: {}", self.program.display(), said(&output));
        let text = String::from_utf8(output.stdout).context("printed what is not UTF-8")?;
        Ok(text.replace("\r\n", "\n"))
    }
}
