//! Images of small made-up bundles: what is in them, that they are the same everywhere, and what is said of inputs that are wrong.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::Value;

use super::ledger as ledger_of;
use super::*;
use crate::bundle::{Inputs, Part};

const ARM: &str = "aarch64-pc-windows-msvc";
const X64: &str = "x86_64-pc-windows-msvc";
const LINUX: &str = "x86_64-unknown-linux-gnu";
const PLAIN: &str = "os = 'linux'\ntitle = 't'\ndescription = 'd'\nroot = '/opt/windlass'\nuser = '65532:65532'\n";
const WINDOWS: &str = include_str!("../../../images/windows.toml");
const EPOCH: u64 = 1_577_836_800;

fn part(dir: &Path, name: &str, content: &str) -> Part {
    let prefix = dir.join(name);
    let files = [
        (format!("bin/{name}.exe"), content.to_owned()),
        (format!("share/licenses/{name}/LICENSE"), "MIT".to_owned()),
    ];
    for (path, text) in files {
        let path = prefix.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let declared =
        format!("version = '1'\nlicense = 'MIT'\nsource = {{ path = 'x' }}\nships = {{ programs = ['{name}'] }}\n");
    Part {
        name: name.into(),
        prefix,
        digest: store::DigestWriter::new(content).finish().to_string(),
        needs: vec![],
        declared: kit::Component::parse(name, &declared).unwrap(),
        simd: vec![],
    }
}

/// A bundle of two components in a folder of its own.
fn source(dir: &Path, triple: &str, one: &str, two: &str) -> Source {
    let target = Target::load(triple).unwrap();
    let dir = dir.join(triple);
    let inputs = Inputs {
        target: target.clone(),
        provider: gates::manifest::Provider::Open,
        state: State::at(Path::new("/nonexistent")),
        shelf: crate::shelf::Shelf::default(),
        parts: vec![part(&dir, "one", one), part(&dir, "two", two)],
        tools: vec![],
        epoch: EPOCH,
    };
    bundle::assemble(&dir, &inputs).unwrap();
    let recipe = match target.os {
        toolchains::Os::Windows => WINDOWS,
        toolchains::Os::Linux => PLAIN,
    };
    Source::read(target, &dir, Recipe::parse("x", recipe).unwrap(), &State::at(&dir)).unwrap()
}

fn options(compression: Compression) -> Options {
    Options {
        compression,
        epoch: EPOCH,
    }
}

/// Every file of a folder with its hash.
fn hashes(root: &Path) -> BTreeMap<String, String> {
    let entries = store::tree::list(root).unwrap().into_iter();
    let files = entries.filter(|entry| entry.kind != store::tree::Kind::Folder);
    files
        .map(|entry| {
            let hash = store::sha256_file(&root.join(&entry.path)).unwrap().to_string();
            (entry.path, hash)
        })
        .collect()
}

fn json(image: &Path, descriptor: &Value) -> Value {
    let digest = descriptor["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
    serde_json::from_slice(&fs::read(image.join("blobs/sha256").join(digest)).unwrap()).unwrap()
}

#[test]
fn two_folders_give_the_same_bytes_in_both_compressions() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        let mut all = Vec::new();
        for _ in 0..2 {
            let dir = tempfile::tempdir().unwrap();
            let sources = [
                source(dir.path(), ARM, "MZ 1", "MZ 2"),
                source(dir.path(), X64, "MZ 3", "MZ 4"),
            ];
            let (image, index, _) = write(dir.path(), &sources, &options(compression)).unwrap();
            all.push((hashes(&image), index.digest().to_string()));
        }
        assert_eq!(all[0], all[1]);
    }
}

#[test]
fn a_changed_component_changes_one_layer() {
    let dir = tempfile::tempdir().unwrap();
    let layers = |two: &str| {
        let dir = dir.path().join(two);
        let (_, _, made) = write(&dir, &[source(&dir, ARM, "MZ 1", two)], &options(Compression::Gzip)).unwrap();
        let layers = made.into_iter().next().unwrap().layers.into_iter();
        layers
            .map(|(name, layer)| (name, layer.digest().to_string()))
            .collect::<Vec<_>>()
    };
    let (before, after) = (layers("MZ 2"), layers("MZ 3"));
    let changed: Vec<&str> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .map(|(before, _)| before.0.as_str())
        .collect();
    assert_eq!((before.len(), after.len()), (3, 3));
    assert_eq!(changed, ["two 1"]);
}

#[test]
fn every_blob_is_what_its_name_says_and_every_reference_leads_to_one() {
    let dir = tempfile::tempdir().unwrap();
    let sources = [
        source(dir.path(), ARM, "MZ 1", "MZ 2"),
        source(dir.path(), X64, "MZ 3", "MZ 4"),
    ];
    let (image, _, _) = write(dir.path(), &sources, &options(Compression::Gzip)).unwrap();
    for (path, hash) in hashes(&image) {
        if let Some(name) = path.strip_prefix("blobs/sha256/") {
            assert_eq!(name, hash);
        }
    }
    let mut references = Vec::new();
    fn collect(value: &Value, into: &mut Vec<(String, u64)>) {
        if let (Some(digest), Some(size)) = (value["digest"].as_str(), value["size"].as_u64()) {
            into.push((digest.to_owned(), size));
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            Value::Object(items) => items.values().for_each(|item| collect(item, into)),
            _ => {}
        }
    }
    for (path, _) in hashes(&image) {
        let text = fs::read(image.join(path)).unwrap();
        if let Ok(value) = serde_json::from_slice::<Value>(&text) {
            collect(&value, &mut references);
        }
    }
    assert!(references.len() > 20, "{references:?}");
    for (digest, size) in references {
        let blob = image.join("blobs/sha256").join(digest.strip_prefix("sha256:").unwrap());
        assert_eq!(blob.metadata().unwrap().len(), size, "{digest}");
    }
    assert_eq!(
        fs::read_to_string(image.join("oci-layout")).unwrap(),
        r#"{"imageLayoutVersion":"1.0.0"}"#
    );
}

#[test]
fn the_index_names_both_images_and_what_is_attached_to_each() {
    let dir = tempfile::tempdir().unwrap();
    let sources = [
        source(dir.path(), ARM, "MZ 1", "MZ 2"),
        source(dir.path(), X64, "MZ 3", "MZ 4"),
    ];
    let (image, index, made) = write(dir.path(), &sources, &options(Compression::Gzip)).unwrap();
    let all: Value = serde_json::from_slice(&fs::read(image.join("index.json")).unwrap()).unwrap();
    let all = all["manifests"].as_array().unwrap();
    let names: Vec<&str> = all
        .iter()
        .filter_map(|entry| entry["annotations"]["org.opencontainers.image.ref.name"].as_str())
        .collect();
    assert_eq!(names, [ARM, X64, "windlass"]);
    let attached = |subject: &Descriptor| {
        let of = |entry: &&Value| json(&image, entry)["subject"]["digest"] == subject.digest().to_string();
        let mut kinds: Vec<&str> = all
            .iter()
            .filter(of)
            .map(|entry| entry["artifactType"].as_str().unwrap())
            .collect();
        kinds.sort_unstable();
        kinds.join(" ")
    };
    let of_image = "application/spdx+json application/vnd.cyclonedx+json application/vnd.in-toto+json \
                    application/vnd.windlass.licences.v1 application/vnd.windlass.manifest.v1 application/vnd.windlass.readme.v1";
    for image in &made {
        assert_eq!(attached(&image.descriptor), of_image);
    }
    assert_eq!(attached(&index), ["application/vnd.windlass.parity.v1"; 3].join(" "));
    let inner = json(&image, &serde_json::to_value(&index).unwrap());
    assert_eq!(
        inner["manifests"][0]["platform"],
        serde_json::json!({ "architecture": "arm64", "os": "windows", "variant": "v8" })
    );
    assert_eq!(
        inner["manifests"][1]["platform"],
        serde_json::json!({ "architecture": "amd64", "os": "windows" })
    );
}

#[test]
fn provenance_names_the_image_and_every_input_by_hash() {
    let dir = tempfile::tempdir().unwrap();
    let mut source = source(dir.path(), ARM, "MZ 1", "MZ 2");
    source.ledger = Some("{}".into());
    source.manifest.components[0].sources = vec![gates::manifest::Source {
        file: "one.tar.gz".into(),
        sha256: "ab".repeat(32),
        url: vec!["https://example.org/one.tar.gz".into()],
    }];
    let layout = Layout::create(&dir.path().join("layout")).unwrap();
    let options = options(Compression::Zstd);
    let made = source.write(&layout, &options).unwrap();
    let all = attach::of_image(&source, &made, &options).unwrap();
    assert!(
        all.iter()
            .any(|one| one.artifact_type == "application/vnd.windlass.proof.v1" && one.text == "{}")
    );
    let statement: Value = serde_json::from_str(&all.last().unwrap().text).unwrap();
    assert_eq!(
        statement["subject"][0]["digest"]["sha256"],
        made.descriptor.digest().digest()
    );
    let build = &statement["predicate"]["buildDefinition"];
    assert_eq!(build["externalParameters"]["compression"], "zstd");
    assert_eq!(
        build["resolvedDependencies"][0],
        serde_json::json!({ "name": "one.tar.gz", "uri": "https://example.org/one.tar.gz", "digest": { "sha256": "ab".repeat(32) } })
    );
    assert_eq!(build["resolvedDependencies"].as_array().unwrap().len(), 3);
}

#[test]
fn layers_for_windows_have_its_form_and_nothing_of_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let sources = [source(dir.path(), ARM, "MZ 1", "MZ 2")];
    let (image, _, made) = write(dir.path(), &sources, &options(Compression::Gzip)).unwrap();
    let (_, layer) = made[0].layers.last().unwrap();
    let blob = fs::File::open(image.join("blobs/sha256").join(layer.digest().digest())).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(blob));
    let mut told = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let extensions = entry.pax_extensions().unwrap().unwrap();
        let extensions: Vec<(String, String)> = extensions
            .map(|extension| {
                let extension = extension.unwrap();
                (
                    extension.key().unwrap().to_owned(),
                    extension.value().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(extensions[1].0, "MSWINDOWS.rawsd");
        let header = entry.header();
        assert_eq!(
            (header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()),
            (0, 0, EPOCH)
        );
        assert_eq!(
            (header.username_bytes(), header.groupname_bytes()),
            (Some(&b""[..]), Some(&b""[..]))
        );
        let (mode, path) = (header.mode().unwrap(), entry.path().unwrap().display().to_string());
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        told.push(format!("{mode:o} {} {path} {text}", extensions[0].1));
    }
    assert_eq!(
        told,
        [
            "755 16 Files/ ",
            "755 16 Hives/ ",
            "755 16 Files/windlass/ ",
            "755 16 Files/windlass/bin/ ",
            "755 32 Files/windlass/bin/two.exe MZ 2",
            "755 16 Files/windlass/licences/ ",
            "755 16 Files/windlass/licences/two/ ",
            "644 32 Files/windlass/licences/two/LICENSE MIT",
        ]
    );
}

#[test]
fn links_of_a_bundle_for_linux_are_in_its_owners_layer() {
    let dir = tempfile::tempdir().unwrap();
    let prefix = dir.path().join(LINUX).join("one/lib");
    fs::create_dir_all(&prefix).unwrap();
    fs::write(prefix.join("libone.so.1"), "ELF").unwrap();
    std::os::unix::fs::symlink("libone.so.1", prefix.join("libone.so")).unwrap();
    let source = source(dir.path(), LINUX, "1", "2");
    let (image, _, made) = write(dir.path(), &[source], &options(Compression::Zstd)).unwrap();
    let (name, layer) = &made[0].layers[1];
    assert_eq!(name, "one 1");
    let blob = fs::File::open(image.join("blobs/sha256").join(layer.digest().digest())).unwrap();
    let mut archive = tar::Archive::new(zstd::Decoder::new(blob).unwrap());
    let mut links = Vec::new();
    for entry in archive.entries().unwrap() {
        let entry = entry.unwrap();
        if let Some(to) = entry.link_name().unwrap() {
            links.push(format!("{} -> {}", entry.path().unwrap().display(), to.display()));
        }
    }
    assert_eq!(links, ["opt/windlass/lib/libone.so -> libone.so.1"]);
}

#[test]
fn a_bundle_that_was_changed_or_is_missing_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let source = source(dir.path(), ARM, "MZ 1", "MZ 2");
    let program = source.bundle.join("bin/two.exe");
    fs::write(&program, "MZ 3").unwrap();
    let error = write(dir.path(), &[source], &options(Compression::Gzip)).err().unwrap();
    let text = format!("{error:#}");
    assert!(
        text.starts_with(&format!("{ARM}: {}: has the sha256 ", program.display()))
            && text.ends_with(": it was changed since it was listed"),
        "{text}"
    );
    assert!(!dir.path().join("image").exists());
    let nowhere = dir.path().join("nowhere");
    let recipe = Recipe::parse("windows", WINDOWS).unwrap();
    let error = Source::read(Target::load(ARM).unwrap(), &nowhere, recipe, &State::at(&nowhere))
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: there is no bundle\n\nhint: cargo xtask bundle --target {ARM}",
            nowhere.join("bundle").display()
        )
    );
}

#[test]
fn proofs_of_another_bundle_are_not_attached() {
    use gates::ledger::{Ledger, Level, Proof};
    let dir = tempfile::tempdir().unwrap();
    let source = source(dir.path(), ARM, "MZ 1", "MZ 2");
    let file = dir.path().join("proof.json");
    let put = |path: &str, sha256: &str| {
        let mut ledger = Ledger::new(ARM);
        let proof = Proof {
            sha256: sha256.to_owned(),
            level: Level::Inspected,
            run: None,
        };
        ledger.add(path, proof);
        fs::write(&file, ledger.to_json()).unwrap();
        ledger_of(&file, &source.manifest)
    };
    let own = source.manifest.files_by_path()["bin/one.exe"].sha256.clone();
    assert!(put("bin/one.exe", &own).unwrap().is_some());
    let hint = format!("hint: cargo xtask prove --target {ARM}");
    for (path, sha256) in [("bin/one.exe", "00".repeat(32)), ("bin/gone.exe", own)] {
        assert_eq!(
            put(path, &sha256).unwrap_err().to_string(),
            format!(
                "{}: is about another `{path}` than the bundle's, wanted proofs of this bundle\n\n{hint}",
                file.display()
            )
        );
    }
    fs::write(&file, "{").unwrap();
    let error = ledger_of(&file, &source.manifest).unwrap_err().to_string();
    assert!(
        error.contains("proof.json: not a proof ledger: ") && error.ends_with(&hint),
        "{error}"
    );
    assert!(ledger_of(&dir.path().join("none"), &source.manifest).unwrap().is_none());
}

#[test]
fn paths_that_lead_out_or_hide_others_get_into_no_layer() {
    let mut layer = Layer::new("x");
    let text = || What::Link("x".into());
    layer.add("a/b", text()).unwrap();
    let mut refused = |path: &str| layer.add(path, text()).unwrap_err().to_string();
    for path in ["/etc/passwd", "a/../../b", "", "a//b", "a\\b"] {
        assert_eq!(refused(path), format!("`{path}`: is no path in an image"));
    }
    assert_eq!(
        refused("a/.wh.b"),
        "`a/.wh.b`: a name that begins with `.wh.` would take files of lower layers away"
    );
    assert_eq!(refused("a/b/c"), "`a/b/c`: `a/b` is no folder");
    assert_eq!(refused("a/b"), "`a/b`: is in the layer `x` twice");
}

#[test]
fn a_recipe_that_is_wrong_is_refused_with_every_fault() {
    let refused = |text: &str| format!("{:#}", Recipe::parse("x", text).unwrap_err());
    assert_eq!(
        refused(
            "os = 'linux'\ntitle = ' '\ndescription = ''\nroot = '/opt/../etc'\nuser = '0:0'\n[environment]\n'A=B' = '1'\n\
             [labels]\n'org.opencontainers.image.title' = 'x'\n"
        ),
        "title: is empty\ndescription: is empty\n\
         root: wanted an absolute path below `/`, found `/opt/../etc`\n\
         user: wanted UID:GID, both above 0, found `0:0`\n\
         environment: `A=B` is no name of a variable\n\
         labels: `org.opencontainers.image.title` is written by the program"
    );
    let plain = "title = 't'\ndescription = 'd'\nroot = '/x'\n";
    assert_eq!(
        refused(&format!("os = 'linux'\n{plain}")),
        "user: is missing, wanted UID:GID"
    );
    assert_eq!(
        refused(&format!("os = 'windows'\nuser = '1:1'\n{plain}")),
        "user: Windows has none by number, found `1:1`"
    );
    assert!(refused(&format!("os = 'plan9'\n{plain}")).contains("unknown variant `plan9`"));
    assert!(refused(&format!("os = 'windows'\nshell = 'sh'\n{plain}")).contains("unknown field `shell`"));
}

#[test]
fn what_a_component_is_proved_with_is_run_by_engines_that_know_a_health_check() {
    let dir = tempfile::tempdir().unwrap();
    let mut source = source(dir.path(), ARM, "MZ 1", "MZ 2");
    source.smoke = Some(source.recipe.smoke("one", &["-v".to_owned()], "one 1"));
    let (image, _, made) = write(dir.path(), &[source], &options(Compression::Gzip)).unwrap();
    let config = json(&image, &serde_json::to_value(&made[0].config).unwrap());
    let config = &config["config"];
    let command = serde_json::json!(["C:\\windlass\\bin\\one.exe", "-v"]);
    assert_eq!(config["Cmd"], command);
    assert_eq!(config["Labels"]["windlass.smoke.command"], command.to_string());
    assert_eq!(config["Labels"]["windlass.smoke.sentinel"], "one 1");
    assert_eq!(config["Healthcheck"]["Test"][1], command[0]);
}

#[test]
fn an_image_is_found_by_system_or_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let target = Target::load(ARM).unwrap();
    let find = |named: Option<&str>| Recipe::find(dir.path(), &target, named);
    let text = |result: Result<Recipe>| result.err().unwrap().to_string();
    let folder = dir.path().display();
    assert_eq!(text(find(None)), format!("{folder}: no image is for {ARM}"));
    fs::write(dir.path().join("windows.toml"), WINDOWS).unwrap();
    assert_eq!(find(None).unwrap().name, "windows");
    assert_eq!(
        text(find(Some("window"))),
        "image `window`: there is none\n\nhint: did you mean `windows`?"
    );
    fs::write(dir.path().join("slim.toml"), WINDOWS).unwrap();
    assert_eq!(
        text(find(None)),
        format!("{ARM}: is wanted as one of several images: slim, windows\n\nhint: --image slim")
    );
    fs::write(dir.path().join("bad.toml"), "os = 1").unwrap();
    let error = format!("{:#}", find(Some("slim")).err().unwrap());
    assert!(
        error.starts_with(&dir.path().join("bad.toml").display().to_string()),
        "{error}"
    );
}
