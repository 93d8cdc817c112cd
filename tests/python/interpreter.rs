//! An interpreter of a bundle under its target's runner. It leaves nothing in the bundle, whose library is compiled.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use gates::manifest::{self, Manifest};
use pipeline::{root, said};
use store::{Digest, State};
use toolchains::{Os, RunOptions, Runner, Silent, Target};

/// One interpreter.
pub(crate) struct Python {
    program: PathBuf,
    home: PathBuf,
    os: Os,
    runner: Runner,
    /// Where this target's tests keep their files.
    folder: PathBuf,
}

impl Python {
    /// The interpreter in the bundle of a target.
    pub(crate) fn of(triple: &str) -> Result<Python> {
        let folder = root().join("target/windlass").join(triple);
        Python::at_home(triple, folder.join("bundle/python"))
    }

    /// The same, in a copy of the bundle in which upstream's tests lie where upstream has them.
    pub(crate) fn with_tests(triple: &str) -> Result<Python> {
        let python = Python::of(triple)?;
        let (bundle, whole) = (python.folder.with_file_name("bundle"), python.folder.join("whole"));
        let text = std::fs::read(bundle.join(manifest::FILE)).context("manifest cannot be read")?;
        let manifest: Manifest = serde_json::from_slice(&text).context("manifest")?;
        let component = manifest.component("cpython").context("the bundle has no cpython")?;
        let slot = State::locate()?.slot(triple, "cpython", &Digest::from_hex(&component.digest)?);
        let tests = slot.dir().join(kit::OWN_FOLDER).join("tests");
        ensure!(
            tests.is_dir(),
            "{}: is not there\n\nhint: cargo xtask build --target {triple} -p cpython",
            tests.display()
        );
        // Several tests at once want it.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock();
        // Made of which bundle.
        let mark = whole.with_extension("json");
        if std::fs::read(&mark).ok().as_ref() != Some(&text) {
            store::tree::remove(&whole)?;
            store::tree::copy(&bundle, &whole)?;
            store::tree::copy(&tests, &whole)?;
            std::fs::write(&mark, &text).with_context(|| mark.display().to_string())?;
        }
        Python::at_home(triple, whole.join("python"))
    }

    fn at_home(triple: &str, home: PathBuf) -> Result<Python> {
        let target = Target::load(triple)?;
        let program = home.join(match target.os {
            Os::Windows => "python.exe",
            Os::Linux => "bin/python3.13",
        });
        ensure!(
            program.is_file(),
            "{}: is not there\n\nhint: cargo xtask bundle --target {triple} --only cpython",
            program.display()
        );
        Ok(Python {
            program,
            home,
            os: target.os,
            runner: Runner::ensure(&State::locate()?, &target, &Silent)?,
            folder: root().join("target/windlass").join(triple).join("python-tests"),
        })
    }

    /// Another program, run as the interpreter is.
    pub(crate) fn at(&self, program: &Path) -> Result<Python> {
        ensure!(program.is_file(), "{}: is not there", program.display());
        Ok(Python {
            program: program.to_owned(),
            home: self.home.clone(),
            os: self.os,
            runner: self.runner.clone(),
            folder: self.folder.clone(),
        })
    }

    /// The version of pip that the bundle brings along.
    pub(crate) fn bundled_pip(&self) -> Result<String> {
        let folder = self.home.join(match self.os {
            Os::Windows => "Lib/ensurepip/_bundled",
            Os::Linux => "lib/python3.13/ensurepip/_bundled",
        });
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

    /// A program that a virtual environment or an installation puts beside its interpreter.
    pub(crate) fn script(&self, environment: &Path, name: &str) -> PathBuf {
        match self.os {
            Os::Windows => environment.join(format!("Scripts/{name}.exe")),
            Os::Linux => environment.join("bin").join(name),
        }
    }

    /// A path as the interpreter calls it: the runner of Windows shows this machine's root as `Z:`.
    pub(crate) fn path(&self, path: &Path) -> String {
        match self.os {
            Os::Windows => format!("Z:{}", path.display()).replace('/', "\\"),
            Os::Linux => path.display().to_string(),
        }
    }

    /// Runs it to its end; it is stopped after `limit`.
    pub(crate) fn run(&self, arguments: &[&str], input: &str, limit: Duration) -> Result<Output> {
        // Upstream's tests want a home, and nothing but the library where modules are looked for.
        let home = self.folder.join("home");
        store::tree::create_dir(&home)?;
        let mut env = BTreeMap::from([("PYTHONUTF8".to_owned(), "1".to_owned())]);
        if self.os == Os::Linux {
            env.insert("HOME".to_owned(), self.path(&home));
        }
        let options = RunOptions {
            timeout: Some(limit),
            env,
            ..RunOptions::default()
        };
        let mut child = self
            .runner
            .command(&self.program, arguments, &options)?
            .current_dir(&home)
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
