//! Wheels: reading and writing them, their metadata, the tags and facts of a target's Python, assembling one out of a package and
//! cross-built binaries, and whether a store of them closes. It fetches nothing and starts no process; what the formats say it reads
//! as the judge does, and judges nothing itself.
//!
//! Nothing here asks the Python that runs: what a wheel is for is computed from the target.

mod archive;
mod assemble;
mod headers;
mod lock;
mod project;
mod python;
mod store;
mod wheel;

pub use archive::{Limits, Member};
pub use assemble::{Abi, Assembly, Tree};
pub use gates::wheel::normal_name;
pub use headers::Headers;
pub use lock::{AbsentWheel, Asked, AskedWheel, Lock, Locked};
pub use project::{License, Project};
pub use python::Python;
pub use store::{Gap, Held, Wanted, allows, close};
pub use wheel::{Fault, Wheel};
