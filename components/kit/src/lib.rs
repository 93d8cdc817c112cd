//! What every recipe (`build.rs`) calls: a component's declaration, the digest that names its prefix, patches, the clean
//! environment, logs, and the drivers of configure, make, CMake, Meson and Ninja. It knows no upstream by name.
//!
//! A recipe is one call and one straight function:
//!
//! ```no_run
//! use kit::{Cmake, Cx};
//!
//! fn main() {
//!     kit::component(build)
//! }
//!
//! fn build(cx: &Cx) -> anyhow::Result<()> {
//!     Cmake::new(cx).define("WITH_TESTS", "OFF").install()
//! }
//! ```
//!
//! The build script plays four parts, told apart by its arguments. Without any it is the *script* that cargo started: it
//! decides whether there is something to build, and supervises. As `build ORDER` it is the *worker*, which has a clean
//! environment and no network, and runs the recipe. As `tool NAME …` it is a host tool that wrappers of the toolchain
//! call, so that no helper has to be compiled elsewhere.
//!
//! Lines of a build that others may read: `windlass: step NAME`, and Ninja's `[n/m]`.

mod announce;
mod cache;
mod component;
mod cx;
mod deps;
mod drivers;
mod env;
mod facts;
mod finish;
mod identity;
mod network;
mod order;
mod patch;
mod scan;
mod script;
mod surroundings;
mod tee;
mod tool;
mod worker;

pub use component::{Absent, Component, Edit, FILE, Facts, PatchRef, Ships, Source, Tool, Variant};
pub use cx::{Call, Cx};
pub use deps::{Dep, Deps, Prefix};
pub use drivers::{Cmake, Configure, FlagEdit, Make, Meson};
pub use facts::OWN_FOLDER;
pub use gates::known::{Known, applies};
pub use gates::manifest::Role;
pub use identity::{Identity, KIT_SOURCES, Surroundings};
pub use patch::{Fit, Outcome, PatchSet};
pub use surroundings::EPOCH_SECONDS;
pub use toolchains::{Arch, Os, Target};

/// The prefix that upstreams are told they live in. It is the same on every machine, so no product names a real folder.
pub const PREFIX: &str = "/windlass";

/// The one call of a recipe's `main`: builds the component if that was asked for and is needed, and tells cargo.
///
/// Without `WINDLASS_TARGET` nothing is read, started or written, so that `cargo check` stays instant.
pub fn component(recipe: fn(&Cx) -> anyhow::Result<()>) {
    let arguments = env::arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let code = match arguments[..] {
        [] => script::run(),
        ["build", order] => worker::run(order, recipe),
        ["tool", name, ref rest @ ..] => tool::run(name, rest),
        _ => {
            eprintln!("build script: wanted no argument, `build ORDER` or `tool NAME …`");
            2
        }
    };
    if code != 0 {
        std::process::exit(code);
    }
}
