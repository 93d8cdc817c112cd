//! What scikit-build-core makes when it is taught a target: its own commands, CMake's own search for a Python, and the target's
//! compilers. The backend's wheels are pinned beside this file, compilers and tools are the target's own; where they were not fetched,
//! these tests are left out until they are asked for:
//!
//! ```text
//! cargo xtask fetch --target riscv64gc-unknown-linux-gnu -p numpy
//! cargo xtask fetch --pins components/kit/backend/tests/skbuild.toml
//! cargo test -p backend --test skbuild -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod taught;

use std::path::Path;
use std::process::Output;

use backend::{Asked, Skbuild, target_facts};
use serde_json::{Map, json};
use store::{Pin, State};
use taught::{HEADER, TRIPLE, put};
use toolchains::{Silent, Target, Tools};
use wheels::{Python, Wheel};

/// A project that asks CMake for all that upstreams ask: the interpreter with the headers, as most do; the headers alone, as those do
/// that know of cross building; a size; the interpreter itself; a library beside the module, by a path of the project's own.
const PROJECT: &str = "cmake_minimum_required(VERSION 3.26)
project(pkg LANGUAGES C)
find_package(@FIRST@ REQUIRED)
if(NOT CMAKE_CROSSCOMPILING OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR \"is for another machine\")
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} -c \"import sysconfig; print(sysconfig.get_platform())\"
  OUTPUT_VARIABLE PLATFORM OUTPUT_STRIP_TRAILING_WHITESPACE)
add_library(beside SHARED beside.c)
python_add_library(m MODULE WITH_SOABI m.c)
target_compile_definitions(m PRIVATE PLATFORM=\"${PLATFORM}\" SKBUILD=\"${SKBUILD_SOABI}\")
target_link_libraries(m PRIVATE beside)
set_target_properties(m PROPERTIES INSTALL_RPATH \"$ORIGIN/own\")
install(TARGETS m DESTINATION pkg)
install(TARGETS beside DESTINATION pkg/own)
";

const MODULE: &str = "#include <Python.h>
extern int beside(void);
const char *said[] = {\"platform \" PLATFORM, \"soabi \" SKBUILD};
PyMODINIT_FUNC PyInit_m(void) { return beside() ? said : 0; }
";

/// Lays out the project, which asks CMake first for `components`.
fn project(root: &Path, components: &str) {
    put(root, "source/CMakeLists.txt", &PROJECT.replace("@FIRST@", components));
    put(
        root,
        "source/pyproject.toml",
        "[project]\nname = 'pkg'\nversion = '1.0'\n[build-system]\nbuild-backend = 'scikit_build_core.build'\n\
         requires = ['scikit-build-core']\n",
    );
    for (path, text) in [
        ("pkg/__init__.py", ""),
        ("m.c", MODULE),
        ("beside.c", "int beside(void) { return 1; }\n"),
    ] {
        put(root, &format!("source/{path}"), text);
    }
    // `FindPython` wants an interpreter of the headers' version, as it is in a real build.
    let script = "import platform; print('#define PY_VERSION \"' + platform.python_version() + '\"')";
    let version = duct::cmd!("python3", "-c", script).read().unwrap();
    for (name, text) in [
        ("Python.h", HEADER),
        ("patchlevel.h", version.as_str()),
        ("pyconfig.h", ""),
    ] {
        put(root, &format!("home/include/python3.13/{name}"), text);
    }
}

/// The wheels of the backend.
fn pins() -> Vec<Pin> {
    #[derive(serde::Deserialize)]
    struct Pins {
        pin: Vec<Pin>,
    }
    let pins: Pins = toml_edit::de::from_str(include_str!("skbuild.toml")).unwrap();
    pins.pin
}

/// What came of a build.
struct Built {
    output: Output,
    wheel: Option<Wheel>,
}

/// Has scikit-build-core build the project below `root`. What it is taught can be changed before.
fn build(root: &Path, change: impl FnOnce(&mut serde_json::Value)) -> Built {
    let state = State::locate().unwrap();
    let target = Target::load(TRIPLE).unwrap();
    let toolchain = taught::compilers(&state, &target);
    let tools = Tools::ensure(&state, &Silent).unwrap();
    let hint = "--pins components/kit/backend/tests/skbuild.toml";
    let requirements = taught::requirements(root, &state, &pins(), hint);
    let folder = root.join("build");
    let bin = taught::programs(
        root,
        [("cmake", tools.cmake().unwrap()), ("ninja", tools.ninja().unwrap())],
    );
    std::fs::create_dir_all(&folder).unwrap();
    let python = Python::new(&target, "3.13.15").unwrap();
    let mut facts = target_facts(&python, &root.join("home"), None).unwrap();
    change(&mut facts);
    let skbuild = Skbuild {
        build: &folder,
        toolchain: &toolchain.cmake_file(root, None, &[]).unwrap(),
        asked: Asked {
            interpreter: &taught::here(),
            driver: &taught::driver(),
            requirements: &requirements,
            facts: &put(root, "build/facts.json", &facts.to_string()),
        },
        python: &python,
        home: &root.join("home"),
        runner: None,
        jobs: 1,
    };
    let order = json!({
        "source": root.join("source"), "requirements": requirements, "programs": folder.join("programs"),
        "backend": "scikit_build_core.build", "backend_path": [], "settings": skbuild.settings(&Map::new()).unwrap(),
        "into": root.join("dist"), "facts": facts,
    });
    let output = taught::build(root, &order, [&bin, &toolchain.bin]);
    let mut made = std::fs::read_dir(root.join("dist")).into_iter().flatten().flatten();
    Built {
        wheel: made.next().map(|made| Wheel::open(&made.path()).unwrap()),
        output,
    }
}

#[test]
#[ignore = "needs files of others: see the head of this file"]
fn the_wheel_is_of_the_target_whatever_python_runs_the_backend() {
    for components in [
        "Python COMPONENTS Interpreter Development.Module",
        "Python COMPONENTS Development.Module",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        project(root, components);
        let Built { output, wheel } = build(root, |_| {});
        let wheel = wheel.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stdout)));
        assert_eq!(wheel.file(), "pkg-1.0-cp313-cp313-linux_riscv64.whl", "{components}");
        assert_eq!(wheel.faults(), []);
        let module = &wheel.get("pkg/m.cpython-313-riscv64-linux-gnu.so").unwrap().bytes;
        // `e_machine` of the ELF header: EM_RISCV.
        assert_eq!(module[18..20], 243u16.to_le_bytes());
        let has = |text: &[u8]| module.windows(text.len()).any(|window| window == text);
        if components.contains("Interpreter") {
            assert!(has(b"platform linux-riscv64"), "{components}");
        }
        assert!(has(b"soabi cpython-313-riscv64-linux-gnu\0"), "{components}");
        // The project's own path, and no folder of this machine.
        assert!(has(b"$ORIGIN/own") && !has(root.as_os_str().as_encoded_bytes()));
        // Linked as every module is: without symbols for debuggers.
        assert!(!has(b".symtab"));
        assert!(wheel.get("pkg/own/libbeside.so").is_some());
    }
}

#[test]
#[ignore = "needs files of others: see the head of this file"]
fn a_wheel_with_the_name_or_the_modules_of_another_python_is_refused() {
    // The facts are spoilt as they would be if they were taken from the machine that builds.
    let spoilt = |change: fn(&mut serde_json::Value)| {
        let dir = tempfile::tempdir().unwrap();
        project(dir.path(), "Python COMPONENTS Interpreter Development.Module");
        let built = build(dir.path(), change);
        assert!(
            built.wheel.is_some(),
            "{}",
            String::from_utf8_lossy(&built.output.stdout)
        );
        let python = Python::new(&Target::load(TRIPLE).unwrap(), "3.13.15").unwrap();
        backend::made(&dir.path().join("dist"), &python)
            .unwrap_err()
            .to_string()
    };
    let error = spoilt(|facts| facts["tag"] = json!("cp313-cp313-linux_x86_64"));
    assert!(error.contains("is not for riscv64gc-unknown-linux-gnu"), "{error}");
    let error = spoilt(|facts| facts["variables"]["EXT_SUFFIX"] = json!(".cpython-311-x86_64-linux-gnu.so"));
    assert!(
        error.contains("`pkg/m.cpython-311-x86_64-linux-gnu.so` has the suffix of another Python"),
        "{error}"
    );
}
