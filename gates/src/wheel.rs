//! What a wheel says of itself: its file name, its `WHEEL` and `METADATA`, and the list of its files. The formats are those of the
//! Python packaging specifications (binary distribution format, core metadata).

use std::collections::{BTreeMap, BTreeSet};

use pep508_rs::{MarkerEnvironment, MarkerEnvironmentBuilder};

use crate::{Arch, Os, Platform};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A wheel's statements. What is missing is empty here and a finding of a rule.
#[derive(Clone, Debug, Default)]
pub struct Wheel {
    /// The file's name.
    pub file: String,
    /// The parts of the name; absent if it has not five or six.
    pub name: Option<Name>,
    /// The folder of metadata, say `numpy-2.1.0.dist-info`.
    pub info: String,
    /// The fields of `WHEEL`.
    pub wheel: Fields,
    /// The fields of `METADATA`.
    pub metadata: Fields,
    /// The rows of `RECORD`, in their order.
    pub record: Vec<Row>,
}

/// The parts of a wheel's file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The project.
    pub project: String,
    /// Its version.
    pub version: String,
    /// Tags of Python implementations.
    pub pythons: Vec<String>,
    /// Tags of ABIs.
    pub abis: Vec<String>,
    /// Tags of platforms.
    pub platforms: Vec<String>,
}

/// The fields of a file in the format of e-mail headers; a field may stand several times.
#[derive(Clone, Debug, Default)]
pub struct Fields(BTreeMap<String, Vec<String>>);

/// One row of `RECORD`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The file's path.
    pub path: String,
    /// Its hash as `sha256=` and unpadded URL-safe base64; empty for the list itself.
    pub hash: String,
    /// Its length in bytes; empty for the list itself.
    pub size: String,
}

impl Name {
    /// Understands a file name.
    pub fn parse(file: &str) -> Option<Name> {
        let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
        let (project, version, tags) = match parts[..] {
            [project, version, a, b, c] => (project, version, [a, b, c]),
            // The fourth from the end is a number for builds of the same version.
            [project, version, _, a, b, c] => (project, version, [a, b, c]),
            _ => return None,
        };
        let [pythons, abis, platforms] = tags.map(|tags| tags.split('.').map(str::to_owned).collect());
        Some(Name {
            project: project.to_owned(),
            version: version.to_owned(),
            pythons,
            abis,
            platforms,
        })
    }

    /// Every combination of the tags, as `WHEEL` has to list them.
    pub fn tags(&self) -> BTreeSet<String> {
        let mut tags = BTreeSet::new();
        for python in &self.pythons {
            for abi in &self.abis {
                for platform in &self.platforms {
                    tags.insert(format!("{python}-{abi}-{platform}"));
                }
            }
        }
        tags
    }

    /// The platform that the tags name; absent for `any` and for foreign ones.
    pub fn platform(&self) -> Option<Platform> {
        self.platforms.iter().find_map(|tag| Platform::of_tag(tag))
    }

    /// Whether it is said to run anywhere.
    pub fn is_any(&self) -> bool {
        self.platforms.iter().any(|tag| tag == "any")
    }
}

impl Fields {
    /// Understands the headers of a text; they end at the first empty line.
    pub fn parse(text: &str) -> Fields {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut last: Option<String> = None;
        for line in text.lines().take_while(|line| !line.trim_end().is_empty()) {
            if line.starts_with([' ', '\t']) {
                let continued = last.as_ref().and_then(|last| fields.get_mut(last)?.last_mut());
                if let Some(value) = continued {
                    value.push('\n');
                    value.push_str(line.trim());
                }
            } else if let Some((key, value)) = line.split_once(':') {
                let key = key.trim().to_ascii_lowercase();
                fields.entry(key.clone()).or_default().push(value.trim().to_owned());
                last = Some(key);
            }
        }
        Fields(fields)
    }

    /// The first value of a field.
    pub fn first(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Every value of a field.
    pub fn all(&self, key: &str) -> &[String] {
        self.0.get(&key.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }
}

/// The rows of a `RECORD`: comma-separated, a path with a comma or a quote in quotes.
pub fn record(text: &str) -> Vec<Row> {
    text.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

fn row(line: &str) -> Row {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().into_iter().for_each(|field| field.push('"'));
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().into_iter().for_each(|field| field.push(letter)),
        }
    }
    let mut fields = fields.into_iter();
    let mut next = || fields.next().unwrap_or_default().trim().to_owned();
    Row {
        path: next(),
        hash: next(),
        size: next(),
    }
}

/// A project's name as indexes compare it: lower case, runs of `-`, `_` and `.` as one `-`.
pub fn normal_name(name: &str) -> String {
    let mut normal = String::new();
    for letter in name.chars() {
        match letter {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            _ => normal.extend(letter.to_lowercase()),
        }
    }
    normal
}

/// What markers are evaluated with: the values that CPython has on the platform. `python` is its version, with or without the third
/// number.
///
/// # Errors
/// If `python` is no version.
pub fn environment(platform: Platform, python: &str) -> Result<MarkerEnvironment, String> {
    let is_windows = platform.os == Os::Windows;
    let machine = match (is_windows, platform.arch) {
        (true, Arch::Aarch64) => "ARM64",
        (true, _) => "AMD64",
        (false, Arch::Aarch64) => "aarch64",
        (false, Arch::X86_64) => "x86_64",
        (false, Arch::Riscv64) => "riscv64",
    };
    let mut numbers = python.split('.');
    let short = [numbers.next(), numbers.next()]
        .map(Option::unwrap_or_default)
        .join(".");
    let full = match numbers.next() {
        Some(_) => python.to_owned(),
        None => format!("{python}.0"),
    };
    let environment = MarkerEnvironment::try_from(MarkerEnvironmentBuilder {
        implementation_name: "cpython",
        implementation_version: &full,
        os_name: if is_windows { "nt" } else { "posix" },
        platform_machine: machine,
        platform_python_implementation: "CPython",
        platform_release: "",
        platform_system: if is_windows { "Windows" } else { "Linux" },
        platform_version: "",
        python_full_version: &full,
        python_version: &short,
        sys_platform: if is_windows { "win32" } else { "linux" },
    });
    environment.map_err(|why| format!("`{python}`: {why}"))
}

/// A file's hash as `RECORD` spells it: the URL-safe alphabet of RFC 4648 without padding.
pub fn hash(sha256: &[u8; 32]) -> String {
    format!("sha256={}", base64(sha256))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            let index = bits >> (18 - 6 * digit) & 63;
            text.push(char::from(DIGITS[index as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_a_build_number_are_understood() {
        let name = Name::parse("a_b-1.0-2-py2.py3-none-win_arm64.whl").unwrap();
        assert_eq!((name.project.as_str(), name.version.as_str()), ("a_b", "1.0"));
        assert_eq!(name.tags().len(), 2);
        assert_eq!(name.platform(), Platform::of_tag("win_arm64"));
        assert!(Name::parse("a-1.0.whl").is_none() && Name::parse("a-1-2-3-4-5-6.whl").is_none());
        assert_eq!(normal_name("Foo._Bar"), "foo-bar");
    }

    #[test]
    fn fields_and_rows_are_understood() {
        let fields = Fields::parse("Tag: a\nTag: b\nSummary: one\n  two\n\nTag: body\n");
        assert_eq!(fields.all("tag"), ["a", "b"]);
        assert_eq!(fields.first("Summary"), Some("one\ntwo"));
        let rows = record("\"a,\"\"b\",sha256=x,3\nr/RECORD,,\n");
        assert_eq!((rows[0].path.as_str(), rows[0].size.as_str()), ("a,\"b", "3"));
        assert_eq!(rows[1].hash, "");
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        // The vectors of RFC 4648, without padding, and two bytes that tell the URL-safe alphabet.
        for (bytes, wanted) in [
            (b"f".as_slice(), "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (b"\xfb\xff", "-_8"),
        ] {
            assert_eq!(base64(bytes), wanted);
        }
    }
}
