//! A driver for recipes of Python packages: has the upstream's own backend (PEP 517) make the wheel, by the interpreter of the machine
//! that builds, and for the target's. What that interpreter says of itself is replaced by facts of the target; `python/` has the code.
//! Known are setuptools, meson-python and scikit-build-core; for the second the recipe names `meson` among its tools, for the third
//! `cmake`.
//!
//! A recipe's component needs `cpython`, which has a host role, and has three sources beside the upstream's: the links in its folder
//! `driver/` to this crate and to `wheels`, so that a change of either is a change of the component, and the wheels of what the upstream
//! is built with. The names of the folders that they go to are constants here.

mod asked;
mod carry;
mod facts;
mod made;
mod meson;
mod skbuild;

pub use asked::Asked;
pub use carry::Carried;
pub use facts::{facts as target_facts, include as target_headers};
pub use made::wheel as made;
pub use meson::{Meson, text as meson_text};
pub use skbuild::Skbuild;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kit::Cx;
use serde_json::{Map, Value, json};
use store::tree;
use wheels::{Project, Python, Wheel};

/// The folder of the source tree that this crate goes to.
pub const DRIVER: &str = ".windlass/backend";

/// The folder of the source tree that what the upstream is built with goes to.
pub const REQUIREMENTS: &str = ".windlass/requirements";

/// The need that has both interpreters.
const CPYTHON: &str = "cpython";

/// The home of Python in a prefix.
const HOME: &str = "python";

/// The folder of the build folder for programs that are found before all others.
const PROGRAMS: &str = "programs";

/// Where wheels lie in a prefix.
const INTO: &str = "wheels";

/// One Python package with a backend of its own.
#[must_use = "nothing is built until it is installed"]
pub struct Backend<'a> {
    cx: &'a Cx,
    settings: Map<String, Value>,
    properties: BTreeMap<String, String>,
    carried: Vec<Carried>,
}

impl<'a> Backend<'a> {
    /// The package in the root of the source.
    pub fn new(cx: &'a Cx) -> Backend<'a> {
        Backend {
            cx,
            settings: Map::new(),
            properties: BTreeMap::new(),
            carried: Vec::new(),
        }
    }

    /// Hands the backend a setting of its own (`config_settings`). One that is given twice is a list.
    pub fn setting(mut self, key: &str, value: impl Into<String>) -> Self {
        let value = Value::String(value.into());
        match self.settings.get_mut(key) {
            Some(Value::Array(all)) => all.push(value),
            Some(one) => *one = json!([one.clone(), value]),
            None => drop(self.settings.insert(key.to_owned(), value)),
        }
        self
    }

    /// Tells Meson a property of the target, a text: what an upstream would else find out by running a program.
    pub fn meson_property(mut self, name: &str, value: &str) -> Self {
        self.properties.insert(name.to_owned(), meson_text(value));
        self
    }

    /// Puts the shared libraries of a need into the wheel, in a folder of the package, so that it works wherever it is installed.
    pub fn carry(mut self, need: &str, package: &str, license: &str) -> Self {
        self.carried.push(Carried::new(need, package, license));
        self
    }

    /// Builds the wheel and installs it into the stage.
    ///
    /// # Errors
    /// If something that it is built with is missing or of another version than the upstream wants, the backend fails, or its wheel is
    /// for something else than the target.
    pub fn install(self) -> Result<()> {
        let cx = self.cx;
        let interpreters = Interpreters::of(cx)?;
        let python = Python::new(cx.target(), &interpreters.version)?;
        let project = Project::read(&cx.source())?;
        self.check_requirements(&project)?;
        cx.step("wheel");
        let into = cx.build().join("dist");
        let order = self.order(&python, &interpreters, &project, &into)?;
        let path = write(&cx.build().join("order.json"), &format!("{order:#}"))?;
        let jobs = cx.jobs();
        let configuration = format!(
            "[bdist_wheel]\nplat_name = {}\n[build_ext]\nparallel = {jobs}\n",
            python.platform()
        );
        let configuration = write(&cx.build().join("distutils.cfg"), &configuration)?;
        cx.call(&interpreters.host)
            .arg("-s")
            .arg(cx.source().join(DRIVER).join("python/build_wheel.py"))
            .arg(path)
            // How setuptools is told of options that belong to no project.
            .env("DIST_EXTRA_CONFIG", configuration)
            .run()?;
        cx.step("pack");
        let mut wheel = made::wheel(&into, &python)?;
        made::knows_no_folder(&wheel, &[&cx.source(), &cx.build(), cx.bin(), &interpreters.host])?;
        for carried in &self.carried {
            carried.put(cx, &mut wheel)?;
        }
        put(cx, &wheel, &project)
    }

    /// What the interpreter is told; the keys are explained in `python/`.
    fn order(&self, python: &Python, interpreters: &Interpreters, project: &Project, into: &Path) -> Result<Value> {
        let source = self.cx.source();
        let backend_path = project.backend_path.iter().map(|folder| source.join(folder));
        let carried = self.carried.first().map(Carried::folder);
        let facts = facts::facts(python, &interpreters.target, carried.as_deref())?;
        let settings = match project.backend.as_str() {
            meson::BACKEND => self.of_meson(interpreters, &facts)?,
            skbuild::BACKEND => self.of_skbuild(python, interpreters, &facts)?,
            _ => self.settings.clone(),
        };
        Ok(json!({
            "source": source,
            "requirements": source.join(REQUIREMENTS),
            "programs": self.cx.build().join(PROGRAMS),
            "backend": project.backend,
            "backend_path": backend_path.collect::<Vec<PathBuf>>(),
            "settings": settings,
            "into": into,
            "facts": facts,
        }))
    }

    /// The settings of meson-python.
    fn of_meson(&self, interpreters: &Interpreters, facts: &Value) -> Result<Map<String, Value>> {
        let (source, build) = (self.cx.source(), self.cx.build());
        let [driver, requirements, facts] = self.asked(facts)?;
        let meson = Meson {
            build: &build,
            programs: &build.join(PROGRAMS),
            bin: self.cx.bin(),
            // The kit's own driver of Meson reads it too.
            compilers: &source.with_file_name("cross.ini"),
            asked: Asked {
                interpreter: &interpreters.host,
                driver: &driver,
                requirements: &requirements,
                facts: &facts,
            },
            os: self.cx.target().os,
        };
        meson.settings(&self.settings, &self.properties)
    }

    /// The settings of scikit-build-core.
    fn of_skbuild(&self, python: &Python, interpreters: &Interpreters, facts: &Value) -> Result<Map<String, Value>> {
        let [driver, requirements, facts] = self.asked(facts)?;
        let skbuild = Skbuild {
            build: &self.cx.build(),
            // The kit's own driver of CMake reads it too.
            toolchain: &self.cx.source().with_file_name("toolchain.cmake"),
            asked: Asked {
                interpreter: &interpreters.host,
                driver: &driver,
                requirements: &requirements,
                facts: &facts,
            },
            python,
            home: &interpreters.target,
            runner: self.cx.runner().ok(),
            jobs: self.cx.jobs(),
        };
        skbuild.settings(&self.settings)
    }

    /// What an interpreter that is asked reads: the folders of this crate's code and of what the upstream is built with, and the facts,
    /// which are written down.
    fn asked(&self, facts: &Value) -> Result<[PathBuf; 3]> {
        let source = self.cx.source();
        let facts = write(&self.cx.build().join("facts.json"), &format!("{facts:#}"))?;
        Ok([source.join(DRIVER).join("python"), source.join(REQUIREMENTS), facts])
    }

    /// What the upstream says that it is built with must be among what was brought along, at a version that it allows.
    fn check_requirements(&self, project: &Project) -> Result<()> {
        let folder = self.cx.source().join(REQUIREMENTS);
        let there = facts::packages(&folder)?;
        let mut faults = Vec::new();
        for requirement in &project.build_requires {
            let name = wheels::normal_name(requirement.name.as_ref());
            let found = there.get(&name);
            let fits = found.is_some_and(|version| wheels::allows(requirement, version));
            if !fits {
                let found = found.map_or("is not among the sources".to_owned(), |version| {
                    format!("found {version}")
                });
                faults.push(format!("is built with `{requirement}`: {found}"));
            }
        }
        ensure!(
            faults.is_empty(),
            "{}\n\nhint: pin the wheels in component.toml, `into = \"{REQUIREMENTS}\"`, `strip = 0`",
            faults.join("; ")
        );
        Ok(())
    }
}

/// The target's Python among a component's needs: what wheels know of it, and its home.
///
/// # Errors
/// If the component does not need CPython, or that has no host role.
pub fn target_python(cx: &Cx) -> Result<(Python, PathBuf)> {
    let interpreters = Interpreters::of(cx)?;
    Ok((Python::new(cx.target(), &interpreters.version)?, interpreters.target))
}

/// Installs a wheel that a recipe has put together itself, as [`Backend::install`] does with one that a backend made.
///
/// # Errors
/// If it knows a folder of the build, or cannot be written.
pub fn install(cx: &Cx, wheel: &Wheel, project: &Project) -> Result<()> {
    made::knows_no_folder(wheel, &[&cx.source(), &cx.build(), cx.bin()])?;
    put(cx, wheel, project)
}

fn put(cx: &Cx, wheel: &Wheel, project: &Project) -> Result<()> {
    let path = cx.staged().join(INTO).join(wheel.file());
    tree::create_dir(&cx.staged().join(INTO))?;
    fs::write(&path, wheel.write()?).with_context(|| format!("{}: cannot be written", path.display()))?;
    record(cx, project)
}

/// Both Pythons.
struct Interpreters {
    /// The program that runs here.
    host: PathBuf,
    /// The home of the target's.
    target: PathBuf,
    /// The version of both.
    version: String,
}

impl Interpreters {
    fn of(cx: &Cx) -> Result<Interpreters> {
        let name = &cx.component().name;
        let need = cx
            .deps()
            .get(CPYTHON)
            .with_context(|| format!("{name}: wanted `{CPYTHON}` among the [dependencies] of its Cargo.toml"))?;
        let host = need
            .host
            .as_ref()
            .with_context(|| format!("{CPYTHON}: has no host role"))?;
        let (host, target) = (host.root.join(HOME), need.root.join(HOME));
        let version = facts::version(&facts::include(cx.target().os, &target)?)?;
        let short = version.rsplit_once('.').map_or(version.as_str(), |(short, _)| short);
        let host = host.join("bin").join(format!("python{short}"));
        ensure!(host.is_file(), "{}: is not there", host.display());
        Ok(Interpreters { host, target, version })
    }
}

/// Writes down what the upstream's project file says that its wheel requires, for the judge to hold the wheel against. What the upstream
/// leaves to its backend is not known here.
fn record(cx: &Cx, project: &Project) -> Result<()> {
    if project
        .dynamic
        .iter()
        .any(|field| matches!(field.as_str(), "dependencies" | "optional-dependencies"))
    {
        return Ok(());
    }
    let rows: Vec<String> = project
        .requires()?
        .into_iter()
        .map(|row| format!("    {row:?},\n"))
        .collect();
    let folder = cx.staged().join("share/windlass");
    tree::create_dir(&folder)?;
    let text = format!(
        "# What upstream's project file says that the wheel requires.\nwheel-requires = [\n{}]\n",
        rows.concat()
    );
    write(&folder.join(format!("{}.toml", cx.component().name)), &text)?;
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<PathBuf> {
    fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))?;
    Ok(path.to_owned())
}
