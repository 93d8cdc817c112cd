//! How long the judge takes for the machines and the symbol closure of a folder of PE files, against tools that merely list imports
//! and exports, in one run on one machine:
//!
//! ```text
//! WINDLASS_BENCH=<a folder of PE files> cargo bench -p gates --bench closure
//! ```
//!
//! `WINDLASS_BENCH_BUNDLES` names bundles, with colons between them, that are judged by every rule, and again without those that decode
//! code. `PYTHON` names a Python with `pefile` and `lief`, `LLVM_READOBJ` an llvm-readobj; what is not there is left out and said so. Then
//! the folder is linked many times into a larger one, for the time and the memory by the number of files.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made ends with a panic")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gates::{Judge, Policy, RULES, Reads, Report, Verdict};

/// How often each is measured; the least is told, for everything else is the machine's other work.
const ROUNDS: usize = 7;

/// Files of the larger folders.
const MANY: [usize; 3] = [2_500, 5_000, 10_000];

/// The most that the folder of the first measurement may take, and a folder of ten thousand files may hold.
const OURS_MAX: Duration = Duration::from_millis(150);
const MIB_MAX: u64 = 200;

/// How many times as long as ours a peer has to take.
const PEFILE_MIN: f64 = 15.0;
const LIEF_MIN: f64 = 10.0;
const READOBJ_MIN: f64 = 1.0;

/// The environment variable that has this program judge one folder and tell its memory.
const CHILD: &str = "WINDLASS_BENCH_CHILD";

const PEFILE: &str = "
import sys, os, pefile
D = pefile.DIRECTORY_ENTRY
for name in sorted(os.listdir(sys.argv[1])):
    try:
        pe = pefile.PE(os.path.join(sys.argv[1], name), fast_load=True)
        pe.parse_data_directories([D[k] for k in ('IMAGE_DIRECTORY_ENTRY_IMPORT', 'IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT', 'IMAGE_DIRECTORY_ENTRY_EXPORT')])
        n = sum(len(d.imports) for d in getattr(pe, 'DIRECTORY_ENTRY_IMPORT', []))
    except pefile.PEFormatError:
        pass
";

const LIEF: &str = "
import sys, os, lief
for name in sorted(os.listdir(sys.argv[1])):
    pe = lief.PE.parse(os.path.join(sys.argv[1], name))
    if pe is not None:
        n = sum(len(d.entries) for d in pe.imports)
        if pe.has_exports:
            n += len(pe.get_export().entries)
";

fn main() {
    if let Some(folder) = std::env::var_os(CHILD) {
        let report = judge(Path::new(&folder));
        println!("{} {}", report.counts.images, peak_kib());
        return;
    }
    let bundles = std::env::var_os("WINDLASS_BENCH_BUNDLES").unwrap_or_default();
    std::env::split_paths(&bundles)
        .filter(|bundle| bundle.is_dir())
        .for_each(|bundle| whole(&bundle));
    let Some(folder) = std::env::var_os("WINDLASS_BENCH").map(PathBuf::from) else {
        println!(
            "not measured: WINDLASS_BENCH names no folder\nhint: WINDLASS_BENCH=<a folder of PE files> cargo bench -p gates --bench closure"
        );
        return;
    };
    let report = judge(&folder);
    assert_ne!(report.verdict(), Verdict::NotJudged, "{report}");
    println!("{}", report.counts);
    let ours = least(ROUNDS, || drop(judge(&folder)));
    println!("ours                 {:8.1} ms", milliseconds(ours));
    assert!(ours <= OURS_MAX, "wanted at most {} ms", OURS_MAX.as_millis());
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = |text: &str| vec!["-c".into(), text.into(), folder.clone().into_os_string()];
    peer("pefile", &python, &script(PEFILE), (1, ours), PEFILE_MIN);
    peer("lief", &python, &script(LIEF), (1, ours), LIEF_MIN);
    let readobj = std::env::var_os("LLVM_READOBJ").unwrap_or_else(|| "llvm-readobj".into());
    let mut files: Vec<OsString> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().into())
        .collect();
    files.sort();
    let stops = readable_by(&readobj, &mut files);
    if !stops.is_empty() {
        println!("llvm-readobj stops at {}: measured without", stops.join(", "));
    }
    peer("llvm-readobj", &readobj, &tables(&files), (3, ours), READOBJ_MIN);
    for count in MANY {
        grow(&folder, count);
    }
}

fn judge(folder: &Path) -> Report {
    let policy = Policy::foreign();
    let judge = Judge {
        only: ["machine", "readable", "imports-closed"].map(str::to_owned).to_vec(),
        ..Judge::new(&policy)
    };
    judge.paths(&[folder])
}

/// Judges a bundle by every rule, and by those that do not decode code.
fn whole(bundle: &Path) {
    let policy = Policy::standard();
    let time = |only: &[String]| {
        least(ROUNDS, || {
            let judge = Judge {
                only: only.to_vec(),
                ..Judge::new(&policy)
            };
            let report = judge.paths(&[bundle]);
            assert_ne!(report.verdict(), Verdict::NotJudged, "{report}");
        })
    };
    let plain = RULES.iter().filter(|rule| rule.reads != Reads::Code);
    let plain: Vec<String> = plain.map(|rule| rule.id.to_owned()).collect();
    println!(
        "every rule           {:8.1} ms, {:.1} ms without code: {}",
        milliseconds(time(&[])),
        milliseconds(time(&plain)),
        bundle.display()
    );
}

fn least(rounds: usize, mut act: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let start = Instant::now();
        act();
        start.elapsed()
    });
    times.min().unwrap()
}

/// The arguments that print imports and exports.
fn tables(files: &[OsString]) -> Vec<OsString> {
    let options = ["--coff-imports", "--coff-exports"].map(OsString::from);
    options.into_iter().chain(files.iter().cloned()).collect()
}

/// Takes the files out at which llvm-readobj stops, and names them.
fn readable_by(readobj: &OsString, files: &mut Vec<OsString>) -> Vec<String> {
    let mut stops = Vec::new();
    while let Ok(output) = Command::new(readobj).args(tables(files)).output() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let before = files.len();
        files.retain(|file| !said.contains(&format!("'{}'", file.to_string_lossy())));
        if output.status.success() || files.len() == before {
            break;
        }
        let file = |part: &str| {
            part.split('\'')
                .next()
                .and_then(|path| path.rsplit('/').next())
                .map(str::to_owned)
        };
        stops.extend(said.split("error: '").skip(1).filter_map(file));
    }
    stops
}

/// Measures a peer, which prints into nothing.
fn peer(name: &str, program: &OsString, arguments: &[OsString], (rounds, ours): (usize, Duration), least_times: f64) {
    let run = || {
        Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    match run() {
        Ok(status) if status.success() => {
            let time = least(rounds, || drop(run()));
            let times = time.as_secs_f64() / ours.as_secs_f64();
            println!("{name:20} {:8.1} ms, {times:.1} times ours", milliseconds(time));
            assert!(times >= least_times, "wanted at least {least_times} times");
        }
        Ok(status) => println!("{name:20} not measured: {status}"),
        Err(why) => println!("{name:20} not measured: {why}"),
    }
}

/// Judges a folder of that many files, linked from the first one, in a process of its own.
fn grow(folder: &Path, count: usize) {
    let large = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for (number, file) in files.iter().cycle().take(count).enumerate() {
        let below = large.path().join((number / files.len()).to_string());
        std::fs::create_dir_all(&below).unwrap();
        let link = below.join(file.file_name().unwrap());
        if std::fs::hard_link(file, &link).is_err() {
            std::fs::copy(file, &link).unwrap();
        }
    }
    let run = || {
        Command::new(std::env::current_exe().unwrap())
            .env(CHILD, large.path())
            .output()
            .unwrap()
    };
    let mut output = run();
    let time = least(3, || output = run());
    let text = String::from_utf8(output.stdout).unwrap();
    let (images, kib) = text.trim().split_once(' ').unwrap();
    println!(
        "{images:>6} files         {:8.1} ms, {:.3} ms for each, {} MiB at most",
        milliseconds(time),
        milliseconds(time) / count as f64,
        kib.parse::<u64>().unwrap() / 1024
    );
    assert!(
        kib.parse::<u64>().unwrap() / 1024 <= MIB_MAX,
        "wanted at most {MIB_MAX} MiB"
    );
}

/// The most memory that this process had, mapped pages of the files among it.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or(0)
    };
    field("VmHWM:")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
