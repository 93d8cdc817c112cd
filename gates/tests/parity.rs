//! What bundles offer, read out of real ones made of readable code: in words that do not depend on the system, records included.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use gates::manifest::Kind;
use gates::parity::{Offer, compare};
use gates::{Judge, Policy, Report};
use support::Tree;

fn offer(tree: &Tree) -> Result<Option<Offer>, String> {
    let policy = Policy::standard();
    let bundle = tree.write();
    let subjects = Judge::new(&policy).open(&[bundle.path()], &mut Report::default());
    Offer::of(&subjects[0])
}

fn windows() -> Tree {
    let mut tree = Tree::good();
    tree.promise(
        "share/windlass/helper.toml",
        Kind::File,
        b"filters = ['scale', 'gfx']\nsimd = ['neon']\n".to_vec(),
    );
    tree.promise(
        "wheels/helper-1.2-cp314-cp314-win_arm64.whl",
        Kind::File,
        b"PK\x05\x06".to_vec(),
    );
    tree
}

fn linux() -> Tree {
    let mut tree = Tree::linux();
    tree.promise(
        "share/windlass/helper.toml",
        Kind::File,
        b"filters = ['scale']\nsimd = []\n".to_vec(),
    );
    tree
}

#[test]
fn a_bundle_offers_what_lies_in_it_under_names_that_every_system_has() {
    let offer = offer(&windows()).unwrap().unwrap();
    let names = |group: &str| {
        let names = offer.groups.get(group).into_iter().flatten();
        names.map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("components"), "helper 1.2");
    assert_eq!((names("programs"), names("libraries")), ("app".into(), "helper".into()));
    assert_eq!(names("exports of helper"), "answer heap second");
    assert_eq!(
        (names("headers"), names("pkg-config modules")),
        ("helper.h".into(), "helper".into())
    );
    assert_eq!(
        (names("helper filters"), names("helper simd")),
        ("gfx scale".into(), "neon".into())
    );
    assert_eq!(names("wheels"), "helper 1.2");
    assert_eq!(names("static libraries"), "parts");
}

#[test]
fn two_systems_are_compared_by_what_they_offer_and_not_by_how_their_files_are_called() {
    let offers = [offer(&windows()).unwrap().unwrap(), offer(&linux()).unwrap().unwrap()];
    let table = compare(&offers, &[], "2027-01-01");
    let told: Vec<String> = table
        .differences
        .iter()
        .map(|difference| format!("{}: {} {}", difference.lacks, difference.group, difference.name))
        .collect();
    let lacks = |what: &str| format!("aarch64-unknown-linux-gnu: {what}");
    for what in [
        "helper filters gfx",
        "helper simd neon",
        "headers helper.h",
        "exports of helper heap",
    ] {
        assert!(told.contains(&lacks(what)), "{what}: {told:#?}");
    }
    // Both have a program `app` and a library `helper`, and how static libraries are called is each system's own.
    assert!(
        !told
            .iter()
            .any(|line| line.contains("programs") || line.contains(" libraries ")),
        "{told:#?}"
    );
}

#[test]
fn a_record_that_is_none_is_named() {
    let mut tree = windows();
    tree.replace("share/windlass/helper.toml", "filters = 1");
    let error = offer(&tree).unwrap_err();
    assert!(
        error.starts_with("share/windlass/helper.toml: no record of a component's parts: "),
        "{error}"
    );
}
