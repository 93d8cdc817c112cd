//! Windows: what MSBuild would do with upstream's project files, by Ninja and on this machine. Upstream's files are read for
//! sources, options, conditions and names, so that a new release needs no list here.

#[path = "windows/externals.rs"]
mod externals;
#[path = "windows/flags.rs"]
mod flags;
#[path = "windows/layout.rs"]
mod layout;
#[path = "windows/msbuild.rs"]
mod msbuild;
#[path = "windows/ninja.rs"]
mod ninja;
#[path = "windows/plan.rs"]
mod plan;
#[path = "windows/targets.rs"]
mod targets;
#[path = "windows/toolset.rs"]
mod toolset;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kit::{Arch, Cx};

use layout::Layout;
use plan::{Plan, Settings};

/// What is built: which of upstream's forms, and how it is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As python.org installs it.
    Usual,
    /// For programs that bring an interpreter along: the library in one file, nothing to build against, no tests.
    Embeddable,
    /// Without the global interpreter lock.
    FreeThreaded,
}

impl Form {
    /// The form of a variant of component.toml.
    fn of(variant: Option<&str>) -> Result<Form> {
        match variant {
            None => Ok(Form::Usual),
            Some("embed") => Ok(Form::Embeddable),
            Some("freethreaded") => Ok(Form::FreeThreaded),
            Some(other) => bail!("variant `{other}` has no form on Windows"),
        }
    }
}

/// Builds and installs the interpreter.
pub(crate) fn build(cx: &Cx) -> Result<()> {
    cx.step("read the project files");
    let form = Form::of(cx.component().variant.as_deref())?;
    let settings = settings(cx, form)?;
    let plan = plan::read(&settings)?;
    let objects: usize = plan.units.iter().map(|unit| unit.compiles.len()).sum();
    cx.note(format_args!(
        "{} programs and DLLs of {objects} objects, {} frozen modules",
        plan.units.len(),
        plan.frozen.len()
    ));
    configuration(cx, &settings, &plan)?;
    resources(&settings, &plan)?;
    let host = cx.host().context("this machine's own interpreter is not there")?;
    let freeze = host.join("python/lib/build/_freeze_module");
    write(
        &cx.build().join("build.ninja"),
        &ninja::render(&settings, &plan, &freeze),
    )?;
    cx.step("ninja");
    cx.call("ninja").run()?;
    cx.step("install");
    let layout = Layout {
        plan: &plan,
        externals: &settings.externals,
        form,
        runtime: &externals::root(cx, "msvc-runtime")?,
        python: &host.join("python/bin/python3.13"),
    };
    layout.install(cx)
}

fn settings(cx: &Cx, form: Form) -> Result<Settings> {
    Ok(Settings {
        source: cx.source(),
        build: cx.build(),
        platform: match cx.target().arch {
            Arch::Aarch64 => "ARM64",
            _ => "x64",
        },
        free_threaded: form == Form::FreeThreaded,
        externals: externals::all(cx)?,
        without: cx.component().items("without")?.iter().cloned().collect(),
    })
}

/// Writes the configuration header, as upstream's projects do before they compile.
fn configuration(cx: &Cx, settings: &Settings, plan: &Plan) -> Result<()> {
    let from = cx.source().join("PC/pyconfig.h.in");
    let text = std::fs::read_to_string(&from).with_context(|| format!("{}: cannot be read", from.display()))?;
    write(&plan.pyconfig, &text)?;
    if settings.free_threaded {
        let (off, on) = ("/* #define Py_GIL_DISABLED 1 */", "#define Py_GIL_DISABLED 1");
        cx.edit(&plan.pyconfig, off, on, 1)?;
    }
    Ok(())
}

/// Lets resource scripts say the folders of their files with slashes, which Windows takes too and this machine alone.
fn resources(settings: &Settings, plan: &Plan) -> Result<()> {
    let scripts: BTreeSet<&PathBuf> = plan
        .units
        .iter()
        .flat_map(|unit| &unit.resources)
        .map(|step| &step.source)
        .collect();
    for script in scripts {
        let text = std::fs::read_to_string(script).with_context(|| format!("{}: cannot be read", script.display()))?;
        let folder = script.parent().unwrap_or(&settings.source);
        let mut said = text.clone();
        for item in std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
            let name = item?.file_name().to_string_lossy().into_owned();
            said = said.replace(&format!("\"{name}\\"), &format!("\"{name}/"));
        }
        if said != text {
            write(script, &said)?;
        }
    }
    Ok(())
}

/// Writes a file, and makes its folder.
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))
}
