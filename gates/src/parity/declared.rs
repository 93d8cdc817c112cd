//! Differences between targets that are known and right, as data. Each has a reason and a last day; what is not declared here or
//! by a component itself is a fault.

use std::fmt;

use globset::Glob;
use serde::Deserialize;

use crate::judge::is_day;
use crate::policy::is_match;

/// One declared difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Declared {
    /// A shell pattern over groups.
    pub group: String,
    /// A shell pattern over names.
    pub name: String,
    /// Shell patterns over the triples that lack it.
    pub lacking: Vec<String>,
    /// Why that is right.
    pub reason: String,
    /// The last day on which it holds, as `2027-06-30`.
    pub until: String,
}

/// Why a list of declarations is refused.
#[derive(Debug)]
pub struct DeclaredError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    difference: Vec<Declared>,
}

impl Declared {
    /// The declarations of `policy/parity.toml`: for what we build.
    ///
    /// # Panics
    /// Never: a test reads the file, which is a part of this crate.
    pub fn standard() -> Vec<Declared> {
        Declared::parse(include_str!("../../policy/parity.toml")).expect("the declarations are read by a test")
    }

    /// Understands the text of a list.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key or a bad pattern, or a declaration lacks a part.
    pub fn parse(text: &str) -> Result<Vec<Declared>, DeclaredError> {
        let file: File = toml_edit::de::from_str(text).map_err(|why| DeclaredError(why.to_string()))?;
        for declared in &file.difference {
            let refuse = |what: &str| Err(DeclaredError(format!("{declared}: {what}")));
            let patterns = [&declared.group, &declared.name].into_iter().chain(&declared.lacking);
            if let Some(why) = patterns.clone().find_map(|pattern| Glob::new(pattern).err()) {
                return refuse(&why.to_string());
            }
            if declared.lacking.is_empty() || patterns.clone().any(String::is_empty) {
                return refuse("`group`, `name` and `lacking` may not be empty");
            }
            if declared.reason.trim().is_empty() {
                return refuse("has no reason");
            }
            if !is_day(&declared.until) {
                return refuse(&format!("until `{}`: wanted a day like 2027-06-30", declared.until));
            }
        }
        Ok(file.difference)
    }

    pub(super) fn covers(&self, group: &str, name: &str, lacks: &str) -> bool {
        is_match(&self.group, group) && is_match(&self.name, name) && self.is_lacking(lacks)
    }

    pub(super) fn holds(&self, today: &str) -> bool {
        self.until.as_str() >= today
    }

    /// Whether it could have covered something: one of the targets lacks what it says, and another may have it.
    pub(super) fn is_about(&self, targets: &[String]) -> bool {
        targets.iter().any(|target| self.is_lacking(target)) && targets.iter().any(|target| !self.is_lacking(target))
    }

    fn is_lacking(&self, target: &str) -> bool {
        self.lacking.iter().any(|pattern| is_match(pattern, target))
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`", self.name, self.group)
    }
}

impl fmt::Display for DeclaredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parity: {}", self.0)
    }
}

impl std::error::Error for DeclaredError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_declarations_are_such() {
        Declared::standard();
    }

    #[test]
    fn a_declaration_without_reason_or_end_is_refused() {
        let refused = |more: &str| {
            let text = format!("[[difference]]\ngroup = 'x'\nname = 'y'\n{more}");
            Declared::parse(&text).unwrap_err().to_string()
        };
        let known = "lacking = ['*']\nuntil = '2027-06-30'\n";
        assert_eq!(
            refused(&format!("{known}reason = ' '")),
            "parity: `y` of `x`: has no reason"
        );
        assert_eq!(
            refused("lacking = []\nuntil = '2027-06-30'\nreason = 'r'"),
            "parity: `y` of `x`: `group`, `name` and `lacking` may not be empty"
        );
        assert_eq!(
            refused("lacking = ['*']\nuntil = 'never'\nreason = 'r'"),
            "parity: `y` of `x`: until `never`: wanted a day like 2027-06-30"
        );
        assert!(refused("lacking = ['*']\nreason = 'r'").contains("missing field `until`"));
        assert!(refused(&format!("{known}reason = 'r'\nlink = 'x'")).contains("unknown field `link`"));
    }
}
