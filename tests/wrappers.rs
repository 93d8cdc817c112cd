//! What the compilers' wrappers promise build systems, for every target: of the options that a wrapper adds none is reported as unused,
//! and one that the caller adds in vain is. Meson learns by such reports which options a compiler has, and takes a report of the
//! wrapper's own for an answer. And the ways round the compiler's defects are needed, and work. It uses no network; the tools must have been fetched.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use store::State;
use toolchains::{DEFECTS, Provider, Silent, Target, Toolchain, Tools};

/// The drivers of each kind of target, and for each what makes an object and what links one.
const WINDOWS: [(&str, &[&str], &[&str]); 2] = [
    ("clang-cl", &["/c", "/Fox.obj", "x.c"], &["x.obj", "/Fex.exe"]),
    ("clang", &["-c", "-ox.obj", "x.c"], &["x.obj", "-ox.exe"]),
];
const LINUX: [(&str, &[&str], &[&str]); 2] = [
    ("clang", &["-c", "-ox.o", "x.c"], &["x.o", "-ox"]),
    ("clang++", &["-c", "-ox.o", "x.c"], &["x.o", "-ox"]),
];
/// Makes errors of unused options.
const STRICT: &str = "-Werror=unused-command-line-argument";

fn run(toolchain: &Toolchain, folder: &Path, driver: &str, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(toolchain.bin.join(driver));
    command.current_dir(folder).env("WINDLASS_WORK", folder);
    // As in a build: clang-cl looks for its linker there.
    let path = format!("{}:/usr/bin:/bin", toolchain.bin.display());
    command.env("PATH", path).arg(STRICT).args(arguments);
    command.output().with_context(|| format!("{command:?}: not started"))
}

fn check(toolchain: &Toolchain, driver: &str, compile: &[&str], link: &[&str]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("x.c"), "int main(void) { return 0; }\n")?;
    for arguments in [compile, link] {
        let output = run(toolchain, folder.path(), driver, arguments)?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "{driver} {arguments:?}: {}\n{said}",
            output.status
        );
    }
    // Only linking uses it.
    let in_vain = [&["-Xlinker", "-x"], compile].concat();
    let output = run(toolchain, folder.path(), driver, &in_vain)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        !output.status.success() && said.contains("unused"),
        "{driver} {in_vain:?}: {}, wanted a report of an unused option\n{said}",
        output.status
    );
    Ok(())
}

#[test]
fn no_option_of_a_wrappers_own_is_reported_as_unused() -> Result<()> {
    for target in Target::all() {
        let toolchain = Toolchain::ensure(&State::locate()?, &target, Provider::Open, 2, &Silent)?;
        let drivers = if target.triple.contains("windows") {
            WINDOWS
        } else {
            LINUX
        };
        for (driver, compile, link) in drivers {
            check(&toolchain, driver, compile, link).with_context(|| target.triple.clone())?;
        }
    }
    Ok(())
}

/// What the sources below share: an object whose destructor has to run when reading memory fails.
const GUARD: &str = "struct Guard { Guard(int); ~Guard(); };\nvoid f(int);\n";

/// Code that looks shorter to the compiler than it is.
fn piece(number: usize) -> String {
    format!("{{ Guard guard({number}); sum = *p; f({number}); sum += *p; }}")
}

/// A switch whose last case is just too far from its first for a table of bytes.
fn far_case() -> String {
    let cases = (0..21).map(|number| format!("case {number}: {} break;\n", piece(number)));
    let cases: String = cases.collect();
    format!("{GUARD}int pick(int kind, volatile int *p) {{ int sum = 0; switch (kind) {{\n{cases}}} return sum; }}\n")
}

/// A test of one bit whose branch leads just too far.
fn far_branch() -> String {
    let body: String = (0..800).map(|number| piece(number) + "\n").collect();
    format!(
        "{GUARD}int walk(int flags, volatile int *p) {{ int sum = 0;\nif (__builtin_expect(flags & 1, 1)) {{\n{body}}}\n\
         f(sum); return sum; }}\n"
    )
}

#[test]
fn the_ways_round_the_compilers_defects_are_needed_and_work() -> Result<()> {
    let state = State::locate()?;
    let zig = Tools::ensure(&state, &Silent)?.zig()?;
    let target = Target::load("aarch64-pc-windows-msvc")?;
    let wrapper = Toolchain::ensure(&state, &target, Provider::Open, 2, &Silent)?
        .bin
        .join("clang-cl");
    let folder = tempfile::tempdir()?;
    for (defect, source) in DEFECTS.iter().zip([far_case(), far_branch()]) {
        fs::write(folder.path().join("x.cpp"), source)?;
        let compile = |command: &mut Command| {
            command.current_dir(folder.path()).args(["/O2", "/EHa", "/c", "x.cpp"]);
            command.output().with_context(|| format!("{command:?}: not started"))
        };
        let bare = compile(Command::new(&zig).args(["clang", "--driver-mode=cl", "--target=aarch64-pc-windows-msvc"]))?;
        let said = String::from_utf8_lossy(&bare.stderr);
        ensure!(
            !bare.status.success() && said.contains(defect.message),
            "the compiler alone: {}, wanted `{}`: if the defect is gone, take {:?} from DEFECTS\n{said}",
            bare.status,
            defect.message,
            defect.options
        );
        let output = compile(&mut Command::new(&wrapper))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "{:?}: {}\n{said}",
            defect.options,
            output.status
        );
    }
    Ok(())
}
