//! Bases of small made-up packages: what gets into the layer, and what is said of packages that are wrong.

use std::path::Path;

use super::*;
use crate::image::recipe::Recipe;

const LINUX: &str = include_str!("../../../../images/linux.toml");

fn tar(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ::tar::Builder::new(Vec::new());
    for (path, text) in members {
        let mut header = ::tar::Header::new_gnu();
        header.set_mode(0o755);
        match path.split_once(" -> ") {
            Some((path, to)) => {
                header.set_size(0);
                header.set_entry_type(::tar::EntryType::Symlink);
                archive.append_link(&mut header, path, to).unwrap();
            }
            None => {
                header.set_size(text.len() as u64);
                archive.append_data(&mut header, path, text.as_bytes()).unwrap();
            }
        }
    }
    archive.into_inner().unwrap()
}

/// Puts a package into a state folder and gives its pin.
fn deb(state: &Path, control: &str, members: &[(&str, &str)]) -> Pin {
    let mut archive = ar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar", tar(&[("control", control)])),
        ("data.tar", tar(members)),
    ] {
        let header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        archive.append(&header, bytes.as_slice()).unwrap();
    }
    pinned(state, &archive.into_inner().unwrap())
}

fn pinned(state: &Path, bytes: &[u8]) -> Pin {
    let file = state.join("x.deb");
    std::fs::create_dir_all(state).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let sha256 = store::sha256_file(&file).unwrap().to_string();
    let text = format!("file = 'libx_1_arm64.deb'\nsha256 = '{sha256}'\ndebian = 'pool/main/x/libx_1_arm64.deb'");
    let pin = Pin::parse(&text).unwrap();
    let place = State::at(state).source_path(&pin);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::rename(file, place).unwrap();
    pin
}

const CONTROL: &str = "Package: libx\nVersion: 1\nArchitecture: arm64\n";

const MEMBERS: [(&str, &str); 4] = [
    ("usr/lib/libx.so.1", "ELF"),
    ("usr/lib/libx.so -> libx.so.1", ""),
    ("usr/bin/x", "tool"),
    ("usr/share/certs/b.crt", "B\n"),
];

fn package(pin: Pin) -> Package {
    Package {
        name: "libx".into(),
        license: "MIT".into(),
        keep: vec!["usr/lib/**".into()],
        join: None,
        pin: BTreeMap::from([("arm64".to_owned(), pin)]),
    }
}

fn read(state: &Path, package: &Package) -> Result<Base> {
    let parts = Parts {
        packages: std::slice::from_ref(package),
        ..Parts::default()
    };
    parts.read(Arch::Aarch64, &State::at(state))
}

fn refused(state: &Path, package: &Package) -> String {
    format!("{:#}", read(state, package).err().unwrap())
}

#[test]
fn what_is_kept_and_what_scanners_look_for_gets_into_the_layer() {
    let dir = tempfile::tempdir().unwrap();
    let mut members = MEMBERS.to_vec();
    members.push(("usr/share/certs/a.crt", "A\n"));
    let mut package = package(deb(dir.path(), CONTROL, &members));
    package.join = Some(Join {
        into: "/etc/all.crt".into(),
        from: "usr/share/certs/*.crt".into(),
    });
    let base = read(dir.path(), &package).unwrap();
    let taken = &base.packages[0];
    assert_eq!(taken.url(), "pkg:deb/debian/libx@1?arch=arm64");
    for there in ["usr/lib/libx.so", "var/lib/dpkg/status.d/libx"] {
        assert!(base.layer.leads_to_something(there), "{there}");
    }
    assert!(!base.layer.leads_to_something("usr/bin/x"));
    match base.layer.what("etc/all.crt") {
        Some(What::Bytes { bytes, executable }) => assert_eq!((&bytes[..], *executable), (&b"A\nB\n"[..], false)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_package_that_is_not_the_wanted_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    let with = |control: &str| refused(state, &package(deb(state, control, &MEMBERS)));
    assert_eq!(
        with(&CONTROL.replace("arm64", "armhf")),
        "libx: libx_1_arm64.deb: its control file says `Architecture: armhf`, wanted arm64"
    );
    assert_eq!(
        with(&CONTROL.replace("libx", "liby")),
        "libx: libx_1_arm64.deb: its control file says `Package: liby`, wanted libx"
    );
    assert_eq!(
        refused(state, &package(pinned(state, b"<html>"))),
        "libx: libx_1_arm64.deb: is no Debian package"
    );
    let mut other = package(deb(state, CONTROL, &MEMBERS));
    other.keep = vec!["usr/lib64/**".into()];
    assert_eq!(
        refused(state, &other),
        "libx: libx_1_arm64.deb: `usr/lib64/**` matches nothing in it"
    );
    other.pin = BTreeMap::from([("amd64".to_owned(), other.pin["arm64"].clone())]);
    assert_eq!(
        refused(state, &other),
        "libx: libx: is not pinned for arm64, found: amd64"
    );
}

#[test]
fn a_package_with_another_hash_is_removed_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    let package = package(deb(state, CONTROL, &MEMBERS));
    let place = State::at(state).source_path(&package.pin["arm64"]);
    std::fs::write(&place, "damaged").unwrap();
    let text = refused(state, &package);
    assert!(
        text.starts_with("libx: libx_1_arm64.deb: source was damaged since it was fetched: sha256 is "),
        "{text}"
    );
    assert!(
        text.ends_with("hint: cargo xtask fetch, then run the same command again"),
        "{text}"
    );
    assert!(!place.exists());
}

#[test]
fn a_link_to_what_is_not_kept_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    for to in ["libz.so.1", "/usr/lib/libz.so.1", "../../../../etc/shadow", "libx.so"] {
        let link = format!("usr/lib/libx.so -> {to}");
        let members = [("usr/lib/libx.so.1", "ELF"), (link.as_str(), "")];
        assert_eq!(
            refused(state, &package(deb(state, CONTROL, &members))),
            "libx_1_arm64.deb: the link `usr/lib/libx.so` leads to nothing in the base, wanted its target among what is kept",
            "{to}"
        );
    }
}

#[test]
fn our_own_base_is_pinned_for_all_three_architectures_and_its_faults_are_told() {
    let recipe = Recipe::parse("linux", LINUX).unwrap();
    for arch in [Arch::Aarch64, Arch::Riscv64, Arch::X86_64] {
        let pins = recipe.base().pins(arch).unwrap();
        assert_eq!(pins.len(), 4);
        assert!(pins.iter().all(|pin| pin.debian.is_some()));
    }
    let broken = LINUX
        .replace("license = \"MPL-2.0\"", "license = \"whatever\"")
        .replace("path = \"/etc/group\"", "path = \"/etc/../group\"")
        .replace("into = \"/etc/ssl", "into = \"etc/ssl");
    assert_eq!(
        format!("{:#}", Recipe::parse("linux", &broken).unwrap_err()),
        "package `ca-certificates`: join: wanted an absolute path, found `etc/ssl/certs/ca-certificates.crt`\n\
         package `ca-certificates`: license `whatever` is no SPDX expression: unknown term\n\
         text: wanted an absolute path, found `/etc/../group`"
    );
}
