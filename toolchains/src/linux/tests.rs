//! The Linux system roots' checks, and what their wrappers say. No package is needed.

use super::*;

fn root(triple: &str) -> (Target, Root) {
    let target = Target::load(triple).unwrap();
    let root = Root::of(&target).unwrap();
    (target, root)
}

const TRIPLES: [&str; 3] = [
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
    "x86_64-unknown-linux-gnu",
];

/// The header of an ELF file with nothing behind it; `machine` is `e_machine`.
fn elf(machine: u8) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    // ET_DYN, the machine, version 1; e_ehsize.
    (bytes[16], bytes[18], bytes[20], bytes[52]) = (3, machine, 1, 64);
    bytes
}

#[test]
fn the_judge_allows_no_newer_c_library_than_the_root_has() {
    let ceilings = gates::Policy::standard().elf.ceilings;
    for triple in TRIPLES {
        let (target, root) = root(triple);
        assert_eq!(ceilings[&target.arch.to_string()]["GLIBC"], root.glibc, "{triple}");
    }
}

#[test]
fn wrappers_name_no_folder_of_this_machine_and_the_level_alone_tells_levels_apart() {
    for triple in TRIPLES {
        let (target, root) = root(triple);
        for (name, text) in wrappers(&target, &root, "T/sysroot/D", "host/zig/D/ziglang/zig") {
            let absolute = text
                .split_whitespace()
                .any(|word| word.starts_with("/usr") || word.starts_with("/home") || word.starts_with("/tmp"));
            assert!(!absolute && text.starts_with("#!/bin/sh\n"), "{name}: {text}");
        }
    }
    let clang = |triple: &str| {
        let (target, root) = root(triple);
        wrappers(&target, &root, "S", "Z").remove(0).1
    };
    let (plain, vectors) = (
        clang("riscv64gc-unknown-linux-gnu"),
        clang("riscv64gc-unknown-linux-gnu+rva23u64"),
    );
    assert_eq!(plain.replace("-march=rv64gc", "-march=rva23u64"), vectors);
}

#[test]
fn a_package_for_another_architecture_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let lib = dir.path().join("usr/lib");
    tree::create_dir(&lib).unwrap();
    fs::write(lib.join("libx.so.1"), elf(183)).unwrap();
    fs::write(lib.join("libx.so"), "GROUP ( libx.so.1 )\n").unwrap();
    root("aarch64-unknown-linux-gnu").1.check(dir.path()).unwrap();
    let error = root("riscv64gc-unknown-linux-gnu").1.check(dir.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "is for another architecture: `usr/lib/libx.so.1` is for Aarch64, wanted Riscv64"
    );
}

#[test]
fn packages_do_not_overwrite_each_other_and_broken_links_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (package, into) = (dir.path().join("package"), dir.path().join("root"));
    for _ in 0..2 {
        tree::create_dir(&package.join("usr/lib")).unwrap();
        fs::write(package.join("usr/lib/a"), "").unwrap();
        if into.exists() {
            let error = merge(&package, &into).unwrap_err().to_string();
            assert_eq!(error, "`usr/lib/a` is in another package too");
        } else {
            tree::create_dir(&into).unwrap();
            merge(&package, &into).unwrap();
        }
    }
    links_lead_somewhere(&into).unwrap();
    symlink("a", into.join("usr/lib/b")).unwrap();
    links_lead_somewhere(&into).unwrap();
    symlink("gone.so.1", into.join("usr/lib/gone.so")).unwrap();
    let error = links_lead_somewhere(&into).unwrap_err().to_string();
    assert!(error.starts_with("links lead nowhere: usr/lib/gone.so\n"), "{error}");
}

#[test]
fn the_linker_keeps_no_run_path_of_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("T/toolchain/D/bin");
    let (target, root) = root("aarch64-unknown-linux-gnu");
    let texts: BTreeMap<_, _> = wrappers(&target, &root, "T/sysroot/D", "host/zig")
        .into_iter()
        .collect();
    tree::write_atomic(&dir.path().join("host/zig"), b"#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
    tree::write_atomic(&bin.join("ld.lld"), texts["ld.lld"].as_bytes()).unwrap();
    for program in [dir.path().join("host/zig"), bin.join("ld.lld")] {
        crate::tools::make_executable(&program).unwrap();
    }
    let output = std::process::Command::new(bin.join("ld.lld"))
        .args([
            "-o",
            "a b",
            "-rpath",
            "/build/lib:$ORIGIN/deep",
            "x.o",
            "--rpath=/usr/lib",
            "*",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let arguments: Vec<&str> = said.lines().collect();
    let at = arguments.iter().position(|argument| *argument == "-rpath").unwrap();
    assert_eq!(arguments[at + 1], "$ORIGIN/../lib:$ORIGIN/deep");
    assert!(arguments.ends_with(&["-o", "a b", "x.o", "*"]), "{arguments:?}");
    assert!(!said.contains("/build/lib") && !said.contains("/usr/lib"), "{said}");
}
