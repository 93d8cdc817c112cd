//! The judgement over what was built: a bundle, and any folder, wheel, package, archive or image. A leaf: it depends on no other
//! crate of this workspace and builds nothing.
//!
//! It reads what lies there and never trusts a name or a suffix. What is wrong becomes a finding of a report, not an error; an
//! error means that there was nothing that could be judged.

mod arch;
mod baseline;
pub mod code;
mod judge;
pub mod known;
pub mod ledger;
pub mod linux;
pub mod manifest;
mod needs;
mod open;
mod ordinals;
pub mod parity;
mod platform;
mod policy;
pub mod read;
mod report;
mod rules;
mod sbom;
mod scan;
mod stamps;
mod subject;
pub mod wheel;
pub mod windows;

pub use arch::Arch;
pub use baseline::Baseline;
pub use judge::{Judge, judge, today};
pub use needs::{loaded_with, needs};
pub use platform::{Os, Platform};
pub use policy::{Policy, PolicyError, Severity};
pub use report::{Accepted, Counts, Finding, Group, Report, Verdict, junit, sarif};
pub use rules::{RULES, Reads, Rule};
pub use subject::{Cover, File, Image, Kind, Subject};
