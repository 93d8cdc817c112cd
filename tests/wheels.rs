//! What somebody does with the Python packages of a bundle: install them in a virtual environment from the bundle alone, without a
//! network, and use them. A video that the bundle's ffmpeg makes is decoded by PyAV, and its frames are the same on every target.
//!
//! Published wheels run too: a slice of numpy's own tests, and models with onnxruntime and onnxruntime-genai.
//!
//! ```text
//! cargo xtask bundle --target TRIPLE --only ffmpeg,cpython --wheels av,numpy,onnxruntime-genai
//! cargo xtask fetch --pins tests/wheels/pins.toml
//! cargo test -p pipeline --test wheels -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "wheels/cv2.rs"]
mod cv2;
#[path = "wheels/models.rs"]
mod models;
#[path = "wheels/numpy.rs"]
mod numpy;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use pipeline::{bundle, done, root};
use store::{Pin, State};
use toolchains::{Os, RunOptions, Runner, Silent, Target};

/// How long one program may take; an emulated interpreter that installs is slow.
const TIMEOUT: Duration = Duration::from_secs(1200);

/// The SHA-256 of ten frames as PyAV gives them, on native Linux.
const FRAMES: &str = "10 f4d922632e14f7a8a66d9792580f228beb5cfade4c65b03f6739dcddad03e1dd";

/// A bundle, and what runs its programs.
struct Bench {
    bundle: PathBuf,
    runner: Runner,
    target: Target,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(triple: &str) -> Bench {
        let target = Target::load(triple).unwrap();
        Bench {
            bundle: bundle(triple).unwrap(),
            runner: Runner::ensure(&State::locate().unwrap(), &target, &Silent).unwrap(),
            target,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn python(&self) -> PathBuf {
        let python = self.bundle.join(match self.target.os {
            Os::Windows => "python/python.exe",
            Os::Linux => "python/bin/python3.13",
        });
        let triple = &self.target.triple;
        assert!(
            python.is_file(),
            "{}: is not there\nhint: cargo xtask bundle --target {triple} --only ffmpeg,cpython --wheels av,numpy",
            python.display()
        );
        python
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> String {
        done(&self.start(program, arguments, TIMEOUT))
    }

    fn start(&self, program: &Path, arguments: &[&str], timeout: Duration) -> Output {
        let libraries = match self.target.os {
            Os::Windows => vec![self.bundle.join("bin")],
            Os::Linux => Vec::new(),
        };
        let options = RunOptions {
            timeout: Some(timeout),
            path: if program.starts_with(&self.bundle) {
                libraries
            } else {
                Vec::new()
            },
            // Nobody's settings reach what installs.
            env: BTreeMap::from([("PIP_DISABLE_PIP_VERSION_CHECK".to_owned(), "1".to_owned())]),
            ..RunOptions::default()
        };
        let mut command = self.runner.command(program, arguments, &options).unwrap();
        command.output().unwrap()
    }

    /// Makes a virtual environment with the wheels in it, and gives its interpreter.
    fn environment(&self, wheels: &[&str]) -> PathBuf {
        self.environment_with(wheels, &[])
    }

    /// The same with wheels from the bundle and from further folders.
    fn environment_with(&self, wheels: &[&str], folders: &[&Path]) -> PathBuf {
        let environment = self.folder.path().join("environment");
        self.run(&self.python(), &["-m", "venv", environment.to_str().unwrap()]);
        let python = environment.join(match self.target.os {
            Os::Windows => "Scripts/python.exe",
            Os::Linux => "bin/python3.13",
        });
        let links = self.bundle.join("wheels");
        let mut arguments = vec![
            "-m",
            "pip",
            "install",
            "--no-index",
            "--find-links",
            links.to_str().unwrap(),
        ];
        for folder in folders {
            arguments.extend(["--find-links", folder.to_str().unwrap()]);
        }
        arguments.extend(wheels);
        self.run(&python, &arguments);
        python
    }

    fn video(&self) -> PathBuf {
        let video = self.folder.path().join("video.mkv");
        let program = self.bundle.join(match self.target.os {
            Os::Windows => "bin/ffmpeg.exe",
            Os::Linux => "bin/ffmpeg",
        });
        let source = "testsrc2=size=64x48:rate=10,format=yuv420p";
        let arguments = [
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            source,
            "-frames:v",
            "10",
            "-c:v",
            "ffv1",
            "-bitexact",
        ];
        self.run(&program, &[&arguments[..], &[video.to_str().unwrap()]].concat());
        video
    }

    /// Whether the bundle has numpy; for some targets nobody publishes it.
    fn has_numpy(&self) -> bool {
        let wheels = std::fs::read_dir(self.bundle.join("wheels")).unwrap().flatten();
        wheels
            .into_iter()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("numpy-"))
    }

    fn decode(&self, python: &Path) {
        let program = root().join("tests/wheels/decode.py");
        let told = self.run(python, &[program.to_str().unwrap(), self.video().to_str().unwrap()]);
        assert_eq!(told.lines().last().unwrap_or_default().trim(), FRAMES);
    }
}

fn install_and_decode(triple: &str) {
    let bench = Bench::new(triple);
    let wheels: &[&str] = if bench.has_numpy() { &["av", "numpy"] } else { &["av"] };
    let python = bench.environment(wheels);
    bench.decode(&python);
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy"]
fn x86_64_unknown_linux_gnu() {
    install_and_decode("x86_64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy"]
fn aarch64_unknown_linux_gnu() {
    install_and_decode("aarch64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy"]
fn riscv64gc_unknown_linux_gnu() {
    install_and_decode("riscv64gc-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy"]
fn x86_64_pc_windows_msvc() {
    install_and_decode("x86_64-pc-windows-msvc");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy"]
fn aarch64_pc_windows_msvc() {
    install_and_decode("aarch64-pc-windows-msvc");
}

/// What the tests need beside the bundle, by project.
fn pinned(wanted: impl Fn(&str) -> bool) -> Vec<Pin> {
    #[derive(serde::Deserialize)]
    struct Pins {
        pin: Vec<Pin>,
    }
    let pins: Pins = toml_edit::de::from_str(include_str!("wheels/pins.toml")).unwrap();
    let project = |pin: &Pin| pin.pypi.as_ref().is_some_and(|pypi| wanted(&pypi.project));
    pins.pin.into_iter().filter(project).collect()
}

/// The file of a pin, which has to be fetched before.
fn source(pin: &Pin) -> PathBuf {
    let file = State::locate().unwrap().need(pin);
    file.unwrap_or_else(|why| panic!("{why}\nhint: cargo xtask fetch --pins tests/wheels/pins.toml"))
}

/// Another installer takes everything from the store too.
#[test]
#[ignore = "needs a bundle with a Python, and: cargo xtask fetch --pins tests/wheels/pins.toml"]
fn uv_installs_from_the_store_of_a_bundle() {
    let bench = Bench::new("x86_64-unknown-linux-gnu");
    let pin = pinned(|project| project == "uv").remove(0);
    let tool = bench.folder.path().join("uv");
    store::archive::unpack(&source(&pin), &tool, &store::archive::Unpack::strip(0)).unwrap();
    let version = &pin.pypi.as_ref().unwrap().version;
    let uv = tool.join(format!("uv-{version}.data/scripts/uv"));
    let mut permissions = uv.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&uv, permissions).unwrap();
    let environment = bench.folder.path().join("environment");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&uv);
        command.args(arguments).env_clear().env("HOME", bench.folder.path());
        done(&command.env("UV_NO_CACHE", "1").env("UV_OFFLINE", "1").output().unwrap())
    };
    let (python, links) = (bench.python(), bench.bundle.join("wheels"));
    run(&[
        "venv",
        "--python",
        python.to_str().unwrap(),
        environment.to_str().unwrap(),
    ]);
    let own = environment.join("bin/python3.13");
    let (own, links) = (own.to_str().unwrap(), links.to_str().unwrap());
    run(&[
        "pip",
        "install",
        "--python",
        own,
        "--no-index",
        "--find-links",
        links,
        "av",
        "numpy",
    ]);
    bench.decode(Path::new(own));
}
