//! Good archives of every kind, and hostile ones. All are made here by code.

use std::io::Write;

use super::*;

/// A tar with a program, a text, a link and a folder, as upstreams make them.
fn sample_tar() -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let mut add = |path: &str, mode: u32, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        tar.append_data(&mut header, path, content).unwrap();
    };
    add("pkg-1.0/configure", 0o755, b"#!/bin/sh\n");
    add("pkg-1.0/doc/read me.txt", 0o644, b"text");
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, "pkg-1.0/doc/link", "../configure")
        .unwrap();
    tar.into_inner().unwrap()
}

fn compress(kind: &str, plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    match kind {
        "gz" => flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast())
            .write_all(plain)
            .unwrap(),
        "xz" => {
            let mut writer = liblzma::write::XzEncoder::new(&mut packed, 1);
            writer.write_all(plain).unwrap();
            writer.finish().unwrap();
        }
        "bz2" => bzip2::write::BzEncoder::new(&mut packed, bzip2::Compression::fast())
            .write_all(plain)
            .unwrap(),
        "zst" => packed = zstd::stream::encode_all(plain, 1).unwrap(),
        _ => packed = plain.to_vec(),
    }
    packed
}

fn deb(data: &[u8]) -> Vec<u8> {
    let mut ar = ar::Builder::new(Vec::new());
    for (name, content) in [
        ("debian-binary", b"2.0\n" as &[u8]),
        ("control.tar.xz", b"no files"),
        ("data.tar.xz", data),
    ] {
        ar.append(&ar::Header::new(name.into(), content.len() as u64), content)
            .unwrap();
    }
    ar.into_inner().unwrap()
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default().unix_permissions(0o755))
            .unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A tar of raw members; `tar::Builder` itself refuses hostile names.
fn hostile_tar(members: &[(tar::EntryType, &str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, path, link) in members {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(0);
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

fn try_unpack(bytes: &[u8], how: &Unpack) -> (tempfile::TempDir, Result<()>) {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    fs::write(&archive, bytes).unwrap();
    let result = unpack(&archive, &dir.path().join("into"), how);
    (dir, result)
}

fn tree_of(dir: &tempfile::TempDir) -> Vec<String> {
    let root = dir.path().join("into");
    let entries = tree::list(&root).unwrap();
    entries
        .iter()
        .map(|entry| format!("{:?} {}", entry.kind, entry.path))
        .collect()
}

fn refusal(bytes: &[u8], how: &Unpack) -> String {
    let (_dir, result) = try_unpack(bytes, how);
    format!("{:#}", result.expect_err("must be refused"))
}

#[test]
fn every_kind_gives_the_same_tree() {
    let wanted = [
        "Program configure",
        "Folder doc",
        "Link doc/link",
        "File doc/read me.txt",
    ];
    for kind in ["tar", "gz", "xz", "bz2", "zst"] {
        let (dir, result) = try_unpack(&compress(kind, &sample_tar()), &Unpack::strip(1));
        result.unwrap_or_else(|error| panic!("{kind}: {error:#}"));
        assert_eq!(tree_of(&dir), wanted, "{kind}");
    }
    let (dir, result) = try_unpack(&deb(&compress("xz", &sample_tar())), &Unpack::strip(1));
    result.unwrap();
    assert_eq!(tree_of(&dir), wanted, "deb");
}

#[test]
fn a_wheel_keeps_its_programs_and_only_what_was_asked_for() {
    let bytes = zip(&[("pkg/bin/tool", b"x"), ("pkg/data.txt", b"y")]);
    let (dir, result) = try_unpack(&bytes, &Unpack::default().only(["pkg/bin/*"]));
    result.unwrap();
    assert_eq!(tree_of(&dir), ["Folder pkg", "Folder pkg/bin", "Program pkg/bin/tool"]);
}

#[test]
fn absolute_links_become_relative_to_the_archive() {
    let (dir, result) = try_unpack(
        &hostile_tar(&[(tar::EntryType::Symlink, "usr/lib/a", "/etc/b")]),
        &Unpack::default(),
    );
    result.unwrap();
    assert_eq!(
        fs::read_link(dir.path().join("into/usr/lib/a")).unwrap(),
        Path::new("../../etc/b")
    );
}

#[test]
fn what_would_leave_the_folder_is_refused() {
    use tar::EntryType::{Link, Regular, Symlink};
    type Members<'a> = &'a [(tar::EntryType, &'a str, &'a str)];
    let cases: [(Members, &str); 6] = [
        (&[(Regular, "../x", "")], "`../x`: member would land outside the folder"),
        (
            &[(Regular, "/etc/x", "")],
            "`/etc/x`: member would land outside the folder",
        ),
        (
            &[(Symlink, "a/b", "../../x")],
            "`a/b`: links out of the archive to `../../x`",
        ),
        (&[(Link, "b", "../x")], "`../x`: member would land outside the folder"),
        (
            &[(Symlink, "p", "."), (Symlink, "p/p/z", "../..")],
            "`p/p`: member would be written through the link",
        ),
        (
            &[(tar::EntryType::Fifo, "f", "")],
            "`f`: is a Fifo, wanted a file, folder or link",
        ),
    ];
    for (members, wanted) in cases {
        let error = refusal(&hostile_tar(members), &Unpack::default());
        assert!(error.contains(wanted), "{error}\nwanted: {wanted}");
    }
    let error = refusal(&zip(&[("../x", b"")]), &Unpack::default());
    assert!(error.contains("member would land outside the folder"), "{error}");
}

#[test]
fn bombs_are_refused_before_they_fill_the_disk() {
    let bomb = zip(&[("zeros", &vec![0; 1 << 20])]);
    let error = refusal(
        &bomb,
        &Unpack {
            bytes_max: 1000,
            ..Unpack::default()
        },
    );
    assert!(
        error.contains("holds more than 1000 bytes: refused as a bomb"),
        "{error}"
    );
    let error = refusal(
        &sample_tar(),
        &Unpack {
            members_max: 2,
            ..Unpack::default()
        },
    );
    assert!(error.contains("has more than 2 members"), "{error}");
}

#[test]
fn every_truncation_is_an_error() {
    let whole = [
        ("gz", compress("gz", &sample_tar())),
        ("xz", compress("xz", &sample_tar())),
        ("bz2", compress("bz2", &sample_tar())),
        ("zst", compress("zst", &sample_tar())),
        ("deb", deb(&compress("xz", &sample_tar()))),
        ("zip", zip(&[("a", b"content")])),
    ];
    for (kind, bytes) in whole {
        for length in 0..bytes.len() {
            let (_dir, result) = try_unpack(&bytes[..length], &Unpack::default());
            assert!(
                result.is_err(),
                "{kind}: {length} of {} bytes were taken for the whole",
                bytes.len()
            );
        }
    }
}

#[test]
fn what_is_no_archive_says_so() {
    let error = refusal(b"<html>404</html>", &Unpack::default());
    assert!(error.contains("is not an archive of a known kind"), "{error}");
}
