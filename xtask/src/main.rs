//! The command line: plans, fetches, runs and assembles. It does not know how any upstream is built.
//! Here: parse, dispatch, print one error chain; nothing else.

mod build;
mod bundle;
mod canonical;
mod clean;
mod components;
mod disk;
mod doctor;
mod environment;
mod failure;
mod fetch;
mod flags;
mod gate;
mod ground;
mod image;
mod lines;
mod parity;
mod pin;
mod plan;
mod progress;
mod proof;
mod prove;
mod run;
mod sbom;
mod session;
mod shelf;
mod variants;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use flags::Flags;

fn main() -> ExitCode {
    let flags = Flags::parse();
    match verbs::dispatch(flags) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", failure::report(&error));
            ExitCode::FAILURE
        }
    }
}
