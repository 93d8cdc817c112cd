//! The facts of a target's Python that its build tools ask for, and what is known of interpreters from their files alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kit::Os;
use serde_json::{Value, json};
use wheels::{Python, Wheel};

/// What is compiled: with optimisation, and signed overflow as CPython's own headers and generated code expect it.
const CFLAGS: &str = "-O2 -DNDEBUG -fwrapv -Wall";

/// What is linked: without symbols for debuggers, and bound before it runs, so that the table for it is read-only.
pub const LDFLAGS: &str = "-Wl,-s -Wl,-z,relro -Wl,-z,now";

/// The folder of `Python.h` in the home of a target's Python.
pub fn include(os: Os, home: &Path) -> Result<PathBuf> {
    let folder = home.join("include");
    let found = match os {
        Os::Windows => Some(folder.clone()),
        // `include/python3.13`
        Os::Linux => std::fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.join("Python.h").is_file()),
    };
    match found {
        Some(path) if path.join("Python.h").is_file() => Ok(path),
        _ => bail!("{}: has no Python.h", folder.display()),
    }
}

/// The version that the headers are of.
pub fn version(include: &Path) -> Result<String> {
    let path = include.join("patchlevel.h");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let number = |name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
        line.and_then(|line| line.split_whitespace().nth(2))
            .with_context(|| format!("{}: has no {name}", path.display()))
    };
    let parts = ["PY_MAJOR_VERSION", "PY_MINOR_VERSION", "PY_MICRO_VERSION"];
    let numbers: Vec<&str> = parts.into_iter().map(number).collect::<Result<_>>()?;
    Ok(numbers.join("."))
}

/// The packages that were unpacked into a folder, with their versions, by normal names.
pub fn packages(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut packages = BTreeMap::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some((project, version)) = name.strip_suffix(".dist-info").and_then(|name| name.split_once('-')) {
            packages.insert(wheels::normal_name(project), version.to_owned());
        }
    }
    Ok(packages)
}

/// What the interpreter that builds is to say of itself. `home` is the target's Python, `carried` the folder in the wheel of the
/// libraries that it brings along.
pub fn facts(python: &Python, home: &Path, carried: Option<&str>) -> Result<Value> {
    let is_windows = python.target().os == Os::Windows;
    let include = include(python.target().os, home)?;
    let libraries: Vec<PathBuf> = match is_windows {
        true => vec![home.join("libs")],
        // A module takes what it wants of Python from the program that loads it.
        false => Vec::new(),
    };
    Ok(json!({
        "platform": python.sysconfig_platform(),
        "tag": format!("{0}-{0}-{1}", python.tag(), python.sysconfig_platform().replace('-', "_")),
        "system": if is_windows { "Windows" } else { "Linux" },
        "machine": python.environment().platform_machine(),
        "windows": is_windows,
        "include": include,
        "library_dirs": libraries,
        "carried": carried.unwrap_or_default(),
        "variables": variables(python, &include),
    }))
}

/// Variables of `sysconfig`, as the target's own Python has them, with compilers that are called by name.
fn variables(python: &Python, include: &Path) -> Value {
    let is_windows = python.target().os == Os::Windows;
    let short = python.short();
    let version = match is_windows {
        true => short.replace('.', ""),
        false => short,
    };
    json!({
        "EXT_SUFFIX": python.ext_suffix(),
        "SOABI": python.soabi(),
        "SOABI_PLATFORM": "",
        "SHLIB_SUFFIX": python.shlib_suffix(),
        "MULTIARCH": if is_windows { String::new() } else { python.multiarch() },
        "VERSION": version,
        "SIZEOF_VOID_P": 8,
        "Py_DEBUG": 0,
        "Py_GIL_DISABLED": 0,
        "Py_ENABLE_SHARED": 0,
        "HAVE_DYNAMIC_LOADING": 1,
        "INCLUDEPY": include,
        "CONFINCLUDEPY": include,
        "LIBDIR": "",
        "LDLIBRARY": "",
        "LIBRARY": "",
        "LIBPYTHON": "",
        "CC": "clang",
        "CXX": "clang++",
        "OPT": CFLAGS,
        "CFLAGS": CFLAGS,
        "BASECFLAGS": "",
        "PY_CFLAGS": CFLAGS,
        "CCSHARED": "-fPIC",
        "CPPFLAGS": "",
        "LDFLAGS": LDFLAGS,
        "LDSHARED": format!("clang -shared {LDFLAGS}"),
        "LDCXXSHARED": format!("clang++ -shared {LDFLAGS}"),
        "LINKCC": "clang",
        "AR": "llvm-ar",
        "ARFLAGS": "rcs",
        "RANLIB": "llvm-ranlib",
    })
}

/// The licence that a wheel's own metadata name, as an expression.
pub fn license(wheel: &Wheel) -> Result<Option<String>> {
    Ok(wheel.metadata()?.first("License-Expression").map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use toolchains::Target;

    use super::*;

    fn home(os: Os) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let folder = match os {
            Os::Windows => dir.path().join("include"),
            Os::Linux => dir.path().join("include/python3.13"),
        };
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("Python.h"), "").unwrap();
        let text = "#define PY_MAJOR_VERSION        3\n#define PY_MINOR_VERSION        13\n#define PY_MICRO_VERSION        15\n";
        std::fs::write(folder.join("patchlevel.h"), text).unwrap();
        dir
    }

    #[test]
    fn the_version_is_that_of_the_headers() {
        for os in [Os::Windows, Os::Linux] {
            let home = home(os);
            let include = include(os, home.path()).unwrap();
            assert_eq!(version(&include).unwrap(), "3.13.15");
        }
        let empty = tempfile::tempdir().unwrap();
        assert!(
            include(Os::Linux, empty.path())
                .unwrap_err()
                .to_string()
                .ends_with("has no Python.h")
        );
    }

    #[test]
    fn an_interpreter_that_is_asked_describes_the_target() {
        let target = Target::load("aarch64-pc-windows-msvc").unwrap();
        let python = Python::new(&target, "3.13.15").unwrap();
        let home = home(Os::Windows);
        let file = home.path().join("facts.json");
        std::fs::write(&file, facts(&python, home.path(), None).unwrap().to_string()).unwrap();
        let script = "import sysconfig, platform; g = sysconfig.get_config_var; print(sysconfig.get_platform(), g('EXT_SUFFIX'), \
                      platform.machine(), sysconfig.get_path('include') == sysconfig.get_path('platinclude') == g('INCLUDEPY'))";
        let told = duct::cmd!("python3", "-c", script)
            .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("WINDLASS_PYTHON_FACTS", &file)
            .read()
            .unwrap();
        assert_eq!(told, "win-arm64 .cp313-win_arm64.pyd ARM64 True");
    }
}
