//! Images from outside, on a workspace of one small component: what the user is told, that two folders give the same digests, and
//! that the clients of others read what was written.

// A panic is how a test fails; clippy's own setting covers only functions that carry `#[test]`.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ARM: &str = "aarch64-pc-windows-msvc";
const X64: &str = "x86_64-pc-windows-msvc";
const LINUX: &str = "x86_64-unknown-linux-gnu";

/// Announces a prefix like the kit: for Windows of files that only look like programs, for Linux of a program and a library that
/// the machine's own compiler makes.
const SCRIPT: &str = r##"
use std::{env, fs, path::Path, process::Command};
fn main() {
    println!("cargo::rerun-if-env-changed=WINDLASS_TARGET");
    let (Ok(target), Ok(out)) = (env::var("WINDLASS_TARGET"), env::var("OUT_DIR")) else { return };
    let prefix = Path::new(&out).join(&target);
    for folder in ["bin", "lib", "share/licenses/demo"] { fs::create_dir_all(prefix.join(folder)).unwrap(); }
    fs::write(prefix.join("share/licenses/demo/LICENSE"), "MIT").unwrap();
    if target.contains("windows") {
        fs::write(prefix.join("bin/demo.exe"), format!("MZ {target}")).unwrap();
    } else {
        let cc = |arguments: &[&str], source: &str, to: &str| {
            let file = Path::new(&out).join("demo.c");
            fs::write(&file, source).unwrap();
            let mut command = Command::new("cc");
            command.args(["-O1", "-Wl,-z,relro,-z,now", "-o"]).arg(prefix.join(to)).arg(&file).args(arguments);
            assert!(command.status().unwrap().success());
        };
        cc(&["-shared", "-fPIC", "-Wl,-soname,libdemo.so.1"], "int answer(void) { return 42; }", "lib/libdemo.so.1");
        let library = prefix.join("lib/libdemo.so.1");
        cc(
            &[library.to_str().unwrap(), "-Wl,-rpath,$ORIGIN/../lib"],
            "#include <stdio.h>\n#include <unistd.h>\nint answer(void);\nint main(void) { return printf(\"demo %d as %d\\n\", answer(), getuid()) < 0; }",
            "bin/demo",
        );
    }
    println!("cargo::rustc-env=KIT_PREFIX={}", prefix.display());
    println!("cargo::rustc-env=KIT_DIGEST={}", "ab".repeat(32));
}
"##;

struct Site {
    dir: tempfile::TempDir,
}

impl Site {
    /// A workspace with bundles for some targets.
    fn new(targets: &[&str]) -> Site {
        let site = Site {
            dir: tempfile::tempdir().unwrap(),
        };
        let declared = "version = '1.0'\nlicense = 'MIT'\nsource = { path = 'x' }\nships = { programs = ['demo'] }\n";
        let proof = "[[smoke]]\nprogram = 'demo'\nargs = []\nsentinel = 'demo 42 as 65532'\n";
        let package = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlinks = \"demo\"\n";
        for (path, text) in [
            (
                "Cargo.toml",
                "[workspace]\nresolver = \"3\"\nmembers = [\"components/demo\"]\n",
            ),
            ("components/demo/Cargo.toml", package),
            ("components/demo/build.rs", SCRIPT),
            ("components/demo/src/lib.rs", ""),
            ("components/demo/component.toml", declared),
            ("components/demo/proof.toml", proof),
        ] {
            site.put(path, text);
        }
        for image in ["linux.toml", "windows.toml"] {
            let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../images").join(image);
            site.put(&format!("images/{image}"), &fs::read_to_string(ours).unwrap());
        }
        for target in targets {
            done(&site.run(&["bundle", "-q", "--target", target]));
        }
        site
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("w")
    }

    fn output(&self) -> PathBuf {
        self.root().join("target/windlass")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(arguments)
            .env("WORKSPACE_ROOT", self.root())
            .env_remove("WINDLASS_TARGET")
            .env_remove("WINDLASS_PROVIDER")
            .env_remove("WINDLASS_VARIANTS")
            .env_remove("SOURCE_DATE_EPOCH")
            .env("CARGO_TARGET_DIR", self.dir.path().join("target"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Runs a client of somebody else's, which has to be there.
fn client(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}: apt-get install skopeo umoci podman crun"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_checkouts_give_the_same_digests_and_the_machine_is_told_them() {
    let digests: Vec<String> = (0..2)
        .map(|_| {
            let site = Site::new(&[ARM, X64]);
            let words = [
                "image",
                "-q",
                "--target",
                X64,
                "--target",
                ARM,
                "--message-format",
                "json",
            ];
            let told: serde_json::Value = serde_json::from_str(&done(&site.run(&words))).unwrap();
            assert_eq!(told["path"], site.output().join("image").display().to_string());
            assert_eq!(told["images"][0]["target"], ARM);
            assert_eq!(told["images"][0]["layers"][1]["name"], "demo 1.0");
            assert!(site.output().join("image/index.json").is_file());
            told["digest"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn what_is_missing_is_named_with_the_command_that_brings_it() {
    let site = Site::new(&[ARM]);
    let text = stderr(&site.run(&["image", "--target", X64]));
    let bundle = site
        .root()
        .canonicalize()
        .unwrap()
        .join("target/windlass")
        .join(X64)
        .join("bundle");
    assert_eq!(
        text,
        format!(
            "error: {}: there is no bundle\nhint: cargo xtask bundle --target {X64}\n",
            bundle.display()
        )
    );
    let text = stderr(&site.run(&["image", "--target", ARM, "--image", "windos"]));
    assert_eq!(
        text,
        "error: image `windos`: there is none\nhint: did you mean `windows`?\n"
    );
    let text = stderr(&site.run(&["image", "--target", ARM, "--target", ARM]));
    assert_eq!(text, format!("error: target `{ARM}`: is named twice\n"));
    let mut command = site.command(&["image", "--target", ARM, "--load"]);
    let text = stderr(&command.env("PATH", site.dir.path()).output().unwrap());
    assert_eq!(
        text,
        "error: --load: there is no podman, docker, nerdctl, ctr on PATH\nhint: apt-get install podman\n\
         hint: or without --load, and then: skopeo copy oci:FOLDER/image:TRIPLE DESTINATION\n"
    );
    let text = stderr(&site.run(&["gate", "--target", ARM, "--image"]));
    assert!(
        text.ends_with(&format!("hint: cargo xtask image --target {ARM}\n")),
        "{text}"
    );
}

#[test]
fn differences_between_bundles_are_told_and_written_down() {
    let site = Site::new(&[ARM, X64]);
    done(&site.run(&["parity", "-q"]));
    let bundle = site.output().join(X64).join("bundle");
    let manifest = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    fs::write(
        bundle.join("manifest.json"),
        manifest.replace("\"path\": \"bin/demo.exe\"", "\"path\": \"bin/other.exe\""),
    )
    .unwrap();
    fs::rename(bundle.join("bin/demo.exe"), bundle.join("bin/other.exe")).unwrap();
    let output = site.run(&["parity", "-q"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("error: the targets do not offer the same:\n"),
        "{text}"
    );
    assert!(
        text.contains(&format!("\n{X64}: lacks `demo` of `programs`, which {ARM} has\n"))
            && text.contains(&format!("\n{ARM}: lacks `other` of `programs`, which {X64} has\n")),
        "{text}"
    );
    let table = fs::read_to_string(site.output().join("parity.md")).unwrap();
    assert!(
        table.contains(&format!("| programs | demo | {X64} | {ARM} | UNDECLARED |\n")),
        "{table}"
    );
    let text = stderr(&site.run(&["parity", "--target", ARM]));
    assert!(
        text.starts_with("error: one bundle has nothing to be compared with\n"),
        "{text}"
    );
}

#[test]
#[ignore = "needs two clients of others: apt-get install skopeo umoci"]
fn clients_of_others_read_a_payload_for_windows() {
    let site = Site::new(&[ARM, X64]);
    for compression in ["gzip", "zstd"] {
        let words = [
            "image",
            "-q",
            "--target",
            ARM,
            "--target",
            X64,
            "--compression",
            compression,
        ];
        done(&site.run(&words));
        let image = site.output().join("image");
        let named = |name: &str| format!("oci:{}:{name}", image.display());
        let told = client(
            "skopeo",
            &[
                "--override-os",
                "windows",
                "--override-arch",
                "arm64",
                "inspect",
                &named(ARM),
            ],
        );
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(
            (&told["Os"], &told["Architecture"]),
            (&"windows".into(), &"arm64".into())
        );
        assert_eq!(told["Labels"]["windlass.target"], ARM);
        let index: serde_json::Value =
            serde_json::from_str(&client("skopeo", &["inspect", "--raw", &named("windlass")])).unwrap();
        assert_eq!(index["manifests"].as_array().unwrap().len(), 2);
        // A copy reads and hashes every blob; of the index with all images.
        let copy = format!("dir:{}", site.dir.path().join(compression).display());
        client("skopeo", &["copy", "--all", &named("windlass"), &copy]);
        if compression == "gzip" {
            let unpacked = site.dir.path().join("unpacked");
            let image = format!("{}:{ARM}", image.display());
            client(
                "umoci",
                &[
                    "raw",
                    "unpack",
                    "--rootless",
                    "--image",
                    &image,
                    unpacked.to_str().unwrap(),
                ],
            );
            let program = fs::read_to_string(unpacked.join("Files/windlass/bin/demo.exe")).unwrap();
            assert_eq!(program, format!("MZ {ARM}"));
        }
    }
}

#[test]
#[ignore = "needs root, the network and an engine: apt-get install podman crun skopeo umoci"]
fn an_image_for_linux_runs_without_a_shell_as_a_user_without_rights() {
    let site = Site::new(&[LINUX]);
    let storage = site.dir.path().join("storage.conf");
    let folder = site.dir.path().display();
    let text = format!("[storage]\ndriver = \"vfs\"\ngraphroot = \"{folder}/graph\"\nrunroot = \"{folder}/run\"\n");
    fs::write(&storage, text).unwrap();
    let engine = site.dir.path().join("containers.conf");
    fs::write(&engine, "[containers]\ndefault_ulimits = []\n").unwrap();
    let mut command = site.command(&["image", "-q", "--target", LINUX, "--load", "podman"]);
    done(&command.env("CONTAINERS_STORAGE_CONF", &storage).output().unwrap());
    let judged = site.run(&["gate", "--target", LINUX, "--image"]);
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
    let layout = format!("{}:{LINUX}", site.output().join(LINUX).join("image").display());
    let told = client("skopeo", &["inspect", "--config", &format!("oci:{layout}")]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["config"]["User"], "65532:65532");
    let unpacked = site.dir.path().join("unpacked");
    client(
        "umoci",
        &["unpack", "--rootless", "--image", &layout, unpacked.to_str().unwrap()],
    );
    for there in [
        "opt/windlass/bin/demo",
        "lib64/ld-linux-x86-64.so.2",
        "etc/ssl/certs/ca-certificates.crt",
    ] {
        assert!(unpacked.join("rootfs").join(there).is_file(), "{there}");
    }
    // Engines of a machine in a machine cannot set limits or groups of processes; nothing of that is the image's.
    let podman = |more: &[&str]| {
        let script = format!(
            "umount /sys/fs/cgroup/unified 2>/dev/null; exec podman --runtime crun --runtime-flag cgroup-manager=disabled run --rm \
             --network none --cgroups=disabled --ulimit host --read-only {}",
            more.join(" ")
        );
        let mut command = Command::new("unshare");
        command
            .args(["-m", "sh", "-c", &script])
            .env("CONTAINERS_STORAGE_CONF", &storage);
        command.env("CONTAINERS_CONF", &engine).output().unwrap()
    };
    let tag = format!("localhost/windlass:{LINUX}");
    assert_eq!(done(&podman(&[&tag])), "demo 42 as 65532");
    let shell = podman(&["--entrypoint", "/bin/sh", &tag, "-c", "id"]);
    assert!(!shell.status.success(), "there is a shell: {shell:?}");
}
