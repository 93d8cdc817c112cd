//! The readers against other readers, file by file: what `llvm-readobj` prints of PE files and `readelf` of ELF files in the wheels and
//! packages that others built. Disagreements are in the table below, each with the reason. Left out until asked for:
//!
//! ```text
//! cargo xtask fetch --pins gates/tests/foreign/pins.toml
//! LLVM_READOBJ=llvm-readobj READELF=readelf cargo test --release -p gates --test agreement -- --ignored --nocapture
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use gates::read::container::{Budget, Limits, What, open, sniff};
use gates::read::{Content, elf::Elf, pe::Pe, read};

/// Files of which another reader says something else, and who is right.
const DISAGREEMENTS: [(&str, &str); 0] = [];

/// The files of `foreign/pins.toml` that are in the state folder.
fn pinned() -> Vec<PathBuf> {
    let state = std::env::var_os("WINDLASS_STATE")
        .expect("WINDLASS_STATE names the state folder that the files were fetched into");
    let sources = Path::new(&state).join("sources");
    let folders = std::fs::read_dir(&sources).unwrap_or_else(|why| panic!("{}: {why}", sources.display()));
    let pins = include_str!("foreign/pins.toml");
    let files = folders
        .flatten()
        .filter(|folder| pins.contains(&*folder.file_name().to_string_lossy()));
    let mut files: Vec<PathBuf> = files
        .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
}

/// Every member of a container, with its path.
fn members(file: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(file).unwrap();
    let mut all = Vec::new();
    let kind = sniff(&bytes).unwrap();
    open(
        kind,
        &bytes,
        "x",
        &mut Budget::new(Limits::default()),
        &mut |_, entry| {
            if let What::File(bytes) = entry.what {
                all.push((entry.path, bytes));
            }
        },
    );
    all
}

fn tool(variable: &str, default: &str) -> OsString {
    std::env::var_os(variable).unwrap_or_else(|| default.into())
}

fn said(tool: &OsString, options: &[&str], file: &Path) -> String {
    let output = Command::new(tool).args(options).arg(file).output();
    let output = output.unwrap_or_else(|why| panic!("{}: {why}", tool.to_string_lossy()));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a PE file imports and exports, a line for each.
fn ours_of_pe(pe: &Pe) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for from in pe.imports.iter() {
        for symbol in from.symbols() {
            let name = match symbol {
                gates::read::Symbol::Name(name) => name.to_owned(),
                gates::read::Symbol::Ordinal(ordinal) => format!("#{ordinal}"),
            };
            lines.insert(format!("import {} {name}", from.dll));
        }
    }
    lines.extend(pe.exports.names().map(|name| format!("export {name}")));
    lines
}

/// The same in the words of llvm-readobj: `Symbol: name (hint)`, where an ordinal has no name.
fn theirs_of_pe(text: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let (mut dll, mut is_export) = (String::new(), false);
    for line in text.lines().map(str::trim) {
        match line.split_once(' ') {
            Some(("Import" | "DelayImport", "{")) => is_export = false,
            Some(("Export", "{")) => is_export = true,
            Some(("Name:", name)) if is_export => drop(lines.insert(format!("export {name}"))),
            Some(("Name:", name)) => name.clone_into(&mut dll),
            Some(("Symbol:", symbol)) => {
                let (name, number) = symbol.rsplit_once('(').unwrap_or((symbol, ""));
                let name = match name.trim() {
                    "" => format!("#{}", number.trim_end_matches(')')),
                    name => name.to_owned(),
                };
                lines.insert(format!("import {dll} {name}"));
            }
            _ => {}
        }
    }
    lines
}

/// What an ELF file needs and offers.
fn ours_of_elf(elf: &Elf) -> BTreeSet<String> {
    let needed = elf.needed.iter().map(|library| format!("needed {library}"));
    let soname = elf.soname.iter().map(|name| format!("soname {name}"));
    let symbols = elf.symbols.defined().map(|symbol| format!("defined {}", symbol.name));
    let wanted = elf
        .symbols
        .undefined()
        .map(|symbol| format!("undefined {}", symbol.name));
    needed.chain(soname).chain(symbols).chain(wanted).collect()
}

/// The same in the words of readelf.
fn theirs_of_elf(text: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for line in text.lines() {
        let quoted = || line.split('[').nth(1).and_then(|rest| rest.split(']').next());
        if let Some(name) = line.contains("(NEEDED)").then(quoted).flatten() {
            lines.insert(format!("needed {name}"));
        }
        if let Some(name) = line.contains("(SONAME)").then(quoted).flatten() {
            lines.insert(format!("soname {name}"));
        }
        // Number, value, size, type, binding, visibility (and more in brackets), section, name.
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_symbol = fields
            .first()
            .is_some_and(|first| first.ends_with(':') && first.len() > 1)
            && fields.len() >= 8;
        if is_symbol && matches!(fields[4], "GLOBAL" | "WEAK" | "UNIQUE") {
            let is_undefined = fields.contains(&"UND");
            let name = fields[6..]
                .iter()
                .rev()
                .find(|field| !field.starts_with('('))
                .unwrap_or(&"");
            let name = name.split('@').next().unwrap_or_default();
            lines.insert(format!("{} {name}", if is_undefined { "undefined" } else { "defined" }));
        }
    }
    lines
}

#[test]
#[ignore = "needs files of others and two tools: cargo xtask fetch --pins gates/tests/foreign/pins.toml"]
fn other_readers_say_the_same() {
    let (readobj, readelf) = (tool("LLVM_READOBJ", "llvm-readobj"), tool("READELF", "readelf"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (mut pe_files, mut elf_files, mut lines, mut wrong) = (0, 0, 0, Vec::new());
    for file in pinned() {
        for (member, bytes) in members(&file) {
            let (ours, theirs) = match read(&bytes) {
                Ok(Content::Pe(pe)) => {
                    pe_files += 1;
                    std::fs::write(&path, &bytes).unwrap();
                    let text = said(&readobj, &["--coff-imports", "--coff-exports"], &path);
                    (ours_of_pe(&pe), theirs_of_pe(&text))
                }
                Ok(Content::Elf(elf)) if elf.is_image() => {
                    elf_files += 1;
                    std::fs::write(&path, &bytes).unwrap();
                    let text = said(&readelf, &["--dynamic", "--dyn-syms", "--wide"], &path);
                    (ours_of_elf(&elf), theirs_of_elf(&text))
                }
                _ => continue,
            };
            lines += ours.len();
            let shown = format!("{}:{member}", file.file_name().unwrap().to_string_lossy());
            let is_known = DISAGREEMENTS.iter().any(|(known, _)| shown.contains(known));
            let differs: Vec<&String> = ours.symmetric_difference(&theirs).take(3).collect();
            if !differs.is_empty() && !is_known {
                wrong.push(format!("{shown}: {differs:?}"));
            }
        }
    }
    println!("{pe_files} PE files, {elf_files} ELF files, {lines} imports, exports and needs compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(pe_files > 100 && elf_files > 100, "too few files");
}
