//! One bit of a header is flipped, many times over. In a bundle each flip is found, for the manifest has the hashes; where the
//! manifest was made after the flip, as a broken linker would, each is found all the same or is harmless for a reason that is
//! named here.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::collections::BTreeMap;

use gates::{Report, Verdict};
use support::{Random, Tree, judge_tree};

/// Flips of each kind.
const FLIPS: usize = 240;

/// Files of the good bundle that have headers, and how many bytes of them are headers.
const HEADERS: [(&str, usize); 4] = [
    ("bin/app.exe", 0x200),
    ("bin/helper.dll", 0x200),
    ("lib/helper.lib", 68 + 20),
    ("lib/parts.lib", 68 + 20),
];

/// A file, an offset in it and a bit.
fn flip(random: &mut Random) -> (&'static str, usize, u8) {
    let (path, length) = HEADERS[random.below(HEADERS.len())];
    (path, random.below(length), 1 << random.below(8))
}

#[test]
fn every_flip_in_a_bundle_is_found() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..FLIPS {
        let (path, at, bit) = flip(&mut random);
        let mut tree = Tree::good();
        let mut bytes = tree.files[path].1.clone();
        bytes[at] ^= bit;
        tree.afterwards.insert(path.to_owned(), Some(bytes));
        let report = judge_tree(&tree);
        assert!(
            is_named(&report, path),
            "{path}: a flip at {at:#x} was not found\n{report}"
        );
    }
}

#[test]
fn every_flip_before_the_manifest_was_made_is_found_or_harmless() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..FLIPS {
        let (path, at, bit) = flip(&mut random);
        let mut tree = Tree::good();
        tree.files.get_mut(path).unwrap().1[at] ^= bit;
        let report = judge_tree(&tree);
        if report.verdict() == Verdict::Findings {
            *reasons.entry("found").or_default() += 1;
            continue;
        }
        let bytes = &tree.files[path].1;
        let reason = match path {
            "lib/helper.lib" => harmless_in_archive(at).or_else(|| harmless_in_short_import(at - 68)),
            "lib/parts.lib" => harmless_in_archive(at).or_else(|| harmless_in_object(at - 68)),
            _ => harmless_in_pe(bytes, at),
        };
        let reason =
            reason.unwrap_or_else(|| panic!("{path}: bit {bit:#x} at {at:#x} was flipped and nothing said\n{report}"));
        *reasons.entry(reason).or_default() += 1;
    }
    println!("{reasons:#?}");
    assert!(reasons["found"] > FLIPS / 6, "{reasons:?}");
}

/// Whether something that is wrong is said of a file or of one that needs it.
fn is_named(report: &Report, path: &str) -> bool {
    report.verdict() == Verdict::Findings && report.findings.iter().any(|finding| finding.path.starts_with(path))
}

/// Why a flip in an archive's first header does no harm.
fn harmless_in_archive(at: usize) -> Option<&'static str> {
    Some(match at {
        8..24 => "a member's name, which linkers do not heed",
        24..56 => "date, owner and mode of a member, which linkers do not heed",
        58..66 => "what stands behind the digits of a member's length",
        _ if at < 68 => panic!("the archive's header at {at:#x}"),
        _ => return None,
    })
}

/// Why a flip in the header of a short import does no harm.
fn harmless_in_short_import(at: usize) -> Option<&'static str> {
    Some(match at {
        4..6 => "the version, of which there is one",
        8..12 => "the time stamp of a short import",
        12..16 => "a longer short import, which ends with its names",
        16..18 => "the hint, where the search for a name begins",
        18..20 => "whether a symbol is code or data, and how its decoration is taken off",
        _ => return None,
    })
}

/// Why a flip in the header of an object without sections does no harm.
fn harmless_in_object(at: usize) -> Option<&'static str> {
    Some(match at {
        4..8 => "the time stamp of an object",
        8..16 => "the symbol table of an object that has no symbols",
        16..18 => "the optional header of an object, which has none",
        18..20 => "characteristics of an object, which linkers do not heed",
        _ => return None,
    })
}

/// Why a flip in the headers of a PE file does no harm.
fn harmless_in_pe(bytes: &[u8], at: usize) -> Option<&'static str> {
    let nt = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
    if at < nt {
        return Some("the DOS program, which Windows does not run");
    }
    let (coff, optional) = (nt + 4, nt + 24);
    let sections = optional + 240;
    Some(match at {
        _ if (coff + 4..coff + 8).contains(&at) => "the time stamp",
        _ if (coff + 8..coff + 16).contains(&at) => "the symbol table, which images do not have",
        _ if (coff + 18..coff + 20).contains(&at) => "characteristics that the loader does not heed",
        _ if at < optional => return None,
        _ if at >= sections => section(at - sections)?,
        _ => field(at - optional)?,
    })
}

/// The fields of the optional header.
fn field(at: usize) -> Option<&'static str> {
    Some(match at {
        2..4 => "the linker's version",
        4..16 => "sizes that the loader does not heed",
        16..20 => "the start address in code still: the hash alone tells",
        20..24 => "the code's base, which the loader does not heed",
        24..32 => "the wanted address: the image can be moved",
        36..40 => "the alignment in the file, above what is used",
        40..48 => "versions of the system and of the image",
        48..52 => "the version of the subsystem",
        52..56 => "the reserved version",
        56..60 => "a larger image, which has empty pages at its end",
        60..64 => "the headers' length, within the first page",
        64..68 => "the checksum, which Windows checks for drivers only",
        68..70 => "another subsystem, which a program may have",
        70..72 => "characteristics that are not demanded",
        72..104 => "sizes of stack and heap",
        104..108 => "the loader's flags, which are reserved",
        // Directories: sizes of tables that end by themselves, and tables that are not there.
        112.. => "a directory whose table ends by itself, or that is reserved",
        _ => return None,
    })
}

/// The fields of the section headers, and what follows them.
fn section(at: usize) -> Option<&'static str> {
    if at >= 80 {
        return Some("bytes between the headers and the first section");
    }
    Some(match at % 40 {
        0..8 => "a section's name",
        8..12 => "a section's size in memory, with empty bytes at its end",
        16..20 => "a section's size in the file, above what is used",
        20..24 => "the lower bits of a section's offset, which the loader rounds away",
        24..36 => "relocations and line numbers, which images do not have",
        36..40 => "characteristics of a section that grant nothing new",
        _ => return None,
    })
}
