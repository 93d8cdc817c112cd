//! What meson-python makes when it is taught a target: its own commands, Meson's own search for a Python, and the target's compilers.
//! The wheels are sources of the component numpy, compilers and tools are the target's own; where they were not fetched, this test is
//! left out until it is asked for:
//!
//! ```text
//! cargo xtask fetch --target riscv64gc-unknown-linux-gnu -p numpy
//! cargo test -p backend --test meson -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod taught;

use std::collections::BTreeMap;
use std::path::Path;

use backend::{Asked, Meson, meson_text, target_facts};
use serde_json::{Map, json};
use store::State;
use taught::{HEADER, TRIPLE, put};
use toolchains::{Os, Silent, Target, Tools};
use wheels::{Python, Wheel};

/// A project that asks Meson for what numpy asks: a size, a property, the target's Python, Cython, a program in Python.
const PROJECT: &str = "project('pkg', 'c', 'cython', version: '1.0')
cc = meson.get_compiler('c')
if cc.sizeof('long double') != 16
  error('a long double has another size')
endif
py = import('python').find_installation(pure: false)
format = '-DFORMAT=\"' + meson.get_external_property('format') + '\"'
text = custom_target(output: 'text.h', command: [py, '-c', 'import sys; open(sys.argv[1], \"w\")', '@OUTPUT@'])
py.extension_module('m', 'm.c', text, c_args: format, subdir: 'pkg', install: true)
py.install_sources('__init__.py', subdir: 'pkg')
";

const MODULE: &str = "#include <Python.h>
#include \"text.h\"
const char *format(void) { return FORMAT; }
PyMODINIT_FUNC PyInit_m(void) { return (void *)format(); }
";

/// Has meson-python build the project above, and gives its wheel.
fn build(root: &Path) -> Wheel {
    let state = State::locate().unwrap();
    let target = Target::load(TRIPLE).unwrap();
    let toolchain = taught::compilers(&state, &target);
    let tools = Tools::ensure(&state, &Silent).unwrap();
    let numpy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../numpy");
    let numpy = kit::Component::load(&numpy).unwrap();
    let wheels = numpy.pins(TRIPLE).filter(|pin| pin.file.ends_with(".whl"));
    let requirements = taught::requirements(root, &state, wheels, &format!("--target {TRIPLE} -p numpy"));
    let (build, programs) = (root.join("build"), root.join("build/programs"));
    let bin = taught::programs(
        root,
        [("meson", tools.meson().unwrap()), ("ninja", tools.ninja().unwrap())],
    );
    std::fs::create_dir_all(&build).unwrap();
    let python = Python::new(&target, "3.13.15").unwrap();
    let facts = target_facts(&python, &root.join("home"), None).unwrap();
    let meson = Meson {
        build: &build,
        programs: &programs,
        bin: &toolchain.bin,
        compilers: &toolchain.meson_cross_file(root, None).unwrap(),
        asked: Asked {
            interpreter: &taught::here(),
            driver: &taught::driver(),
            requirements: &requirements,
            facts: &put(root, "build/facts.json", &facts.to_string()),
        },
        os: Os::Linux,
    };
    let properties = BTreeMap::from([("format".to_owned(), meson_text("IEEE_QUAD_LE"))]);
    let order = json!({
        "source": root.join("source"), "requirements": requirements, "programs": programs, "backend": "mesonpy", "backend_path": [],
        "settings": meson.settings(&Map::new(), &properties).unwrap(), "into": root.join("dist"), "facts": facts,
    });
    let told = taught::build(root, &order, [&bin, &toolchain.bin]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stdout));
    let made = std::fs::read_dir(root.join("dist")).unwrap().next().unwrap().unwrap();
    Wheel::open(&made.path()).unwrap()
}

#[test]
#[ignore = "needs files of others: cargo xtask fetch --target riscv64gc-unknown-linux-gnu -p numpy"]
fn the_wheel_is_of_the_target_whatever_python_runs_meson() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "source/meson.build", PROJECT);
    put(
        root,
        "source/pyproject.toml",
        "[project]\nname = 'pkg'\nversion = '1.0'\n[build-system]\nbuild-backend = 'mesonpy'\nrequires = ['meson-python']\n",
    );
    for (path, text) in [("__init__.py", ""), ("m.c", MODULE)] {
        put(root, &format!("source/{path}"), text);
    }
    put(root, "home/include/python3.13/Python.h", HEADER);
    let wheel = build(root);
    // The tag of the implementation is that of the Python that runs, which is of the target's version in a real build.
    assert!(wheel.file().ends_with("-cp313-linux_riscv64.whl"), "{}", wheel.file());
    assert_eq!(wheel.faults(), []);
    let module = &wheel.get("pkg/m.cpython-313-riscv64-linux-gnu.so").unwrap().bytes;
    // `e_machine` of the ELF header: EM_RISCV.
    assert_eq!(module[18..20], 243u16.to_le_bytes());
    let has = |text: &[u8]| module.windows(text.len()).any(|window| window == text);
    assert!(has(b"IEEE_QUAD_LE") && !has(root.as_os_str().as_encoded_bytes()));
    // Linked as every module is: without symbols for debuggers.
    assert!(!has(b".symtab"));
}
