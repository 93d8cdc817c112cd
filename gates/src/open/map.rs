//! The bytes of a file on disk, without a copy of a large one.

use std::fs::File;
use std::io::{Read, Result};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// Up to this length a file is read: a mapping costs more than the copy.
const COPY_BYTES_MAX: u64 = 16 << 10;

/// The bytes of a file.
pub(super) enum Bytes {
    Copy(Vec<u8>),
    Map(Mmap),
}

/// Reads or maps a file.
///
/// # Errors
/// What the system says.
pub(super) fn file(path: &Path) -> Result<Bytes> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length <= COPY_BYTES_MAX {
        let mut bytes = Vec::with_capacity(length as usize);
        file.read_to_end(&mut bytes)?;
        return Ok(Bytes::Copy(bytes));
    }
    #[expect(
        unsafe_code,
        reason = "a mapping is the only way to look at a few pages of a file of any size; whoever cuts the file short while it is \
                  judged ends the judge by a signal, which no caller takes for a clean report"
    )]
    // SAFETY: the map is private and read-only, and it is dropped before the reader of this one file returns; readers take the
    // bytes as hostile and rely on no value that was read before.
    let map = unsafe { Mmap::map(&file) }?;
    Ok(Bytes::Map(map))
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Copy(bytes) => bytes,
            Bytes::Map(map) => map,
        }
    }
}
