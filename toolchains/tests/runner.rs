//! The runners, for real: small programs are built for both Windows targets and run. Needs the fetched sources; where
//! they are absent the tests fail and say how to get them.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use store::State;
use toolchains::{RunOptions, Runner, Silent, Target, Tools};

const DEF: &str = "LIBRARY KERNEL32.dll\nEXPORTS\nCreateThread\nExitProcess\nGetCommandLineW\nGetEnvironmentVariableW\n\
                   GetStdHandle\nReadFile\nSleep\nWriteFile\n";

struct Lane {
    runner: Runner,
    probe: PathBuf,
    _folder: tempfile::TempDir,
}

fn lane(triple: &str) -> Lane {
    let state = State::locate().unwrap();
    let target = Target::load(triple).unwrap();
    let runner = Runner::ensure(&state, &target, &Silent).unwrap_or_else(|error| panic!("{error:?}"));
    let zig = Tools::ensure(&state, &Silent).unwrap().zig().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::write(dir.join("k.def"), DEF).unwrap();
    fs::write(dir.join("probe.c"), include_str!("runner/probe.c")).unwrap();
    let flag = format!("--target={triple}");
    let machine = target.coff_machine.as_deref().unwrap();
    let steps: [&[&str]; 3] = [
        &["dlltool", "-m", machine, "-d", "k.def", "-l", "k.lib"],
        &[
            "clang",
            "--driver-mode=cl",
            &flag,
            "-c",
            "-O1",
            "-GS-",
            "-Foprobe.obj",
            "probe.c",
        ],
        &[
            "lld-link",
            "-nodefaultlib",
            "-entry:start",
            "-subsystem:console",
            "-out:pröbe 1.exe",
            "probe.obj",
            "k.lib",
        ],
    ];
    for step in steps {
        let output = Command::new(&zig).args(step).current_dir(dir).output().unwrap();
        assert!(
            output.status.success(),
            "{step:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Lane {
        runner,
        probe: dir.join("pröbe 1.exe"),
        _folder: folder,
    }
}

fn lanes() -> [&'static Lane; 2] {
    static X64: OnceLock<Lane> = OnceLock::new();
    static ARM64: OnceLock<Lane> = OnceLock::new();
    // The control lane first: where it fails the fixture is broken, not the emulator.
    [
        X64.get_or_init(|| lane("x86_64-pc-windows-msvc")),
        ARM64.get_or_init(|| lane("aarch64-pc-windows-msvc")),
    ]
}

impl Lane {
    fn command(&self, args: &[&str], options: &RunOptions) -> Command {
        let mut command = self.runner.command(&self.probe, args, options).unwrap();
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str], options: &RunOptions) -> Output {
        self.command(args, options).output().unwrap()
    }

    fn code(&self, args: &[&str]) -> i32 {
        self.run(args, &RunOptions::default()).status.code().unwrap()
    }
}

fn utf16(bytes: &[u8]) -> String {
    let units = bytes
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect::<Vec<_>>();
    String::from_utf16(&units).unwrap()
}

#[test]
fn all_eight_bits_of_an_exit_code_pass_and_nothing_else_is_printed() {
    for lane in lanes() {
        for code in 0..256 {
            let output = lane.run(&[&format!("e{code:x}")], &RunOptions::default());
            assert_eq!(output.status.code(), Some(code));
            assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
        }
    }
}

#[test]
fn the_full_code_is_told_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("code");
    for lane in lanes() {
        for (code, status) in [("12345678", 0x78), ("00000100", 1), ("80000003", 3)] {
            let options = RunOptions {
                code: Some(file.clone()),
                ..RunOptions::default()
            };
            assert_eq!(lane.run(&[&format!("e{code}")], &options).status.code(), Some(status));
            assert_eq!(fs::read_to_string(&file).unwrap().trim(), code);
        }
    }
}

#[test]
fn a_fault_is_reported_as_one() {
    for lane in lanes() {
        let output = lane.run(&["f"], &RunOptions::default());
        assert_eq!(output.status.code(), Some(139), "{output:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("crashed with NTSTATUS 0xc0000005"), "{message}");
        // Wine's own line has the address; nothing else may come, a debugger least of all.
        assert!(
            message.starts_with("wine: Unhandled page fault on write access to 0000000000000010"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 2, "{message}");
    }
}

#[test]
fn a_hung_program_is_stopped_and_leaves_nothing() {
    for lane in lanes() {
        let options = RunOptions {
            timeout: Some(Duration::from_secs(3)),
            ..RunOptions::default()
        };
        let begin = Instant::now();
        let output = lane.run(&["h"], &options);
        assert_eq!(output.status.code(), Some(124), "{output:?}");
        assert!(begin.elapsed() < Duration::from_secs(9));
        assert_eq!(output.stdout, b"hung");
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped after 3 s"));
        assert!(gone(&lane.probe));
    }
}

#[test]
fn a_killed_runner_takes_its_program_along() {
    for lane in lanes() {
        for signal in ["-KILL", "-TERM", "-INT"] {
            let mut child = lane
                .command(&["h"], &RunOptions::default())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut text = [0; 4];
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut text).unwrap();
            assert_eq!(&text, b"hung");
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap();
            assert!(!child.wait().unwrap().success());
            assert!(gone(&lane.probe), "{signal} left the program running");
        }
    }
}

/// Whether no process has the program on its command line, within five seconds.
fn gone(program: &Path) -> bool {
    let name = program.to_str().unwrap().replace('/', "\\");
    let runs = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('/', "\\").contains(&name)
        })
    };
    (0..50).any(|_| {
        let busy = runs();
        if busy {
            std::thread::sleep(Duration::from_millis(100));
        }
        !busy
    })
}

#[test]
fn streams_are_binary_clean() {
    let data = (0..300_000_u32)
        .map(|i| (i.wrapping_mul(i) >> 3) as u8)
        .chain(*b"\r\n\n\x1a\0\r")
        .collect::<Vec<_>>();
    for lane in lanes() {
        let mut command = lane.command(&["b"], &RunOptions::default());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = data.clone();
        let feeder = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        assert_eq!(output.status.code(), Some(7));
        assert!(
            output.stdout == data,
            "{} bytes came back of {}",
            output.stdout.len(),
            data.len()
        );
    }
}

#[test]
fn arguments_arrive_as_windows_quotes_them() {
    for lane in lanes() {
        let args = [
            "a",
            "b c",
            "q\"q",
            "back\\",
            "b \\",
            "",
            "größe.日本",
            "*?%PATH%",
            "a;b=c",
        ];
        let output = lane.run(&args, &RunOptions::default());
        let wanted = r#"a "b c" q\"q back\ "b \\" "" größe.日本 *?%PATH% a;b=c"#;
        assert_eq!(utf16(&output.stdout).trim_end(), wanted);
    }
}

#[test]
fn only_named_variables_reach_the_program() {
    for lane in lanes() {
        let env = BTreeMap::from([("PROBE".into(), "x 'ü' \"y\"".into())]);
        let mut command = lane.command(
            &["v"],
            &RunOptions {
                env,
                ..RunOptions::default()
            },
        );
        let output = command.env("HIDDEN", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(utf16(&output.stdout), "x 'ü' \"y\"");
    }
}

#[test]
fn a_thread_that_spins_at_exit_does_not_spoil_the_code() {
    for lane in lanes() {
        for round in 0..200 {
            let output = lane.run(&["t2a"], &RunOptions::default());
            assert_eq!(output.status.code(), Some(42), "round {round}: {output:?}");
            assert_eq!(output.stdout, b"spun");
        }
    }
}

#[test]
fn four_at_a_time_do_not_disturb_each_other() {
    for lane in lanes() {
        std::thread::scope(|scope| {
            for worker in 0..4 {
                scope.spawn(move || {
                    for round in 0..50 {
                        let code = worker * 50 + round + 1;
                        assert_eq!(lane.code(&[&format!("e{code:x}")]), code);
                    }
                });
            }
        });
    }
}

#[test]
fn every_emulated_cpu_starts() {
    let [x64, arm64] = lanes();
    for cpu in ["cortex-a53", "cortex-a76", "max,pauth=off"] {
        let options = RunOptions {
            cpu: Some(cpu.into()),
            ..RunOptions::default()
        };
        assert_eq!(arm64.run(&["e5"], &options).status.code(), Some(5), "{cpu}");
        assert!(x64.runner.command(&x64.probe, &["e5"], &options).is_err());
    }
}
