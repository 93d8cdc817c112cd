//! The runners, for real: small programs are built for both Windows targets and run. Needs the fetched sources; where
//! they are absent the tests fail and say how to get them.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use store::State;
use toolchains::{RunOptions, Runner, Silent, Target, Tools};

const DEF: &str = "LIBRARY KERNEL32.dll\nEXPORTS\nCreateThread\nExitProcess\nGetCommandLineW\nGetEnvironmentVariableW\n\
                   GetStdHandle\nIsProcessorFeaturePresent\nReadFile\nSleep\nWriteFile\n";

struct Lane {
    triple: &'static str,
    runner: Runner,
    emulated: bool,
    probe: PathBuf,
    _folder: tempfile::TempDir,
}

fn lane(triple: &'static str) -> Lane {
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
        triple,
        runner,
        emulated: triple.starts_with("aarch64"),
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
        // Wine's own line has the address; nothing else may come, a debugger least of all. The emulator does not tell a
        // write from a read.
        let access = if lane.emulated { "read" } else { "write" };
        assert!(
            message.starts_with(&format!(
                "wine: Unhandled page fault on {access} access to 0000000000000010"
            )),
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
        let output = lane.run(&["h", "stopped-at-its-limit"], &options);
        assert_eq!(output.status.code(), Some(124), "{output:?}");
        assert!(begin.elapsed() < Duration::from_secs(9));
        assert_eq!(output.stdout, b"hung");
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped after 3 s"));
        assert!(gone("stopped-at-its-limit"));
    }
}

#[test]
fn a_killed_runner_takes_its_program_along() {
    for lane in lanes() {
        for signal in ["-KILL", "-TERM", "-INT"] {
            let mark = format!("ended-by{signal}");
            let mut child = hearing(&lane.command(&["h", &mark], &RunOptions::default()))
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
            assert!(gone(&mark), "{signal} left the program running");
        }
    }
}

/// The same command, with the signals of a terminal as they are in one: who starts the tests in the background has them ignored,
/// and a shell cannot take that back.
fn hearing(command: &Command) -> Command {
    let mut hearing = Command::new("env");
    hearing
        .arg("--default-signal=HUP,INT,QUIT")
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => hearing.env(name, value),
            None => hearing.env_remove(name),
        };
    }
    hearing
}

/// Whether no process has the word on its command line, within five seconds. Other tests run the same program meanwhile.
fn gone(mark: &str) -> bool {
    let runs = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
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

/// A run in a session of its own, below the folder.
fn apart(lane: &Lane, home: &Path, arg: &str) -> Command {
    let mut command = lane.command(&[arg], &RunOptions::default());
    command.env("WINDLASS_RUN_HOME", home);
    command
}

/// The processes of the sessions below a folder that have the word on their command line.
fn session(home: &Path, word: &str) -> Vec<i32> {
    let prefix = format!("WINEPREFIX={}/", home.display());
    let belongs = |pid: &i32| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let environment = read("environ");
        let line = read("cmdline");
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(prefix.as_bytes()))
            && String::from_utf8_lossy(&line).contains(word)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(belongs).collect()
}

fn signal(signal: &str, target: &str) {
    let status = Command::new("kill").args([signal, "--", target]).status().unwrap();
    assert!(status.success(), "kill {signal} {target}");
}

#[test]
fn a_session_that_does_not_answer_is_replaced() {
    for lane in lanes() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(apart(lane, home.path(), "e1").status().unwrap().code(), Some(1));
        let stopped = session(home.path(), "");
        assert!(stopped.len() >= 2, "wanted a server and services, found {stopped:?}");
        for pid in &stopped {
            signal("-STOP", &pid.to_string());
        }
        for entry in fs::read_dir(home.path()).unwrap().flatten() {
            // What a set-up leaves that did not come to its end.
            let _ = fs::remove_file(entry.path().join("session"));
        }
        let begin = Instant::now();
        assert_eq!(apart(lane, home.path(), "e2").status().unwrap().code(), Some(2));
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        let left = session(home.path(), "");
        assert!(
            left.iter().all(|pid| !stopped.contains(pid)),
            "{stopped:?}, then {left:?}"
        );
    }
}

#[test]
fn a_first_start_that_is_killed_with_its_group_leaves_a_usable_place() {
    for lane in lanes() {
        let home = tempfile::tempdir().unwrap();
        for delay in [20, 100, 200, 400, 700] {
            let mut child = apart(lane, home.path(), "h").process_group(0).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(delay));
            signal("-KILL", &format!("-{}", child.id()));
            child.wait().unwrap();
            let begin = Instant::now();
            assert_eq!(apart(lane, home.path(), "e3").status().unwrap().code(), Some(3));
            assert!(
                begin.elapsed() < Duration::from_secs(30),
                "{delay} ms: {:?}",
                begin.elapsed()
            );
            for pid in session(home.path(), "wineserver") {
                signal("-KILL", &pid.to_string());
            }
        }
    }
}

#[test]
fn a_cold_start_does_not_hold_the_callers_streams() {
    for lane in lanes() {
        let home = tempfile::tempdir().unwrap();
        let output = apart(lane, home.path(), "e4").output().unwrap();
        assert_eq!(output.status.code(), Some(4));
        // The session lingers for seconds; were it to hold a stream, `output` would have waited for it to end.
        assert!(!session(home.path(), "services.exe").is_empty());
    }
}

/// A runner that every user of this machine may read, also where the state folder is in a home that is closed to others.
/// A runner names its own place, so a copy would not do; it is made once more, of the same sources.
fn public(triple: &str, folder: &Path) -> Runner {
    let (user, open) = (State::locate().unwrap(), State::at(folder));
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(folder.join("prefix/host")).unwrap();
    for part in ["sources", "prefix/host/zig"] {
        std::os::unix::fs::symlink(user.root().join(part), folder.join(part)).unwrap();
    }
    Runner::ensure(&open, &Target::load(triple).unwrap(), &Silent).unwrap()
}

#[test]
fn a_user_without_rights_runs_programs() {
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    for lane in lanes() {
        let home = tempfile::tempdir_in("/tmp").unwrap();
        let state = tempfile::tempdir_in("/tmp").unwrap();
        let mut command = apart(lane, home.path(), "e6");
        if root {
            let runner = public(lane.triple, state.path());
            for folder in [home.path(), lane.probe.parent().unwrap()] {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
            std::os::unix::fs::chown(home.path(), Some(65534), Some(65534)).unwrap();
            let own = runner.command(&lane.probe, &["e6"], &RunOptions::default()).unwrap();
            command = Command::new("setpriv");
            command
                .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
                .arg(own.get_program())
                .args(own.get_args())
                .env("WINDLASS_RUN_HOME", home.path())
                .stdin(Stdio::null());
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{output:?}");
    }
}

#[test]
fn every_emulated_cpu_starts() {
    let [x64, arm64] = lanes();
    for cpu in ["cortex-a53", "cortex-a76", "neoverse-v1", "max"] {
        let options = RunOptions {
            cpu: Some(cpu.into()),
            ..RunOptions::default()
        };
        assert_eq!(arm64.run(&["e5"], &options).status.code(), Some(5), "{cpu}");
        assert!(x64.runner.command(&x64.probe, &["e5"], &options).is_err());
    }
}

#[test]
fn a_program_hears_of_the_features_that_the_cpu_has() {
    // By the numbers of winnt.h: dot product, SVE, SHA3, I8MM, SME, and two that are no feature.
    let features = ["p2b", "p2e", "p40", "p42", "p46", "p7f", "pffffffff"];
    for (cpu, wanted) in [
        ("cortex-a53", [0, 0, 0, 0, 0, 0, 0]),
        ("cortex-a76", [1, 0, 0, 0, 0, 0, 0]),
        ("neoverse-v1", [1, 1, 1, 1, 0, 0, 0]),
        ("max,pauth=off", [1, 1, 1, 1, 1, 0, 0]),
    ] {
        let options = RunOptions {
            cpu: Some(cpu.into()),
            ..RunOptions::default()
        };
        let found = features.map(|feature| lanes()[1].run(&[feature], &options).status.code().unwrap());
        assert_eq!(found, wanted, "{cpu}: {features:?}");
    }
}
