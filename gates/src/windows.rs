//! What Windows exports: pinned tables of the system DLLs, of the API sets and of Microsoft's C++ redistributable, so that
//! an import can be judged on a machine that has no Windows. The tables are written by `examples/tables.rs` and say of each
//! name which source knows it. They do not yet tell Windows' editions apart.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use crate::Arch;

const TABLES: [(Family, &str); 3] = [
    (Family::System, include_str!("../tables/windows/system.txt")),
    (Family::ApiSet, include_str!("../tables/windows/api-sets.txt")),
    (Family::VcRedist, include_str!("../tables/windows/vc-redist.txt")),
];

/// The exports of every known DLL on one architecture.
pub struct Exports {
    dlls: BTreeMap<&'static str, Dll>,
}

/// One DLL. Its exports are read when they are first asked for.
pub struct Dll {
    name: &'static str,
    family: Family,
    arch: Arch,
    /// Its lines of the tables; several for an API set with several versions.
    texts: Vec<&'static str>,
    exports: OnceLock<Vec<Export>>,
}

/// Where a DLL comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// It is in every Windows' System32.
    System,
    /// It is a name that the loader maps to a system DLL: `api-ms-…`, `ext-ms-…`.
    ApiSet,
    /// It comes with Microsoft's C++ redistributable and is not a part of Windows.
    VcRedist,
}

/// One export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name; absent when it can only be had by its ordinal.
    pub name: Option<&'static str>,
    /// Its ordinal, where a source tells it.
    pub ordinal: Option<u16>,
    /// Whether it is known to be a variable.
    pub data: bool,
    /// Who knows of it.
    pub source: Source,
}

/// Who knows of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// mingw-w64's `.def` files alone.
    Definitions,
    /// The metadata of the Windows API alone.
    Metadata,
    /// Both of these.
    Both,
    /// Microsoft's own DLL.
    File,
}

impl Exports {
    /// The tables of an architecture. There is no Windows for riscv64: its tables are empty.
    pub fn of(arch: Arch) -> &'static Exports {
        static AARCH64: LazyLock<Exports> = LazyLock::new(|| Exports::read(Arch::Aarch64));
        static X86_64: LazyLock<Exports> = LazyLock::new(|| Exports::read(Arch::X86_64));
        static NONE: Exports = Exports { dlls: BTreeMap::new() };
        match arch {
            Arch::Aarch64 => &AARCH64,
            Arch::X86_64 => &X86_64,
            Arch::Riscv64 => &NONE,
        }
    }

    /// The DLL of that name, in any case. The versions of an API set are one: the loader does not look at the last number
    /// and takes `api-ms-win-core-com-l1-1-3` wherever it knows an `api-ms-win-core-com-l1-1-*`.
    pub fn dll(&self, name: &str) -> Option<&Dll> {
        self.dlls.get(key(&name.to_ascii_lowercase()))
    }

    /// Whether that DLL is known to export that name. A name that is a number is an ordinal without a name.
    pub fn has(&self, dll: &str, symbol: &str) -> bool {
        self.dll(dll).is_some_and(|dll| dll.export(symbol).is_some())
    }

    /// Every known DLL, by name.
    pub fn dlls(&self) -> impl Iterator<Item = &Dll> {
        self.dlls.values()
    }

    /// The names of the DLLs that export `symbol`, system DLLs first.
    pub fn homes(&self, symbol: &str) -> Vec<&'static str> {
        let mut homes: Vec<&Dll> = self.dlls().filter(|dll| dll.export(symbol).is_some()).collect();
        homes.sort_by_key(|dll| (dll.family, dll.name));
        homes.into_iter().map(|dll| dll.name).collect()
    }

    fn read(arch: Arch) -> Exports {
        let mut dlls = BTreeMap::new();
        for (family, table) in TABLES {
            // The first part is the head comment.
            for part in table.split("\n[").skip(1) {
                let Some((name, text)) = part.split_once("]\n") else {
                    continue;
                };
                if lines(text, arch).next().is_none() {
                    continue;
                }
                let dll = dlls.entry(key(name)).or_insert_with(|| Dll {
                    name,
                    family,
                    arch,
                    texts: Vec::new(),
                    exports: OnceLock::new(),
                });
                dll.name = name;
                dll.texts.push(text);
            }
        }
        Exports { dlls }
    }
}

impl Dll {
    /// Its file name, in lower case; of an API set the newest version's.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Where it comes from.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Its exports: those with a name first, in the order of their bytes.
    pub fn exports(&self) -> &[Export] {
        self.exports.get_or_init(|| {
            let mut exports: Vec<Export> = self.texts.iter().flat_map(|text| lines(text, self.arch)).collect();
            exports.sort_by_key(|export| (export.name.is_none(), export.name, export.ordinal));
            exports.dedup_by_key(|export| (export.name, export.ordinal));
            exports
        })
    }

    /// The export of that name. A name that is a number is an ordinal without a name.
    pub fn export(&self, symbol: &str) -> Option<&Export> {
        let exports = self.exports();
        if let Ok(ordinal) = symbol.parse() {
            return exports
                .iter()
                .find(|export| export.name.is_none() && export.ordinal == Some(ordinal));
        }
        let found = exports.binary_search_by_key(&(false, Some(symbol)), |export| (export.name.is_none(), export.name));
        found.ok().map(|index| &exports[index])
    }

    /// The export of that ordinal. Most ordinals are known to no source, and no one promises that they stay.
    pub fn ordinal(&self, ordinal: u16) -> Option<&Export> {
        self.exports().iter().find(|export| export.ordinal == Some(ordinal))
    }
}

/// What a DLL is looked up by: its file name, of an API set without the last number.
fn key(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((stem, _)) if name.starts_with("api-ms-") || name.starts_with("ext-ms-") => stem,
        _ => name,
    }
}

/// The exports that a DLL's lines tell for an architecture.
fn lines(text: &'static str, arch: Arch) -> impl Iterator<Item = Export> {
    text.lines().filter_map(move |line| {
        let (name, marks) = line.rsplit_once(' ')?;
        let (marks, ordinal) = match marks.split_once('@') {
            Some((marks, ordinal)) => (marks, ordinal.parse().ok()),
            None => (marks, name.parse().ok()),
        };
        let mut letters = marks.chars();
        let source = match letters.next()? {
            'd' => Source::Definitions,
            'm' => Source::Metadata,
            'b' => Source::Both,
            _ => Source::File,
        };
        let other = match arch {
            Arch::Aarch64 => 'x',
            _ => 'a',
        };
        let rest = letters.as_str();
        (!rest.contains(other)).then(|| Export {
            name: name.parse::<u16>().is_err().then_some(name),
            ordinal,
            data: rest.contains('v'),
            source,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_tables_is_understood() {
        for (family, table) in TABLES {
            let mut names = Vec::new();
            for part in table.split("\n[").skip(1) {
                let (name, text) = part.split_once("]\n").unwrap();
                names.push(name);
                let mut seen: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().0).collect();
                let count = seen.len();
                seen.dedup();
                assert_eq!(seen.len(), count, "{name}: a name stands twice");
                assert!(seen.is_sorted(), "{name}: not sorted");
                for line in text.lines() {
                    let marks = line.rsplit_once(' ').unwrap().1.split('@').next().unwrap();
                    assert!(
                        "dmbf".contains(&marks[..1]) && marks[1..].chars().all(|mark| "axv".contains(mark)),
                        "{line}"
                    );
                }
            }
            assert!(names.is_sorted() && names.len() > 10, "{family:?}");
        }
    }

    #[test]
    fn the_architectures_are_told_apart() {
        let (arm, x64) = (Exports::of(Arch::Aarch64), Exports::of(Arch::X86_64));
        assert!(arm.has("KERNEL32.dll", "CreateFileW") && x64.has("kernel32.dll", "CreateFileW"));
        assert!(!arm.has("kernel32.dll", "__C_specific_handler") && x64.has("kernel32.dll", "__C_specific_handler"));
        // The wheel for ARM has one too, but for emulated programs.
        assert!(arm.dll("vcruntime140_1.dll").is_none());
        assert_eq!(x64.dll("vcruntime140_1.dll").unwrap().family(), Family::VcRedist);
        assert!(Exports::of(Arch::Riscv64).dll("kernel32.dll").is_none());
    }

    #[test]
    fn the_last_number_of_an_api_set_does_not_count() {
        let exports = Exports::of(Arch::Aarch64);
        assert!(exports.has("api-ms-win-core-com-l1-1-77.dll", "CoInitializeEx"));
        assert!(exports.dll("api-ms-win-core-com-l9-1-0.dll").is_none());
        assert!(exports.dll("kernel33.dll").is_none());
    }

    #[test]
    fn variables_ordinals_and_sources_are_known() {
        let exports = Exports::of(Arch::Aarch64);
        let redist = exports.dll("msvcp140.dll").unwrap();
        assert!(
            redist
                .exports()
                .iter()
                .any(|export| export.data && export.ordinal.is_some())
        );
        let sockets = exports.dll("ws2_32.dll").unwrap();
        assert_eq!(sockets.export("socket").unwrap().source, Source::Both);
        assert!(exports.homes("D3D11CreateDevice").contains(&"d3d11.dll"));
        // A library of names that mingw-w64 adds for old programs is not what the DLL exports.
        assert!(!exports.has("ucrtbase.dll", "chdir") && exports.has("ucrtbase.dll", "_chdir"));
    }
}
