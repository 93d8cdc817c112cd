//! The crate on wheels that others published: those of the store, by its lock. They are not in the repository, so these tests are left
//! out until they are asked for; what is missing then fails them:
//!
//! ```text
//! cargo xtask lock
//! cargo test -p wheels --test published -- --ignored
//! ```
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::{Path, PathBuf};

use store::State;
use toolchains::Target;
use wheels::{Asked, Limits, Lock, Locked, Member, Python, Wheel};

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wheels").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn fetched() -> Vec<(Locked, PathBuf)> {
    let state = State::locate().unwrap();
    let lock = Lock::parse(&data("wheels.lock")).unwrap();
    let find = |locked: Locked| {
        let path = state
            .need(&locked.pin())
            .unwrap_or_else(|why| panic!("{why}\nhint: cargo xtask lock"));
        (locked, path)
    };
    lock.wheel.into_iter().map(find).collect()
}

#[test]
#[ignore = "needs files of others: cargo xtask lock"]
fn every_wheel_of_the_store_is_read_and_written_again_without_a_loss() {
    let all = fetched();
    for (locked, path) in &all {
        let wheel = Wheel::open(path).unwrap();
        assert_eq!(wheel.faults(), [], "{}", locked.file);
        let again = Wheel::parse(&locked.file, &wheel.write().unwrap(), &Limits::default()).unwrap();
        assert_eq!(again.faults(), [], "{}", locked.file);
        let content = |wheel: &Wheel| {
            let members = wheel.members().iter();
            let own = members.filter(|(path, _)| !path.ends_with(".dist-info/RECORD"));
            own.map(|(path, member)| (path.clone(), member.clone()))
                .collect::<Vec<_>>()
        };
        assert!(content(&wheel) == content(&again), "{}", locked.file);
    }
    assert!(all.len() >= 20, "only {} wheels", all.len());
}

#[test]
#[ignore = "needs files of others: cargo xtask lock"]
fn a_published_wheel_can_be_changed() {
    let all = fetched();
    let (locked, path) = all.iter().find(|(locked, _)| locked.project == "numpy").unwrap();
    let mut wheel = Wheel::open(path).unwrap();
    wheel.replace("numpy/version.py", Member::plain("changed")).unwrap();
    wheel.add("numpy/more.py", Member::plain("added")).unwrap();
    assert_eq!(wheel.faults().len(), 3, "{:?}", wheel.faults());
    let again = Wheel::parse(&locked.file, &wheel.write().unwrap(), &Limits::default()).unwrap();
    assert_eq!(again.faults(), []);
    assert_eq!(again.get("numpy/more.py").unwrap().bytes, b"added");
}

#[test]
fn the_store_is_for_the_python_that_is_built() {
    let text = data("../cpython/component.toml");
    let component: toml_edit::DocumentMut = text.parse().unwrap();
    let asked = Asked::parse(&data("wheels.toml")).unwrap();
    assert_eq!(component["version"].as_str(), Some(asked.python.as_str()));
}

#[test]
fn the_store_closes_for_every_target_and_has_what_is_asked_for() {
    let asked = Asked::parse(&data("wheels.toml")).unwrap();
    let lock = Lock::parse(&data("wheels.lock")).unwrap();
    for target in Target::all() {
        let python = Python::new(&target, &asked.python).unwrap();
        let taken = lock.select(&python, &[], &[]).unwrap();
        for wheel in asked.for_target(&target) {
            let there = taken.iter().find(|locked| locked.project == wheel.project);
            let version = there.map(|locked| locked.version.as_str());
            assert_eq!(
                version,
                Some(wheel.version.as_str()),
                "{} for {}",
                wheel.project,
                target.triple
            );
        }
        for locked in taken {
            let name = gates::wheel::Name::parse(&locked.file).unwrap();
            assert!(python.rank(&name).is_some(), "{} for {}", locked.file, target.triple);
        }
    }
}
