//! What is demanded, as data: severities, lists and exceptions. The rules decide, this only tells them by what measure.

use std::collections::BTreeMap;
use std::fmt;

use globset::{Glob, GlobMatcher};
use serde::Deserialize;

use crate::manifest::Exception;
use crate::rules::RULES;

/// The measure of a judgement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// How bad a finding of each rule is.
    pub severity: BTreeMap<String, Severity>,
    /// Hybrid code on ARM.
    pub machine: MachinePolicy,
    /// Where DLLs may come from.
    pub imports: ImportPolicy,
    /// What betrays a machine that builds.
    pub paths: PathPolicy,
    /// Findings that are known and accepted.
    #[serde(default, rename = "exception")]
    pub exceptions: Vec<Exception>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The bundle fails.
    Error,
    /// It is shown and counted.
    Warning,
}

/// Whether hybrid code may be in a bundle for 64-bit ARM.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MachinePolicy {
    /// Code that runs in emulated processes only.
    pub arm64ec: bool,
    /// Code that runs in native and in emulated processes.
    pub arm64x: bool,
}

/// Where DLLs may come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImportPolicy {
    /// Folders of the bundle that are on the user's PATH.
    pub dll_homes: Vec<String>,
    /// Whether the DLLs of Microsoft's C++ redistributable may be missing.
    pub vc_redist: bool,
    /// DLLs that are in no bundle and not in every Windows.
    pub external: Vec<External>,
}

/// A DLL that is in no bundle and not in every Windows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct External {
    /// A shell pattern over its name in lower case.
    pub dll: String,
    /// Where it comes from.
    pub reason: String,
}

/// What betrays a machine that builds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PathPolicy {
    /// Beginnings of absolute paths.
    pub patterns: Vec<String>,
    /// Whole paths of the machine at hand, say its state folder; a hit counts wherever it is.
    #[serde(default)]
    pub exact: Vec<String>,
}

/// Why a policy is refused.
#[derive(Debug)]
pub struct PolicyError(String);

impl Policy {
    /// The policy of `policy/default.toml`.
    ///
    /// # Panics
    /// Never: a test reads the file, which is a part of this crate.
    pub fn standard() -> Policy {
        Policy::parse(include_str!("../policy/default.toml")).expect("the default policy is read by a test")
    }

    /// Understands the text of a policy.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key or a bad pattern, or does not name exactly the rules that there are.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        let policy: Policy = toml_edit::de::from_str(text).map_err(|error| PolicyError(error.to_string()))?;
        for rule in RULES {
            if !policy.severity.contains_key(rule.id) {
                return Err(PolicyError(format!("severity: rule `{}` is not named", rule.id)));
            }
        }
        let known = |id: &str| RULES.iter().any(|rule| rule.id == id);
        let of_exceptions = policy.exceptions.iter().map(|exception| &exception.rule);
        if let Some(id) = policy.severity.keys().chain(of_exceptions).find(|id| !known(id)) {
            return Err(PolicyError(format!("there is no rule `{id}`")));
        }
        let of_exceptions = policy.exceptions.iter().map(|exception| &exception.path);
        let mut globs = policy.imports.external.iter().map(|dll| &dll.dll).chain(of_exceptions);
        match globs.find_map(|pattern| Glob::new(pattern).err()) {
            Some(error) => Err(PolicyError(error.to_string())),
            None => Ok(policy),
        }
    }

    /// Where a DLL outside of the bundle and of Windows comes from.
    pub fn external(&self, dll: &str) -> Option<&External> {
        let dll = dll.to_ascii_lowercase();
        self.imports
            .external
            .iter()
            .find(|external| glob(&external.dll).is_some_and(|glob| glob.is_match(&dll)))
    }
}

/// The matcher of a shell pattern; a bad one matches nothing.
pub(crate) fn glob(pattern: &str) -> Option<GlobMatcher> {
    Glob::new(pattern).ok().map(|glob| glob.compile_matcher())
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy: {}", self.0)
    }
}

impl std::error::Error for PolicyError {}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = include_str!("../policy/default.toml");

    #[test]
    fn the_default_policy_is_one() {
        Policy::parse(DEFAULT).unwrap();
        assert!(Policy::standard().external("NVCUDA.dll").is_some());
    }

    #[test]
    fn a_policy_names_exactly_the_rules() {
        let error = |text: &str| Policy::parse(text).unwrap_err().to_string();
        assert_eq!(
            error(&DEFAULT.replace("machine = \"error\"\n", "")),
            "policy: severity: rule `machine` is not named"
        );
        let more = DEFAULT.replace("[severity]\n", "[severity]\nmachines = \"error\"\n");
        assert_eq!(error(&more), "policy: there is no rule `machines`");
        let exception = "\n[[exception]]\nrule = \"machin\"\npath = \"*\"\nreason = \"none\"\n";
        assert_eq!(
            error(&(DEFAULT.to_owned() + exception)),
            "policy: there is no rule `machin`"
        );
    }
}
