//! The proof ledger: what is known of each file of a bundle beyond what can be read in it. Whoever runs a program writes down with
//! which runner, on which processor, what it ended with, and whether the sentinel was seen that only a program that did its work
//! prints. It proves nothing itself; the rule `proofs` says what of it counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of these types. A ledger of another version is refused.
pub const SCHEMA: u32 = 1;

/// What is known of the files of one bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ledger {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// The triple of the bundle.
    pub target: String,
    /// The proofs, by the path in the bundle.
    pub proofs: BTreeMap<String, Vec<Proof>>,
}

/// One thing that is known of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Proof {
    /// The file's SHA-256 when it was proved: 64 hexadecimal digits.
    pub sha256: String,
    /// How far it was proved.
    pub level: Level,
    /// The run; absent where nothing was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// How far a file was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It was read.
    Inspected,
    /// A loader took it and all that it needs.
    Loaded,
    /// It did its work.
    Executed,
}

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// What ran it, say `wine 10.0 under qemu 10.0.2`, or `native`.
    pub runner: String,
    /// The digest of everything that the runner is made of: 64 hexadecimal digits.
    pub runner_digest: String,
    /// The processor's model, emulated or not.
    pub cpu: String,
    /// The program and its arguments, without paths of a machine.
    pub command: Vec<String>,
    /// What it ended with.
    pub exit: i32,
    /// The text that only a program that did its work prints.
    pub sentinel: String,
    /// Whether it was seen.
    pub sentinel_seen: bool,
    /// The SHA-256 of what it printed: 64 hexadecimal digits.
    pub output_sha256: String,
}

impl Ledger {
    /// A ledger without proofs.
    pub fn new(target: &str) -> Ledger {
        Ledger {
            schema: SCHEMA,
            target: target.to_owned(),
            proofs: BTreeMap::new(),
        }
    }

    /// Understands the text of a ledger.
    ///
    /// # Errors
    /// If it is not one, or is of another [`SCHEMA`]; the text says why.
    pub fn parse(text: &str) -> Result<Ledger, String> {
        let ledger: Ledger = serde_json::from_str(text).map_err(|why| format!("not a proof ledger: {why}"))?;
        match ledger.schema {
            SCHEMA => Ok(ledger),
            other => Err(format!("a proof ledger of schema {other}, wanted {SCHEMA}")),
        }
    }

    /// The ledger as text: sorted, indented by two, closed by a line feed.
    ///
    /// # Panics
    /// Never: the types hold nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        let mut sorted = self.clone();
        sorted.proofs.values_mut().for_each(|proofs| proofs.sort());
        let mut text = serde_json::to_string_pretty(&sorted).expect("strings, numbers and lists are always JSON");
        text.push('\n');
        text
    }

    /// Adds a proof of a file.
    pub fn add(&mut self, path: &str, proof: Proof) {
        self.proofs.entry(path.to_owned()).or_default().push(proof);
    }
}

impl Proof {
    /// Why it is no proof of a file with that hash; absent if it is one.
    pub fn objection(&self, sha256: &str) -> Option<String> {
        if self.sha256 != sha256 {
            return Some("the proof is of another file of that name".to_owned());
        }
        let run = match (&self.run, self.level) {
            (Some(run), _) => run,
            (None, Level::Inspected) => return None,
            (None, _) => return Some("the proof names no run".to_owned()),
        };
        if run.sentinel.is_empty() || !run.sentinel_seen {
            return Some(format!("it was run and its sentinel `{}` was not seen", run.sentinel));
        }
        (run.exit != 0).then(|| format!("it was run and ended with {}", run.exit))
    }
}
