//! What OpenCV computes on every target: one program, compiled against the bundle as its users would, prints results of most modules,
//! and they are held against those of native Linux. Integers and the bytes of encoded pictures are the same everywhere; what
//! floating-point arithmetic makes may differ in its last digits.
//!
//! ```text
//! cargo xtask bundle --target x86_64-unknown-linux-gnu --only opencv      # the control
//! cargo xtask bundle --target TRIPLE --only opencv
//! cargo test -p pipeline --test opencv -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::Command;

use pipeline::{Handed, bundle, done, root};
use toolchains::Os;

/// Where the numbers come from that the others are held against: nothing is emulated there.
const CONTROL: &str = "x86_64-unknown-linux-gnu";

/// How far numbers may be apart, as a part of the control's or of one, whichever is more.
const TOLERANCE: f64 = 1e-4;

/// The least number of lines: one for each result of the program.
const LINES: usize = 72;

/// What the program prints with a target's bundle.
fn computed(triple: &str) -> String {
    let bundle = bundle(triple).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (tests, here) = (root().join("tests"), folder.path());
    std::fs::copy(tests.join("opencv/program.cpp"), here.join("program.cpp")).unwrap();
    let model = here.join("model.onnx");
    let script = tests.join("wheels/model.py");
    let mut save = Command::new("python3");
    done(&save.arg(&script).arg("save").arg(&model).output().unwrap());
    let handed = Handed::of(triple).unwrap();
    let (program, compile) = match handed.target.os {
        // There upstream writes no module for pkg-config.
        Os::Windows => (
            "program.exe",
            format!(
                "clang-cl -MD -EHsc -std:c++17 -I'{bundle}/include/opencv5' program.cpp /link '{bundle}'/lib/opencv_*.lib",
                bundle = bundle.display()
            ),
        ),
        Os::Linux => (
            "program",
            format!(
                "clang++ -std=c++17 -o program program.cpp $('{}' --cflags --libs opencv5)",
                handed.pkgconf.display()
            ),
        ),
    };
    handed.shell(&bundle, here, &compile).unwrap();
    let arguments = [here, &model].map(|path| path.to_str().unwrap().to_owned());
    handed.run(&bundle, &here.join(program), &arguments).unwrap()
}

/// Whether two lines of the program say the same.
fn equal(seen: &str, wanted: &str) -> bool {
    let near = |seen: &str, wanted: &str| match (seen.parse::<f64>(), wanted.parse::<f64>()) {
        (Ok(seen), Ok(wanted)) => (seen - wanted).abs() <= TOLERANCE * wanted.abs().max(1.0),
        _ => seen == wanted,
    };
    match (seen.strip_prefix("~ "), wanted.strip_prefix("~ ")) {
        (Some(seen), Some(wanted)) => {
            let (seen, wanted): (Vec<&str>, Vec<&str>) = (seen.split(' ').collect(), wanted.split(' ').collect());
            seen.len() == wanted.len() && seen.iter().zip(wanted).all(|(seen, wanted)| near(seen, wanted))
        }
        _ => seen == wanted,
    }
}

fn compare(triple: &str) {
    let (wanted, seen) = (computed(CONTROL), computed(triple));
    assert!(wanted.lines().count() >= LINES, "the control printed\n{wanted}");
    assert_eq!(
        wanted.lines().count(),
        seen.lines().count(),
        "{triple}: printed\n{seen}"
    );
    let different: Vec<String> = seen
        .lines()
        .zip(wanted.lines())
        .filter(|(seen, wanted)| !equal(seen, wanted))
        .map(|(seen, wanted)| format!("found  {seen}\nwanted {wanted}"))
        .collect();
    assert!(different.is_empty(), "{triple}:\n{}", different.join("\n"));
}

#[test]
fn lines_are_held_against_each_other_by_their_kind() {
    assert!(equal("~ svd 8.0000001 3", "~ svd 8 3"));
    assert!(!equal("~ svd 8.01 3", "~ svd 8 3"));
    assert!(!equal("~ svd 8", "~ svd 8 3"));
    assert!(!equal("= gray 8.0000001", "= gray 8"));
    assert!(!equal("~ gray 8", "= gray 8"));
    assert!(!equal("~ svd nan", "~ svd 8"));
}

#[test]
#[ignore = "needs bundles with OpenCV: --only opencv"]
fn aarch64_pc_windows_msvc() {
    compare("aarch64-pc-windows-msvc");
}

#[test]
#[ignore = "needs bundles with OpenCV: --only opencv"]
fn x86_64_pc_windows_msvc() {
    compare("x86_64-pc-windows-msvc");
}

#[test]
#[ignore = "needs bundles with OpenCV: --only opencv"]
fn aarch64_unknown_linux_gnu() {
    compare("aarch64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs bundles with OpenCV: --only opencv"]
fn riscv64gc_unknown_linux_gnu() {
    compare("riscv64gc-unknown-linux-gnu");
}
