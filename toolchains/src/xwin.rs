//! Microsoft's C runtime and Windows SDK as a system root: which release, where it lies, whether it is whole. Bringing it is
//! `xtask fetch`'s, after the user accepted Microsoft's licence; nothing here touches the network.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use store::{Digest, DigestWriter, Pin, Slot, State};

use crate::{Arch, Os, Target};

/// `xwin.toml`; its head comment explains the keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    licence: String,
    crt: String,
    sdk: String,
    layout: String,
    manifest: Pin,
}

/// The release of Microsoft's C runtime and SDK that a target is built against.
#[derive(Clone, Debug)]
pub struct Sdk {
    data: Data,
    triple: String,
    arch: Arch,
}

impl Sdk {
    /// The release for a target.
    ///
    /// # Errors
    /// If the target is not Windows: Microsoft has nothing for it.
    pub fn load(target: &Target) -> Result<Sdk> {
        let data: Data = toml_edit::de::from_str(include_str!("../xwin/xwin.toml")).context("xwin.toml")?;
        data.manifest.check().context("xwin.toml")?;
        ensure!(
            target.os == Os::Windows && matches!(target.arch, Arch::Aarch64 | Arch::X86_64),
            "{}: provider `xwin` has no system root for it, wanted a Windows target",
            target.triple
        );
        Ok(Sdk {
            data,
            triple: target.triple.clone(),
            arch: target.arch,
        })
    }

    /// The address of the licence that has to be accepted.
    pub fn licence(&self) -> &str {
        &self.data.licence
    }

    /// The C runtime's version in the words of Microsoft's list of packages.
    pub fn crt(&self) -> &str {
        &self.data.crt
    }

    /// The Windows SDK's version in the words of Microsoft's list of packages.
    pub fn sdk(&self) -> &str {
        &self.data.sdk
    }

    /// The release of the crate `xwin` whose layout is expected.
    pub fn layout(&self) -> &str {
        &self.data.layout
    }

    /// The list of packages.
    pub fn manifest(&self) -> &Pin {
        &self.data.manifest
    }

    /// The architecture whose libraries are wanted.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// The triple that it serves.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        format!(
            "Microsoft's C runtime {} and Windows SDK {}",
            self.data.crt, self.data.sdk
        )
    }

    /// The command that brings it.
    pub fn remedy(&self) -> String {
        format!(
            "cargo xtask fetch --target {} --provider xwin --accept-microsoft-licence",
            self.triple
        )
    }

    /// Its identity, from data alone.
    pub fn identity(&self) -> Digest {
        let mut writer = DigestWriter::new("microsoft-sdk");
        writer
            .field("target", &self.triple)
            .field("manifest", &self.data.manifest.sha256)
            .field("crt", &self.data.crt)
            .field("sdk", &self.data.sdk)
            .field("layout", &self.data.layout);
        writer.finish()
    }

    /// Where it lies in a state folder, or will.
    pub fn slot(&self, state: &State) -> Slot {
        state.slot(&self.triple, "microsoft-sdk", &self.identity())
    }

    /// The tree in a state folder.
    ///
    /// # Errors
    /// If it was not fetched.
    pub fn need(&self, state: &State) -> Result<PathBuf> {
        let slot = self.slot(state);
        if slot.probe()?.is_none() {
            bail!(
                "{}: {} are not there, wanted at {}\n\nhint: {}",
                self.triple,
                self.name(),
                slot.dir().display(),
                self.remedy()
            );
        }
        Ok(slot.dir().to_owned())
    }

    /// The folders of headers, relative to the tree, in the order in which they are searched.
    pub fn include(&self) -> Vec<String> {
        let folders = ["ucrt", "um", "shared", "winrt", "cppwinrt"].map(|name| format!("sdk/include/{name}"));
        std::iter::once("crt/include".to_owned()).chain(folders).collect()
    }

    /// The folders of libraries, relative to the tree, in the order in which they are searched.
    pub fn lib(&self) -> Vec<String> {
        ["crt/lib", "sdk/lib/ucrt", "sdk/lib/um"]
            .map(|folder| format!("{folder}/{}", self.arch))
            .to_vec()
    }

    /// Checks that a tree has what every program needs.
    ///
    /// # Errors
    /// Names everything that is missing.
    pub fn check(&self, tree: &Path) -> Result<()> {
        let [crt, ucrt, um] = [0, 1, 2].map(|at| self.lib()[at].clone());
        let wanted = [
            ("crt/include", "vcruntime.h"),
            ("crt/include", "vector"),
            ("sdk/include/ucrt", "stdio.h"),
            ("sdk/include/um", "windows.h"),
            ("sdk/include/shared", "winerror.h"),
            ("sdk/include/winrt", "roapi.h"),
            ("sdk/include/cppwinrt/winrt", "base.h"),
            (&crt, "msvcrt.lib"),
            (&crt, "msvcprt.lib"),
            (&crt, "oldnames.lib"),
            (&crt, "vcruntime.lib"),
            (&ucrt, "ucrt.lib"),
            (&um, "kernel32.lib"),
        ];
        let missing: Vec<String> = wanted
            .into_iter()
            .filter(|(folder, file)| !holds(&tree.join(folder), file))
            .map(|(folder, file)| format!("{folder}/{file}"))
            .collect();
        ensure!(
            missing.is_empty(),
            "{}: {} are not whole, wanted {}",
            self.triple,
            self.name(),
            missing.join(", ")
        );
        Ok(())
    }
}

/// Whether a folder has a file of that name, spelled in any way.
fn holds(folder: &Path, name: &str) -> bool {
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().eq_ignore_ascii_case(name)))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use store::Begin;

    use super::*;

    /// Files of a tree that is as small as [`Sdk::check`] allows, spelled as Microsoft spells them.
    pub(crate) const TREE: [(&str, &str); 8] = [
        ("crt/include/vcruntime.h", "#pragma once\n"),
        ("crt/include/vector", "#pragma once\n"),
        ("sdk/include/ucrt/stdio.h", "#pragma once\n"),
        (
            "sdk/include/um/Windows.h",
            "#pragma once\n#include <WinError.h>\ntypedef int BOOL;\n",
        ),
        ("sdk/include/um/gl/GL.h", "#pragma once\n"),
        ("sdk/include/shared/winerror.h", "#pragma once\n#define S_OK 0\n"),
        ("sdk/include/winrt/roapi.h", "#pragma once\n"),
        ("sdk/include/cppwinrt/winrt/base.h", "#pragma once\n"),
    ];

    /// Puts a small tree into a state folder, as a fetch would, and returns where it lies.
    pub(crate) fn put(sdk: &Sdk, state: &State) -> PathBuf {
        let Begin::Build(partial) = sdk.slot(state).begin().unwrap() else {
            panic!("it is there already")
        };
        let libraries = ["msvcrt.lib", "msvcprt.lib", "oldnames.lib", "vcruntime.lib"]
            .map(|name| format!("{}/{name}", sdk.lib()[0]));
        let more = [
            format!("{}/ucrt.lib", sdk.lib()[1]),
            format!("{}/kernel32.Lib", sdk.lib()[2]),
        ];
        let empty = libraries.iter().chain(&more).map(|path| (path.as_str(), "!<arch>\n"));
        for (path, text) in TREE.into_iter().chain(empty) {
            let path = partial.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        sdk.check(partial.path()).unwrap();
        partial.commit(BTreeMap::new()).unwrap()
    }

    fn sdk(triple: &str) -> Sdk {
        Sdk::load(&Target::load(triple).unwrap()).unwrap()
    }

    #[test]
    fn what_was_not_fetched_is_named_with_its_place_and_the_command_that_brings_it() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(folder.path());
        let sdk = sdk("aarch64-pc-windows-msvc");
        let error = sdk.need(&state).unwrap_err().to_string();
        let place = sdk.slot(&state).dir().display().to_string();
        assert_eq!(
            error,
            format!(
                "aarch64-pc-windows-msvc: Microsoft's C runtime 14.44.17.14 and Windows SDK 10.0.26100 are not there, wanted at {place}\n\n\
                 hint: cargo xtask fetch --target aarch64-pc-windows-msvc --provider xwin --accept-microsoft-licence"
            )
        );
        let tree = put(&sdk, &state);
        assert_eq!(sdk.need(&state).unwrap(), tree);
    }

    #[test]
    fn a_tree_that_lacks_something_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let sdk = sdk("x86_64-pc-windows-msvc");
        let tree = put(&sdk, &State::at(folder.path()));
        fs::remove_file(tree.join("sdk/lib/um/x86_64/kernel32.Lib")).unwrap();
        fs::remove_file(tree.join("crt/include/vector")).unwrap();
        let error = sdk.check(&tree).unwrap_err().to_string();
        assert!(
            error.ends_with("are not whole, wanted crt/include/vector, sdk/lib/um/x86_64/kernel32.lib"),
            "{error}"
        );
    }

    #[test]
    fn the_two_targets_have_trees_of_their_own() {
        let [arm, x64] = ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"].map(sdk);
        assert_ne!(arm.identity(), x64.identity());
        assert_eq!(arm.lib()[0], "crt/lib/aarch64");
    }
}
