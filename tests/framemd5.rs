//! Conversions by ffmpeg on each target against a native build of the same source: the checksums of every packet that was
//! encoded and of every frame that comes back must be equal. Needs the bundles; without them it fails and says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pipeline::{finish, root};
use serde::Deserialize;
use store::archive::{Unpack, unpack};
use store::{State, tree};
use toolchains::{Os, RunOptions, Runner, Silent, Target};

/// `framemd5/cases.toml`; its head comment explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    configure: Vec<String>,
    flags: Vec<String>,
    scale: Vec<String>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    input: String,
    filter: Option<String>,
    encode: Vec<String>,
    #[serde(default)]
    decode: Vec<String>,
    suffix: String,
}

/// One way to start ffmpeg.
enum Ffmpeg {
    Native(PathBuf),
    Emulated { runner: Box<Runner>, program: PathBuf },
}

/// Every case's checksums, by the case's name.
type Sums = BTreeMap<String, String>;

#[test]
fn conversions_are_the_same_on_arm64_windows() -> Result<()> {
    same_as_native("aarch64-pc-windows-msvc")
}

#[test]
fn conversions_are_the_same_on_x64_windows() -> Result<()> {
    same_as_native("x86_64-pc-windows-msvc")
}

#[test]
fn conversions_are_the_same_on_riscv64_linux() -> Result<()> {
    same_as_native("riscv64gc-unknown-linux-gnu")
}

#[test]
#[ignore = "needs a bundle: cargo xtask bundle --target aarch64-unknown-linux-gnu --only ffmpeg"]
fn conversions_are_the_same_on_arm64_linux() -> Result<()> {
    same_as_native("aarch64-unknown-linux-gnu")
}

#[test]
#[ignore = "needs a bundle: cargo xtask bundle --target x86_64-unknown-linux-gnu --only ffmpeg"]
fn conversions_are_the_same_on_x64_linux() -> Result<()> {
    same_as_native("x86_64-unknown-linux-gnu")
}

fn same_as_native(target: &str) -> Result<()> {
    // The native build is made once, whichever test comes first.
    static NATIVE: Mutex<Option<Sums>> = Mutex::new(None);
    let cases = cases()?;
    let mut native_sums = NATIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = match native_sums.take() {
        Some(sums) => sums,
        None => run_all(&cases, &native(&cases)?)?,
    };
    let wanted = native_sums.insert(wanted).clone();
    drop(native_sums);
    let found = run_all(&cases, &emulated(target)?)?;
    let mut wrong = Vec::new();
    for (name, sums) in &wanted {
        if found.get(name) != Some(sums) {
            let (left, right) = (
                sums.lines(),
                found.get(name).map(|text| text.lines()).into_iter().flatten(),
            );
            let first = left.zip(right).find(|(left, right)| left != right);
            wrong.push(format!("{name}: first difference {first:?}"));
        }
    }
    println!("{target}: {} conversions", wanted.len());
    ensure!(wanted.len() >= 10, "only {} conversions", wanted.len());
    ensure!(
        wrong.is_empty(),
        "{target}: differs from the native build:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

fn cases() -> Result<Cases> {
    toml_edit::de::from_str(include_str!("framemd5/cases.toml")).context("cases.toml")
}

fn run_all(cases: &Cases, ffmpeg: &Ffmpeg) -> Result<Sums> {
    cases
        .case
        .iter()
        .map(|case| Ok((case.name.clone(), checksums(cases, case, ffmpeg)?)))
        .collect()
}

/// Encodes, then decodes what was encoded: checksums of the packets and of the frames.
fn checksums(cases: &Cases, case: &Case, ffmpeg: &Ffmpeg) -> Result<String> {
    let work = tempfile::tempdir()?;
    let file = format!("encoded.{}", case.suffix);
    let mut encode = words(&["-f", "lavfi", "-i", &case.input]);
    if let Some(filter) = &case.filter {
        encode.extend(words(&["-vf", filter]));
    }
    encode.extend(
        [&case.encode, &cases.flags, &cases.scale]
            .into_iter()
            .flatten()
            .cloned(),
    );
    encode.push(file.clone());
    ffmpeg
        .run(&encode, work.path())
        .with_context(|| format!("{}: cannot be encoded", case.name))?;
    let mut sums = String::new();
    for copy in [true, false] {
        let mut decode = cases.flags.clone();
        if !copy {
            decode.extend(case.decode.iter().cloned().chain(words(&["-idct", "simple"])));
        }
        decode.extend(words(&["-i", &file]));
        if copy {
            decode.extend(words(&["-c", "copy"]));
        }
        decode.extend(cases.flags.iter().cloned().chain(words(&["-f", "framemd5", "-"])));
        let output = ffmpeg
            .run(&decode, work.path())
            .with_context(|| format!("{}: cannot be decoded", case.name))?;
        let lines: Vec<&str> = output
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::trim_end)
            .collect();
        ensure!(!lines.is_empty(), "{}: no frame came back", case.name);
        sums += &format!("{}\n", lines.join("\n"));
    }
    Ok(sums)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Ffmpeg {
    fn run(&self, arguments: &[String], folder: &Path) -> Result<String> {
        let arguments = [
            words(&["-hide_banner", "-nostdin", "-v", "error", "-y"]),
            arguments.to_vec(),
        ]
        .concat();
        let mut command = match self {
            Ffmpeg::Native(program) => {
                let mut command = Command::new(program);
                command.args(&arguments);
                command
            }
            Ffmpeg::Emulated { runner, program } => {
                let options = RunOptions {
                    timeout: Some(Duration::from_secs(120)),
                    ..RunOptions::default()
                };
                runner.command(program, &arguments, &options)?
            }
        };
        let output = command
            .current_dir(folder)
            .output()
            .context("ffmpeg cannot be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "ffmpeg: {}: {}\n{said}",
            output.status,
            arguments.join(" ")
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn emulated(triple: &str) -> Result<Ffmpeg> {
    let target = Target::load(triple)?;
    let program = match target.os {
        Os::Windows => "bin/ffmpeg.exe",
        Os::Linux => "bin/ffmpeg",
    };
    let program = pipeline::bundle(triple)?.join(program);
    let runner = Runner::ensure(&State::locate()?, &target, &Silent)?;
    Ok(Ffmpeg::Emulated {
        runner: Box::new(runner),
        program,
    })
}

/// The native ffmpeg, built once for each source and list of options.
fn native(cases: &Cases) -> Result<Ffmpeg> {
    let state = State::locate()?;
    let component = kit::Component::load(&root().join("components/ffmpeg"))?;
    let pin = component.all_pins().next().context("ffmpeg has no source to fetch")?;
    let mut digest = store::DigestWriter::new("native-ffmpeg");
    digest
        .field("source", &pin.sha256)
        .field("configure", cases.configure.join("\n"));
    let folder = state.work("native", "ffmpeg", &digest.finish());
    let program = folder.join("ffmpeg");
    if !folder.join("built").exists() {
        tree::remove(&folder)?;
        unpack(&state.need(pin)?, &folder, &Unpack::strip(1))?;
        let mut configure = Command::new("./configure");
        configure
            .args([
                "--disable-everything",
                "--disable-autodetect",
                "--disable-asm",
                "--disable-doc",
                "--disable-debug",
            ])
            .args(["--disable-ffprobe", "--disable-network", "--cc=cc"])
            .args(&cases.configure);
        finish(configure.current_dir(&folder))?;
        finish(Command::new("make").arg("-j2").arg("ffmpeg").current_dir(&folder))?;
        std::fs::write(folder.join("built"), "")?;
    }
    Ok(Ffmpeg::Native(program))
}
