//! What may happen to a build: it is killed, started twice, started for nothing, and starved of tools and of space. Nothing is
//! lost, and every failure is one error that says what was found, what was wanted and what to do.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pipeline::{Checkout, TARGETS, said};

/// The control lane: what happens to a build does not depend on the machine it builds for.
const TARGET: &str = TARGETS[0];

/// The target for which the largest component is put to the test.
const FLAGSHIP: &str = TARGETS[1];

/// How often the build is killed.
const KILLS: u32 = 20;

/// About what ffmpeg takes on two cores.
const FFMPEG_TAKES: Duration = Duration::from_secs(180);

#[test]
fn a_killed_build_goes_on_to_the_same_tree() {
    let checkout = Checkout::new(TARGET);
    checkout.built("hello-cmake");
    let whole = checkout.listing("hello-cmake");
    checkout.forget("hello-cmake");
    let started = Instant::now();
    checkout.built("hello-cmake");
    let takes = started.elapsed();
    let mut killed = 0;
    for moment in 0..KILLS {
        checkout.forget("hello-cmake");
        killed += u32::from(killed_after(&checkout, "hello-cmake", takes * moment / KILLS));
        checkout.built("hello-cmake");
        assert_eq!(
            checkout.listing("hello-cmake"),
            whole,
            "killed after {moment}/{KILLS} of {takes:?}"
        );
    }
    assert!(
        killed > KILLS / 2,
        "only {killed} of {KILLS} builds were still running when they were killed"
    );
}

#[test]
#[ignore = "takes half an hour: cargo test -p pipeline --test endurance -- --ignored"]
fn ffmpeg_killed_at_twenty_random_moments_is_what_it_is_undisturbed() {
    let checkout = Checkout::new(FLAGSHIP);
    // The user's own prefix, which nobody disturbed.
    checkout.built("ffmpeg");
    let whole = checkout.listing("ffmpeg");
    checkout.forget("ffmpeg");
    let mut seed = u64::from(std::process::id()) | 1;
    println!("seed {seed}");
    let mut killed = 0;
    for _ in 0..KILLS {
        // xorshift64; squared, because most of what can go wrong is in the many short steps at the beginning.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let part = (seed % 1000) as f64 / 1000.0;
        let after = FFMPEG_TAKES.mul_f64(part * part);
        let running = killed_after(&checkout, "ffmpeg", after);
        println!("killed after {:.1} s: {running}", after.as_secs_f64());
        killed += u32::from(running);
        // Killed or not: what looks finished is.
        if !checkout.prefixes("ffmpeg").is_empty() {
            assert_eq!(checkout.listing("ffmpeg"), whole);
            checkout.forget("ffmpeg");
        }
    }
    assert!(killed > KILLS / 2, "only {killed} of {KILLS} builds were killed");
    checkout.built("ffmpeg");
    assert_eq!(checkout.listing("ffmpeg"), whole);
}

#[test]
fn nothing_is_built_again_for_a_touch_and_exactly_the_dependents_for_a_comment() {
    let checkout = Checkout::new(TARGET);
    let all = ["hello-make", "hello-cmake", "hello-meson"];
    all.iter().for_each(|name| checkout.built(name));
    let counts = |checkout: &Checkout| all.map(|name| checkout.prefixes(name).len());
    assert_eq!(counts(&checkout), [1, 1, 1]);
    touch_everything(&checkout.path().join("tests/upstreams"));
    all.iter().for_each(|name| checkout.built(name));
    assert_eq!(counts(&checkout), [1, 1, 1]);
    let patch = checkout
        .path()
        .join("tests/upstreams/hello-make/patches/0001-end-the-line-after-the-plug-in.patch");
    let text = fs::read_to_string(&patch).unwrap();
    fs::write(&patch, text.replace("waits for ever", "waits for a long time")).unwrap();
    all.iter().for_each(|name| checkout.built(name));
    // hello-meson needs hello-make; hello-cmake does not.
    assert_eq!(counts(&checkout), [2, 1, 2]);
}

#[test]
fn two_at_once_build_once() {
    let checkout = Checkout::new(TARGET);
    let script = build_script(&checkout, "hello-make");
    checkout.forget("hello-make");
    let start = || {
        let mut command = Command::new(&script);
        command
            .env("CARGO_MANIFEST_DIR", checkout.path().join("tests/upstreams/hello-make"))
            .env("OUT_DIR", checkout.state())
            .env("WINDLASS_STATE", checkout.state())
            .env("WINDLASS_TARGET", TARGET)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let outputs: Vec<Output> = [start(), start()]
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .collect();
    let built = |output: &Output| String::from_utf8_lossy(&output.stdout).contains("windlass: step source");
    assert!(
        outputs.iter().all(|output| output.status.success()),
        "{}",
        outputs.iter().map(said).collect::<String>()
    );
    assert_eq!(outputs.iter().filter(|output| built(output)).count(), 1);
    assert_eq!(checkout.prefixes("hello-make").len(), 1);
}

#[test]
fn a_constant_that_no_header_defines_stops_the_build() {
    let checkout = Checkout::new(TARGET);
    let declaration = checkout.path().join("tests/upstreams/hello-make/component.toml");
    let text = fs::read_to_string(&declaration).unwrap();
    fs::write(&declaration, text.replace("GREET_ABI", "GREET_COLOUR")).unwrap();
    let output = checkout.build("hello-make");
    let said = said(&output);
    assert!(!output.status.success(), "{said}");
    let wanted = "hello-make: check failed: [facts] names what the installed headers do not define: GREET_COLOUR";
    assert!(said.contains(wanted), "{said}");
}

#[test]
fn a_missing_make_is_one_error_with_the_command_that_brings_it() {
    let checkout = Checkout::new(TARGET);
    checkout.built("hello-make");
    checkout.forget("hello-make");
    let output = in_namespace(&checkout, "mount --bind /dev/null /usr/bin/make");
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    assert!(
        text.contains("hello-make: make: not found in /usr/bin or /bin"),
        "{text}"
    );
    assert!(text.contains("hint: apt-get install make"), "{text}");
}

#[test]
fn a_full_disk_is_one_error_and_nothing_that_looks_finished() {
    let checkout = Checkout::new(TARGET);
    checkout.built("hello-make");
    checkout.forget("hello-make");
    let small = checkout.state().join("work");
    fs::create_dir_all(&small).unwrap();
    let output = in_namespace(
        &checkout,
        &format!("mount -t tmpfs -o size=16k tmpfs '{}'", small.display()),
    );
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("No space left on device"), "{text}");
    assert!(text.contains("hint: free space in"), "{text}");
    assert_eq!(checkout.prefixes("hello-make"), Vec::<PathBuf>::new());
    checkout.built("hello-make");
}

#[test]
fn nothing_happens_when_nobody_asked() {
    let checkout = Checkout::new(TARGET);
    let mut cargo = checkout.cargo(&["check", "-p", "hello-make", "-p", "hello-cmake", "-p", "hello-meson"]);
    let output = cargo.env_remove("WINDLASS_TARGET").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    for name in ["hello-make", "hello-cmake", "hello-meson"] {
        assert_eq!(checkout.prefixes(name), Vec::<PathBuf>::new());
    }
}

/// Starts to build a component and kills everything that belongs to it after a while: whether it was still running then.
fn killed_after(checkout: &Checkout, name: &str, after: Duration) -> bool {
    let mut cargo = checkout.cargo(&["build", "-p", name]);
    let mut child = cargo
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let group = format!("-{}", child.id());
    let signalled = Command::new("kill").args(["-KILL", "--", &group]).status().unwrap();
    let status = child.wait().unwrap();
    signalled.success() && !status.success()
}

/// Builds hello-make in a mount namespace of its own, after a change of it that would need root outside.
fn in_namespace(checkout: &Checkout, change: &str) -> Output {
    let cargo = checkout.cargo(&["build", "-p", "hello-make"]);
    let words = [&["--mount"][..], &["--map-root-user", "--mount"]];
    let allowed = |words: &&[&str]| {
        Command::new("unshare")
            .args(*words)
            .arg("true")
            .status()
            .is_ok_and(|s| s.success())
    };
    let words = words
        .into_iter()
        .find(allowed)
        .expect("this machine allows no mount namespace, so this cannot be tested here");
    let mut command = Command::new("unshare");
    command
        .args(words)
        .args([
            "sh",
            "-c",
            &format!("{change} && exec cargo build --offline -p hello-make"),
        ])
        .current_dir(checkout.path());
    for (name, value) in cargo.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.output().unwrap()
}

/// The newest build script of a component.
fn build_script(checkout: &Checkout, name: &str) -> PathBuf {
    let mut cargo = checkout.cargo(&["build", "-p", name, "--message-format=json"]);
    let output = cargo.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text
        .split('"')
        .find(|word| word.contains(&format!("/build/{name}-")) && word.ends_with("/build-script-build"));
    PathBuf::from(found.expect("cargo names the script that it ran"))
}

fn touch_everything(folder: &std::path::Path) {
    let now = std::time::SystemTime::now() + Duration::from_secs(1);
    for entry in store::tree::list(folder).unwrap() {
        if entry.kind != store::tree::Kind::Folder {
            fs::File::options()
                .append(true)
                .open(folder.join(&entry.path))
                .unwrap()
                .set_modified(now)
                .unwrap();
        }
    }
}
