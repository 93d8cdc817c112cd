//! Searching the bytes of any file for what must not be in it: paths of a machine that builds and private keys; and for names of
//! DLLs that a program may hand to `LoadLibrary`. What a hit means, the rules say.

use memchr::memmem::{self, Finder};

use crate::policy::PathPolicy;

/// So many hits of one kind are kept of a file.
const HITS_MAX: usize = 3;

/// So many names of DLLs are kept of a file.
const DLLS_MAX: usize = 256;

/// Base64 characters that follow the first line of a real private key; shorter is a text that speaks about one.
const KEY_BYTES_MIN: usize = 40;

/// The search for paths of a machine that builds.
pub(crate) struct Scan {
    beginnings: Vec<Finder<'static>>,
    exact: Vec<Finder<'static>>,
    key: Finder<'static>,
}

/// What was found in the bytes of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub build_paths: Vec<String>,
    pub private_keys: usize,
}

impl Scan {
    pub fn new(policy: &PathPolicy) -> Scan {
        let finder = |pattern: &String| Finder::new(pattern.as_bytes()).into_owned();
        Scan {
            beginnings: policy.patterns.iter().map(finder).collect(),
            exact: policy.exact.iter().filter(|path| path.len() > 1).map(finder).collect(),
            key: Finder::new("PRIVATE KEY-----").into_owned(),
        }
    }

    pub fn search(&self, bytes: &[u8]) -> Found {
        Found {
            build_paths: self.paths(bytes),
            private_keys: self.key.find_iter(bytes).filter(|at| is_key(&bytes[at + 16..])).count(),
        }
    }

    /// The first few paths in the bytes, sorted.
    fn paths(&self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for finder in &self.exact {
            let hits = finder.find_iter(bytes).take(HITS_MAX);
            found.extend(hits.map(|at| path_at(bytes, at)));
        }
        for finder in &self.beginnings {
            let is_path = |at: &usize| {
                let after = bytes.get(at + finder.needle().len()).copied().unwrap_or(0);
                let named = after.is_ascii_alphanumeric() || matches!(after, b'_' | b'.');
                named && begins_a_path(&bytes[..*at])
            };
            let hits = finder.find_iter(bytes).filter(is_path).take(HITS_MAX);
            found.extend(hits.map(|at| path_at(bytes, at)));
        }
        found.sort();
        found.dedup();
        found.truncate(HITS_MAX);
        found
    }
}

/// Whether what follows the first line is the key itself.
fn is_key(after: &[u8]) -> bool {
    let after = after.strip_prefix(b"\r").unwrap_or(after);
    let Some(line) = after.strip_prefix(b"\n") else {
        return false;
    };
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    line.len() >= KEY_BYTES_MIN && line[..KEY_BYTES_MIN].iter().all(is_base64)
}

/// Whether what stands before a `/` lets it begin a path: not the rest of a longer path or of an address.
fn begins_a_path(before: &[u8]) -> bool {
    match before.last() {
        None => true,
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'}' | b')' | b'~') => {
            [b"-I".as_slice(), b"-L", b"-isystem"]
                .iter()
                .any(|flag| before.ends_with(flag))
        }
        // A drive letter is a part of the path.
        Some(b':') => before.len() >= 2 && before[before.len() - 2].is_ascii_alphabetic(),
        Some(_) => true,
    }
}

/// The printable bytes from an offset on, at most 120 of them.
fn path_at(bytes: &[u8], at: usize) -> String {
    let rest = &bytes[at..bytes.len().min(at + 120)];
    let is_end = |byte: &u8| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    String::from_utf8_lossy(&rest[..end]).into_owned()
}

/// The names of DLLs that stand in the bytes as whole strings, in bytes or in UTF-16; sorted, in lower case.
pub(crate) fn dll_names(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for (needle, step) in [
        (b".dll\0".as_slice(), 1),
        (b".DLL\0", 1),
        (b".\0d\0l\0l\0\0\0", 2),
        (b".\0D\0L\0L\0\0\0", 2),
    ] {
        for at in memmem::find_iter(bytes, needle) {
            let mut start = at;
            while start >= step && is_of_name(&bytes[start - step..start]) {
                start -= step;
            }
            let name: Vec<u8> = bytes[start..at].iter().step_by(step).copied().collect();
            // What stands before a name that is a whole string is its beginning's zero, or a folder.
            let before = start.checked_sub(step).map_or(0, |before| bytes[before]);
            if name.len() > 1 && matches!(before, 0 | b'\\' | b'/') {
                found.push(format!("{}.dll", String::from_utf8_lossy(&name).to_ascii_lowercase()));
            }
            if found.len() == DLLS_MAX {
                break;
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_of_name(unit: &[u8]) -> bool {
    let named = unit[0].is_ascii_alphanumeric() || matches!(unit[0], b'_' | b'-' | b'.' | b'+');
    named && unit.get(1).is_none_or(|high| *high == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    #[test]
    fn paths_are_told_from_what_only_looks_like_one() {
        let mut policy = Policy::standard().paths;
        policy.exact.push("/opt/state".into());
        let find = |text: &[u8]| Scan::new(&policy).search(text).build_paths;
        assert_eq!(find(b"x\0/home/ann/src/a.c\0"), ["/home/ann/src/a.c"]);
        assert_eq!(find(b"Libs: -L/tmp/out/lib -lz"), ["/tmp/out/lib"]);
        assert_eq!(find(b"C:\\Users\\ann\\a.pdb"), ["\\Users\\ann\\a.pdb"]);
        assert_eq!(find(b"pre/opt/state/prefix"), ["/opt/state/prefix"]);
        // A template, an address, the middle of a path and a lone folder are none.
        for innocent in [
            "/tmp/%sXXXXXX",
            "https://a.org/home/b",
            "src/work/x.c",
            "see /tmp/ and /home/",
        ] {
            assert_eq!(find(innocent.as_bytes()), [""; 0], "{innocent}");
        }
    }

    #[test]
    fn a_key_is_told_from_a_text_about_keys() {
        let scan = Scan::new(&Policy::standard().paths);
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "A".repeat(64));
        assert_eq!(scan.search(key.as_bytes()).private_keys, 1);
        let text = b"-----BEGIN PRIVATE KEY-----\0-----END PRIVATE KEY-----\0";
        assert_eq!(scan.search(text).private_keys, 0);
    }

    #[test]
    fn names_of_dlls_are_seen_in_both_widths() {
        let wide: Vec<u8> = "Opus-0.DLL\0".bytes().flat_map(|byte| [byte, 0]).collect();
        let bytes = [b"\0codec.dll\0%s.dll\0x86\\y1.dll\0".as_slice(), &[0, 0], &wide].concat();
        assert_eq!(dll_names(&bytes), ["codec.dll", "opus-0.dll", "y1.dll"]);
    }
}
