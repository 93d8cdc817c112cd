//! The complex functions of C99 under the runners of the Windows targets, compared with this machine's C library for a table of numbers:
//! quiet and signed zeros, infinities, branch cuts, what overflows. Wine has none of them; the runner adds them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pipeline::{done, finish, root};
use store::State;
use toolchains::{Provider, RunOptions, Runner, Silent, Target, Toolchain};

/// How far two results may be apart, in units of the last place of the larger part of the native one.
const ULPS: f64 = 4.0;
/// The same for a power: what the logarithm loses grows with the exponent, here and in the C library.
const ULPS_OF_POWER: f64 = 32.0;

/// The table as native code gives it.
fn native(folder: &Path) -> String {
    let program = folder.join("table");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-ffp-contract=off", "-w", "-D_GNU_SOURCE"])
        .arg(source());
    finish(compiler.arg("-o").arg(&program).arg("-lm")).unwrap();
    done(&Command::new(program).output().unwrap())
}

/// The table as the runner of a target gives it.
fn foreign(folder: &Path, triple: &str) -> String {
    let (state, target) = (State::locate().unwrap(), Target::load(triple).unwrap());
    let toolchain = Toolchain::ensure(&state, &target, Provider::Open, 2, &Silent).unwrap();
    let runner = Runner::ensure(&state, &target, &Silent).unwrap();
    let mut compiler = Command::new(toolchain.bin.join("clang-cl"));
    // The compiler has its own idea of what `cexp` takes.
    compiler.args([
        "/nologo",
        "/c",
        "/O2",
        "/MD",
        "/w",
        "-fno-builtin",
        "/Fotable.obj",
        "--",
    ]);
    finish(compiler.arg(source()).current_dir(folder)).unwrap();
    let mut linker = Command::new(toolchain.bin.join("lld-link"));
    finish(linker.args(["/nologo", "table.obj"]).current_dir(folder)).unwrap();
    let options = RunOptions {
        timeout: Some(Duration::from_secs(300)),
        ..RunOptions::default()
    };
    let mut command = runner
        .command::<&str>(&folder.join("table.exe"), &[], &options)
        .unwrap();
    done(&command.stdin(Stdio::null()).output().unwrap()).replace('\r', "")
}

fn source() -> std::path::PathBuf {
    root().join("tests/complex/table.c")
}

fn number(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).unwrap())
}

/// Whether two results are one for whoever computes with them. The standard leaves the sign open beside a part that is no number, and
/// that of a zero which turns without end.
fn same(name: &str, given: [f64; 2], seen: [f64; 2], wanted: [f64; 2]) -> bool {
    let single = name.ends_with('f') || name.starts_with("_FC");
    let angle = if single { f64::from(given[1] as f32) } else { given[1] };
    let ulps = if name.starts_with("cpow") { ULPS_OF_POWER } else { ULPS };
    let epsilon = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let least = if single {
        f64::from(f32::MIN_POSITIVE)
    } else {
        f64::MIN_POSITIVE
    };
    let size = wanted
        .into_iter()
        .filter(|part| part.is_finite())
        .fold(least, |size, part| size.max(part.abs()));
    let turning = name.starts_with("cexp") && !angle.is_finite() && wanted == [0.0; 2];
    let open = turning || wanted.iter().any(|part| part.is_nan());
    seen.into_iter().zip(wanted).all(|(seen, wanted)| {
        let (seen, wanted) = if open {
            (seen.abs(), wanted.abs())
        } else {
            (seen, wanted)
        };
        if wanted.is_nan() || wanted.is_infinite() || wanted == 0.0 && seen == 0.0 {
            return seen.is_nan() && wanted.is_nan()
                || seen == wanted && seen.is_sign_negative() == wanted.is_sign_negative();
        }
        (seen - wanted).abs() <= ulps * epsilon * size
    })
}

fn compare(triple: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (wanted, seen) = (native(folder.path()), foreign(folder.path(), triple));
    assert_eq!(seen.lines().count(), wanted.lines().count());
    assert!(seen.ends_with("all of 1444 numbers\n") && wanted.ends_with("all of 1444 numbers\n"));
    let mut wrong = Vec::new();
    for (seen, wanted) in seen
        .lines()
        .zip(wanted.lines())
        .filter(|(seen, _)| !seen.starts_with("all"))
    {
        let [seen, wanted] = [seen, wanted].map(|line| line.split(' ').collect::<Vec<_>>());
        assert_eq!(seen[..3], wanted[..3]);
        let [given, got, due] =
            [&wanted[3..5], &seen[5..7], &wanted[5..7]].map(|pair| [number(pair[0]), number(pair[1])]);
        if !same(seen[0], given, got, due) {
            wrong.push(format!("{} of {given:?}: found {got:?}, wanted {due:?}", seen[0]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong\n{}",
        wrong.len(),
        wrong[..wrong.len().min(25)].join("\n")
    );
}

#[test]
fn x86_64_computes_what_the_c_library_does() {
    compare("x86_64-pc-windows-msvc");
}

#[test]
fn aarch64_computes_what_the_c_library_does() {
    compare("aarch64-pc-windows-msvc");
}
