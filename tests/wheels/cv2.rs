//! OpenCV's module, in a virtual environment made from the bundle alone: what it computes with arrays of numpy is the same everywhere.

use pipeline::root;

use crate::Bench;

/// What `picture.py` prints on native Linux with upstream's own wheel of the same version.
const PRINTED: &str = "\
gray 240 320 bc57fbc1bf215290
blur 240 320 a34c761d6bfe9652
canny 240 320 1069512bed457f8d
area 90 160 3 5e6aaa945f608dfb
png 48881 98ce937f44fc25b8
from-png 240 320 3 32ce9e3e8a9d64ef
jpg 74541 105cb0b85ba35849
from-jpg 240 320 3 0fca12d9a8343d45
frame 240 320 3 32ce9e3e8a9d64ef
frame 240 320 3 7645066e106a7ffb
frame 240 320 3 397d91f00ef46215
frame 240 320 3 dda6876b7d9b0325
frame 240 320 3 d3a32f2de608a7c2
refused -215";

fn compute(triple: &str) {
    let bench = Bench::new(triple);
    let python = bench.environment(&["opencv-python-headless"]);
    let program = root().join("tests/wheels/picture.py");
    let told = bench.run(
        &python,
        &[program.to_str().unwrap(), bench.folder.path().to_str().unwrap()],
    );
    let lines: Vec<&str> = told.lines().map(str::trim_end).collect();
    assert_eq!(lines.join("\n"), PRINTED);
}

#[test]
#[ignore = "needs a bundle with a Python and OpenCV: --only ffmpeg,cpython,opencv --wheels numpy,opencv-python-headless"]
fn pictures_on_x86_64_linux() {
    compute("x86_64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python and OpenCV: --only ffmpeg,cpython,opencv --wheels numpy,opencv-python-headless"]
fn pictures_on_aarch64_linux() {
    compute("aarch64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python and OpenCV: --only ffmpeg,cpython,opencv --wheels numpy,opencv-python-headless"]
fn pictures_on_riscv64_linux() {
    compute("riscv64gc-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python and OpenCV: --only ffmpeg,cpython,opencv --wheels numpy,opencv-python-headless"]
fn pictures_on_x86_64_windows() {
    compute("x86_64-pc-windows-msvc");
}

#[test]
#[ignore = "needs a bundle with a Python and OpenCV: --only ffmpeg,cpython,opencv --wheels numpy,opencv-python-headless"]
fn pictures_on_aarch64_windows() {
    compute("aarch64-pc-windows-msvc");
}
