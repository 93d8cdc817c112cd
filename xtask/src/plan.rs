//! What a bundle takes, as values in order: printable, comparable, and made without touching anything. Running it is for
//! the other modules.

use std::fmt;

use serde::Serialize;
use store::Pin;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "step")]
pub enum Step {
    /// Bring files.
    Fetch {
        /// For what.
        what: String,
        /// Their names, sorted.
        files: Vec<String>,
    },
    /// Unpack compilers and build tools, and assemble the headers, start-up objects and import libraries of the target.
    Toolchain {
        /// The target.
        target: String,
        /// The identity of all of it.
        digest: String,
    },
    /// Build one component.
    Build {
        /// Its name.
        name: String,
        /// The upstream's version.
        version: String,
        /// The components it is built against.
        needs: Vec<String>,
    },
    /// Assemble the bundle.
    Bundle {
        /// The target.
        target: String,
        /// What is in it.
        components: Vec<String>,
    },
}

/// What is known of one component.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The upstream's version.
    pub version: String,
    /// Its direct needs.
    pub needs: Vec<String>,
    /// Its sources.
    pub pins: Vec<Pin>,
}

/// What is known of the target's toolchain.
#[derive(Clone, Debug)]
pub struct Base {
    /// The target.
    pub target: String,
    /// The identity of compilers, tools and system root.
    pub digest: String,
    /// What they are made of.
    pub pins: Vec<Pin>,
}

/// The steps to a bundle of `parts`, which are in the order of their needs. The first of `bases` is the bundle's; a second one is
/// this machine's, for what helps to build.
pub fn plan(bases: &[Base], parts: &[Part]) -> Vec<Step> {
    let pins: Vec<Pin> = bases.iter().flat_map(|base| base.pins.clone()).collect();
    let mut steps = vec![fetch("toolchain", &pins)];
    steps.extend(parts.iter().map(|part| fetch(&part.name, &part.pins)));
    steps.retain(|step| !matches!(step, Step::Fetch { files, .. } if files.is_empty()));
    steps.extend(bases.iter().map(|base| Step::Toolchain {
        target: base.target.clone(),
        digest: base.digest.clone(),
    }));
    steps.extend(parts.iter().map(|part| Step::Build {
        name: part.name.clone(),
        version: part.version.clone(),
        needs: part.needs.clone(),
    }));
    steps.extend(bases.first().map(|base| Step::Bundle {
        target: base.target.clone(),
        components: parts.iter().map(|part| part.name.clone()).collect(),
    }));
    steps
}

fn fetch(what: &str, pins: &[Pin]) -> Step {
    let mut files: Vec<String> = pins.iter().map(|pin| pin.file.clone()).collect();
    files.sort();
    files.dedup();
    Step::Fetch {
        what: what.to_owned(),
        files,
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Fetch { what, files } => write!(f, "fetch     {what}: {}", files.join(" ")),
            Step::Toolchain { target, digest } => {
                write!(f, "toolchain {target} {}", digest.get(..12).unwrap_or(digest))
            }
            Step::Build { name, version, needs } => {
                write!(f, "build     {name} {version}")?;
                match &needs[..] {
                    [] => Ok(()),
                    needs => write!(f, " (needs {})", needs.join(", ")),
                }
            }
            Step::Bundle { target, components } => write!(f, "bundle    {target}: {}", components.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::components::Components;

    /// Compares with a file under `tests/plans`; `UPDATE=1` rewrites it.
    fn expect(name: &str, text: &str) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/plans").join(name);
        if crate::environment::text("UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, wanted, "{}: differs; UPDATE=1 rewrites it", path.display());
    }

    fn components() -> Components {
        let json = r#"{"workspace_root": "/w", "packages": [
            {"name": "b", "version": "0.1.0", "manifest_path": "/w/components/b/Cargo.toml", "dependencies": [
                {"name": "z", "kind": null}, {"name": "a", "kind": "build"}, {"name": "serde", "kind": null}]},
            {"name": "a", "version": "0.1.0", "manifest_path": "/w/components/a/Cargo.toml", "dependencies": []},
            {"name": "z", "version": "0.1.0", "manifest_path": "/w/components/z/Cargo.toml", "dependencies": []},
            {"name": "t", "version": "0.1.0", "manifest_path": "/w/tests/t/Cargo.toml", "dependencies": []},
            {"name": "kit", "version": "0.1.0", "manifest_path": "/w/components/kit/Cargo.toml", "dependencies": []}]}"#;
        Components::from_metadata(json, &|folder: &Path| !folder.ends_with("kit")).unwrap()
    }

    fn text(names: &[&str]) -> String {
        let components = components();
        let parts: Vec<Part> = components
            .in_order(names)
            .unwrap()
            .into_iter()
            .map(|component| Part {
                name: component.name.clone(),
                version: "1.0".into(),
                needs: component.needs.clone(),
                pins: vec![pin(&format!("{}-1.0.tar.gz", component.name))],
            })
            .collect();
        let base = Base {
            target: "aarch64-pc-windows-msvc".into(),
            digest: "0123456789abcdef".into(),
            pins: vec![pin("zig.whl"), pin("cmake.whl"), pin("zig.whl")],
        };
        plan(&[base], &parts).iter().map(|step| format!("{step}\n")).collect()
    }

    fn pin(file: &str) -> Pin {
        Pin {
            file: file.into(),
            sha256: "0".repeat(64),
            url: vec!["https://example.org".into()],
            debian: None,
            pypi: None,
            crate_: None,
        }
    }

    #[test]
    fn everything_comes_after_what_it_needs() {
        expect("all.txt", &text(&[]));
    }

    #[test]
    fn one_component_brings_its_needs_and_nothing_else() {
        expect("only-b.txt", &text(&["b"]));
    }

    #[test]
    fn an_unknown_component_names_the_likeliest() {
        let error = components().in_order(&["kitt"]).unwrap_err().to_string();
        assert_eq!(error, "component `kitt`: there is none, found: a, b, t, z");
    }
}
