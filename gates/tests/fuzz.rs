//! Damaged input of every kind, made from sound input by chance: nothing panics, nothing takes long, and the memory stays small. A few
//! seconds of it run with the other tests; `WINDLASS_FUZZ_SECONDS` makes it as long as one likes. `gates/fuzz` has the same targets
//! for `cargo fuzz`, which is guided by coverage and needs another compiler.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use gates::read::container::{Budget, Limits, What, open, sniff};
use gates::wheel::{Fields, Name, normal_name, record};
use gates::{Judge, Policy};
use support::{Random, layers, layout, parts, samples};

/// The longest that one input may take; the machine may be busy.
const INPUT_MAX: Duration = Duration::from_secs(5);

/// The most memory that the whole test may have had.
const MEMORY_KIB_MAX: u64 = 1 << 20;

/// A damaged copy: bytes changed, cut out, doubled, or taken from another sample.
fn damage(random: &mut Random, samples: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = samples[random.below(samples.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 if !bytes.is_empty() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            3 => bytes.truncate(at),
            4 => {
                let end = (at + random.below(64)).min(bytes.len());
                let part = bytes[at.min(end)..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let other = &samples[random.below(samples.len())];
                let start = random.below(other.len());
                let part = &other[start..other.len().min(start + 32)];
                let end = (at + part.len()).min(bytes.len());
                bytes.splice(at..end, part.iter().copied());
            }
        }
    }
    bytes
}

/// Feeds damaged samples to a target for its share of the time.
fn feed(seed: u64, samples: &[Vec<u8>], target: impl Fn(&[u8])) {
    let seconds = std::env::var("WINDLASS_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let time = Duration::from_millis(seconds.map_or(500, |seconds: u64| seconds * 1000));
    let mut random = Random(seed);
    let (begin, mut count) = (Instant::now(), 0_u64);
    while begin.elapsed() < time {
        let input = damage(&mut random, samples);
        let start = Instant::now();
        target(&input);
        assert!(
            start.elapsed() < INPUT_MAX,
            "{} bytes took {:?}",
            input.len(),
            start.elapsed()
        );
        count += 1;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = peak
        .and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0);
    assert!(kib < MEMORY_KIB_MAX, "{kib} KiB");
    println!("{count} inputs, at most {} MiB", kib / 1024);
}

const LIMITS: Limits = Limits {
    member_bytes: 1 << 20,
    total_bytes: 4 << 20,
    members: 1000,
    depth: 3,
};

fn judge(path: &Path) {
    static POLICY: LazyLock<Policy> = LazyLock::new(Policy::foreign);
    let judge = Judge {
        limits: LIMITS,
        ..Judge::new(&POLICY)
    };
    drop(judge.paths(&[path]).to_json());
}

#[test]
fn pe_and_coff() {
    feed(1, &samples("pe"), |bytes| drop(gates::read::read(bytes)));
}

#[test]
fn elf() {
    feed(2, &samples("elf"), |bytes| drop(gates::read::read(bytes)));
}

#[test]
fn code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    let policy = Policy::standard();
    let judge = Judge {
        only: vec!["cpu-baseline".to_owned()],
        ..Judge::new(&policy)
    };
    feed(7, &samples("code"), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        drop(judge.paths(&[&path]).to_json());
    });
}

#[test]
fn archives() {
    feed(3, &samples("archive"), |bytes| drop(gates::read::read(bytes)));
}

#[test]
fn containers() {
    feed(4, &samples("container"), |bytes| {
        let bytes = parts::container(bytes);
        let Some(kind) = sniff(&bytes) else { return };
        open(kind, &bytes, "x", &mut Budget::new(LIMITS), &mut |_, entry| {
            if let What::File(bytes) = entry.what {
                drop(gates::read::read(&bytes));
            }
        });
    });
}

#[test]
fn wheels() {
    let folder = tempfile::tempdir().unwrap();
    feed(5, &samples("wheel"), |bytes| {
        let Some((name, wheel)) = parts::wheel(bytes) else {
            return;
        };
        let path = folder.path().join(name);
        std::fs::write(&path, wheel).unwrap();
        judge(&path);
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn parts_of_layouts() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("blobs/sha256");
    feed(21, &samples("layout"), |bytes| {
        std::fs::create_dir_all(&blobs).unwrap();
        for (path, bytes) in parts::layout(bytes) {
            std::fs::write(folder.path().join(path), bytes).unwrap();
        }
        judge(folder.path());
        std::fs::remove_dir_all(&blobs).unwrap();
    });
}

#[test]
fn layouts_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let files = layout("arm64", &layers());
    std::fs::create_dir_all(folder.path().join("blobs/sha256")).unwrap();
    for (path, bytes) in &files {
        std::fs::write(folder.path().join(path), bytes).unwrap();
    }
    // One file of the layout is damaged at a time.
    for (place, (path, sound)) in files.iter().enumerate() {
        let all: Vec<Vec<u8>> = vec![sound.clone(), files[(place + 1) % files.len()].1.clone()];
        feed(6 + place as u64, &all, |bytes| {
            std::fs::write(folder.path().join(path), bytes).unwrap();
            judge(folder.path());
        });
        std::fs::write(folder.path().join(path), sound).unwrap();
    }
}

#[test]
fn metadata() {
    feed(20, &samples("metadata"), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let fields = Fields::parse(&text);
        drop((fields.first("Name").map(normal_name), record(&text), Name::parse(&text)));
    });
}
