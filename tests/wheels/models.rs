//! Models in the ONNX format, made by the test: the same numbers come out on Windows as on native Linux, and the same tokens.

use std::time::Duration;

use pipeline::root;

use crate::Bench;

/// What `model.py` prints on native Linux. The scores are exact; the distribution is rounded as its kernels like.
const NUMBERS: [&str; 3] = [
    "scores 0.582519531 -0.781738281 0.621582031 -0.387207031",
    "chances 0.373888731 0.095554851 0.388782769 0.141773641",
    "refused InvalidProtobuf",
];

/// What `model.py generate` prints on native Linux: from each token the next by a table, up to the one that ends it.
const TOKENS: [&str; 3] = [
    "tensor [2, 3] 15.0",
    "tokens 1 2 13 4 7 6 1 8 11 10 5 12",
    "refused RuntimeError",
];

/// How far the numbers of a distribution may be apart.
const TOLERANCE: f64 = 1e-6;

fn equal(seen: &str, wanted: &str) -> bool {
    let [seen, wanted] = [seen, wanted].map(|line| line.trim().split(' ').collect::<Vec<_>>());
    seen.len() == wanted.len()
        && seen.iter().zip(&wanted).all(|(seen, wanted)| {
            seen == wanted
                || wanted
                    .parse::<f64>()
                    .is_ok_and(|wanted| seen.parse::<f64>().is_ok_and(|seen| (seen - wanted).abs() < TOLERANCE))
        })
}

fn compute(triple: &str) {
    let bench = Bench::new(triple);
    let python = bench.environment(&["onnxruntime-genai"]);
    let program = root().join("tests/wheels/model.py");
    let program = program.to_str().unwrap();
    let folder = bench.folder.path().to_str().unwrap();
    for (arguments, wanted) in [(&[program][..], NUMBERS), (&[program, "generate", folder], TOKENS)] {
        let told = bench.run(&python, arguments);
        let lines: Vec<&str> = told.lines().collect();
        let same = lines.len() == wanted.len() && lines.iter().zip(wanted).all(|(seen, wanted)| equal(seen, wanted));
        assert!(same, "found\n{told}\nwanted\n{}", wanted.join("\n"));
    }
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy,onnxruntime-genai"]
fn models_compute_on_x86_64_linux() {
    compute("x86_64-unknown-linux-gnu");
}

#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy,onnxruntime-genai"]
fn models_compute_on_x86_64_windows() {
    compute("x86_64-pc-windows-msvc");
}

/// onnxruntime looks for graphics adapters when it is loaded. Wine's for arm64 does not come back from that where there is no window
/// system, and with no module of anybody else; where this ends, `compute` is what has to hold here.
#[test]
#[ignore = "needs a bundle with a Python: --only ffmpeg,cpython --wheels av,numpy,onnxruntime-genai"]
fn wine_for_arm64_never_loads_its_own_wined3d() {
    let load = [
        "-c",
        "import ctypes; ctypes.WinDLL('opengl32.dll'); print('first', flush=True); ctypes.WinDLL('wined3d.dll')",
    ];
    for (triple, status) in [("x86_64-pc-windows-msvc", 0), ("aarch64-pc-windows-msvc", 124)] {
        let bench = Bench::new(triple);
        let output = bench.start(&bench.python(), &load, Duration::from_secs(60));
        assert_eq!(output.status.code(), Some(status), "{triple}: {output:?}");
        assert!(output.stdout.starts_with(b"first"), "{triple}: {output:?}");
    }
}
