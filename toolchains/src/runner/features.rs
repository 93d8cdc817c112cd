//! Processor features above 63. Wine's `ntdll.dll` for arm64 says no to all of them, so that programs under the runner would
//! leave code for I8MM, SHA3 or SME alone that the emulated CPU can run. Which CPU it is, is known only when a program runs;
//! hence the answer is code: `runner/features.c`, put behind the DLL's own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::read::pe::PeFile64;
use object::{LittleEndian, Object, ObjectSection, SectionKind};

/// What is written into the DLL.
pub(super) const SOURCE: &str = include_str!("../../runner/features.c");

/// The function that is led to our code.
const FUNCTION: &[u8] = b"RtlIsProcessorFeaturePresent";

/// `cmp w0, #63`, its first instruction.
const COMPARE: u32 = 0x7100_fc1f;

/// `b.hi`, its second, without the distance, which is counted in instructions from bit 5 on.
const BRANCH: u32 = 0x5400_0008;
const BRANCH_MASK: u32 = 0xff00_001f;

/// The code of an object file that holds no relocation.
pub(super) fn code(object: &Path) -> Result<Vec<u8>> {
    let name = object.display();
    let bytes = fs::read(object).with_context(|| format!("{name}: cannot be read"))?;
    let file = object::File::parse(&*bytes).with_context(|| format!("{name}: is no object file"))?;
    let mut code = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        ensure!(
            section.relocations().next().is_none(),
            "{name}: its code needs a relocation"
        );
        code.extend_from_slice(section.data()?);
    }
    ensure!(!code.is_empty(), "{name}: holds no code");
    Ok(code)
}

/// Writes the code into Wine's `ntdll.dll` and leads the function there.
pub(super) fn add(dll: &Path, code: &[u8]) -> Result<()> {
    let mut bytes = fs::read(dll).with_context(|| format!("{}: cannot be read", dll.display()))?;
    insert(&mut bytes, code).with_context(|| {
        format!(
            "{}: is not the DLL that this change was made for; the package is another one",
            dll.display()
        )
    })?;
    fs::write(dll, bytes).with_context(|| format!("{}: cannot be written", dll.display()))
}

fn insert(bytes: &mut [u8], code: &[u8]) -> Result<()> {
    let (function, end, room) = places(bytes)?;
    let branch = function + 4;
    let distance = u32::try_from((end - branch) / 4)?;
    ensure!(
        code.len() <= room && distance < 1 << 18,
        "there is no room behind the code"
    );
    ensure!(
        word(bytes, function) == Some(COMPARE) && word(bytes, branch).is_some_and(|word| word & BRANCH_MASK == BRANCH),
        "the function does not begin with a comparison with 63 and a branch"
    );
    bytes[branch..branch + 4].copy_from_slice(&(BRANCH | distance << 5).to_le_bytes());
    bytes[end..end + code.len()].copy_from_slice(code);
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// Offsets in the file: of the function, of what is behind the last function of its section, and how much room is there. The
/// last page of a section is mapped as a whole.
fn places(bytes: &[u8]) -> Result<(usize, usize, usize)> {
    let pe = PeFile64::parse(bytes)?;
    let table = pe.export_table()?.context("there is no export table")?;
    let mut names = table.name_iter();
    let found = names.find(|(name, _)| table.name_from_pointer(*name).is_ok_and(|name| name == FUNCTION));
    let (_, index) = found.context("the function is not exported")?;
    let address = u64::from(table.address_by_index(index)?);
    for section in pe.section_table().iter() {
        let [at, size, file, file_size] = [
            section.virtual_address,
            section.virtual_size,
            section.pointer_to_raw_data,
            section.size_of_raw_data,
        ]
        .map(|field| u64::from(field.get(LittleEndian)));
        if (at..at + size).contains(&address) {
            let end = size.next_multiple_of(16);
            return Ok((
                usize::try_from(file + address - at)?,
                usize::try_from(file + end)?,
                usize::try_from(file_size.saturating_sub(end))?,
            ));
        }
    }
    bail!("the function is in no section")
}
