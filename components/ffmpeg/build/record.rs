//! Writes down what configure enabled, in a form that needs no program to be run: which codecs, formats and filters, and which
//! kinds of vector code. Comparisons of bundles read it. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use kit::Cx;

/// Where the record lies in the prefix.
const FILE: &str = "share/windlass/ffmpeg.toml";

/// The kinds of parts, by the end of their names in `config_components.h`.
const KINDS: [(&str, &str); 11] = [
    ("_BSF", "bitstream-filters"),
    ("_DECODER", "decoders"),
    ("_DEMUXER", "demuxers"),
    ("_ENCODER", "encoders"),
    ("_FILTER", "filters"),
    ("_HWACCEL", "hardware-accelerators"),
    ("_INDEV", "input-devices"),
    ("_MUXER", "muxers"),
    ("_OUTDEV", "output-devices"),
    ("_PARSER", "parsers"),
    ("_PROTOCOL", "protocols"),
];

/// Extensions of instruction sets, by their names in `config.h`; a build has those of its own architecture alone.
const SIMD: [&str; 24] = [
    "AESNI",
    "AVX",
    "AVX2",
    "AVX512",
    "AVX512ICL",
    "DOTPROD",
    "FMA3",
    "FMA4",
    "I8MM",
    "MMX",
    "MMXEXT",
    "NEON",
    "RVV",
    "SME",
    "SME2",
    "SSE",
    "SSE2",
    "SSE3",
    "SSE4",
    "SSE42",
    "SSSE3",
    "SVE",
    "SVE2",
    "XOP",
];

/// Writes the record into the staged tree.
pub fn write(cx: &Cx) -> Result<()> {
    let read = |name: &str| {
        let path = cx.build().join(name);
        std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))
    };
    let parts = parts(&read("config_components.h")?);
    // The lists are long in every build; empty ones would mean that upstream's file has another form now.
    for kind in ["decoders", "demuxers", "filters", "muxers", "protocols"] {
        ensure!(
            parts.get(kind).is_some_and(|names| !names.is_empty()),
            "config_components.h: names no {kind} that is enabled"
        );
    }
    let config = read("config.h")?;
    let simd: BTreeSet<String> = SIMD
        .iter()
        .filter(|name| config.lines().any(|line| line == format!("#define HAVE_{name} 1")))
        .map(|name| name.to_lowercase())
        .collect();
    let mut text =
        "# What FFmpeg's configure enabled. `simd` is of the architecture; all other lists are of FFmpeg's parts.\n"
            .to_owned();
    for (kind, names) in parts
        .iter()
        .map(|(kind, names)| (*kind, names))
        .chain([("simd", &simd)])
    {
        text += &format!("{kind} = [");
        for name in names {
            text += &format!("\n    \"{name}\",");
        }
        text += match names.is_empty() {
            true => "]\n",
            false => "\n]\n",
        };
    }
    let path = cx.staged().join(FILE);
    let folder = path.parent().unwrap_or(&path);
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    std::fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The enabled parts by kind.
fn parts(config: &str) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut parts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in config.lines() {
        let Some(name) = line
            .strip_prefix("#define CONFIG_")
            .and_then(|rest| rest.strip_suffix(" 1"))
        else {
            continue;
        };
        for (end, kind) in KINDS {
            if let Some(name) = name.strip_suffix(end) {
                parts.entry(kind).or_default().insert(name.to_lowercase());
                break;
            }
        }
    }
    parts
}
