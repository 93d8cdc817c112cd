//! Headers and libraries under any spelling: upstreams write `<Windows.h>`, `<WinSock2.h>` and `Kernel32.lib`, which on
//! Windows name the files `windows.h`, `winsock2.h` and `kernel32.lib`. clang gets a header map, LLD an overlay of its
//! file system. Neither holds a path of this machine, and no product sees which of them was used.
//!
//! A header map and not an overlay for clang as well: clang reads the whole overlay (one entry for each of 1,300 headers)
//! whenever it starts, which takes 3 ms of 15, and in ffmpeg alone 2,200 times; the map is a hash table that costs nothing
//! measurable. A linker starts ten times and pays 1.3 ms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use store::tree::{self, Kind};

/// This file; a change of it is a change of the result.
pub(crate) const CODE: &str = include_str!("spelling.rs");

/// The size of a header map's head and of each of its buckets, in bytes (clang's `HeaderMapTypes.h`).
const HEAD_BYTES: usize = 24;
const BUCKET_BYTES: usize = 12;

/// A header map that leads every spelling of a header in `folders` to the one that its file has.
///
/// A mapped name starts with `./`, so that clang goes on with it through the folders that follow the map: without, it
/// would first look for it in the current folder, where a project may have a `time.h` of its own. Names without a dot are left
/// alone: they are headers of the C++ library, which nobody spells otherwise.
pub(crate) fn header_map(folders: &[PathBuf]) -> Result<Vec<u8>> {
    let mut names = BTreeMap::new();
    for folder in folders {
        for path in files(folder)? {
            if path.contains('.') {
                names.entry(path.to_ascii_lowercase()).or_insert(path);
            }
        }
    }
    // A third of the table stays empty: a search ends at an empty bucket.
    let buckets = (names.len() * 3 / 2 + 1).next_power_of_two();
    let mut table = vec![[0_u32; 3]; buckets];
    // Offset 0 marks an empty bucket, so no string may lie there.
    let mut strings = b"\0./\0".to_vec();
    for path in names.values() {
        let name = number(strings.len())?;
        strings.extend(path.as_bytes());
        strings.push(0);
        let mut at = hash(path) as usize % buckets;
        while table[at][0] != 0 {
            at = (at + 1) % buckets;
        }
        table[at] = [name, 1, name];
    }
    let longest = names
        .keys()
        .map(|name| name.len() + "./".len())
        .max()
        .unwrap_or_default();
    let head = [
        u32::from_be_bytes(*b"hmap"),
        // Version 1 in the lower half, nothing in the upper.
        1,
        number(HEAD_BYTES + BUCKET_BYTES * buckets)?,
        number(names.len())?,
        number(buckets)?,
        number(longest)?,
    ];
    let words = head.iter().chain(table.iter().flatten());
    let mut map: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    map.extend(strings);
    Ok(map)
}

/// clang's hash of a key, which is the same for all spellings.
fn hash(path: &str) -> u32 {
    path.bytes()
        .map(|byte| u32::from(byte.to_ascii_lowercase()).wrapping_mul(13))
        .fold(0, u32::wrapping_add)
}

fn number(size: usize) -> Result<u32> {
    u32::try_from(size).context("header map: more than 4 GiB of names")
}

/// An overlay that leads every spelling of a library to its file. Each folder is given as it lies on this machine and as it is
/// reached from the folder of the overlay.
pub(crate) fn library_overlay(folders: &[(PathBuf, String)]) -> Result<String> {
    let mut roots = Vec::new();
    for (folder, relative) in folders {
        let mut names = BTreeMap::new();
        for path in files(folder)? {
            if !path.contains('/') {
                names.entry(path.to_ascii_lowercase()).or_insert(path);
            }
        }
        let contents: Vec<String> = names
            .values()
            .map(|name| {
                format!("{{\"type\":\"file\",\"name\":\"{name}\",\"external-contents\":\"{relative}/{name}\"}}")
            })
            .collect();
        roots.push(format!(
            "{{\"type\":\"directory\",\"name\":\"{relative}\",\"contents\":[\n{}\n]}}",
            contents.join(",\n")
        ));
    }
    Ok(format!(
        "{{\"version\":0,\"case-sensitive\":false,\"overlay-relative\":true,\"root-relative\":\"overlay-dir\",\"roots\":[{}]}}\n",
        roots.join(",")
    ))
}

/// The files below a folder, sorted, with `/` between their parts. A link is a second name of a file that is listed anyway.
fn files(folder: &Path) -> Result<Vec<String>> {
    let entries = tree::list(folder)?.into_iter();
    Ok(entries
        .filter(|entry| matches!(entry.kind, Kind::File | Kind::Program))
        .map(|entry| entry.path)
        .collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(paths: &[&str]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for path in paths {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        tree
    }

    /// Looks a name up as clang does.
    fn look_up(map: &[u8], name: &str) -> Option<String> {
        let word = |at: usize| u32::from_le_bytes(map[at..at + 4].try_into().unwrap()) as usize;
        let strings = word(8);
        let text = |offset: usize| {
            let bytes = &map[strings + offset..];
            std::str::from_utf8(&bytes[..bytes.iter().position(|byte| *byte == 0).unwrap()]).unwrap()
        };
        let buckets = word(16);
        assert!(buckets.is_power_of_two() && strings == HEAD_BYTES + buckets * BUCKET_BYTES);
        for step in 0..buckets {
            let at = HEAD_BYTES + (hash(name) as usize + step) % buckets * BUCKET_BYTES;
            match word(at) {
                0 => return None,
                key if text(key).eq_ignore_ascii_case(name) => {
                    return Some(text(word(at + 4)).to_owned() + text(word(at + 8)));
                }
                _ => {}
            }
        }
        None
    }

    #[test]
    fn every_spelling_of_a_header_leads_to_its_file_and_the_first_folder_wins() {
        let first = tree(&["windows.h", "sys/stat.h", "vector"]);
        let second = tree(&["Windows.H", "GL/gl.h"]);
        let map = header_map(&[first.path().to_owned(), second.path().to_owned()]).unwrap();
        for (name, found) in [
            ("Windows.h", Some("./windows.h")),
            ("windows.h", Some("./windows.h")),
            ("SYS/Stat.H", Some("./sys/stat.h")),
            ("gl/GL.h", Some("./GL/gl.h")),
            ("vector", None),
            ("./windows.h", None),
            ("nothing.h", None),
        ] {
            assert_eq!(look_up(&map, name).as_deref(), found, "{name}");
        }
    }

    #[test]
    fn a_map_of_nothing_is_still_a_map() {
        let empty = tree(&[]);
        let map = header_map(&[empty.path().to_owned()]).unwrap();
        assert_eq!(look_up(&map, "windows.h"), None);
    }

    #[test]
    fn an_overlay_names_files_once_and_no_path_of_this_machine() {
        let lib = tree(&["kernel32.Lib", "store/windowsapp.lib"]);
        std::os::unix::fs::symlink("kernel32.Lib", lib.path().join("Kernel32.lib")).unwrap();
        let overlay = library_overlay(&[(lib.path().to_owned(), "../../../T/root/D/lib".to_owned())]).unwrap();
        assert!(
            overlay.contains(r#""external-contents":"../../../T/root/D/lib/kernel32.Lib""#),
            "{overlay}"
        );
        assert_eq!(overlay.matches("external-contents").count(), 1, "{overlay}");
        assert!(!overlay.contains(&lib.path().display().to_string()), "{overlay}");
    }
}
