//! Addresses of a PE file: where in the file the bytes are that will be at an address when it is loaded, and whether the
//! loader would lay the sections out at all.

use memchr::memchr;
use object::LittleEndian as LE;
use object::pe::{self, ImageSectionHeader};
use object::pod::{Pod, from_bytes};
use object::read::pe::{DataDirectories, ImageNtHeaders, ImageOptionalHeader, PeFile};

/// Longer than any name of a DLL or symbol: Microsoft's linker stops at 4096 characters of a decorated name.
const NAME_BYTES_MAX: usize = 1 << 14;

/// A file whose headers could be read.
pub(super) struct Image<'data> {
    pub data: &'data [u8],
    pub sections: &'data [ImageSectionHeader],
    /// The address that the file wants to be loaded at.
    pub base: u64,
    pub is_64: bool,
    directories: DataDirectories<'data>,
    header_bytes: u32,
    image_bytes: u32,
    entry: u32,
    alignment: u32,
}

impl<'data> Image<'data> {
    pub fn new<Headers: ImageNtHeaders>(file: &PeFile<'data, Headers>) -> Image<'data> {
        let optional = file.nt_headers().optional_header();
        let first = file.section_table().iter().as_slice();
        Image {
            data: file.data(),
            sections: first,
            base: optional.image_base(),
            is_64: file.nt_headers().is_type_64(),
            directories: file.data_directories(),
            header_bytes: optional.size_of_headers(),
            image_bytes: optional.size_of_image(),
            entry: optional.address_of_entry_point(),
            alignment: optional.section_alignment(),
        }
    }

    /// Where a directory begins and how long it says it is; absent if it is empty.
    pub fn directory(&self, index: usize) -> Option<(u32, u32)> {
        let directory = self.directories.get(index)?;
        let (address, size) = (directory.virtual_address.get(LE), directory.size.get(LE));
        (address != 0).then_some((address, size))
    }

    /// The bytes of the file from an address to the end of its section.
    pub fn at(&self, address: u32) -> Result<&'data [u8], String> {
        let found = self.sections.iter().find_map(|section| {
            let offset = address.checked_sub(section.virtual_address.get(LE))?;
            let (start, size) = raw(section);
            let left = size.checked_sub(offset).filter(|left| *left > 0)?;
            let start = start.checked_add(offset)? as usize;
            self.data.get(start..start.checked_add(left as usize)?)
        });
        let in_headers = || match address < self.header_bytes {
            true => self
                .data
                .get(address as usize..(self.header_bytes as usize).min(self.data.len())),
            false => None,
        };
        found
            .or_else(in_headers)
            .ok_or_else(|| format!("address {address:#x} is in no section"))
    }

    /// The structure at an address.
    pub fn structure<T: Pod>(&self, address: u32) -> Result<&'data T, String> {
        let bytes = self.at(address)?;
        from_bytes(bytes)
            .map(|(structure, _)| structure)
            .map_err(|()| format!("the structure at {address:#x} is cut off"))
    }

    /// The name at an address, up to its zero.
    pub fn name(&self, address: u32) -> Result<&'data [u8], String> {
        let bytes = self.at(address)?;
        let bytes = &bytes[..bytes.len().min(NAME_BYTES_MAX)];
        match memchr(0, bytes) {
            Some(0) => Err(format!("the name at {address:#x} is empty")),
            Some(end) => Ok(&bytes[..end]),
            None => Err(format!("the name at {address:#x} has no end")),
        }
    }

    /// The address of an absolute address, as old tables hold them.
    pub fn relative(&self, absolute: u64) -> Result<u32, String> {
        absolute
            .checked_sub(self.base)
            .and_then(|address| u32::try_from(address).ok())
            .ok_or_else(|| format!("address {absolute:#x} is not in the image"))
    }

    /// Whether an address is in the loaded image.
    pub fn is_inside(&self, address: u32) -> bool {
        address < self.image_bytes
    }

    /// Whether an address is in a section whose pages can be run.
    fn is_code(&self, address: u32) -> bool {
        self.sections.iter().any(|section| {
            let start = section.virtual_address.get(LE);
            let size = section.virtual_size.get(LE).max(section.size_of_raw_data.get(LE));
            let is_inside = address.checked_sub(start).is_some_and(|offset| offset < size);
            is_inside && section.characteristics.get(LE).contains(pe::IMAGE_SCN_MEM_EXECUTE)
        })
    }

    /// What Windows' loader refuses (`MiCreateImageFileMap`, `ERROR_BAD_EXE_FORMAT`): sections out of order, outside of the file
    /// or of the image, and a start address that is no code.
    pub fn layout_trouble(&self) -> Vec<String> {
        let mut trouble = Vec::new();
        if self.alignment == 0 || !self.alignment.is_power_of_two() {
            trouble.push(format!("headers: the section alignment is {:#x}", self.alignment));
        }
        if self.header_bytes as usize > self.data.len() {
            trouble.push("headers: they are longer than the file".to_owned());
        }
        let mut end = u64::from(self.header_bytes);
        for (index, section) in self.sections.iter().enumerate() {
            let start = u64::from(section.virtual_address.get(LE));
            if start < end {
                trouble.push(format!(
                    "section {index} begins at {start:#x}, inside of what is before it"
                ));
            }
            let size = section.virtual_size.get(LE).max(raw(section).1);
            end = start + u64::from(size);
            let (offset, bytes) = (section.pointer_to_raw_data.get(LE), section.size_of_raw_data.get(LE));
            if bytes != 0 && u64::from(offset) + u64::from(bytes) > self.data.len() as u64 {
                trouble.push(format!("section {index} lies outside of the file"));
            }
        }
        if end > u64::from(self.image_bytes) {
            trouble.push(format!(
                "headers: the image is {:#x} bytes long and its sections end at {end:#x}",
                self.image_bytes
            ));
        }
        if self.entry != 0 && !self.is_code(self.entry) {
            trouble.push(format!("headers: the start address {:#x} is no code", self.entry));
        }
        trouble
    }
}

/// Where a section's bytes are in the file, and how many of them are loaded.
fn raw(section: &ImageSectionHeader) -> (u32, u32) {
    let (size, loaded) = (section.size_of_raw_data.get(LE), section.virtual_size.get(LE));
    // Watcom's linker left the loaded size out.
    let size = if loaded == 0 { size } else { size.min(loaded) };
    // The loader rounds down to a sector.
    (section.pointer_to_raw_data.get(LE) & !0x1ff, size)
}
