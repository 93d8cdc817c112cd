//! What is waited for every time: a bundle for which there is nothing to do, and the start of a program under each runner, for every
//! bundle that is there. `cargo bench -p pipeline --bench start` prints the figures and fails when a bundle with nothing to do takes
//! longer than it may.
#![allow(clippy::unwrap_used, reason = "a panic is how a benchmark fails")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gates::manifest::{Component, Manifest};
use pipeline::root;
use store::State;
use toolchains::{Os, RunOptions, Runner, Silent, Target};

/// How often each command is run; the middle one counts.
const REPEATS: usize = 9;

/// What a bundle with nothing to do may take, in seconds.
const IDLE_SECONDS_MAX: f64 = 2.0;

/// What is started, where a bundle has it: its name, the program on Windows and on Linux, its arguments.
const PROGRAMS: [(&str, &str, &str, &[&str]); 2] = [
    (
        "ffmpeg -version",
        "bin/ffmpeg.exe",
        "bin/ffmpeg",
        &["-hide_banner", "-version"],
    ),
    (
        "python -c pass",
        "python/python.exe",
        "python/bin/python3.13",
        &["-c", "pass"],
    ),
];

fn main() {
    let mut bundles = 0;
    for Target { triple, .. } in Target::all() {
        let bundle = root().join("target/windlass").join(&triple).join("bundle");
        if let Ok(text) = std::fs::read(bundle.join("manifest.json")) {
            bundles += 1;
            let idle = nothing_to_do(&triple, &serde_json::from_slice(&text).unwrap());
            println!("{triple}: a bundle with nothing to do: {idle:.2} s");
            assert!(idle < IDLE_SECONDS_MAX, "wanted less than {IDLE_SECONDS_MAX} s");
            start(&triple, &bundle);
        }
    }
    assert!(
        bundles > 0,
        "no bundle is there\nhint: cargo xtask bundle --target TRIPLE --only ffmpeg,cpython"
    );
}

/// The bundle that is there, asked for by what it holds.
fn nothing_to_do(triple: &str, manifest: &Manifest) -> f64 {
    let (wheels, components): (Vec<_>, Vec<_>) = manifest.components.iter().partition(|part| part.published);
    let names = |of: Vec<&Component>| of.iter().map(|part| part.name.clone()).collect::<Vec<_>>().join(",");
    let (wheels, components) = (names(wheels), names(components));
    middle(|| {
        let mut command = Command::new("cargo");
        command.args(["xtask", "--quiet", "bundle", "--target", triple, "--only", &components]);
        if !wheels.is_empty() {
            command.args(["--wheels", &wheels]);
        }
        command.current_dir(root());
        command
    })
}

fn start(triple: &str, bundle: &Path) {
    let target = Target::load(triple).unwrap();
    let runner = Runner::ensure(&State::locate().unwrap(), &target, &Silent).unwrap();
    for (name, windows, linux, arguments) in PROGRAMS {
        let program = bundle.join(match target.os {
            Os::Windows => windows,
            Os::Linux => linux,
        });
        if program.is_file() {
            let took = middle(|| runner.command(&program, arguments, &RunOptions::default()).unwrap());
            println!("{triple}: start of {name}: {took:.2} s");
        }
    }
}

/// The middle of several runs, in seconds; each must succeed.
fn middle(command: impl Fn() -> Command) -> f64 {
    let mut times: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let started = Instant::now();
            let output = command().stdin(Stdio::null()).output().unwrap();
            assert!(output.status.success(), "{}", pipeline::said(&output));
            started.elapsed()
        })
        .collect();
    times.sort();
    times[REPEATS / 2].as_secs_f64()
}
