//! The architectures that the judge knows, and how a target's triple names them.

use std::fmt;

/// A processor architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arch {
    /// 64-bit ARM.
    Aarch64,
    /// 64-bit x86.
    X86_64,
    /// 64-bit RISC-V.
    Riscv64,
}

impl Arch {
    /// The architecture that a target's triple begins with.
    pub fn of_triple(triple: &str) -> Option<Arch> {
        match triple.split('-').next()? {
            "aarch64" => Some(Arch::Aarch64),
            "x86_64" => Some(Arch::X86_64),
            "riscv64gc" | "riscv64" => Some(Arch::Riscv64),
            _ => None,
        }
    }

    /// The architecture whose system a path belongs to, by the names that Debian gives folders: `/usr/lib/x86_64-linux-gnu`.
    pub(crate) fn of_path(path: &str) -> Option<Arch> {
        let is_its = |part: &str| {
            let (arch, rest) = part.split_once('-')?;
            let is_system = matches!(rest, "linux-gnu" | "linux-musl");
            Arch::of_triple(arch).filter(|_| is_system)
        };
        path.split('/').find_map(is_its)
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arch::Aarch64 => "aarch64",
            Arch::X86_64 => "x86_64",
            Arch::Riscv64 => "riscv64",
        })
    }
}
