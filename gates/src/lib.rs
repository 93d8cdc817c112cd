//! The judgement over a finished bundle. A leaf: it depends on no other crate of this workspace and builds nothing.
//!
//! It reads what lies in the folder and never trusts a name or a suffix. What is wrong becomes a finding of a report, not
//! an error; an error means that there was nothing that could be judged.

mod arch;
pub mod manifest;
pub mod windows;

pub use arch::Arch;
