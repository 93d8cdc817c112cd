//! `configure` scripts, autoconf's and others': out of the source tree, called by a relative path, so that no folder of
//! this machine gets into what they remember of their arguments.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use toolchains::Os;

use super::Make;
use crate::PREFIX;
use crate::cx::Cx;

/// Of a configure script's own log, this many lines are shown when it fails.
const LOG_LINES: usize = 80;

/// The names by which configure scripts look for compilers on Linux; without them they take this machine's own.
const COMPILERS: [(&str, &str); 6] = [
    ("AR", "llvm-ar"),
    ("CC", "clang"),
    ("CC_FOR_BUILD", "cc"),
    ("CXX", "clang++"),
    ("NM", "llvm-nm"),
    ("RANLIB", "llvm-ranlib"),
];

/// One run of a configure script.
#[must_use = "nothing is configured until it is run"]
pub struct Configure<'a> {
    cx: &'a Cx,
    script: String,
    prefix: Vec<String>,
    arguments: Vec<String>,
    variables: BTreeMap<String, OsString>,
}

impl<'a> Configure<'a> {
    /// The script `configure` in the root of the source, told to install into the neutral prefix and, for Linux, to take the
    /// target's compilers. Upstreams differ in how they are told of those for Windows, so that is the recipe's.
    pub fn new(cx: &'a Cx) -> Configure<'a> {
        let compilers: &[_] = match cx.target().os {
            Os::Linux => &COMPILERS,
            Os::Windows => &[],
        };
        Configure {
            cx,
            script: "configure".into(),
            prefix: vec![format!("--prefix={PREFIX}")],
            arguments: Vec::new(),
            variables: compilers
                .iter()
                .map(|(name, program)| ((*name).to_owned(), OsString::from(program)))
                .collect(),
        }
    }

    /// Tells a script of autoconf's kind for which machine it configures, and on which: two names that differ, so that it never
    /// starts what it compiled. Lists of such names that are some years old have no MSVC: Windows is said in the words of its
    /// other ABI, and the recipe has to know what follows from that.
    pub fn cross(mut self) -> Self {
        let target = self.cx.target();
        let host = match target.os {
            Os::Linux => format!("{}-unknown-linux-gnu", target.arch),
            Os::Windows => format!("{}-w64-mingw32", target.arch),
        };
        let build = format!("{}-pc-linux-gnu", std::env::consts::ARCH);
        self.prefix
            .extend([format!("--build={build}"), format!("--host={host}")]);
        self
    }

    /// Names another script, by its path in the source.
    pub fn script(mut self, path: &str) -> Self {
        self.script = path.to_owned();
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable for the script, and for the make that follows.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Configures, and hands over to make.
    ///
    /// # Errors
    /// If the script fails; the end of its own log is then in ours.
    pub fn run(self) -> Result<Make<'a>> {
        self.cx.step("configure");
        let script = format!("../source/{}", self.script);
        // Through the shell, for a relative program would be looked for from the worker's folder.
        let mut call = self.cx.call("sh").arg(&script).args(&self.prefix).args(&self.arguments);
        for (name, value) in &self.variables {
            call = call.env(name, value);
        }
        if let Err(error) = call.run() {
            show_logs(&self.cx.build(), self.cx);
            return Err(error).context("configure");
        }
        Ok(self
            .variables
            .into_iter()
            .fold(Make::new(self.cx), |make, (name, value)| make.env(&name, value)))
    }
}

/// Prints the end of whatever log the script left.
fn show_logs(build: &Path, cx: &Cx) {
    for name in ["config.log", "ffbuild/config.log"] {
        let Ok(text) = std::fs::read(build.join(name)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        cx.note(format_args!("the end of {name}"));
        for line in &lines[lines.len().saturating_sub(LOG_LINES)..] {
            println!("{line}");
        }
    }
}
