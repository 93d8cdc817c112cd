//! The libraries of other upstreams: upstream's projects would compile their sources, or link what was compiled before; here the
//! components that they are take their place.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kit::Cx;

/// One library of another upstream.
pub(crate) struct External {
    /// Properties of upstream's projects that name folders of it, with what they are told here.
    pub(crate) properties: Vec<(&'static str, PathBuf)>,
    /// The folder of its headers.
    pub(crate) include: PathBuf,
    /// How upstream's projects call its libraries, if by name.
    pub(crate) names: Vec<String>,
    /// What is linked.
    pub(crate) libraries: Vec<PathBuf>,
    /// DLLs that go beside the extension modules.
    pub(crate) dlls: Vec<PathBuf>,
}

/// One external as it is written down.
struct Entry {
    component: &'static str,
    properties: &'static [&'static str],
    names: &'static [&'static str],
    libraries: &'static [&'static str],
}

/// Which component stands for what, and how each calls its libraries.
const ENTRIES: [Entry; 7] = [
    Entry {
        component: "bzip2",
        properties: &["bz2Dir"],
        names: &[],
        libraries: &["libbz2"],
    },
    Entry {
        component: "libffi",
        properties: &["libffiOutDir", "libffiIncludeDir"],
        names: &["libffi-8.lib"],
        libraries: &["libffi-8"],
    },
    Entry {
        component: "mpdecimal",
        properties: &["mpdecimalDir"],
        names: &[],
        libraries: &["mpdec"],
    },
    Entry {
        component: "openssl",
        properties: &["opensslOutDir", "opensslIncludeDir"],
        names: &["libcrypto.lib", "libssl.lib"],
        libraries: &["libssl", "libcrypto"],
    },
    Entry {
        component: "sqlite",
        properties: &["sqlite3Dir"],
        names: &[],
        libraries: &["sqlite3"],
    },
    Entry {
        component: "xz",
        properties: &["lzmaDir"],
        names: &[],
        libraries: &["lzma"],
    },
    Entry {
        component: "zlib",
        properties: &["zlibDir"],
        names: &[],
        libraries: &["zlib"],
    },
];

/// All of them, from the prefixes of the components that CPython needs.
///
/// # Errors
/// If one of the components is no need of it, or a folder cannot be read.
pub(crate) fn all(cx: &Cx) -> Result<Vec<External>> {
    ENTRIES.iter().map(|entry| entry.find(cx)).collect()
}

/// The prefix of a component that CPython needs.
///
/// # Errors
/// If it is no need of it.
pub(crate) fn root(cx: &Cx, component: &str) -> Result<PathBuf> {
    let dep = cx.deps().get(component);
    Ok(dep
        .with_context(|| format!("{component} is not among the needs"))?
        .root
        .clone())
}

impl Entry {
    fn find(&self, cx: &Cx) -> Result<External> {
        let root = root(cx, self.component)?;
        let include = root.join("include");
        let libraries = self.libraries.iter().map(|name| root.join(format!("lib/{name}.lib")));
        Ok(External {
            // Whatever is asked of these folders is asked for headers: what is compiled or linked is left out or named in full.
            properties: self.properties.iter().map(|name| (*name, include.clone())).collect(),
            include,
            names: self.names.iter().map(|name| (*name).to_owned()).collect(),
            libraries: libraries.collect(),
            dlls: dlls(&root.join("bin"))?,
        })
    }
}

/// The DLLs of a folder, sorted; none if it is not there.
pub(crate) fn dlls(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut dlls = Vec::new();
    if folder.is_dir() {
        for item in std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
            let path = item.with_context(|| folder.display().to_string())?.path();
            if path.extension().is_some_and(|suffix| suffix == "dll") {
                dlls.push(path);
            }
        }
    }
    dlls.sort();
    Ok(dlls)
}

impl External {
    /// Whether a path lies in one of its folders, or is one.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        self.properties.iter().any(|(_, folder)| path.starts_with(folder))
    }
}
