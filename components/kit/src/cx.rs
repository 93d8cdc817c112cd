//! Everything that a recipe may touch, in one value: the component, the target, the folders and the jobs. Through it goes
//! every command, so that the log can repeat them all.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use toolchains::Target;

use crate::component::Component;
use crate::deps::Deps;
use crate::order::Order;
use crate::patch::edit;
use crate::surroundings::Toolset;
use crate::tee::STEP;

/// What a recipe is given.
pub struct Cx {
    pub(crate) component: Component,
    pub(crate) target: Target,
    pub(crate) order: Order,
    pub(crate) toolset: Toolset,
}

impl Cx {
    /// What `component.toml` says.
    pub fn component(&self) -> &Component {
        &self.component
    }

    /// The machine that is built for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The folder of the compilers. They are called by name; this is for upstreams that want a path.
    pub fn bin(&self) -> &Path {
        &self.toolset.bin
    }

    /// The target's system root.
    pub fn sysroot(&self) -> &Path {
        &self.toolset.sysroot
    }

    /// The prefixes of what the component needs.
    pub fn deps(&self) -> &Deps {
        &self.order.deps
    }

    /// The prefix of this component for the machine that builds: its programs can be run. It is there when `roles` names `host`
    /// and what is being built is not that very prefix.
    pub fn host(&self) -> Option<&Path> {
        self.order.host.as_deref()
    }

    /// How many processes may run at once.
    pub fn jobs(&self) -> usize {
        self.order.jobs
    }

    /// The patched source tree.
    pub fn source(&self) -> PathBuf {
        self.order.work.join("source")
    }

    /// The folder that is compiled in. It lies beside the source, as `../source` says.
    pub fn build(&self) -> PathBuf {
        self.order.work.join("build")
    }

    /// The `DESTDIR` of every installation; the prefix below it is [`crate::PREFIX`].
    pub fn stage(&self) -> PathBuf {
        self.order.work.join("stage")
    }

    /// What will be the prefix: the place for files that an upstream's own installation forgets.
    pub fn staged(&self) -> PathBuf {
        self.stage().join(crate::PREFIX.trim_start_matches('/'))
    }

    /// A file that the component brings along in its folder `files/`.
    ///
    /// # Errors
    /// If it is not there.
    pub fn file(&self, name: &str) -> Result<PathBuf> {
        let path = self.order.folder.join(crate::identity::FILES).join(name);
        match path.exists() {
            true => Ok(path),
            false => bail!("{}: is not there", path.display()),
        }
    }

    /// The script that runs a program of the target: `SCRIPT PROGRAM ARGS…`.
    ///
    /// # Errors
    /// If `component.toml` does not name `runner` among its tools.
    pub fn runner(&self) -> Result<&Path> {
        self.toolset.runner.as_deref().with_context(|| {
            format!(
                "{}: the recipe runs programs of the target, wanted `runner` in `tools` of component.toml",
                self.component.name
            )
        })
    }

    /// Names the step that begins, for the log, the progress and the error.
    pub fn step(&self, name: &str) {
        println!("{STEP}{name}");
    }

    /// A line for the log.
    pub fn note(&self, text: impl std::fmt::Display) {
        println!("windlass: {text}");
    }

    /// A command, to be run in the build folder unless told otherwise.
    pub fn call(&self, program: impl AsRef<OsStr>) -> Call<'_> {
        Call {
            cx: self,
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            folder: self.build(),
            variables: BTreeMap::new(),
        }
    }

    /// Puts a file into what will be the prefix, at the path `to` there: for upstreams whose own installation does not.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn install(&self, from: &Path, to: &str) -> Result<()> {
        let to = self.staged().join(to);
        store::tree::create_dir(to.parent().unwrap_or(&to))?;
        std::fs::copy(from, &to)
            .with_context(|| format!("{}: cannot be copied to {}", from.display(), to.display()))?;
        self.note(format_args!("installed {}", to.display()));
        Ok(())
    }

    /// Replaces a text that must be in a file exactly `count` times. For files that exist only during the build; the source
    /// is changed by `patches/` and `[[edit]]`.
    ///
    /// # Errors
    /// If the text is found more or less often, or the file cannot be read or written.
    pub fn edit(&self, path: &Path, find: &str, replace: &str, count: usize) -> Result<()> {
        let fit = edit::apply(path, find, replace, count)?;
        self.note(format_args!("edited {} ({fit:?})", path.display()));
        Ok(())
    }
}

/// One command of a recipe.
#[must_use = "a command does nothing until it is run"]
pub struct Call<'a> {
    cx: &'a Cx,
    program: OsString,
    arguments: Vec<OsString>,
    folder: PathBuf,
    variables: BTreeMap<String, OsString>,
}

impl Call<'_> {
    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets the folder in which it runs.
    pub fn dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = folder.as_ref().to_owned();
        self
    }

    /// Sets a variable beside those that every child has.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.insert(name.to_owned(), value.as_ref().to_owned());
        self
    }

    /// Runs it; its output goes to the log.
    ///
    /// # Errors
    /// If it cannot be started or does not succeed.
    pub fn run(self) -> Result<()> {
        self.finish(|expression| expression.run().map(|output| (output.status, String::new())))?;
        Ok(())
    }

    /// Runs it and returns what it printed on its standard output.
    ///
    /// # Errors
    /// If it cannot be started, does not succeed or prints what is not UTF-8.
    pub fn read(self) -> Result<String> {
        self.finish(|expression| {
            let output = expression.stdout_capture().run()?;
            let text = String::from_utf8(output.stdout).map_err(std::io::Error::other)?;
            Ok((output.status, text))
        })
    }

    fn finish(
        self,
        run: impl FnOnce(duct::Expression) -> std::io::Result<(std::process::ExitStatus, String)>,
    ) -> Result<String> {
        self.cx.note(format_args!("in {}", self.folder.display()));
        for (name, value) in &self.variables {
            self.cx.note(format_args!("with {name}={}", value.to_string_lossy()));
        }
        println!("+ {}", self.line());
        let started = Instant::now();
        let mut expression = duct::cmd(&self.program, &self.arguments).dir(&self.folder).unchecked();
        for (name, value) in &self.variables {
            expression = expression.env(name, value);
        }
        let program = self.program.to_string_lossy().into_owned();
        let (status, text) = run(expression).with_context(|| format!("{program}: cannot be run"))?;
        self.cx
            .note(format_args!("took {:.1} s, {status}", started.elapsed().as_secs_f64()));
        match status.success() {
            true => Ok(text),
            false => bail!("{program}: {status}"),
        }
    }

    /// The command as the shell would take it.
    fn line(&self) -> String {
        std::iter::once(&self.program)
            .chain(&self.arguments)
            .map(|word| quoted(&word.to_string_lossy()))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A word as the shell would take it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+./:,@%".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
