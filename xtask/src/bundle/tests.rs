//! Bundles of small made-up prefixes: what is in them, when they are made again, and that they are the same everywhere.

use super::*;

fn part(dir: &Path, name: &str, files: &[(&str, &str)]) -> Part {
    let prefix = dir.join(name);
    for (path, text) in files {
        let path = prefix.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let declared = format!(
        "version = '1'\nlicense = 'MIT'\nsource = {{ file = 'a.tgz', sha256 = '{}', url = ['https://example.org/a.tgz'] }}\nships = {{ programs = ['a'], import-libs = ['a'] }}\n[[absent]]\nwhat = 'sound'\nreason = 'There is no driver.'\n",
        "00".repeat(32)
    );
    Part {
        name: name.into(),
        prefix,
        digest: "ab".repeat(32),
        needs: vec![],
        declared: Component::parse(name, &declared).unwrap(),
        simd: vec![],
    }
}

fn inputs(parts: Vec<Part>) -> Inputs {
    Inputs {
        target: Target::load("aarch64-pc-windows-msvc").unwrap(),
        provider: Provider::Open,
        state: State::at(Path::new("/nonexistent")),
        shelf: Shelf::default(),
        parts,
        tools: vec![manifest::Tool {
            name: "zig".into(),
            version: "1".into(),
            digest: "cd".repeat(32),
        }],
        epoch: 1_577_836_800,
    }
}

const FILES: [(&str, &str); 4] = [
    ("bin/a.exe", "MZ"),
    ("lib/a.lib", "!<arch>\n"),
    ("lib/pkgconfig/a.pc", "prefix=${pcfiledir}/../.."),
    ("share/licenses/a/LICENSE", "MIT"),
];

fn lines(root: &Path) -> Vec<String> {
    let entries = tree::list(root).unwrap();
    entries
        .iter()
        .map(|entry| format!("{} {}", entry.path, entry.describe(root).unwrap()))
        .collect()
}

#[test]
fn a_bundle_lists_every_file_with_kind_and_owner() {
    let dir = tempfile::tempdir().unwrap();
    let (bundle, outcome) = assemble(&dir.path().join("out"), &inputs(vec![part(dir.path(), "a", &FILES)])).unwrap();
    assert_eq!(outcome, Outcome::Assembled);
    let manifest = Manifest::load(&bundle).unwrap();
    let listed: Vec<String> = manifest
        .files
        .iter()
        .map(|file| format!("{} {} {}", file.path, file.kind, file.owner))
        .collect();
    assert_eq!(
        listed,
        [
            "README.md file bundle",
            "bin/a.exe program a",
            "lib/a.lib import library a",
            "lib/pkgconfig/a.pc pkg-config module a",
            "licences/README.md file bundle",
            "licences/a/LICENSE licence text a",
            "licences/bundle/LICENSE-APACHE licence text bundle",
            "licences/bundle/LICENSE-MIT licence text bundle",
            "sbom.cdx.json file bundle",
            "sbom.spdx.json file bundle",
            "windlass-env.cmd script bundle",
            "windlass-env.ps1 script bundle",
            "windlass-env.sh script bundle",
        ]
    );
    let there: Vec<String> = tree::list(&bundle)
        .unwrap()
        .into_iter()
        .filter(|entry| entry.kind != Entry::Folder && entry.path != manifest::FILE)
        .map(|entry| entry.path)
        .collect();
    assert_eq!(
        there,
        manifest.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>()
    );
    assert!(!bundle.join("share").exists());
    assert_eq!(manifest.components[0].licence_files, ["licences/a/LICENSE"]);
    let readme = fs::read_to_string(bundle.join("README.md")).unwrap();
    assert!(readme.contains("- a: sound: There is no driver."), "{readme}");
}

#[test]
fn the_same_inputs_leave_a_bundle_alone_and_damage_is_mended() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let inputs = inputs(vec![part(dir.path(), "a", &FILES)]);
    let (bundle, _) = assemble(&out, &inputs).unwrap();
    let before = lines(&bundle);
    assert_eq!(assemble(&out, &inputs).unwrap().1, Outcome::Fresh);
    fs::remove_file(bundle.join("bin/a.exe")).unwrap();
    assert_eq!(assemble(&out, &inputs).unwrap().1, Outcome::Assembled);
    assert_eq!(lines(&bundle), before);
    // What a kill between the exchange and the record leaves.
    fs::remove_file(out.join("bundle.record")).unwrap();
    fs::create_dir_all(out.join("bundle.partial/bin")).unwrap();
    assert_eq!(assemble(&out, &inputs).unwrap().1, Outcome::Assembled);
    assert_eq!(lines(&bundle), before);
    assert!(!out.join("bundle.partial").exists());
}

#[test]
fn two_folders_give_the_same_bytes() {
    let bundles: Vec<Vec<String>> = (0..2)
        .map(|_| {
            let dir = tempfile::tempdir().unwrap();
            let inputs = inputs(vec![part(dir.path(), "a", &FILES)]);
            lines(&assemble(&dir.path().join("out"), &inputs).unwrap().0)
        })
        .collect();
    assert_eq!(bundles[0], bundles[1]);
}

#[test]
fn two_components_may_ship_the_same_file_but_not_a_different_one_of_that_name() {
    let dir = tempfile::tempdir().unwrap();
    let one = part(dir.path(), "a", &FILES);
    let two = part(dir.path(), "b", &[("bin/a.exe", "MZ")]);
    assemble(&dir.path().join("out"), &inputs(vec![one.clone(), two])).unwrap();
    let three = part(dir.path(), "c", &[("bin/a.exe", "other")]);
    let error = assemble(&dir.path().join("out"), &inputs(vec![one, three])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bin/a.exe: a and c ship different files of this name"
    );
}

#[test]
fn the_shell_script_finds_its_folder_and_sets_the_three_paths() {
    let dir = tempfile::tempdir().unwrap();
    let (bundle, _) = assemble(&dir.path().join("out"), &inputs(vec![part(dir.path(), "a", &FILES)])).unwrap();
    let moved = dir.path().join("moved here");
    fs::rename(&bundle, &moved).unwrap();
    let moved = moved.canonicalize().unwrap();
    let script = ". \"$1/windlass-env.sh\" && echo \"$PATH|$PKG_CONFIG_PATH|$CMAKE_PREFIX_PATH\"";
    let told = duct::cmd!("bash", "-euc", script, "bash", &moved)
        .env("PATH", "/usr/bin:/bin")
        .env("PKG_CONFIG_PATH", "x")
        .env_remove("CMAKE_PREFIX_PATH")
        .read()
        .unwrap();
    let m = moved.display();
    assert_eq!(told, format!("{m}/bin:/usr/bin:/bin|{m}/lib/pkgconfig:x|{m}"));
    let told = duct::cmd!("sh", "-euc", ". ./windlass-env.sh && echo \"$PATH\"")
        .dir(&moved)
        .env("PATH", "/usr/bin:/bin")
        .read()
        .unwrap();
    assert_eq!(told, format!("{m}/bin:/usr/bin:/bin"));
}

/// A published wheel in a state folder of its own, as fetching leaves it.
fn published(dir: &Path) -> (State, Published) {
    let tree = dir.join("source");
    fs::create_dir_all(tree.join("foo")).unwrap();
    fs::write(tree.join("foo/__init__.py"), "").unwrap();
    fs::write(tree.join("LICENSE"), "the text").unwrap();
    let text = "[project]\nname = 'foo'\nversion = '1.5'\nlicense = 'BSD-2-Clause'\n";
    let project = wheels::Project::parse(text.as_bytes()).unwrap();
    let target = Target::load("aarch64-pc-windows-msvc").unwrap();
    let python = wheels::Python::new(&target, "3.13.15").unwrap();
    let mut assembly = wheels::Assembly::new(&python, &project, &tree, wheels::Abi::Pure);
    assembly
        .tree(&tree.join("foo"), "foo", &wheels::Tree::default())
        .unwrap();
    let wheel = assembly.finish().unwrap();
    let file = dir.join(wheel.file());
    fs::write(&file, wheel.write().unwrap()).unwrap();
    let locked = wheels::Locked {
        file: wheel.file().to_owned(),
        sha256: sha256_file(&file).unwrap().to_string(),
        project: "foo".into(),
        version: "1.5".into(),
        targets: vec![target.triple.clone()],
        license: "BSD-2-Clause".into(),
        summary: String::new(),
        requires_python: None,
        requires: vec![],
    };
    let state = State::at(&dir.join("state"));
    let path = state.source_path(&locked.pin());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::rename(&file, &path).unwrap();
    let published = Published {
        path,
        licence_files: vec![],
        exceptions: vec![],
        locked,
    };
    (state, published)
}

#[test]
fn a_published_wheel_is_taken_as_it_is_and_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let (state, wheel) = published(dir.path());
    let own = fs::read(&wheel.path).unwrap();
    let mut inputs = inputs(vec![part(dir.path(), "a", &FILES)]);
    inputs.state = state;
    inputs.shelf.wheels.push(wheel);
    inputs.shelf.absences.push(Absence {
        what: "bar".into(),
        reason: "nobody publishes it".into(),
    });
    let (bundle, _) = assemble(&dir.path().join("out"), &inputs).unwrap();
    let file = "foo-1.5-py3-none-any.whl";
    assert_eq!(fs::read(bundle.join("wheels").join(file)).unwrap(), own);
    assert_eq!(
        fs::read_to_string(bundle.join("licences/foo/LICENSE")).unwrap(),
        "the text"
    );
    let manifest = Manifest::load(&bundle).unwrap();
    let foo = manifest.component("foo").unwrap();
    assert!(foo.published && !manifest.component("a").unwrap().published);
    assert_eq!(
        (foo.license.as_str(), foo.sources[0].file.as_str()),
        ("BSD-2-Clause", file)
    );
    assert_eq!(manifest.absences[0].what, "bar");
    let read = |name: &str| fs::read_to_string(bundle.join(name)).unwrap();
    assert!(read("README.md").contains("| foo, as published, not built here | 1.5 | BSD-2-Clause |"));
    assert!(read("README.md").contains("- bar: nobody publishes it"));
    assert!(read("README.md").contains("pip install --no-index --find-links"));
    assert!(read("sbom.spdx.json").contains("pkg:pypi/foo@1.5"));
    assert!(read("sbom.cdx.json").contains("published by its upstream, not built here"));
    // A damaged file is not put into another bundle.
    fs::write(&inputs.shelf.wheels[0].path, "junk").unwrap();
    let error = assemble(&dir.path().join("other"), &inputs).unwrap_err();
    assert!(
        error.to_string().contains("was damaged since it was fetched"),
        "{error}"
    );
}

#[test]
fn the_judge_knows_the_date_at_which_everything_is_built() {
    // Fifty years, twelve of them leap years.
    assert_eq!(kit::EPOCH_SECONDS, (50 * 365 + 12) * 24 * 60 * 60);
    assert!(
        gates::Policy::standard()
            .reproducible
            .dates
            .contains(&"Jan  1 2020".to_owned())
    );
}
