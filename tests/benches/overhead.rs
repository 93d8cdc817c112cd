//! What Windlass costs beside what a user would do by hand, measured in one run: ffmpeg through the kit against the same
//! configure and make typed into a shell. `cargo bench -p pipeline --bench overhead` prints the figures and fails when the kit costs more than it may.
#![allow(clippy::unwrap_used, reason = "a panic is how a benchmark fails")]

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pipeline::{Checkout, TARGETS, root};
use store::archive::{Unpack, unpack};
use store::{State, tree};

/// What the kit may cost on top of the upstream's own commands.
const OVERHEAD_MAX: f64 = 0.05;

fn main() {
    let (kit, plain) = build();
    let overhead = kit.as_secs_f64() / plain.as_secs_f64() - 1.0;
    println!(
        "{}: ffmpeg through the kit {:.1} s, by hand {:.1} s: {:+.1} %",
        TARGETS[0],
        kit.as_secs_f64(),
        plain.as_secs_f64(),
        overhead * 100.0
    );
    assert!(
        overhead <= OVERHEAD_MAX,
        "wanted at most {:+.1} %",
        OVERHEAD_MAX * 100.0
    );
}

/// Builds ffmpeg once through the kit, and once more with the very commands that the log of that build holds.
fn build() -> (Duration, Duration) {
    let checkout = Checkout::new(TARGETS[0]);
    // Compiles the recipe, which is no part of either side.
    checkout.built("ffmpeg");
    checkout.forget("ffmpeg");
    let started = Instant::now();
    let mut cargo = checkout.cargo(&["build", "-p", "ffmpeg"]);
    let output = cargo.env("WINDLASS_KEEP", "1").output().unwrap();
    let through_kit = started.elapsed();
    assert!(output.status.success(), "{}", pipeline::said(&output));
    let log = fs::read_to_string(State::at(&checkout.state()).log(TARGETS[0], "ffmpeg")).unwrap();
    let steps = steps(&log);
    let work = steps[0].0.parent().unwrap().to_owned();
    let started = Instant::now();
    for part in ["source", "build", "stage"] {
        tree::remove(&work.join(part)).unwrap();
    }
    let component = kit::Component::load(&root().join("components/ffmpeg")).unwrap();
    let pin = component.all_pins().next().unwrap();
    let source = State::locate().unwrap().need(pin).unwrap();
    unpack(&source, &work.join("source"), &Unpack::strip(1)).unwrap();
    let makedef = "compat/windows/makedef";
    fs::copy(
        root().join("components/ffmpeg/files/makedef"),
        work.join("source").join(makedef),
    )
    .unwrap();
    let output = File::create(work.join("by-hand.log")).unwrap();
    for (folder, line) in &steps {
        tree::create_dir(folder).unwrap();
        let status = Command::new(work.join("enter"))
            .args(["sh", "-c", line])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output.try_clone().unwrap())
            .status()
            .unwrap();
        assert!(status.success(), "{line}: {status}");
    }
    (through_kit, started.elapsed())
}

/// The commands of a build and the folder of each, as its log has them.
fn steps(log: &str) -> Vec<(PathBuf, String)> {
    let mut folder = PathBuf::new();
    let mut steps = Vec::new();
    for line in log.lines() {
        if let Some(path) = line.strip_prefix("windlass: in ") {
            folder = PathBuf::from(path);
        } else if let Some(command) = line.strip_prefix("+ ") {
            steps.push((folder.clone(), command.to_owned()));
        }
    }
    assert!(steps.len() >= 3, "wanted configure, make and install in the log");
    steps
}
