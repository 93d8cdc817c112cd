//! `proof.toml`: what a component is asked when it is built. It lies beside `component.toml` and not in it, for a new question must
//! not build anything again. Running the programs is for `prove`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gates::code::Set;
use gates::manifest::Simd;
use globset::Glob;
use serde::Deserialize;
use toolchains::Target;

/// The file's name in a component's folder.
pub const FILE: &str = "proof.toml";

/// What one `proof.toml` says; its head explains the keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Programs that are run.
    #[serde(default)]
    smoke: Vec<Smoke>,
    /// Vector paths that have to be in files.
    #[serde(default)]
    simd: Vec<Vector>,
}

/// A program that is run, and what only a program that did its work prints.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smoke {
    /// Its name, without a suffix.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// A line that it prints.
    pub sentinel: String,
    /// Shell patterns over triples; empty for every target.
    #[serde(default)]
    targets: Vec<String>,
}

/// A vector path of some targets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    path: String,
    set: String,
    functions: usize,
    #[serde(default)]
    targets: Vec<String>,
}

impl Proof {
    /// Reads the file in a component's folder. A component without one is asked nothing.
    ///
    /// # Errors
    /// If the file cannot be read, has an unknown key, or asks what cannot be meant.
    pub fn load(folder: &Path) -> Result<Proof> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Proof::default()),
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        };
        Proof::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Proof> {
        let proof: Proof = toml_edit::de::from_str(text)?;
        for smoke in &proof.smoke {
            if smoke.program.is_empty() || smoke.sentinel.trim().is_empty() {
                bail!("smoke `{}`: wanted a program and a line that it prints", smoke.program);
            }
        }
        for simd in &proof.simd {
            if Set::named(&simd.set).is_none() || simd.functions == 0 {
                bail!(
                    "simd `{}`: wanted an extension and a count, found `{}` and {}",
                    simd.path,
                    simd.set,
                    simd.functions
                );
            }
        }
        let smoke = proof.smoke.iter().flat_map(|smoke| &smoke.targets);
        for pattern in smoke.chain(proof.simd.iter().flat_map(|simd| &simd.targets)) {
            Glob::new(pattern).with_context(|| format!("targets: `{pattern}`"))?;
        }
        Ok(proof)
    }

    /// The programs that are run for a target.
    pub fn smoke<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a Smoke> {
        self.smoke
            .iter()
            .filter(|smoke| kit::applies(&smoke.targets, &target.triple))
    }

    /// The vector paths of a target.
    pub fn simd(&self, target: &Target) -> Vec<Simd> {
        let own = self
            .simd
            .iter()
            .filter(|simd| kit::applies(&simd.targets, &target.triple));
        own.map(|simd| Simd {
            path: simd.path.clone(),
            set: simd.set.clone(),
            functions: simd.functions,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_for_the_targets_that_they_name() {
        let text = "[[smoke]]\nprogram = 'a'\nargs = []\nsentinel = 'x'\n[[simd]]\ntargets = ['aarch64-*']\npath = 'bin/a.dll'\nset = 'neon'\nfunctions = 3\n";
        let proof = Proof::parse(text).unwrap();
        let [arm, x64] =
            ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"].map(|triple| Target::load(triple).unwrap());
        assert_eq!((proof.simd(&arm).len(), proof.simd(&x64).len()), (1, 0));
        assert_eq!(proof.smoke(&x64).count(), 1);
        let error = |from: &str, to: &str| Proof::parse(&text.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            error("'x'", "' '"),
            "smoke `a`: wanted a program and a line that it prints"
        );
        assert_eq!(
            error("'neon'", "'nion'"),
            "simd `bin/a.dll`: wanted an extension and a count, found `nion` and 3"
        );
        assert!(error("aarch64-*", "[").starts_with("targets: `[`"));
    }
}
