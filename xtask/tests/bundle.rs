//! The driver from outside, on a workspace of one small component whose build script stands in for the kit: what is
//! asked of cargo, what the user is told, and that nothing is done twice.

// A panic is how a test fails; clippy's own setting covers only functions that carry `#[test]`.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const TRIPLE: &str = "aarch64-pc-windows-msvc";

/// Announces like the kit, counts its real builds, and fails when a file says so.
const SCRIPT: &str = r#"
use std::{env, fs, path::Path, process::exit};
fn main() {
    println!("cargo::rerun-if-env-changed=WINDLASS_TARGET");
    println!("cargo::rerun-if-changed=content.txt");
    let (Ok(target), Ok(state)) = (env::var("WINDLASS_TARGET"), env::var("WINDLASS_STATE")) else { return };
    let content = fs::read_to_string("content.txt").unwrap();
    let digest: String = content.trim().bytes().cycle().take(32).map(|b| format!("{b:02x}")).collect();
    let prefix = Path::new(&state).join("prefix").join(target).join("demo").join(&digest);
    if !prefix.is_dir() {
        println!("windlass: step make");
        for n in 0..30 { println!("CC\tsrc/f{n}.o"); }
        if content.contains("broken") {
            println!("src/f30.c:1:1: error: expected expression");
            println!("cargo::error=make failed: exit code 2");
            println!("cargo::error=hint: mend src/f30.c");
            exit(1);
        }
        fs::create_dir_all(prefix.join("bin")).unwrap();
        fs::write(prefix.join("bin/demo.exe"), &content).unwrap();
    }
    println!("cargo::rustc-env=KIT_PREFIX={}", prefix.display());
    println!("cargo::rustc-env=KIT_DIGEST={digest}");
}
"#;

struct Site {
    dir: tempfile::TempDir,
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let source = b"the source of demo";
        let declared = format!(
            "version = '1.0'\nlicense = 'MIT'\n[source]\nfile = 'demo-1.0.tar'\nsha256 = '{}'\ndebian = 'pool/main/d/demo/demo_1.0.tar'\n[ships]\nprograms = ['demo']\n",
            sha256(dir.path(), source)
        );
        let files: [(&str, &[u8]); 7] = [
            (
                "w/Cargo.toml",
                b"[workspace]\nresolver = \"3\"\nmembers = [\"components/demo\"]\n",
            ),
            (
                "w/components/demo/Cargo.toml",
                b"[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlinks = \"demo\"\n",
            ),
            ("w/components/demo/build.rs", SCRIPT.as_bytes()),
            ("w/components/demo/content.txt", b"MZ one"),
            ("w/components/demo/src/lib.rs", b""),
            ("w/components/demo/component.toml", declared.as_bytes()),
            ("mirror/pool/main/d/demo/demo_1.0.tar", source),
        ];
        for (path, content) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Site { dir }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(arguments)
            .env("WORKSPACE_ROOT", self.dir.path().join("w"))
            .env("WINDLASS_STATE", self.dir.path().join("state"))
            .env(
                "WINDLASS_DEBIAN_MIRROR",
                format!("file://{}", self.dir.path().join("mirror").display()),
            )
            .env_remove("WINDLASS_TARGET")
            .env_remove("WINDLASS_PROVIDER")
            .env("CARGO_TARGET_DIR", self.dir.path().join("target"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn bundle(&self) -> PathBuf {
        self.dir.path().join("w/target/windlass").join(TRIPLE).join("bundle")
    }

    fn content(&self, text: &str) {
        fs::write(self.dir.path().join("w/components/demo/content.txt"), text).unwrap();
    }
}

fn sha256(dir: &Path, content: &[u8]) -> String {
    let path = dir.join("hashed");
    fs::write(&path, content).unwrap();
    store::sha256_file(&path).unwrap().to_string()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_second_bundle_fetches_nothing_builds_nothing_and_takes_no_time() {
    let site = Site::new();
    let first = site.run(&["bundle", "--target", TRIPLE, "--only", "demo"]);
    assert!(first.status.success(), "{}", stderr(&first));
    assert!(stderr(&first).contains("Fetched demo-1.0.tar"), "{}", stderr(&first));
    assert_eq!(
        fs::read_to_string(site.bundle().join("bin/demo.exe")).unwrap(),
        "MZ one"
    );
    fs::remove_dir_all(site.dir.path().join("mirror")).unwrap();
    let started = Instant::now();
    let second = site.run(&["bundle", "--target", TRIPLE, "--offline", "--message-format", "json"]);
    assert!(second.status.success(), "{}", stderr(&second));
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "took {:?}",
        started.elapsed()
    );
    let told: serde_json::Value = serde_json::from_slice(&second.stdout).unwrap();
    assert_eq!((&told["reason"], &told["fresh"]), (&"bundled".into(), &true.into()));
    site.content("MZ two");
    let third = site.run(&["bundle", "--target", TRIPLE, "--offline"]);
    assert!(third.status.success(), "{}", stderr(&third));
    assert_eq!(
        fs::read_to_string(site.bundle().join("bin/demo.exe")).unwrap(),
        "MZ two"
    );
}

#[test]
fn a_bundle_elsewhere_leaves_the_usual_one_alone() {
    let site = Site::new();
    assert!(site.run(&["bundle", "--target", TRIPLE]).status.success());
    let usual = fs::read_to_string(site.bundle().join("manifest.json")).unwrap();
    site.content("MZ two");
    let out = site.dir.path().join("elsewhere");
    let output = site.run(&["bundle", "--target", TRIPLE, "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(out.join("bundle/bin/demo.exe")).unwrap(), "MZ two");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        out.join("bundle").display().to_string()
    );
    assert_eq!(fs::read_to_string(site.bundle().join("manifest.json")).unwrap(), usual);
    // What is started by name is the program of the bundle that was named.
    let bundle = out.join("nowhere");
    let words = [
        "run",
        "--target",
        TRIPLE,
        "--bundle",
        bundle.to_str().unwrap(),
        "--",
        "demo",
    ];
    assert_eq!(
        stderr(&site.run(&words)),
        format!(
            "error: demo: is no path, and {} holds no bundle\nhint: cargo xtask bundle --target {TRIPLE}\n",
            bundle.display()
        )
    );
}

#[test]
fn a_failed_build_tells_cause_last_lines_log_and_how_to_go_on() {
    let site = Site::new();
    let good = site.run(&["bundle", "--target", TRIPLE]);
    assert!(good.status.success(), "{}", stderr(&good));
    site.content("broken");
    let bad = site.run(&["bundle", "--target", TRIPLE, "-q"]);
    assert_eq!(bad.status.code(), Some(1));
    let text = stderr(&bad);
    assert!(text.starts_with("error: demo: make failed: exit code 2\n"), "{text}");
    assert!(
        text.contains("\n  src/f30.c:1:1: error: expected expression\n"),
        "{text}"
    );
    assert!(text.contains("hint: mend src/f30.c\n"), "{text}");
    assert!(
        text.ends_with(&format!("hint: cargo xtask build --target {TRIPLE} -p demo\n")),
        "{text}"
    );
    assert!(text.lines().count() < 40, "{text}");
    // The bundle of before is still whole.
    assert_eq!(
        fs::read_to_string(site.bundle().join("bin/demo.exe")).unwrap(),
        "MZ one"
    );
}

#[test]
fn two_bundles_at_once_do_not_disturb_each_other() {
    let site = Site::new();
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = site.command(&["bundle", "--target", TRIPLE, "-q"]);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        fs::read_to_string(site.bundle().join("bin/demo.exe")).unwrap(),
        "MZ one"
    );
}

#[test]
fn what_is_misspelt_is_named_with_its_neighbour() {
    let site = Site::new();
    let output = site.run(&["plan", "--target", "aarch64-windows-msvc"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "error: `aarch64-windows-msvc` is not a target\nhint: did you mean `aarch64-pc-windows-msvc`?\n"
    );
    let output = site.run(&["plan", "--target", TRIPLE, "--only", "dem"]);
    assert_eq!(
        stderr(&output),
        "error: component `dem`: there is none\nhint: did you mean `demo`?\n"
    );
    assert_eq!(site.run(&["bundle"]).status.code(), Some(2));
}

#[test]
fn a_cleaned_component_is_built_again() {
    let site = Site::new();
    assert!(site.run(&["bundle", "--target", TRIPLE]).status.success());
    let cleaned = site.run(&["clean", "-p", "demo"]);
    assert!(cleaned.status.success(), "{}", stderr(&cleaned));
    assert!(!site.dir.path().join("state/prefix").join(TRIPLE).join("demo").exists());
    site.content("MZ one ");
    assert!(site.run(&["bundle", "--target", TRIPLE, "--offline"]).status.success());
    assert!(site.bundle().join("bin/demo.exe").is_file());
}
