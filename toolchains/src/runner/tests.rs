//! What can be judged without starting anything: what is rendered, what is refused, what is in the data file.

use super::*;

fn target(triple: &str) -> Target {
    Target::load(triple).unwrap()
}

fn runner(emulated: bool) -> Runner {
    Runner {
        script: "/state/run".into(),
        digest: DigestWriter::new("test").finish(),
        emulated,
    }
}

fn variable(command: &Command, name: &str) -> Option<String> {
    let found = command.get_envs().find(|(key, _)| *key == name)?;
    found.1.map(|value| value.to_str().unwrap().to_owned())
}

#[test]
fn every_pin_is_well_formed_and_in_the_pool() {
    for triple in ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"] {
        let pins = Runner::pins(&target(triple)).unwrap();
        assert!(pins.len() > 9);
        for pin in pins {
            pin.check().unwrap();
        }
    }
}

#[test]
fn the_machines_own_programs_need_nothing_and_foreign_ones_an_emulator_with_their_system_root() {
    assert!(Runner::pins(&target("x86_64-unknown-linux-gnu")).unwrap().is_empty());
    for (triple, library) in [
        ("aarch64-unknown-linux-gnu", "libc6_2.31"),
        ("riscv64gc-unknown-linux-gnu", "libc6_2.41"),
    ] {
        let pins = Runner::pins(&target(triple)).unwrap();
        let has = |start: &str| pins.iter().any(|pin| pin.file.starts_with(start));
        assert!(has("qemu-user_") && has(library), "{triple}");
    }
}

#[test]
fn the_script_is_wholly_rendered_and_quotes_its_place() {
    for triple in ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"] {
        let target = target(triple);
        let (_, set) = find(&target).unwrap();
        let digest = identity(&set).unwrap();
        let text = render(&set, &target, &digest, Path::new("/a b/it's")).unwrap();
        for mark in ["@TARGET@", "@HOW@", "@CPU@", "@EMULATED@", "@ROOT@", "@DIGEST@"] {
            assert!(!text.contains(mark), "{mark} is left in the script");
        }
        assert!(text.contains(r"root='/a b/it'\''s'"), "{text}");
    }
}

#[test]
fn the_same_runner_in_two_places_shares_no_wine_prefix() {
    let target = target("aarch64-pc-windows-msvc");
    let (_, set) = find(&target).unwrap();
    let digest = identity(&set).unwrap();
    let prefix = |place: &str| {
        let text = render(&set, &target, &digest, Path::new(place)).unwrap();
        text.lines()
            .find(|line| line.starts_with("prefix="))
            .unwrap()
            .to_owned()
    };
    assert_eq!(prefix("/a"), prefix("/a"));
    assert_ne!(prefix("/a"), prefix("/b"));
}

#[test]
fn identities_differ_by_target() {
    let digest = |triple| identity(&find(&target(triple)).unwrap().1).unwrap();
    assert_ne!(digest("aarch64-pc-windows-msvc"), digest("x86_64-pc-windows-msvc"));
}

#[test]
fn options_become_variables_and_stale_ones_are_cleared() {
    let options = RunOptions {
        cpu: Some("max,pauth=off".into()),
        timeout: Some(Duration::from_millis(1500)),
        path: vec!["/a".into(), "/b c".into()],
        env: BTreeMap::from([("AV_LOG".into(), "x y".into())]),
        code: None,
    };
    let command = runner(true)
        .command(Path::new("/p.exe"), &["a \"b\" \\"], &options)
        .unwrap();
    assert_eq!(variable(&command, "WINDLASS_RUN_CPU").unwrap(), "max,pauth=off");
    assert_eq!(variable(&command, "WINDLASS_RUN_TIMEOUT").unwrap(), "2");
    assert_eq!(variable(&command, "WINDLASS_RUN_PATH").unwrap(), "/a:/b c");
    assert_eq!(variable(&command, "WINDLASS_RUN_ENV").unwrap(), "AV_LOG");
    assert_eq!(variable(&command, "AV_LOG").unwrap(), "x y");
    assert_eq!(variable(&command, "WINDLASS_RUN_CODE"), None);
    assert!(
        command
            .get_envs()
            .any(|(key, value)| key == "WINDLASS_RUN_CODE" && value.is_none())
    );
    let args = command.get_args().collect::<Vec<_>>();
    assert_eq!(args, ["/p.exe", "a \"b\" \\"]);
}

#[test]
fn impossible_options_are_refused() {
    let refused = |emulated, options: RunOptions| {
        let error = runner(emulated)
            .command(Path::new("/p.exe"), &[""; 0], &options)
            .unwrap_err();
        format!("{error:#}")
    };
    let cpu = RunOptions {
        cpu: Some("max".into()),
        ..RunOptions::default()
    };
    assert_eq!(
        refused(false, cpu),
        "cpu `max` is wanted, but programs of this target run on this machine's own CPU"
    );
    for (folder, wanted) in [("/a;b", "because of its"), ("a", "wanted an absolute path")] {
        let path = RunOptions {
            path: vec![folder.into()],
            ..RunOptions::default()
        };
        assert!(refused(true, path).contains(wanted));
    }
    for name in ["", "1A", "A-B", "A;reboot", "WINEPREFIX", "PATH"] {
        let env = RunOptions {
            env: BTreeMap::from([(name.into(), "1".into())]),
            ..RunOptions::default()
        };
        assert!(refused(true, env).contains(&format!("variable `{name}`")), "{name}");
    }
}
