//! What the tests of backends that compile with the target's own compilers share: the wheels and tools that a build finds, and the call of
//! the driver's program. What a backend is told, and what must come of it, is the tests' own.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use store::archive::{Unpack, unpack};
use store::{Pin, State};
use toolchains::{Provider, Silent, Target, Toolchain};

/// The target; none of the machines that build is one.
pub const TRIPLE: &str = "riscv64gc-unknown-linux-gnu";

/// As much of Python's header as the tests' modules want.
pub const HEADER: &str = "#define PyMODINIT_FUNC __attribute__((visibility(\"default\"))) void *\n";

/// Writes a file below `root`.
pub fn put(root: &Path, path: &str, text: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// The target's compilers.
pub fn compilers(state: &State, target: &Target) -> Toolchain {
    let fetched = |why| panic!("{why}\nhint: cargo xtask fetch --target {TRIPLE} -p numpy");
    Toolchain::ensure(state, target, Provider::Open, 1, &Silent).unwrap_or_else(fetched)
}

/// Unpacks what an upstream is built with. `hint` is the command that fetches it.
pub fn requirements<'a>(root: &Path, state: &State, pins: impl IntoIterator<Item = &'a Pin>, hint: &str) -> PathBuf {
    let folder = root.join("requirements");
    for pin in pins {
        let wheel = state
            .need(pin)
            .unwrap_or_else(|why| panic!("{why}\nhint: cargo xtask fetch {hint}"));
        unpack(&wheel, &folder, &Unpack::strip(0)).unwrap();
    }
    folder
}

/// Puts programs under their names into a folder, and gives that.
pub fn programs(root: &Path, programs: [(&str, PathBuf); 2]) -> PathBuf {
    let bin = root.join("bin");
    for (name, program) in programs {
        let script = put(&bin, name, &format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display()));
        std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

/// The folder with the driver's Python code.
pub fn driver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python")
}

/// The interpreter of this machine.
pub fn here() -> PathBuf {
    let said = duct::cmd!("python3", "-c", "import sys; print(sys.executable)").read();
    said.unwrap().into()
}

/// Has the driver's program do what `order` says, with programs from `folders` and from the machine.
pub fn build(root: &Path, order: &Value, folders: [&Path; 2]) -> Output {
    let [first, second] = folders.map(Path::display);
    duct::cmd!(
        here(),
        "-s",
        driver().join("build_wheel.py"),
        put(root, "order.json", &order.to_string())
    )
    .env("PATH", format!("{first}:{second}:/usr/bin:/bin"))
    .env("PYTHONDONTWRITEBYTECODE", "1")
    .env("SOURCE_DATE_EPOCH", "1577836800")
    .env("PKG_CONFIG_LIBDIR", "/nonexistent")
    .stderr_to_stdout()
    .stdout_capture()
    .unchecked()
    .run()
    .unwrap()
}
