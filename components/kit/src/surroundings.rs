//! What a build stands on: the toolchain, the tools and the environment that its processes see. It is the kit's only
//! caller of `toolchains`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use store::{Digest, DigestWriter, State, tree};
use toolchains::{Progress, Provider, Runner, Target, Toolchain, Tools};

use crate::cache::Cache;
use crate::component::{Component, Tool};
use crate::cx::quoted;
use crate::deps::Deps;
use crate::env;
use crate::order::Order;

/// The one time that products may carry: 2020-01-01 00:00 UTC, in seconds. Archives and linkers that insist on a time take it
/// from `SOURCE_DATE_EPOCH`; every installed file gets it.
pub const EPOCH_SECONDS: u64 = 1_577_836_800;

/// A program in the work folder that runs a command in the environment of the build, for whoever looks into one that failed or
/// was kept.
const ENTER: &str = "enter";

/// Where the machine's own programs are looked for.
const HOST_FOLDERS: [&str; 2] = ["/usr/bin", "/bin"];

/// The identity of everything that a build of the component stands on; data only.
pub(crate) fn identity(target: &Target, provider: Provider) -> Result<Digest> {
    let mut writer = DigestWriter::new("surroundings");
    writer.digest("toolchain", &Toolchain::identity(target, provider)?);
    // All tools count: a recipe that forgets to name one would otherwise keep its old prefix.
    writer.digest("tools", &Tools::identity()?);
    Ok(writer.finish())
}

/// The programs that a component wants from the machine itself.
pub(crate) fn host_tools(component: &Component) -> Result<()> {
    let wanted = component.tools.iter().filter_map(|tool| match tool {
        Tool::Make => Some(("make", "make")),
        Tool::Perl => Some(("perl", "perl")),
        Tool::Python3 | Tool::Meson => Some(("python3", "python3")),
        _ => None,
    });
    for (program, package) in wanted {
        if !HOST_FOLDERS
            .iter()
            .any(|folder| Path::new(folder).join(program).is_file())
        {
            bail!(
                "{program}: not found in {}\n\nhint: apt-get install {package}",
                HOST_FOLDERS.join(" or ")
            );
        }
    }
    Ok(())
}

/// Compilers and tools, ready to run.
pub(crate) struct Place {
    /// The toolchain of the target.
    pub(crate) toolchain: Toolchain,
    /// The programs of the tools that the component names, by the name they are called with.
    pub(crate) programs: BTreeMap<&'static str, PathBuf>,
    /// The script that runs a program of the target.
    pub(crate) runner: Option<PathBuf>,
    /// The folder of libclang, when the component's headers are to be read.
    pub(crate) libclang: Option<PathBuf>,
}

/// Makes what a build stands on, as far as it is not there.
pub(crate) fn ready(
    state: &State,
    target: &Target,
    provider: Provider,
    jobs: usize,
    component: &Component,
) -> Result<Place> {
    let toolchain = Toolchain::ensure(state, target, provider, jobs, &Lines)?;
    let tools = Tools::ensure(state, &Lines)?;
    let mut programs = BTreeMap::new();
    for tool in &component.tools {
        match tool {
            Tool::Cmake => {
                programs.insert("cmake", tools.cmake()?);
                programs.insert("ninja", tools.ninja()?);
            }
            Tool::Meson => {
                programs.insert("meson", tools.meson()?);
                programs.insert("ninja", tools.ninja()?);
                programs.insert("pkg-config", tools.pkgconf()?);
            }
            Tool::Nasm => drop(programs.insert("nasm", tools.nasm()?)),
            Tool::Ninja => drop(programs.insert("ninja", tools.ninja()?)),
            Tool::Pkgconf => drop(programs.insert("pkg-config", tools.pkgconf()?)),
            Tool::Make | Tool::Perl | Tool::Python3 | Tool::Runner => {}
        }
    }
    let runner = match component.uses(Tool::Runner) {
        true => Some(Runner::ensure(state, target, &Lines)?.script().to_owned()),
        false => None,
    };
    let libclang = component.facts.is_some().then(|| tools.libclang_dir()).transpose()?;
    Ok(Place {
        toolchain,
        programs,
        runner,
        libclang,
    })
}

/// What of it a recipe may use, by path.
#[derive(Clone, Debug)]
pub(crate) struct Toolset {
    /// The folder of the compilers.
    pub(crate) bin: PathBuf,
    /// The target's system root.
    pub(crate) sysroot: PathBuf,
    /// How libclang reads a header of the target.
    pub(crate) header_arguments: Vec<String>,
    /// CMake's toolchain file, when the component uses CMake. Written once: a newer one would make Ninja configure again.
    pub(crate) cmake_file: Option<PathBuf>,
    /// Meson's cross file, when the component uses Meson.
    pub(crate) meson_file: Option<PathBuf>,
    /// The script that runs a program of the target, when the component does that.
    pub(crate) runner: Option<PathBuf>,
}

impl Toolset {
    /// Writes the files that the component's tools want into the work folder.
    pub(crate) fn write(place: &Place, component: &Component, deps: &Deps, work: &Path) -> Result<Toolset> {
        let (toolchain, runner) = (&place.toolchain, place.runner.as_deref());
        let wanted = |tool, file: &dyn Fn() -> Result<PathBuf>| component.uses(tool).then(file).transpose();
        Ok(Toolset {
            bin: toolchain.bin.clone(),
            sysroot: toolchain.sysroot.clone(),
            header_arguments: toolchain.header_arguments.clone(),
            cmake_file: wanted(Tool::Cmake, &|| toolchain.cmake_file(work, runner, &deps.closure()))?,
            meson_file: wanted(Tool::Meson, &|| toolchain.meson_cross_file(work, runner))?,
            runner: place.runner.clone(),
        })
    }

    /// CMake's toolchain file.
    pub(crate) fn cmake_file(&self) -> Result<&Path> {
        self.cmake_file
            .as_deref()
            .context("the recipe uses CMake, wanted `cmake` in `tools` of component.toml")
    }

    /// Meson's cross file.
    pub(crate) fn meson_file(&self) -> Result<&Path> {
        self.meson_file
            .as_deref()
            .context("the recipe uses Meson, wanted `meson` in `tools` of component.toml")
    }
}

/// Progress as plain lines, which whoever started cargo may draw.
struct Lines;

impl Progress for Lines {
    fn step(&self, what: &str) {
        println!("windlass: {what}");
    }

    fn count(&self, _done: u64, _total: u64) {}
}

/// The environment of a build's processes, made from nothing: what is not written here does not exist for them.
#[derive(Clone, Debug)]
pub(crate) struct CleanEnv(BTreeMap<String, String>);

impl CleanEnv {
    /// Makes the environment and the folders and scripts that it names.
    pub(crate) fn new(order: &Order, place: &Place) -> Result<CleanEnv> {
        let (bin, home, tmp) = (order.work.join("bin"), order.work.join("home"), order.work.join("tmp"));
        for folder in [&bin, &home, &tmp] {
            tree::create_dir(folder)?;
        }
        for (name, program) in &place.programs {
            let jobs = match *name {
                // The meson crate starts ninja without a word about jobs, and ninja then takes every core.
                "ninja" => format!(" -j{}", order.jobs),
                _ => String::new(),
            };
            script(&bin.join(name), &format!("exec '{}'{jobs} \"$@\"", program.display()))?;
        }
        let path = [bin, place.toolchain.bin.clone()]
            .iter()
            .map(|folder| folder.display().to_string())
            .chain(HOST_FOLDERS.map(str::to_owned))
            .collect::<Vec<_>>()
            .join(":");
        let mut all = BTreeMap::new();
        let mut set = |name: &str, value: String| drop(all.insert(name.to_owned(), value));
        set("PATH", path);
        set("HOME", home.display().to_string());
        set("TMPDIR", tmp.display().to_string());
        set("LANG", "C.UTF-8".into());
        set("TZ", "UTC".into());
        set("SOURCE_DATE_EPOCH", EPOCH_SECONDS.to_string());
        // Sets in Python keep their order from run to run, and nothing is written beside the sources.
        set("PYTHONHASHSEED", "0".into());
        set("PYTHONDONTWRITEBYTECODE", "1".into());
        set("CMAKE_BUILD_PARALLEL_LEVEL", order.jobs.to_string());
        if let Some(cache) = Cache::find(&HOST_FOLDERS) {
            for (name, value) in cache.variables(&order.state, &order.work, &place.toolchain.bin) {
                set(name, value);
            }
        }
        // An empty list would mean pkg-config's own folders, which are the machine's.
        let modules = Some(order.deps.pkg_config_path()).filter(|modules| !modules.is_empty());
        set("PKG_CONFIG_LIBDIR", modules.unwrap_or_else(|| "/nonexistent".into()));
        set("WINDLASS_TOOL", env::executable()?.display().to_string());
        if let Some(libclang) = &place.libclang {
            set("LIBCLANG_PATH", libclang.display().to_string());
        }
        // The toolchain's wrappers map this folder away from debug information and `__FILE__`.
        set("WINDLASS_WORK", order.work.display().to_string());
        let words: String = all
            .iter()
            .map(|(name, value)| format!(" {name}={}", quoted(value)))
            .collect();
        script(&order.work.join(ENTER), &format!("exec env -i{words} \"$@\""))?;
        Ok(CleanEnv(all))
    }

    /// The variables, sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }
}

/// Writes a small program for the shell.
fn script(path: &Path, line: &str) -> Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{line}\n"))
        .and_then(|()| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("{}: cannot be written", path.display()))
}
