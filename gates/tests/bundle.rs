//! The judgement over the bundles that were really built: one test for each family of rules, and proof that the judge names the
//! file when such a bundle is damaged. Without a bundle every test here fails and says how to make one.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gates::manifest::{Kind, Manifest};
use gates::read::{Content, Symbol};
use gates::{Judge, Policy, Report, Verdict, judge};
use support::{Image, X64};
use tempfile::TempDir;

/// The bundles below `target/windlass`, or the one that `WINDLASS_BUNDLE` names.
fn bundles() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("WINDLASS_BUNDLE") {
        return vec![PathBuf::from(named)];
    }
    let all = workspace().join("target/windlass");
    let targets: Vec<fs::DirEntry> = fs::read_dir(&all)
        .map(|entries| entries.flatten().collect())
        .unwrap_or_default();
    let mut found: Vec<PathBuf> = targets.into_iter().map(|target| target.path().join("bundle")).collect();
    found.retain(|bundle| bundle.is_dir());
    found.sort();
    assert!(
        !found.is_empty(),
        "no bundle in {}\nhint: cargo xtask bundle --target aarch64-pc-windows-msvc --only ffmpeg",
        all.display()
    );
    found
}

fn workspace() -> PathBuf {
    // Cargo's configuration sets it; it ends with a separator.
    PathBuf::from(std::env::var_os("WORKSPACE_ROOT").expect("cargo's configuration sets WORKSPACE_ROOT"))
}

/// Every bundle, judged once by all rules.
fn reports() -> &'static [(PathBuf, Report)] {
    static REPORTS: LazyLock<Vec<(PathBuf, Report)>> = LazyLock::new(|| {
        let policy = Policy::standard();
        let judged = |bundle: PathBuf| (bundle.clone(), judge(&bundle, &policy));
        bundles().into_iter().map(judged).collect()
    });
    &REPORTS
}

/// Shows the whole report of a bundle in which a rule of the family found anything.
fn family(rules: &[&str]) {
    for (bundle, report) in reports() {
        println!("{}: {}", bundle.display(), report.counts);
        let found: Vec<String> = rules
            .iter()
            .flat_map(|rule| report.of(rule))
            .map(ToString::to_string)
            .collect();
        assert!(found.is_empty(), "{}:\n{report}", bundle.display());
        assert_ne!(report.verdict(), Verdict::NotJudged, "{}:\n{report}", bundle.display());
    }
}

#[test]
fn everything_native_is_for_the_target_and_can_be_read() {
    family(&["machine", "readable"]);
}

#[test]
fn every_import_resolves() {
    family(&["imports-closed", "needed-closed", "version-ceiling"]);
}

#[test]
fn what_is_loaded_at_run_time_is_declared_and_there() {
    family(&["declared-loads", "plugins"]);
}

#[test]
fn nothing_is_found_in_another_place_than_was_meant() {
    family(&["no-shadow", "runpath-origin-only", "soname", "links-resolve", "names"]);
}

#[test]
fn import_libraries_offer_what_there_is() {
    family(&["import-library"]);
}

#[test]
fn images_let_the_system_protect_them() {
    family(&[
        "pe-hardening",
        "no-exec-stack",
        "no-textrel",
        "no-wx-segment",
        "page-align",
        "relro",
        "static-tls",
    ]);
}

#[test]
fn no_instruction_is_above_the_baseline_and_the_vectors_are_there() {
    family(&["cpu-baseline", "simd-alive"]);
}

#[test]
fn everything_promised_is_there_and_nothing_else() {
    family(&["ships", "manifest", "absences"]);
}

#[test]
fn no_path_and_no_key_of_the_build_machine_is_inside() {
    family(&["link-lines", "no-build-paths", "no-secrets"]);
}

#[test]
fn pkg_config_modules_can_be_moved() {
    family(&["pkgconfig-relocatable"]);
}

#[test]
fn licences_and_lists_of_parts_come_along() {
    family(&["licence-files", "sbom"]);
}

#[test]
fn no_time_is_inside_and_programs_start_without_a_desktop() {
    family(&["no-timestamps", "server-core"]);
}

#[test]
fn python_and_its_wheels_say_what_they_are_for() {
    family(&[
        "python-config",
        "wheel-metadata",
        "wheel-record",
        "wheel-requires",
        "wheel-tags",
    ]);
}

#[test]
fn exceptions_are_needed_and_in_date() {
    family(&["exceptions", "floors"]);
}

#[test]
fn all_bundles_together_are_distinct_and_equal_in_what_they_ship() {
    let bundles = bundles();
    let paths: Vec<&Path> = bundles.iter().map(PathBuf::as_path).collect();
    let report = Judge::new(&Policy::standard()).paths(&paths);
    let found = [report.of("distinct-targets"), report.of("parity")].concat();
    assert!(found.is_empty(), "{report}");
}

/// A copy of the first Windows bundle, with hard links where the file system allows them.
fn copy() -> (TempDir, Manifest) {
    let windows = |bundle: &PathBuf| Manifest::load(bundle).is_ok_and(|manifest| manifest.target.contains("-windows-"));
    let bundle = bundles()
        .into_iter()
        .find(windows)
        .expect("a bundle for Windows with a manifest");
    let manifest = Manifest::load(&bundle).unwrap();
    let copy = tempfile::tempdir().unwrap();
    link(&bundle, copy.path());
    (copy, manifest)
}

fn link(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => link(&entry.path(), &target),
            false => {
                if fs::hard_link(entry.path(), &target).is_err() {
                    fs::copy(entry.path(), &target).unwrap();
                }
            }
        }
    }
}

/// Puts other bytes in a file's place; the original behind a hard link stays as it is.
fn replace(copy: &Path, path: &str, bytes: &[u8]) {
    let file = copy.join(path);
    fs::remove_file(&file).unwrap();
    fs::write(file, bytes).unwrap();
}

/// A DLL of the bundle, a file that imports from it, and the symbol that it takes.
fn imported(copy: &Path) -> (String, String, String) {
    let manifest = Manifest::load(copy).unwrap();
    let is_native = |kind| matches!(kind, Kind::Library | Kind::Program | Kind::Plugin);
    let native: Vec<_> = manifest.files.iter().filter(|file| is_native(file.kind)).collect();
    for importer in &native {
        let Ok(Content::Pe(pe)) = gates::read::read(&fs::read(copy.join(&importer.path)).unwrap()) else {
            panic!("{}: no PE", importer.path)
        };
        for from in pe.imports.iter() {
            let Some(Symbol::Name(symbol)) = from.symbols().next() else {
                continue;
            };
            let is_dll = |path: &str| path.rsplit('/').next().unwrap().eq_ignore_ascii_case(from.dll);
            if let Some(dll) = native.iter().find(|file| is_dll(&file.path)) {
                return (dll.path.clone(), importer.path.clone(), symbol.to_owned());
            }
        }
    }
    panic!("no file of the bundle imports from another: such a bundle is no test of the judge")
}

fn names(report: &Report, rule: &str, path: &str, text: &str) {
    let hit = report
        .of(rule)
        .iter()
        .any(|finding| finding.path == path && finding.found.contains(text));
    assert!(hit, "`{rule}` does not name {path} with `{text}`:\n{report}");
    assert_eq!(report.verdict(), Verdict::Findings);
}

#[test]
fn a_dll_for_another_machine_is_named() {
    let (copy, manifest) = copy();
    let (dll, _, _) = imported(copy.path());
    let machine = if manifest.target.starts_with("x86_64") {
        support::ARM64
    } else {
        X64
    };
    let foreign = Image {
        machine,
        ..Image::dll(&[("nothing", None)])
    };
    replace(copy.path(), &dll, &foreign.write());
    let report = judge(copy.path(), &Policy::standard());
    names(
        &report,
        "machine",
        &dll,
        if machine == X64 { "x86_64" } else { "aarch64" },
    );
    names(&report, "ships", &dll, "bytes long");
}

#[test]
fn a_dll_whose_machine_alone_was_changed_is_named() {
    let (copy, _) = copy();
    let (dll, _, _) = imported(copy.path());
    let mut bytes = fs::read(copy.path().join(&dll)).unwrap();
    let header = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
    bytes[header + 4..header + 6].copy_from_slice(&0x014c_u16.to_le_bytes());
    replace(copy.path(), &dll, &bytes);
    names(&judge(copy.path(), &Policy::standard()), "machine", &dll, "is for x86");
}

#[test]
fn a_deleted_dll_is_named_by_who_promised_and_by_who_needs_it() {
    let (copy, _) = copy();
    let (dll, importer, symbol) = imported(copy.path());
    fs::remove_file(copy.path().join(&dll)).unwrap();
    let report = judge(copy.path(), &Policy::standard());
    names(&report, "ships", &dll, "missing");
    // The importer may spell the name in another case.
    let name = dll.rsplit('/').next().unwrap().to_ascii_lowercase();
    let hit =
        |finding: &&gates::Finding| finding.path == importer && finding.found.to_ascii_lowercase().contains(&name);
    assert!(
        report.of("imports-closed").iter().any(hit),
        "{importer} needed {symbol} of {dll}:\n{report}"
    );
}

#[test]
fn a_renamed_export_is_named_with_the_file_that_needs_it() {
    let (copy, _) = copy();
    let (dll, importer, symbol) = imported(copy.path());
    let mut bytes = fs::read(copy.path().join(&dll)).unwrap();
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let places: Vec<usize> = bytes
        .windows(name.len())
        .enumerate()
        .filter(|(_, at)| *at == name)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "{dll} does not hold the name {symbol}");
    // The same text may also be data; the export's is among them.
    for place in places {
        bytes[place + symbol.len()] = b'~';
    }
    replace(copy.path(), &dll, &bytes);
    let report = judge(copy.path(), &Policy::standard());
    names(&report, "imports-closed", &importer, &format!("`{symbol}`"));
    let hit = |finding: &&gates::Finding| finding.path == importer && finding.found.contains(&dll);
    assert!(report.of("imports-closed").iter().any(hit), "{report}");
}
