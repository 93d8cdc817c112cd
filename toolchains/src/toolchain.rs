//! A target's compiler: wrapper scripts in one folder, called by name, around the programs of the pinned package. They find
//! their system root from their own place, so a moved state folder still works and no path of this machine is an argument
//! that a build could record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use store::{Begin, Digest, DigestWriter, Pin, State, tree};

use crate::{Os, Progress, Provider, Sdk, Target, Tools, linux, spelling, sysroot, tools, windows};

/// The compiler and the system root of a target.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The target that it compiles for.
    pub target: Target,
    /// The folder of the wrappers.
    pub bin: PathBuf,
    /// The system root.
    pub sysroot: PathBuf,
    /// The arguments with which libclang reads a C header as the target's compiler does.
    pub header_arguments: Vec<String>,
    /// The identity of the wrappers and everything behind them.
    pub digest: Digest,
}

/// The system root as the wrappers see it.
enum Root {
    Linux(linux::Root),
    Windows(windows::Root),
}

impl Root {
    fn of(target: &Target, provider: Provider) -> Result<Root> {
        Ok(match (target.os, provider) {
            (Os::Linux, Provider::Open) => Root::Linux(linux::Root::of(target)?),
            (Os::Linux, Provider::Xwin) | (Os::Windows, _) => Root::Windows(windows::Root::of(target, provider)?),
        })
    }

    fn wrappers(&self, target: &Target, sysroot: &str, zig: &str) -> Vec<(&'static str, String)> {
        match self {
            Root::Linux(root) => linux::wrappers(target, root, sysroot, zig),
            Root::Windows(root) => windows::wrappers(target, root, sysroot, zig),
        }
    }

    fn header_arguments(&self, target: &Target, sysroot: &Path, zig: &Path) -> Vec<String> {
        match self {
            Root::Linux(root) => linux::header_arguments(target, root, sysroot, zig),
            Root::Windows(root) => windows::header_arguments(target, root, sysroot, zig),
        }
    }
}

impl Toolchain {
    /// What has to be fetched for a target. Microsoft's SDK is not among it: it comes with [`Sdk`], under a licence.
    ///
    /// # Errors
    /// If the provider cannot serve the target.
    pub fn pins(target: &Target, provider: Provider) -> Result<Vec<Pin>> {
        match (Root::of(target, provider)?, provider) {
            (Root::Linux(root), _) => Ok([&[Tools::pin("zig")?], root.pins()].concat()),
            (Root::Windows(_), Provider::Open) => sysroot::pins(target),
            (Root::Windows(_), Provider::Xwin) => Ok(vec![Tools::pin("zig")?]),
        }
    }

    /// The identity that [`Toolchain::ensure`] would give; from data alone, nothing is unpacked.
    ///
    /// # Errors
    /// If the sources of the system root cannot be read.
    pub fn identity(target: &Target, provider: Provider) -> Result<Digest> {
        let root = Root::of(target, provider)?;
        let mut writer = DigestWriter::new("toolchain");
        match &root {
            Root::Linux(root) => drop(writer.digest("sysroot", &root.identity())),
            Root::Windows(root) => root.identify(target, &mut writer)?,
        }
        writer.digest("tools", &Tools::identity()?);
        if let Root::Windows(_) = root {
            writer.field("spelling", spelling::CODE);
        }
        for (name, text) in root.wrappers(target, "SYSROOT", "ZIG") {
            writer.field(name, text);
        }
        Ok(writer.finish())
    }

    /// The toolchain of a target, assembled if it is not there; `jobs` compilers run at a time.
    ///
    /// # Errors
    /// If a source was not fetched or a part cannot be built.
    pub fn ensure(
        state: &State,
        target: &Target,
        provider: Provider,
        jobs: usize,
        progress: &dyn Progress,
    ) -> Result<Toolchain> {
        let digest = Toolchain::identity(target, provider)?;
        let tools = Tools::ensure(state, progress)?;
        let root = Root::of(target, provider)?;
        let sysroot = match (&root, provider) {
            (Root::Linux(root), _) => root.ensure(state, target, progress)?,
            (Root::Windows(_), Provider::Open) => sysroot::ensure(state, target, &tools, jobs, progress)?,
            (Root::Windows(_), Provider::Xwin) => Sdk::load(target)?.need(state)?,
        };
        let zig = tools.zig()?;
        let slot = state.slot(&target.triple, "toolchain", &digest);
        let dir = match slot.begin()? {
            Begin::Ready(dir) => dir,
            Begin::Build(partial) => {
                let prefix = state.root().join("prefix");
                let below = |path: &Path| match path.strip_prefix(&prefix) {
                    Ok(below) => below.display().to_string(),
                    Err(_) => path.display().to_string(),
                };
                for (name, text) in root.wrappers(target, &below(&sysroot), &below(&zig)) {
                    let path = partial.path().join("bin").join(name);
                    tree::write_atomic(&path, text.as_bytes())?;
                    tools::make_executable(&path)?;
                }
                if let Root::Windows(root) = &root {
                    windows::spell(partial.path(), root, (&sysroot, &below(&sysroot)), &zig)?;
                }
                if provider == Provider::Xwin {
                    sysroot::builtins(target, &zig, partial.path(), progress)?;
                }
                partial.commit(BTreeMap::from([("sysroot".into(), below(&sysroot))]))?
            }
        };
        Ok(Toolchain {
            target: target.clone(),
            bin: dir.join("bin"),
            header_arguments: root.header_arguments(target, &sysroot, &zig),
            sysroot,
            digest,
        })
    }
}

/// Keeps the folders of this machine out of what is compiled. `form` is what the driver's cl form wants before an option of
/// the other form.
pub(crate) fn path_maps(form: &str) -> String {
    format!(
        "-fdebug-compilation-dir=/windlass/work {form}-ffile-prefix-map=\"$p=/windlass\" \
         ${{WINDLASS_WORK:+\"{form}-ffile-prefix-map=$WINDLASS_WORK=/windlass/work\"}}"
    )
}

/// The beginning of every wrapper, which finds everything from its own place. `sysroot` and `zig` are paths below the folder of
/// all prefixes.
pub(crate) fn head(sysroot: &str, zig: &str) -> String {
    let zig_lib = zig.trim_end_matches("zig").to_owned() + "lib";
    // From `<prefix>/<target>/toolchain/<digest>/bin/<name>` to `<prefix>`.
    format!("#!/bin/sh\nt=${{0%/*}}/..\np=$t/../../..\ns=$p/{sysroot}\nz=$p/{zig_lib}\n")
}

/// Stands before the options of a wrapper: half of them serve linking and half compiling alone, and a build system that makes errors of
/// unused options to learn which ones there are (Meson does) must not meet ours.
pub(crate) const QUIET: &str = "--start-no-unused-arguments";
/// Stands behind them.
pub(crate) const AS_CALLED: &str = "--end-no-unused-arguments";

/// A wrapper around the recipe's own program, which knows what the compiler's package lacks; see `kit`.
pub(crate) fn kit_tool(name: &str) -> String {
    format!("#!/bin/sh\nexec \"${{WINDLASS_TOOL:?names the kit's host tool}}\" tool {name} \"$@\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_have_toolchains_of_their_own() {
        let target = Target::load("x86_64-pc-windows-msvc").unwrap();
        let [open, xwin] = [Provider::Open, Provider::Xwin].map(|it| Toolchain::identity(&target, it).unwrap());
        assert_ne!(open, xwin);
    }

    #[test]
    fn without_the_sdk_the_error_names_what_is_wanted_and_the_command_that_brings_it() {
        let state = tempfile::tempdir().unwrap();
        let state = State::at(state.path());
        let target = Target::load("x86_64-pc-windows-msvc").unwrap();
        let error = Toolchain::ensure(&state, &target, Provider::Xwin, 1, &crate::Silent).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("Windows SDK 10.0.26100 are not there, wanted at"),
            "{text}"
        );
        assert!(text.ends_with("--provider xwin --accept-microsoft-licence"), "{text}");
    }
}
