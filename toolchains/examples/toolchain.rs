//! Assembles the toolchain of a target in the state folder from fetched sources, and prints where it is.

use anyhow::Context;
use store::State;
use toolchains::{Progress, Provider, Target, Toolchain};

struct Lines;

impl Progress for Lines {
    fn step(&self, what: &str) {
        eprintln!("{what}");
    }
    fn count(&self, _done: u64, _total: u64) {}
}

fn main() -> anyhow::Result<()> {
    let triple = std::env::args().nth(1).context("usage: toolchain TRIPLE")?;
    let target = Target::load(&triple)?;
    let jobs = std::thread::available_parallelism().map_or(1, |count| count.get());
    let toolchain = Toolchain::ensure(&State::locate()?, &target, Provider::Open, jobs, &Lines)?;
    println!(
        "bin {}\nsysroot {}\ndigest {}",
        toolchain.bin.display(),
        toolchain.sysroot.display(),
        toolchain.digest
    );
    Ok(())
}
