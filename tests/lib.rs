//! Whole-pipeline tests on tiny upstreams of our own. They need no network beyond what a bundle needs.

mod checkout;

pub use checkout::{Checkout, TARGETS, root, said};
