//! Writes the tables of what Linux systems offer, `tables/linux/*.txt`, from Debian packages of the three architectures:
//!
//! ```text
//! apt-get download {libc6,libgcc-s1,libstdc++6,libatomic1,musl}:{arm64,amd64,riscv64}
//! cargo run -p gates --example linux_tables -- FOLDER-OF-PACKAGES
//! ```
//!
//! The packages are opened with the judge's own readers. Symbols that glibc keeps for its own parts are left out.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gates::linux::letter;
use gates::{Judge, Policy, Report};

/// What is taken as the base of glibc systems, by the library's name for others.
const GLIBC: [&str; 18] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-riscv64-lp64d.so.1",
    "ld-linux-x86-64.so.2",
    "libBrokenLocale.so.1",
    "libanl.so.1",
    "libatomic.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libmvec.so.1",
    "libnsl.so.1",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libthread_db.so.1",
    "libutil.so.1",
];

/// Letters of architectures by library and by symbol.
type Table = BTreeMap<String, BTreeMap<String, String>>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: linux_tables FOLDER-OF-PACKAGES")?;
    let mut packages: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    packages.retain(|path| path.extension().is_some_and(|suffix| suffix == "deb"));
    packages.sort();
    let (mut glibc, mut musl) = (Table::new(), Table::new());
    let mut sources = Vec::new();
    let policy = Policy::foreign();
    for package in &packages {
        let mut report = Report::default();
        for subject in Judge::new(&policy).open(&[package], &mut report) {
            let (Some(deb), Some(platform)) = (&subject.deb, subject.platform) else {
                continue;
            };
            let name = deb.first("Package").unwrap_or_default();
            let mut is_source = false;
            for (path, elf) in subject.elves() {
                // musl's library is its loader and has no name of its own.
                let (table, library) = match elf.soname.as_deref() {
                    Some(soname) if GLIBC.contains(&soname) => (&mut glibc, soname),
                    _ if name == "musl" && path.ends_with("libc.so") => (&mut musl, "libc.so"),
                    _ => continue,
                };
                is_source = true;
                let symbols = table.entry(library.to_owned()).or_default();
                for symbol in elf
                    .symbols
                    .defined()
                    .filter(|symbol| symbol.version != Some("GLIBC_PRIVATE"))
                {
                    let line = match symbol.version {
                        Some(version) => format!("{}@{version}", symbol.name),
                        None => symbol.name.to_owned(),
                    };
                    let letters = symbols.entry(line).or_default();
                    if !letters.contains(letter(platform.arch)) {
                        letters.push(letter(platform.arch));
                    }
                }
            }
            if is_source {
                sources.push(format!("{name} {}", deb.first("Version").unwrap_or_default()));
            }
        }
    }
    sources.sort();
    sources.dedup();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables/linux");
    std::fs::write(tables.join("glibc.txt"), text(&glibc, &sources)?)?;
    std::fs::write(tables.join("musl.txt"), text(&musl, &sources)?)?;
    Ok(())
}

fn text(table: &Table, sources: &[String]) -> Result<String, std::fmt::Error> {
    let mut text = String::from(
        "# What the libraries of a Linux system offer: a symbol, `@` and its version, a space, and a letter for each architecture\n\
         # that has it: a aarch64, r riscv64, x x86_64. Written by `examples/linux_tables.rs` from Debian's\n",
    );
    writeln!(text, "# {}.", sources.join(", "))?;
    for (library, symbols) in table {
        writeln!(text, "\n[{library}]")?;
        for (symbol, letters) in symbols {
            let mut letters: Vec<char> = letters.chars().collect();
            letters.sort_unstable();
            writeln!(text, "{symbol} {}", letters.into_iter().collect::<String>())?;
        }
    }
    Ok(text)
}
