//! Inputs of the fuzz targets whose formats carry checksums: an input is the parts alone, and the container is made around them, so
//! that changed bytes arrive where they are meant for and are not refused at the door. The targets of `cargo fuzz` and the tests share
//! this file, and what crashes one can be made a test of the other.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

/// What stands between parts; no text holds it.
pub const BETWEEN: &[u8] = b"\xff\n";

/// What stands between the members of one layer.
pub const BETWEEN_MEMBERS: &[u8] = b"\xfe\n";

/// The first byte of what is packed here. Every magic number, and every path, begins with a higher one.
pub const ZIP: u8 = 0;
pub const ZIP_DEFLATED: u8 = 1;
pub const TAR: u8 = 2;
pub const DEB: u8 = 3;
pub const TAR_GZ: u8 = 4;
pub const TAR_XZ: u8 = 5;
pub const TAR_ZST: u8 = 6;
pub const TAR_BZ2: u8 = 7;

/// The parts of an input.
fn split<'a>(mut input: &'a [u8], between: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some(at) = input.windows(between.len()).position(|window| window == between) {
        parts.push(&input[..at]);
        input = &input[at + between.len()..];
    }
    parts.push(input);
    parts
}

/// The first line of a part, and what is behind it.
fn line(part: &[u8]) -> (String, &[u8]) {
    let end = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
    let rest = part.get(end + 1..).unwrap_or_default();
    (String::from_utf8_lossy(&part[..end]).into_owned(), rest)
}

/// A wheel's file name and its bytes: the first part is the name, each other one a member, its path in the first line.
pub fn wheel(input: &[u8]) -> Option<(String, Vec<u8>)> {
    let parts = split(input, BETWEEN);
    let (name, members) = parts.split_first()?;
    let name = String::from_utf8_lossy(name).replace(['/', '\0', '\n'], "");
    let is_name = name.len() < 200 && name.ends_with(".whl");
    is_name.then(|| (name, zip(members, zip::CompressionMethod::Stored)))
}

/// The files of a layout: the first part is the index, each other one a blob that is named by its place. What is no JSON becomes a
/// tar archive of its members, unless it begins with `=`, which makes it a blob as it is.
pub fn layout(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("oci-layout".to_owned(), b"{}".to_vec())];
    for (place, part) in split(input, BETWEEN).into_iter().enumerate() {
        let path = match place.checked_sub(1) {
            None => "index.json".to_owned(),
            Some(blob) => format!("blobs/sha256/{blob}"),
        };
        let bytes = match part.first() {
            Some(b'=') => part[1..].to_vec(),
            Some(b'{') | None => part.to_vec(),
            _ if place == 0 => part.to_vec(),
            _ => tar(&split(part, BETWEEN_MEMBERS)),
        };
        files.push((path, bytes));
    }
    files
}

/// A container of parts, if the first byte asks for one; the input itself if not.
pub fn container(input: &[u8]) -> Vec<u8> {
    let Some((kind, rest)) = input.split_first().filter(|(kind, _)| **kind <= TAR_BZ2) else {
        return input.to_vec();
    };
    let parts = split(rest, BETWEEN);
    let tar = || tar(&parts);
    match *kind {
        ZIP => zip(&parts, zip::CompressionMethod::Stored),
        ZIP_DEFLATED => zip(&parts, zip::CompressionMethod::Deflated),
        DEB => deb(&parts),
        TAR_GZ => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&tar()).and_then(|()| gzip.finish()).unwrap_or_default()
        }
        TAR_XZ => {
            let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
            xz.write_all(&tar()).and_then(|()| xz.finish()).unwrap_or_default()
        }
        TAR_ZST => zstd::stream::encode_all(&tar()[..], 1).unwrap_or_default(),
        TAR_BZ2 => {
            let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            bzip2
                .write_all(&tar())
                .and_then(|()| bzip2.finish())
                .unwrap_or_default()
        }
        _ => tar(),
    }
}

/// A zip archive of members. A path that ends with `@` is a link to what the member holds.
fn zip(members: &[&[u8]], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for member in members {
        let (path, bytes) = line(member);
        // What the writer refuses is left out: a second member of one name, a name that is too long.
        let done = match path.strip_suffix('@') {
            Some(path) => writer.add_symlink(path, String::from_utf8_lossy(bytes), options),
            None => writer
                .start_file(path, options)
                .and_then(|()| Ok(writer.write_all(bytes)?)),
        };
        drop(done);
    }
    writer.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// A Debian package: the first member is the control file.
fn deb(members: &[&[u8]]) -> Vec<u8> {
    let (control, data) = members.split_at(1.min(members.len()));
    archive(&[
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar", tar(control)),
        ("data.tar", tar(data)),
    ])
}

/// An archive of members with short names.
pub fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let (name, size) = (format!("{name}/"), data.len());
        bytes.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

/// A tar archive of members, whose first line is the path and then, each behind a tab and as numbers, the kind (a digit as tar has it),
/// mode, owner, time; the path of a link has ` -> ` in it.
fn tar(members: &[&[u8]]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for member in members {
        let (first, bytes) = line(member);
        let mut fields = first.split('\t');
        let path = fields.next().unwrap_or_default();
        let mut number = |or: u64| fields.next().and_then(|field| field.parse().ok()).unwrap_or(or);
        let (path, to) = path.split_once(" -> ").unwrap_or((path, ""));
        let kind = number(if to.is_empty() { 0 } else { 2 });
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::new(b'0'.wrapping_add(kind as u8)));
        header.set_mode(number(0o644) as u32 & 0o777_7777);
        header.set_uid(number(0));
        header.set_gid(0);
        header.set_mtime(number(0));
        header.set_size(bytes.len() as u64);
        if let Some(gnu) = header.as_gnu_mut() {
            // The builder refuses names that lead out; the format does not.
            for (field, text) in [(&mut gnu.name, path), (&mut gnu.linkname, to)] {
                let size = text.len().min(field.len());
                field[..size].copy_from_slice(&text.as_bytes()[..size]);
            }
        }
        header.set_cksum();
        drop(builder.append(&header, bytes));
    }
    builder.into_inner().unwrap_or_default()
}
