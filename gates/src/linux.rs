//! What a Linux system offers to programs: the symbols of glibc, of musl and of GCC's run-time libraries, from pinned tables, so
//! that an ELF file for any architecture can be judged anywhere. The tables are written by `examples/linux_tables.rs`.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{Arch, Os, Platform};

const GLIBC: &str = include_str!("../tables/linux/glibc.txt");
const MUSL: &str = include_str!("../tables/linux/musl.txt");

/// The libraries that every system of a platform has.
pub struct Base {
    libraries: HashMap<&'static str, Library>,
}

/// One of these libraries.
pub struct Library {
    /// The versions of each symbol; one without a version has the empty one.
    symbols: HashMap<&'static str, Vec<&'static str>>,
}

impl Base {
    /// The base of a platform; of Windows it is empty.
    pub fn of(platform: Platform) -> &'static Base {
        static BASES: OnceLock<HashMap<Platform, Base>> = OnceLock::new();
        static NONE: OnceLock<Base> = OnceLock::new();
        let bases = BASES.get_or_init(|| {
            let platforms = [Os::Linux, Os::Musl]
                .into_iter()
                .flat_map(|os| [Arch::Aarch64, Arch::X86_64, Arch::Riscv64].map(|arch| Platform { os, arch }));
            platforms.map(|platform| (platform, Base::read(platform))).collect()
        });
        let none = || {
            NONE.get_or_init(|| Base {
                libraries: HashMap::new(),
            })
        };
        bases.get(&platform).unwrap_or_else(none)
    }

    /// The library of that name. musl's is known under three.
    pub fn library(&self, name: &str) -> Option<&Library> {
        let is_musl = name.starts_with("libc.musl-") || name.starts_with("ld-musl-");
        self.libraries.get(if is_musl { "libc.so" } else { name })
    }

    /// The names of the libraries.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.libraries.keys().copied()
    }

    fn read(platform: Platform) -> Base {
        let letter = letter(platform.arch);
        let table = match platform.os {
            Os::Musl => MUSL,
            _ => GLIBC,
        };
        let mut libraries = HashMap::new();
        // The first part is the head comment.
        for part in table.split("\n[").skip(1) {
            let Some((name, text)) = part.split_once("]\n") else {
                continue;
            };
            let mut symbols: HashMap<_, Vec<_>> = HashMap::new();
            for line in text.lines() {
                let Some((symbol, letters)) = line.rsplit_once(' ') else {
                    continue;
                };
                if letters.contains(letter) {
                    let (symbol, version) = symbol.split_once('@').unwrap_or((symbol, ""));
                    symbols.entry(symbol).or_default().push(version);
                }
            }
            if !symbols.is_empty() {
                libraries.insert(name, Library { symbols });
            }
        }
        Base { libraries }
    }
}

impl Library {
    /// Whether it offers a symbol, in that version if one is asked for.
    pub fn offers(&self, symbol: &str, version: Option<&str>) -> bool {
        let versions = self.symbols.get(symbol);
        versions.is_some_and(|versions| version.is_none_or(|version| versions.contains(&version)))
    }

    /// How many symbols it offers.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether it offers none.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}

/// The letter that stands for an architecture in the tables.
pub fn letter(arch: Arch) -> char {
    match arch {
        Arch::Aarch64 => 'a',
        Arch::X86_64 => 'x',
        Arch::Riscv64 => 'r',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_tell_architectures_and_libraries_apart() {
        let base = |os, arch| Base::of(Platform { os, arch });
        let arm = base(Os::Linux, Arch::Aarch64).library("libc.so.6").unwrap();
        assert!(arm.offers("memcpy", Some("GLIBC_2.17")) && !arm.offers("memcpy", Some("GLIBC_2.14")));
        let x64 = base(Os::Linux, Arch::X86_64).library("libc.so.6").unwrap();
        assert!(x64.offers("memcpy", Some("GLIBC_2.14")) && x64.offers("memcpy", None));
        let runtime = base(Os::Linux, Arch::Riscv64).library("libstdc++.so.6").unwrap();
        assert!(runtime.offers("_ZSt4cout", Some("GLIBCXX_3.4")) && runtime.len() > 4000);
        let musl = base(Os::Musl, Arch::X86_64).library("libc.musl-x86_64.so.1").unwrap();
        assert!(musl.offers("memcpy", None) && !musl.offers("__memcpy_chk", None));
        assert!(
            Base::of(Platform {
                os: Os::Windows,
                arch: Arch::X86_64
            })
            .names()
            .next()
            .is_none()
        );
    }
}
