//! `[ships]`: what a component promises to have in its prefix, in words that hold for every operating system.

use gates::manifest::{Kind, Promise};
use serde::Deserialize;
use toolchains::{Arch, Os, Target};

/// What must be in the prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ships {
    /// Programs in `bin/`, without `.exe`.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Shared libraries: on Windows `bin/<name>.dll`, elsewhere `lib/<name>` as it is written.
    #[serde(default)]
    pub libs: Vec<String>,
    /// Import libraries: on Windows `lib/<name>.lib`; elsewhere there is no such thing.
    #[serde(default, alias = "import_libs")]
    pub import_libs: Vec<String>,
    /// Headers below `include/`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// Modules of pkg-config: `lib/pkgconfig/<name>.pc`.
    #[serde(default)]
    pub pkgconfig: Vec<String>,
    /// Libraries that a program loads by itself, with their folder and without `.dll` or `.so`.
    #[serde(default)]
    pub plugins: Vec<String>,
    /// Other files, by their path in the prefix.
    #[serde(default)]
    pub files: Vec<String>,
    /// What is promised on Windows alone.
    #[serde(default)]
    pub windows: Option<Box<Ships>>,
    /// What is promised on Linux alone.
    #[serde(default)]
    pub linux: Option<Box<Ships>>,
    /// What is promised on AArch64 alone, below an operating system: `[ships.windows.aarch64]`.
    #[serde(default)]
    pub aarch64: Option<Box<Ships>>,
    /// The same on 64-bit RISC-V.
    #[serde(default)]
    pub riscv64: Option<Box<Ships>>,
    /// The same on x86-64.
    #[serde(default, rename = "x86_64")]
    pub x86_64: Option<Box<Ships>>,
}

impl Ships {
    /// Every promised file by its path, sorted.
    pub fn resolve(&self, target: &Target) -> Vec<Promise> {
        let mut all = Vec::new();
        self.collect(target.os, &mut all);
        let of_system = match target.os {
            Os::Windows => &self.windows,
            Os::Linux => &self.linux,
        };
        let of_processor = of_system.as_ref().and_then(|own| match target.arch {
            Arch::Aarch64 => own.aarch64.as_ref(),
            Arch::Riscv64 => own.riscv64.as_ref(),
            Arch::X86_64 => own.x86_64.as_ref(),
        });
        for own in of_system.as_ref().into_iter().chain(of_processor) {
            own.collect(target.os, &mut all);
        }
        all.sort();
        all.dedup();
        all
    }

    fn collect(&self, os: Os, all: &mut Vec<Promise>) {
        let windows = os == Os::Windows;
        let mut add = |kind, names: &[String], path: &dyn Fn(&str) -> String| {
            all.extend(names.iter().map(|name| Promise { kind, path: path(name) }));
        };
        let library = |name: &str| match windows {
            true => format!("bin/{name}.dll"),
            false => format!("lib/{name}"),
        };
        add(Kind::Program, &self.programs, &|name| match windows {
            true => format!("bin/{name}.exe"),
            false => format!("bin/{name}"),
        });
        add(Kind::Library, &self.libs, &library);
        if windows {
            add(Kind::ImportLibrary, &self.import_libs, &|name| {
                format!("lib/{name}.lib")
            });
        }
        add(Kind::Header, &self.headers, &|name| format!("include/{name}"));
        add(Kind::PkgConfig, &self.pkgconfig, &|name| {
            format!("lib/pkgconfig/{name}.pc")
        });
        add(Kind::Plugin, &self.plugins, &|name| {
            format!("{name}.{}", if windows { "dll" } else { "so" })
        });
        add(Kind::File, &self.files, &str::to_owned);
    }

    pub(super) fn expand(&mut self, version: &str) {
        for names in self.names_mut() {
            for name in names {
                *name = name.replace("{version}", version);
            }
        }
        let own = [
            &mut self.windows,
            &mut self.linux,
            &mut self.aarch64,
            &mut self.riscv64,
            &mut self.x86_64,
        ];
        for own in own.into_iter().flatten() {
            own.expand(version);
        }
    }

    /// The tables of operating systems.
    pub(super) fn of_systems(&self) -> impl Iterator<Item = &Ships> {
        [&self.windows, &self.linux].into_iter().flatten().map(AsRef::as_ref)
    }

    /// The tables of processors.
    pub(super) fn of_processors(&self) -> impl Iterator<Item = &Ships> {
        let own = [&self.aarch64, &self.riscv64, &self.x86_64];
        own.into_iter().flatten().map(AsRef::as_ref)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let own = [
            &self.programs,
            &self.libs,
            &self.import_libs,
            &self.headers,
            &self.pkgconfig,
            &self.plugins,
            &self.files,
        ];
        own.into_iter().flatten()
    }

    fn names_mut(&mut self) -> [&mut Vec<String>; 7] {
        [
            &mut self.programs,
            &mut self.libs,
            &mut self.import_libs,
            &mut self.headers,
            &mut self.pkgconfig,
            &mut self.plugins,
            &mut self.files,
        ]
    }
}
