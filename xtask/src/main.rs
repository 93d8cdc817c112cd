//! The command line: plans, fetches, runs and assembles. It does not know how any upstream is built.

fn main() {}
