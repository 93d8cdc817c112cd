//! What setuptools asks of the compilers when it is taught a target: its own commands and the wheel that comes of it, with programs
//! that write down how they were called in the place of compilers. The wheel of setuptools is a source of the component av; where it
//! was not fetched, these tests are left out until they are asked for:
//!
//! ```text
//! cargo xtask fetch -p av
//! cargo test -p backend --test setuptools -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use store::State;
use store::archive::{Unpack, unpack};
use toolchains::Target;
use wheels::{Python, Wheel};

/// Writes its arguments on one line, and a file where it is told to.
const RECORDER: &str = r#"#!/bin/sh
echo "${0##*/} $*" >> "$RECORD"
previous=
for word; do
  case $word in
    /Fo*) echo object > "${word#/Fo}" ;;
    /OUT:*) echo module > "${word#/OUT:}" ;;
  esac
  [ "$previous" = -o ] && echo made > "$word"
  previous=$word
done
exit 0
"#;

const SETUP: &str = "from setuptools import Extension, setup
setup(
    packages=['pkg', 'pkg.sub'],
    ext_modules=[
        Extension('pkg.sub.m', ['m.c'], libraries=['dep'], library_dirs=['/dep/lib']),
        Extension('pkg.s', ['s.c'], py_limited_api=True),
    ],
)
";

struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("source/setup.py", SETUP);
        put(
            "source/pyproject.toml",
            "[project]\nname = 'pkg'\nversion = '1.0'\n[build-system]\nrequires = ['setuptools']\n",
        );
        for path in ["pkg/__init__.py", "pkg/sub/__init__.py", "m.c", "s.c"] {
            put(&format!("source/{path}"), "");
        }
        put("home/include/Python.h", "");
        put("home/include/python3.13/Python.h", "");
        for tool in ["clang-cl", "lld-link", "clang", "llvm-ar"] {
            put(&format!("bin/{tool}"), RECORDER);
            let path = dir.path().join("bin").join(tool);
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let component = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../av");
        let component = kit::Component::load(&component).unwrap();
        let pin = component
            .pins("x86_64-unknown-linux-gnu")
            .find(|pin| pin.file.starts_with("setuptools-"))
            .unwrap();
        let archive = State::locate().unwrap().need(pin);
        let archive = archive.unwrap_or_else(|why| panic!("{why}\nhint: cargo xtask fetch -p av"));
        unpack(&archive, &dir.path().join("requirements"), &Unpack::strip(0)).unwrap();
        Site(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Builds for a target; gives the wheel and the commands.
    fn build(&self, triple: &str) -> (Wheel, Vec<String>) {
        let python = Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap();
        let facts = backend::target_facts(&python, &self.path("home"), Some("pkg/lib")).unwrap();
        let order = json!({
            "source": self.path("source"), "requirements": self.path("requirements"),
            "programs": self.path("programs"), "backend": "setuptools.build_meta",
            "backend_path": [], "settings": {}, "into": self.path("dist"), "facts": facts,
        });
        std::fs::write(self.path("order.json"), order.to_string()).unwrap();
        let configuration = format!("[bdist_wheel]\nplat_name = {}\n", python.platform());
        std::fs::write(self.path("distutils.cfg"), configuration).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/build_wheel.py");
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        duct::cmd!("python3", "-s", script, self.path("order.json"))
            .env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()))
            .env("RECORD", self.path("record"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DIST_EXTRA_CONFIG", self.path("distutils.cfg"))
            .stdout_null()
            .stderr_null()
            .run()
            .unwrap();
        let file = std::fs::read_dir(self.path("dist"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let record = std::fs::read_to_string(self.path("record")).unwrap();
        (Wheel::open(&file).unwrap(), record.lines().map(str::to_owned).collect())
    }
}

#[test]
#[ignore = "needs a file of others: cargo xtask fetch -p av"]
fn windows_gets_its_compilers_suffixes_and_import_libraries() {
    let site = Site::new();
    let (wheel, commands) = site.build("aarch64-pc-windows-msvc");
    assert_eq!(wheel.file(), "pkg-1.0-cp313-cp313-win_arm64.whl");
    assert_eq!(wheel.faults(), []);
    assert!(wheel.get("pkg/sub/m.cp313-win_arm64.pyd").is_some() && wheel.get("pkg/s.pyd").is_some());
    let find = |words: &[&str]| commands.iter().any(|line| words.iter().all(|word| line.contains(word)));
    let include = format!("-I{}", site.path("home/include").display());
    let libs = format!("/LIBPATH:{}", site.path("home/libs").display());
    assert!(find(&["clang-cl", "/c", "/MD", "/Tcm.c", &include]), "{commands:?}");
    assert!(
        find(&[
            "lld-link",
            "/DLL",
            "/EXPORT:PyInit_m",
            "dep.lib",
            "/LIBPATH:/dep/lib",
            &libs
        ]),
        "{commands:?}"
    );
    assert!(
        !commands
            .iter()
            .any(|line| line.starts_with("clang ") || line.contains("/usr/")),
        "{commands:?}"
    );
}

#[test]
#[ignore = "needs a file of others: cargo xtask fetch -p av"]
fn linux_modules_find_the_carried_libraries_from_where_they_lie() {
    let site = Site::new();
    let (wheel, commands) = site.build("riscv64gc-unknown-linux-gnu");
    assert_eq!(wheel.file(), "pkg-1.0-cp313-cp313-manylinux_2_41_riscv64.whl");
    assert!(wheel.get("pkg/sub/m.cpython-313-riscv64-linux-gnu.so").is_some() && wheel.get("pkg/s.abi3.so").is_some());
    let find = |words: &[&str]| commands.iter().any(|line| words.iter().all(|word| line.contains(word)));
    let include = format!("-I{}", site.path("home/include/python3.13").display());
    assert!(find(&["clang ", "-fPIC", " -c m.c", &include]), "{commands:?}");
    assert!(
        find(&[
            "clang -shared",
            "-Wl,-rpath,$ORIGIN/../lib",
            "-ldep",
            "m.cpython-313-riscv64"
        ]),
        "{commands:?}"
    );
    assert!(
        find(&["clang -shared", "-Wl,-rpath,$ORIGIN/lib", "s.abi3.so"]),
        "{commands:?}"
    );
    assert!(!commands.iter().any(|line| line.contains("/usr/")), "{commands:?}");
}
