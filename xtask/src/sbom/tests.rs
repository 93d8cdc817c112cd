//! The documents of a small made-up bundle: what they say, that equal content gives equal bytes, and that independent validators
//! accept them.

use gates::manifest::{self, Component, File, Kind, Provider, Role, SCHEMA, Tool};
use serde_json::Value;

use super::*;

fn file(path: &str, kind: Kind, owner: &str) -> File {
    File {
        path: path.into(),
        size: 3,
        sha256: "ab".repeat(32),
        kind,
        owner: owner.into(),
    }
}

fn component(name: &str, license: &str, needs: &[&str]) -> Component {
    Component {
        name: name.into(),
        version: "1.2".into(),
        license: license.into(),
        variant: (name == "b_2").then(|| "gpl".into()),
        published: false,
        homepage: Some("https://example.org".into()),
        digest: "00".repeat(32),
        roles: vec![Role::Target],
        sources: vec![manifest::Source {
            file: format!("{name}-1.2.tar.gz"),
            sha256: "cd".repeat(32),
            url: vec![format!("https://example.org/{name}-1.2.tar.gz?x=1")]
                .into_iter()
                .filter(|_| name == "a")
                .collect(),
        }],
        ships: vec![],
        licence_files: vec![],
        needs: needs.iter().map(|need| (*need).into()).collect(),
        loads: vec![],
        simd: vec![],
        absences: vec![],
        exceptions: vec![],
    }
}

fn manifest() -> Manifest {
    Manifest {
        schema: SCHEMA,
        target: "aarch64-pc-windows-msvc".into(),
        provider: Provider::Open,
        components: vec![component("a", "MIT", &[]), component("b_2", "GPL-2.0-or-later", &["a"])],
        files: vec![
            file("bin/a.exe", Kind::Program, "a"),
            file("include/a.h", Kind::Header, "a"),
            file("lib/b.lib", Kind::ImportLibrary, "b_2"),
            file("licences/a/LICENSE", Kind::Licence, "a"),
            file("README.md", Kind::File, BUNDLER),
        ],
        links: Vec::new(),
        absences: Vec::new(),
        tools: vec![Tool {
            name: "zig".into(),
            version: "0.17.1".into(),
            digest: "ef".repeat(32),
        }],
    }
}

fn facts(manifest: &Manifest) -> Facts<'_> {
    let files = manifest.files.iter();
    Facts {
        manifest,
        sha1: files.map(|file| (file.path.clone(), "12".repeat(20))).collect(),
        epoch: 1_577_836_800,
        what: "image",
        packages: vec![Package {
            name: "libc6".into(),
            version: "2.41-12+deb13u5".into(),
            license: "LGPL-2.1-or-later".into(),
            sha256: "34".repeat(32),
            url: "pkg:deb/debian/libc6@2.41-12%2Bdeb13u5?arch=arm64".into(),
        }],
    }
}

fn parsed(manifest: &Manifest) -> [Value; 2] {
    facts(manifest)
        .documents()
        .unwrap()
        .map(|(_, text)| serde_json::from_str(&text).unwrap())
}

#[test]
fn every_file_has_its_owners_licence_in_both_documents() {
    let [spdx, cyclonedx] = parsed(&manifest());
    let files: Vec<(&str, &str)> = spdx["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["fileName"].as_str().unwrap(),
                file["licenseConcluded"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("./bin/a.exe", "MIT"),
            ("./include/a.h", "MIT"),
            ("./lib/b.lib", "GPL-2.0-or-later"),
            ("./licences/a/LICENSE", "MIT"),
            ("./README.md", "MIT OR Apache-2.0"),
        ]
    );
    let whole = "GPL-2.0-or-later AND LGPL-2.1-or-later AND MIT AND (MIT OR Apache-2.0)";
    assert_eq!(spdx["packages"][0]["licenseDeclared"], whole);
    assert_eq!(cyclonedx["metadata"]["component"]["licenses"][0]["expression"], whole);
    assert_eq!(
        cyclonedx["components"][1]["licenses"][0]["expression"],
        "GPL-2.0-or-later"
    );
    assert_eq!(cyclonedx["components"][1]["properties"][1]["value"], "gpl");
    assert_eq!(
        cyclonedx["components"][3]["licenses"][0]["expression"],
        "LGPL-2.1-or-later"
    );
    assert_eq!(
        cyclonedx["components"][0]["purl"],
        format!(
            "pkg:generic/a@1.2?checksum=sha256:{}&download_url=https%3A%2F%2Fexample.org%2Fa-1.2.tar.gz%3Fx%3D1",
            "cd".repeat(32)
        )
    );
}

#[test]
fn the_code_of_a_package_is_the_hash_of_its_files_hashes() {
    let [spdx, _] = parsed(&manifest());
    // `printf 12…12 | sha1sum`, with the 40 digits three times for the three files of `a`.
    let wanted = hex(&Sha1::digest("12".repeat(60)));
    assert_eq!(
        spdx["packages"][1]["packageVerificationCode"]["packageVerificationCodeValue"],
        wanted
    );
}

#[test]
fn equal_content_gives_equal_bytes_and_other_content_another_serial_number() {
    let (one, other) = (manifest(), manifest());
    assert_eq!(facts(&one).documents().unwrap(), facts(&other).documents().unwrap());
    let mut changed = manifest();
    changed.files[0].sha256 = "ba".repeat(32);
    let serial = |manifest: &Manifest| parsed(manifest)[1]["serialNumber"].clone();
    assert_ne!(serial(&one), serial(&changed));
    let text = serial(&one).as_str().unwrap().to_owned();
    assert_eq!(
        (text.len(), &text[..9], &text[23..24]),
        (45, "urn:uuid:", "8"),
        "{text}"
    );
}

#[test]
fn a_time_that_is_none_is_refused() {
    assert_eq!(rfc3339(1_577_836_800).unwrap(), "2020-01-01T00:00:00Z");
    assert_eq!(
        rfc3339(u64::MAX).unwrap_err().to_string(),
        "18446744073709551615 is no time in seconds after 1970"
    );
}

#[test]
fn a_licence_that_is_no_expression_is_refused_with_the_reason() {
    let parse = |license: &str| {
        let text = format!(
            "version = '1'\nlicense = '{license}'\n[source]\npath = 'x'\n[ships]\n[variant.free]\nlicense = 'MIT or not'\n\
             licence-files = ['COPYING']\nwhat = 'x'\n"
        );
        licences::check(&kit::Component::parse("x", &text).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        parse("LGPL 2.1"),
        "x: license `LGPL 2.1` is no SPDX expression: unknown term"
    );
    assert!(parse("MIT").starts_with("x: license `MIT or not` is no SPDX expression: "));
}

#[test]
fn the_report_names_owner_licence_texts_and_sources() {
    let manifest = manifest();
    let text = licences::report("image", &manifest, &facts(&manifest).packages);
    assert!(
        text.starts_with("# Licences of the image for aarch64-pc-windows-msvc\n"),
        "{text}"
    );
    for line in [
        "| a | 1.2 | MIT | 2 | [a/LICENSE](a/LICENSE) |",
        "| b_2 | 1.2, variant gpl | GPL-2.0-or-later | 1 |  |",
        "| bundle | 0.1.0 | MIT OR Apache-2.0 | 1 |  |",
        "| libc6 | 2.41-12+deb13u5 | LGPL-2.1-or-later | a Debian package | /usr/share/doc/libc6/copyright |",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{text}");
    }
    assert!(text.contains("- b_2: b_2-1.2.tar.gz, sha256 cdcd"), "{text}");
    assert!(text.ends_with("from a package registry\n"), "{text}");
}

/// A Python with spdx-tools and cyclonedx-python-lib judges both documents, and refuses damaged ones.
#[test]
#[ignore = "needs WINDLASS_SBOM_PYTHON: a Python with `pip install spdx-tools 'cyclonedx-python-lib[json-validation]'`"]
fn independent_validators_accept_both_documents() {
    let python = std::env::var("WINDLASS_SBOM_PYTHON").expect(
        "WINDLASS_SBOM_PYTHON is not set: python3 -m venv V && V/bin/pip install spdx-tools 'cyclonedx-python-lib[json-validation]', \
         then set it to V/bin/python",
    );
    let validator = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sbom/validate.py");
    let judge = |path: &Path| {
        let output = duct::cmd!(&python, &validator, path)
            .stderr_to_stdout()
            .stdout_capture()
            .unchecked()
            .run()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let (manifest, damage) = (manifest(), [("SHA1", "SHA0"), ("\"expression\"", "\"expressions\"")]);
    for ((name, text), (find, replace)) in facts(&manifest).documents().unwrap().into_iter().zip(damage) {
        let path = dir.path().join(name);
        std::fs::write(&path, &text).unwrap();
        let (accepted, told) = judge(&path);
        assert!(accepted, "{name}: {told}");
        std::fs::write(&path, text.replace(find, replace)).unwrap();
        let (accepted, told) = judge(&path);
        assert!(!accepted, "{name}: the validator accepts anything: {told}");
    }
}

#[test]
fn a_licence_without_a_name_in_spdx_is_said_to_lie_in_its_file() {
    let mut manifest = manifest();
    assert!(parsed(&manifest)[0].get("hasExtractedLicensingInfos").is_none());
    manifest.components[0].license = "MIT AND LicenseRef-Some-Vendor".into();
    manifest.components[0].licence_files = vec!["licences/a/LICENSE".into()];
    let [document, _] = parsed(&manifest);
    let own = &document["hasExtractedLicensingInfos"];
    assert_eq!(own.as_array().unwrap().len(), 1);
    assert_eq!(own[0]["licenseId"], "LicenseRef-Some-Vendor");
    assert_eq!(own[0]["extractedText"], "The text is shipped: licences/a/LICENSE");
}
