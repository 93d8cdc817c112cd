//! Whole-pipeline tests on tiny upstreams of our own. They need no network beyond what a bundle needs.

mod checkout;
mod commands;
mod handed;
mod kept;

pub use checkout::{Checkout, TARGETS, root};
pub use commands::{bundle, done, finish, said};
pub use handed::Handed;
pub use kept::kept;
