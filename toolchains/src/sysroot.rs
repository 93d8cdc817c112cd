//! The open system root: Win32 and UCRT headers, import libraries, our start-up objects, libc++ and compiler-rt for the
//! MSVC ABI, assembled from pinned packages without root rights. It holds nothing of Microsoft's SDK.

mod compile;
mod crt;
mod guids;
mod headers;
mod imports;
mod runtimes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use store::{Begin, Digest, DigestWriter, Pin, State};

use crate::{Arch, Progress, Target, Tools};

/// Where the sources of the system root lie in the checkout.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sysroot");

/// The code that assembles; a change of it is a change of the result.
const CODE: [&str; 7] = [
    include_str!("sysroot.rs"),
    include_str!("sysroot/compile.rs"),
    include_str!("sysroot/crt.rs"),
    include_str!("sysroot/guids.rs"),
    include_str!("sysroot/headers.rs"),
    include_str!("sysroot/imports.rs"),
    include_str!("sysroot/runtimes.rs"),
];

/// `sysroot.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    headers: BTreeMap<String, Pin>,
    without: Vec<String>,
    forward: BTreeMap<String, Vec<String>>,
    edit: Vec<Edit>,
    guid: Vec<String>,
    alias: BTreeMap<String, String>,
    import: Vec<Import>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    header: String,
    // For who reads the list.
    #[serde(rename = "why")]
    _why: String,
    find: String,
    #[serde(default = "once")]
    times: usize,
    replace: String,
}

fn once() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Import {
    file: String,
    dlls: Vec<String>,
    only: Option<String>,
    #[serde(default)]
    but: Vec<String>,
}

/// Everything the parts of the assembly need to know.
struct Assembly<'a> {
    target: &'a Target,
    data: &'a Data,
    zig: PathBuf,
    /// The tree that is being made.
    into: &'a Path,
    jobs: usize,
    progress: &'a dyn Progress,
}

impl Assembly<'_> {
    /// The folder of the compiler's package: clang's own headers and the sources of libc++ and compiler-rt are there.
    fn zig_lib(&self) -> PathBuf {
        self.zig.with_file_name("lib")
    }

    fn lib(&self) -> PathBuf {
        self.into.join("lib")
    }
}

/// What has to be fetched to assemble the system root of a target.
pub(crate) fn pins(target: &Target) -> Result<Vec<Pin>> {
    Ok(vec![Tools::pin("zig")?, package(&read()?, target.arch)?])
}

/// The identity of a target's system root, from data and sources alone.
pub(crate) fn identity(target: &Target) -> Result<Digest> {
    let mut writer = DigestWriter::new("sysroot");
    writer.field("target", target.text());
    for pin in pins(target)? {
        writer.field("pin", &pin.sha256);
    }
    for code in CODE {
        writer.field("code", code);
    }
    writer.tree("sources", Path::new(SOURCES))?;
    writer.digest("exports", &exports_identity());
    Ok(writer.finish())
}

/// The tables of what Windows exports are compiled into `gates`; their texts are part of the system root's identity.
fn exports_identity() -> Digest {
    let mut writer = DigestWriter::new("exports");
    for text in [
        include_str!("../../gates/tables/windows/api-sets.txt"),
        include_str!("../../gates/tables/windows/system.txt"),
        include_str!("../../gates/tables/windows/vc-redist.txt"),
    ] {
        writer.field("table", text);
    }
    writer.finish()
}

/// The system root of a target, assembled if it is not there.
pub(crate) fn ensure(
    state: &State,
    target: &Target,
    tools: &Tools,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    let slot = state.slot(&target.triple, "sysroot", &identity(target)?);
    match slot.begin()? {
        Begin::Ready(dir) => Ok(dir),
        Begin::Build(partial) => {
            let data = read()?;
            let package = state.need(&package(&data, target.arch)?)?;
            let assembly = Assembly {
                target,
                data: &data,
                zig: tools.zig()?,
                into: partial.path(),
                jobs: jobs.max(1),
                progress,
            };
            assembly
                .run(&package)
                .with_context(|| format!("{}: system root cannot be assembled", target.triple))?;
            partial.commit(BTreeMap::from([("headers".into(), package.display().to_string())]))
        }
    }
}

/// How [`builtins`] are made; a change of it is a change of the result.
pub(crate) const BUILTINS: &str = include_str!("sysroot/runtimes.rs");

/// Builds the compiler's own runtime alone into `into/lib`, for a system root that has none.
pub(crate) fn builtins(target: &Target, zig: &Path, into: &Path, progress: &dyn Progress) -> Result<()> {
    let assembly = Assembly {
        target,
        data: &read()?,
        zig: zig.to_owned(),
        into,
        jobs: 1,
        progress,
    };
    progress.step("toolchain: compiler-rt");
    store::tree::create_dir(&assembly.lib())?;
    runtimes::builtins(&assembly).with_context(|| format!("{}: compiler-rt cannot be built", target.triple))?;
    store::tree::remove(&into.join("obj"))
}

impl Assembly<'_> {
    fn run(&self, package: &Path) -> Result<()> {
        self.progress.step("sysroot: headers");
        headers::install(self, package)?;
        self.progress.step("sysroot: import libraries");
        imports::make(self)?;
        self.progress.step("sysroot: start-up objects");
        crt::build(self)?;
        self.alias()?;
        self.progress.step("sysroot: compiler-rt and libc++");
        runtimes::build(self)?;
        store::tree::remove(&self.into.join("obj"))
    }

    /// Gives libraries their second names.
    fn alias(&self) -> Result<()> {
        for (alias, library) in &self.data.alias {
            let from = self.lib().join(library);
            std::fs::copy(&from, self.lib().join(alias))
                .with_context(|| format!("{}: cannot be copied to {alias}", from.display()))?;
        }
        Ok(())
    }
}

fn read() -> Result<Data> {
    toml_edit::de::from_str(include_str!("../sysroot/sysroot.toml")).context("sysroot.toml")
}

fn package(data: &Data, arch: Arch) -> Result<Pin> {
    match data.headers.get(&arch.to_string()) {
        Some(pin) => Ok(pin.clone()),
        None => bail!("sysroot.toml: has no headers for {arch}"),
    }
}
