//! The judgement over a finished bundle. A leaf: it depends on no other crate of this workspace and builds nothing.
//!
//! It reads what lies in the folder and never trusts a name or a suffix. What is wrong becomes a finding of a report, not
//! an error; an error means that there was nothing that could be judged.

mod arch;
mod bundle;
mod judge;
pub mod manifest;
mod policy;
pub mod read;
mod report;
mod rules;
pub mod windows;

pub use arch::Arch;
pub use bundle::{Bundle, File};
pub use judge::judge;
pub use policy::{External, ImportPolicy, MachinePolicy, PathPolicy, Policy, PolicyError, Severity};
pub use report::{Accepted, Counts, Finding, Report, Verdict};
pub use rules::{RULES, Rule};
