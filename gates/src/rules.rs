//! The table of rules. A rule is a pure function over the bundle: it never stops at the first finding, prints or panics.

mod import_library;
mod imports;
mod licences;
mod machine;
mod manifest;
mod paths;
mod pkgconfig;
mod ships;

use crate::bundle::Bundle;
use crate::policy::Policy;
use crate::report::{Finding, Report};

/// One rule.
pub struct Rule {
    /// Its id: the name of what holds.
    pub id: &'static str,
    /// Why it is there, with what taught it.
    pub why: &'static str,
    /// Adds what is wrong to the report.
    pub check: fn(&Bundle, &Policy, &mut Report),
}

/// Every rule, by id.
pub const RULES: &[Rule] = &[
    Rule {
        id: "exceptions",
        why: "an exception that no longer fires hides the next fault; Yocto's skip lists have neither reason nor end",
        // The judge itself adds the findings, after all other rules, when it knows what each exception covered.
        check: |_, _, _| {},
    },
    Rule {
        id: "import-library",
        why: "an import library that offers more than its DLL exports makes programs that link and do not start",
        check: import_library::check,
    },
    Rule {
        id: "imports-closed",
        why: "Windows names the program that does not start and not the DLL or symbol that is missing (msys2/MINGW-packages#21479)",
        check: imports::check,
    },
    Rule {
        id: "licence-files",
        why: "the licences of what is shipped demand that their texts go with it",
        check: licences::check,
    },
    Rule {
        id: "machine",
        why: "archives for ARM were shipped with x64 libraries inside (qiin2333/moonlight-qt#71, pykeio/ort#570)",
        check: machine::check,
    },
    Rule {
        id: "manifest",
        why: "every other rule believes what the manifest says of owners and promises",
        check: manifest::check,
    },
    Rule {
        id: "no-build-paths",
        why: "a path of the build machine is a leak, and a difference between two builds of the same thing",
        check: paths::check,
    },
    Rule {
        id: "pkgconfig-relocatable",
        why: "a module with an absolute prefix is wrong as soon as the bundle is moved",
        check: pkgconfig::check,
    },
    Rule {
        id: "ships",
        why: "a promised file that is missing is noticed by users, a changed or foreign file by nobody",
        check: ships::check,
    },
];

/// A finding of a rule about a file of the bundle.
fn finding(
    bundle: &Bundle,
    rule: &'static str,
    path: &str,
    found: impl Into<String>,
    wanted: impl Into<String>,
) -> Finding {
    Finding {
        rule,
        path: path.to_owned(),
        owner: bundle.owner(path).to_owned(),
        found: found.into(),
        wanted: wanted.into(),
        hint: String::new(),
    }
}

/// The command that builds a component again.
fn rebuild(bundle: &Bundle, path: &str) -> String {
    match bundle.owner(path) {
        "" => String::new(),
        crate::manifest::BUNDLER => format!("cargo xtask bundle --target {}", bundle.manifest.target),
        owner => format!("cargo xtask build --target {} -p {owner}", bundle.manifest.target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_sorted() {
        assert!(RULES.is_sorted_by(|a, b| a.id < b.id));
        assert!(RULES.iter().all(|rule| !rule.why.is_empty()));
    }
}
