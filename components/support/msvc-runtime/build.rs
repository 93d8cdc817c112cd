//! msvc-runtime: nothing is compiled. The DLLs are told apart by what they are, and not by the package that they lie in.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use kit::{Arch, Cx};

/// `Machine` of a PE file for ARM64. One for both kinds of process on that system, ARM64X, says this too; one for emulated x64
/// processes alone, ARM64EC, says x64.
const ARM64: u16 = 0xaa64;

/// The same for x64.
const X64: u16 = 0x8664;

/// The DLLs of C++ AMP; see the absence in component.toml.
const UNWANTED: &str = "vcamp140";

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let wanted = match cx.target().arch {
        Arch::Aarch64 => ARM64,
        _ => X64,
    };
    let folder = cx.source().join("data/Scripts");
    for item in std::fs::read_dir(&folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
        let path = item?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = machine(&path)?;
        match name.starts_with(UNWANTED) || found != wanted {
            true => cx.note(format_args!("{name}: left out, machine {found:#06x}")),
            false => cx.install(&path, &format!("bin/{name}"))?,
        }
    }
    Ok(())
}

/// `Machine` of a PE file.
fn machine(path: &Path) -> Result<u16> {
    let bytes = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let word = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    // The offset of the signature has 32 bits, of which no file uses more than 16.
    let at = word(0x3c).map(usize::from).unwrap_or_default();
    let signature = bytes.get(at..at + 4);
    ensure!(
        signature == Some(b"PE\0\0".as_slice()),
        "{}: is no PE file",
        path.display()
    );
    word(at + 4).with_context(|| format!("{}: ends in its header", path.display()))
}
