//! What a thing is for: an operating system and an architecture, and how triples, tags of wheels, Debian packages and images
//! name them.

use std::fmt;

use crate::Arch;

/// An operating system on an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Platform {
    /// The operating system.
    pub os: Os,
    /// The architecture.
    pub arch: Arch,
}

/// An operating system, with the C library where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Os {
    /// Windows.
    Windows,
    /// Linux with glibc.
    Linux,
    /// Linux with musl.
    Musl,
}

impl Platform {
    /// The platform of a target's triple.
    pub fn of_triple(triple: &str) -> Option<Platform> {
        let os = match triple {
            _ if triple.contains("-windows-") => Os::Windows,
            _ if triple.contains("-linux-musl") => Os::Musl,
            _ if triple.contains("-linux-") => Os::Linux,
            _ => return None,
        };
        let arch = Arch::of_triple(triple)?;
        Some(Platform { os, arch })
    }

    /// The platform of one platform tag of a wheel, say `manylinux_2_28_aarch64`; absent for `any` and for foreign ones.
    pub fn of_tag(tag: &str) -> Option<Platform> {
        let (os, arch) = match tag {
            "win_arm64" => (Os::Windows, "aarch64"),
            "win_amd64" => (Os::Windows, "x86_64"),
            _ if tag.starts_with("manylinux") || tag.starts_with("linux_") => (Os::Linux, tag),
            _ if tag.starts_with("musllinux_") => (Os::Musl, tag),
            _ => return None,
        };
        let arch = [Arch::Aarch64, Arch::X86_64, Arch::Riscv64]
            .into_iter()
            .find(|known| arch.ends_with(&known.to_string()))?;
        Some(Platform { os, arch })
    }

    /// The platform of a Debian architecture or of an image's, say `arm64`.
    pub fn of_debian(arch: &str) -> Option<Platform> {
        let arch = match arch {
            "arm64" => Arch::Aarch64,
            "amd64" => Arch::X86_64,
            "riscv64" => Arch::Riscv64,
            _ => return None,
        };
        Some(Platform { os: Os::Linux, arch })
    }

    /// Whether programs are PE there.
    pub fn is_windows(self) -> bool {
        self.os == Os::Windows
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let os = match self.os {
            Os::Windows => "windows",
            Os::Linux => "linux",
            Os::Musl => "linux-musl",
        };
        write!(f, "{}-{os}", self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_name_a_platform_is_understood() {
        let text = |platform: Option<Platform>| platform.map(|platform| platform.to_string());
        let windows = Some("aarch64-windows".to_owned());
        assert_eq!(text(Platform::of_triple("aarch64-pc-windows-msvc")), windows);
        assert_eq!(text(Platform::of_tag("win_arm64")), windows);
        let linux = Some("riscv64-linux".to_owned());
        assert_eq!(text(Platform::of_triple("riscv64gc-unknown-linux-gnu")), linux);
        assert_eq!(text(Platform::of_tag("manylinux_2_39_riscv64")), linux);
        assert_eq!(text(Platform::of_debian("riscv64")), linux);
        let musl = Some("x86_64-linux-musl".to_owned());
        assert_eq!(text(Platform::of_tag("musllinux_1_2_x86_64")), musl);
        for foreign in ["any", "win32", "macosx_11_0_arm64", "manylinux2014_armv7l"] {
            assert_eq!(Platform::of_tag(foreign), None, "{foreign}");
        }
    }
}
