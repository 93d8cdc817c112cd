//! Writes `tables/windows/*.txt`: what Windows exports, collected from public descriptions of it. Run it when a source has a
//! newer version, and read the difference before committing it:
//!
//! `cargo run -p gates --example tables -- ZIGLANG VC_AARCH64 VC_X86_64 OUT`
//!
//! `ZIGLANG` is an unpacked `ziglang` wheel (its `lib/libc/mingw` holds mingw-w64's `.def` files, its `zig` the
//! preprocessor for them), `VC_*` are folders with the DLLs of the `msvc-runtime` wheels, `OUT` is `gates/tables/windows`.
//! The metadata of the Windows API comes from the `windows-default` crate.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::pe::{ExportTarget, PeFile64};
use windows_metadata::reader;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// DLL -> export -> what is known of it. DLL names are in lower case.
type Table = BTreeMap<String, BTreeMap<String, Seen>>;

/// One architecture, by the bit that marks it in [`Seen`].
struct Arch {
    /// The bit of [`Seen::def`] and its neighbours.
    bit: u8,
    /// The architecture's bit in the metadata's `SupportedArchitecture`.
    metadata: i32,
    /// What the file header of its DLLs says.
    machine: object::pe::Machine,
    /// The macro that mingw-w64's `.def.in` files ask for.
    define: &'static str,
    /// Folders below `lib/libc/mingw`. `lib64` was collected from x64 systems and says nothing of others.
    defs: &'static [&'static str],
}

const ARCHES: [Arch; 2] = [
    Arch {
        bit: 1,
        metadata: 4,
        machine: object::pe::IMAGE_FILE_MACHINE_ARM64,
        define: "__aarch64__",
        defs: &["lib-common"],
    },
    Arch {
        bit: 2,
        metadata: 2,
        machine: object::pe::IMAGE_FILE_MACHINE_AMD64,
        define: "__x86_64__",
        defs: &["lib-common", "lib64"],
    },
];

/// Functions of the C runtime that mingw-w64 has its own versions of. Its `.def` files call them variables, so that only
/// its wrappers can reach them; for the DLL, and for Microsoft's headers, they are functions.
const WRAPPED: [&str; 18] = [
    "_assert",
    "_cabs",
    "_fpreset",
    "_tzset",
    "feclearexcept",
    "fegetenv",
    "fegetexceptflag",
    "fegetround",
    "feholdexcept",
    "fesetenv",
    "fesetexceptflag",
    "fesetround",
    "fetestexcept",
    "iswctype",
    "lgamma",
    "lgammaf",
    "lgammal",
    "towctrans",
];

/// Functions that it replaces outright: a comment in the place of the entry, as of `wctob`, whose result it mends.
const REPLACED: [&str; 2] = ["btowc", "wctob"];

/// Which source says what of one export; each set of bits is over [`Arch::bit`].
#[derive(Default)]
struct Seen {
    def: u8,
    metadata: u8,
    file: u8,
    data: bool,
    ordinal: Option<u16>,
}

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [ziglang, vc_aarch64, vc_x86_64, out] = arguments.as_slice() else {
        return Err("wanted four arguments: ZIGLANG VC_AARCH64 VC_X86_64 OUT".into());
    };
    let mut system = Table::new();
    for arch in &ARCHES {
        metadata(arch, &mut system)?;
    }
    let documented: BTreeSet<String> = system.keys().cloned().collect();
    for arch in &ARCHES {
        for folder in arch.defs {
            let wanted = |dll: &str| match *folder {
                // Half of `lib64` is of DLLs that Windows stopped shipping long ago; the metadata tells which half.
                "lib64" => documented.contains(dll),
                _ => !is_debug_or_redistributable(dll),
            };
            definitions(ziglang, folder, arch, &wanted, &mut system)?;
        }
    }
    let mut redistributable = Table::new();
    for (arch, folder) in ARCHES.iter().zip([vc_aarch64, vc_x86_64]) {
        exports(folder, arch, &mut redistributable)?;
    }
    let is_set = |dll: &str| dll.starts_with("api-ms-") || dll.starts_with("ext-ms-");
    let (sets, system) = system.into_iter().partition(|(dll, _)| is_set(dll));
    write(&out.join("system.txt"), "system DLLs", &system)?;
    write(&out.join("api-sets.txt"), "API sets", &sets)?;
    write(
        &out.join("vc-redist.txt"),
        "DLLs of Microsoft's C++ redistributable",
        &redistributable,
    )
}

fn is_c_runtime(dll: &str) -> bool {
    dll == "ucrtbase.dll" || dll.starts_with("api-ms-win-crt-")
}

/// Whether a DLL of the `.def` files is no part of Windows: a debug runtime, or one that comes with Visual C++.
fn is_debug_or_redistributable(dll: &str) -> bool {
    dll.starts_with("vcruntime140") || dll == "ucrtbased.dll"
}

/// Adds what the Windows API metadata says of one architecture.
fn metadata(arch: &Arch, table: &mut Table) -> Result<()> {
    let file = reader::File::new(windows_default::WIN32.to_vec()).ok_or("Windows.Win32.winmd: not metadata")?;
    let index = reader::Index::new_for_architecture(vec![file], arch.metadata);
    for item in index.items() {
        let reader::Item::Fn(method) = item else { continue };
        let Some(map) = method.impl_map() else { continue };
        let export = match map.import_name() {
            "" => method.name(),
            name => name,
        };
        // An ordinal is spelt `#12`.
        let seen = entry(table, map.import_scope().name(), export.trim_start_matches('#'));
        seen.metadata |= arch.bit;
        if let Some(ordinal) = export.strip_prefix('#') {
            seen.ordinal = Some(ordinal.parse()?);
        }
    }
    Ok(())
}

/// Adds what the `.def` files of one folder say.
fn definitions(
    ziglang: &Path,
    folder: &str,
    arch: &Arch,
    wanted: &dyn Fn(&str) -> bool,
    table: &mut Table,
) -> Result<()> {
    let mingw = ziglang.join("lib/libc/mingw");
    for path in sorted(&mingw.join(folder))? {
        let text = match path.extension().and_then(OsStr::to_str) {
            Some("def") => std::fs::read_to_string(&path)?,
            // Parts that others include have no name of a DLL.
            Some("in") if !path.to_string_lossy().ends_with("-common.def.in") => preprocess(ziglang, &path, arch)?,
            _ => continue,
        };
        let mut dll = None;
        for line in text.lines() {
            let line = entry_of(line);
            let mut words = line.split_whitespace();
            match words.next() {
                None | Some("EXPORTS") => {}
                Some(word) if word.starts_with('#') => {}
                Some("LIBRARY") => dll = words.next().map(|name| name.trim_matches('"').to_owned()),
                Some(_) => {
                    let dll = dll
                        .as_deref()
                        .ok_or_else(|| format!("{}: no LIBRARY", path.display()))?;
                    if wanted(&file_name(dll)) {
                        definition(dll, line, arch, table).map_err(|error| format!("{}: {error}", path.display()))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// What one line of a `.def` file says, without its comment.
fn entry_of(line: &str) -> &str {
    let mut parts = line.split(';').map(str::trim);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), Some(name), Some(reason)) if reason.starts_with("replaced") && REPLACED.contains(&name) => name,
        (entry, ..) => entry.unwrap_or_default(),
    }
}

/// Adds one line of a `.def` file: `name[@bytes] [= internal | == exported] [@ordinal] [NONAME] [DATA] [PRIVATE]`.
fn definition(dll: &str, line: &str, arch: &Arch, table: &mut Table) -> Result<()> {
    // `a == b` offers `b` under the further name `a`, which the DLL does not export.
    let (exported, rest) = match line.split_once("==") {
        Some((left, right)) => {
            let (name, more) = right.trim().split_once(' ').unwrap_or((right.trim(), ""));
            (name, format!("{left} {more}"))
        }
        None => {
            let (name, more) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (name.split('=').next().unwrap_or(name), more.to_owned())
        }
    };
    let exported = undecorated(exported.trim_matches('"'));
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ordinal = words
        .iter()
        .find_map(|word| word.strip_prefix('@'))
        .map(str::parse)
        .transpose()?;
    let nameless = words.contains(&"NONAME") || exported.starts_with("ord_");
    let name = match (nameless, ordinal) {
        (true, Some(ordinal)) => format!("{ordinal}"),
        (true, None) => return Err(format!("`{line}` has neither a name nor an ordinal").into()),
        (false, _) => exported.to_owned(),
    };
    let seen = entry(table, dll, &name);
    seen.def |= arch.bit;
    seen.data |= words.contains(&"DATA") && !(is_c_runtime(dll) && WRAPPED.contains(&exported));
    seen.ordinal = seen.ordinal.or(ordinal);
    Ok(())
}

/// The name without the `@8` that 32-bit x86 adds. Names of C++ begin with `?` and may hold that by themselves.
fn undecorated(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((stem, bytes))
            if !name.starts_with('?') && !stem.is_empty() && bytes.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            stem
        }
        _ => name,
    }
}

/// Runs the preprocessor over a `.def.in` file.
fn preprocess(ziglang: &Path, path: &Path, arch: &Arch) -> Result<String> {
    let output = Command::new(ziglang.join("zig"))
        .args(["clang", "-E", "-P", "-undef", "-w", "-x", "assembler-with-cpp"])
        .arg(format!("-D{}", arch.define))
        // Of MSVC: with mingw-w64's own 16 bytes the files hide the functions for `long double`, which Windows exports.
        .args(["-D__SIZEOF_LONG_DOUBLE__=8", "-D__SIZEOF_DOUBLE__=8"])
        .arg("-I")
        .arg(ziglang.join("lib/libc/mingw/def-include"))
        .arg(path)
        .output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: cannot be preprocessed: {error}", path.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Adds what the DLLs of a folder, at any depth, export.
fn exports(folder: &Path, arch: &Arch, table: &mut Table) -> Result<()> {
    for path in sorted(folder)? {
        if path.is_dir() {
            exports(&path, arch, table)?;
            continue;
        }
        if path.extension() != Some(OsStr::new("dll")) {
            continue;
        }
        let dll = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        // It comes with the runtime but is a part of Windows since Windows 10.
        if dll == "ucrtbase.dll" || dll.starts_with("api-ms-") {
            continue;
        }
        let bytes = std::fs::read(&path)?;
        let file = PeFile64::parse(&*bytes)?;
        // The wheels for ARM hold some DLLs for emulated programs, which a program for ARM cannot load.
        let machine = file.nt_headers().file_header.machine.get(object::LittleEndian);
        if machine != arch.machine {
            eprintln!("{}: left out, machine {machine:?}", path.display());
            continue;
        }
        let Some(exports) = file.export_table()? else { continue };
        for export in exports.exports()? {
            let name = match export.name {
                Some(name) => std::str::from_utf8(name)?.to_owned(),
                None => export.ordinal.0.to_string(),
            };
            let seen = entry(table, &dll, &name);
            seen.file |= arch.bit;
            seen.ordinal = Some(export.ordinal.0);
            if let ExportTarget::Address(address) = export.target {
                seen.data |= !in_code(&file, address);
            }
        }
    }
    Ok(())
}

fn in_code(file: &PeFile64<'_>, address: u32) -> bool {
    let executable = object::pe::IMAGE_SCN_MEM_EXECUTE;
    file.section_table()
        .section_containing(address)
        .is_some_and(|section| section.characteristics.get(object::LittleEndian) & executable != Default::default())
}

fn entry<'table>(table: &'table mut Table, dll: &str, export: &str) -> &'table mut Seen {
    table
        .entry(file_name(dll))
        .or_default()
        .entry(export.to_owned())
        .or_default()
}

/// The DLL's file name in lower case. Without a suffix `.dll` is meant, as for the loader.
fn file_name(dll: &str) -> String {
    let known = [".dll", ".drv", ".exe", ".sys", ".cpl", ".ocx", ".ax"];
    let dll = dll.to_lowercase();
    match known.iter().any(|suffix| dll.ends_with(suffix)) {
        true => dll,
        false => dll + ".dll",
    }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn write(path: &Path, what: &str, table: &Table) -> Result<()> {
    let mut text = format!(
        "# What the {what} export. Written by `cargo run -p gates --example tables`; do not edit.\n\
         # `[dll]` opens a DLL. Then one export a line: its name (an ordinal without a name is a number), and marks:\n\
         #   the source: d = mingw-w64's .def files, m = the Windows API metadata, b = both, f = Microsoft's own file;\n\
         #   a = only known of aarch64, x = only known of x86_64, neither = both; v = a variable; @N = its ordinal.\n\
         # Sources: ziglang 0.17.1 (mingw-w64), windows-default 0.100.0 (Windows.Win32.winmd), msvc-runtime 14.51.36231.\n"
    );
    for (dll, exports) in table {
        writeln!(text, "[{dll}]")?;
        for (name, seen) in exports {
            let source = match (seen.def, seen.metadata, seen.file) {
                (_, _, 1..) => 'f',
                (1.., 1.., _) => 'b',
                (0, _, _) => 'm',
                _ => 'd',
            };
            let arch = ["", "a", "x", ""][usize::from(seen.def | seen.metadata | seen.file)];
            let data = if seen.data { "v" } else { "" };
            write!(text, "{name} {source}{arch}{data}")?;
            match seen.ordinal {
                Some(ordinal) if *name != ordinal.to_string() => writeln!(text, "@{ordinal}")?,
                _ => text.push('\n'),
            }
        }
    }
    Ok(std::fs::write(path, text)?)
}
