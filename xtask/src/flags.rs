//! The table of verbs and their options, after cargo's habits. It parses and explains; nothing runs here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use toolchains::Provider;

/// Cross-builds a media and machine-learning stack from pinned sources, bundles it, and proves what it built.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    version,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  cargo xtask bundle --target aarch64-pc-windows-msvc --only ffmpeg
  cargo xtask run --target aarch64-pc-windows-msvc -- ffmpeg -version
  cargo xtask gate --target aarch64-pc-windows-msvc"
)]
pub struct Flags {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Never touch the network
    #[arg(long, global = true)]
    pub offline: bool,
    /// Have cargo refuse to change Cargo.lock
    #[arg(long, global = true)]
    pub locked: bool,
    /// How many processes a build may run [default: WINDLASS_JOBS, else the number of processors]
    #[arg(short, long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Show every line of a build
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show nothing but results and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// What standard output holds: text for people, or one JSON object per line
    #[arg(long, global = true, value_enum, default_value = "human", value_name = "FORMAT")]
    pub message_format: Format,
}

/// What standard output holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people.
    Human,
    /// One JSON object per line.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Fetch, build and assemble a relocatable bundle
    #[command(after_help = "\
Examples:
  cargo xtask bundle --target aarch64-pc-windows-msvc --only ffmpeg
  cargo xtask bundle --target x86_64-pc-windows-msvc --offline --message-format json
  cargo xtask bundle --target x86_64-pc-windows-msvc --only ffmpeg --out /tmp/ffmpeg
  cargo xtask bundle --target aarch64-pc-windows-msvc --only ffmpeg --wheels numpy,pillow
  cargo xtask bundle --target x86_64-pc-windows-msvc --only ffmpeg --variant ffmpeg=gpl --out /tmp/ffmpeg-gpl")]
    Bundle(Bundle),
    /// Fetch and build components, without assembling them
    #[command(after_help = "\
Examples:
  cargo xtask build --target aarch64-pc-windows-msvc -p ffmpeg
  cargo xtask build --target x86_64-pc-windows-msvc -v")]
    Build(Selection),
    /// Bring pinned sources into the state folder; the only verb that uses the network
    #[command(after_help = "\
Examples:
  cargo xtask fetch --target aarch64-pc-windows-msvc
  cargo xtask fetch --target aarch64-pc-windows-msvc -p ffmpeg
  cargo xtask fetch --target aarch64-pc-windows-msvc --only ffmpeg --wheels numpy
  cargo xtask fetch --target aarch64-pc-windows-msvc --provider xwin --accept-microsoft-licence
  cargo xtask fetch --pins my-pins.toml")]
    Fetch(Fetch),
    /// Pin the published wheels that components/wheels/wheels.toml asks for, for every target, in the lock beside it
    #[command(after_help = "\
Examples:
  cargo xtask lock
  cargo xtask lock --check")]
    Lock(Lock),
    /// Print what `bundle` would do, in order, and do nothing
    #[command(after_help = "\
Examples:
  cargo xtask plan --target aarch64-pc-windows-msvc
  cargo xtask plan --target aarch64-pc-windows-msvc --only ffmpeg --message-format json")]
    Plan(Selection),
    /// Judge a bundle or anything else: every file, every member of every container, every import
    #[command(after_help = "\
Exit codes: 0 clean, 1 findings, 2 could not be judged.

Examples:
  cargo xtask gate --target aarch64-pc-windows-msvc
  cargo xtask gate --target aarch64-pc-windows-msvc --image
  cargo xtask gate numpy-2.3.1-cp313-cp313-win_arm64.whl libopus0_1.5.2-2_arm64.deb
  cargo xtask gate --only machine,imports-closed --at-least images=500 /path/to/an/unpacked/tree
  cargo xtask gate --needs bin/ffmpeg.exe target/windlass/aarch64-pc-windows-msvc/bundle")]
    Gate(Gate),
    /// Make an OCI image of bundles, as a layout on disk and without a daemon
    #[command(after_help = "\
Examples:
  cargo xtask image --target aarch64-pc-windows-msvc
  cargo xtask image --target aarch64-pc-windows-msvc --target x86_64-pc-windows-msvc --compression zstd
  cargo xtask image --target x86_64-pc-windows-msvc --load
  skopeo copy oci:target/windlass/x86_64-pc-windows-msvc/image:x86_64-pc-windows-msvc docker://REGISTRY/NAME:TAG")]
    Image(Image),
    /// Compare what the bundles of several targets offer; a difference that nobody declared is an error
    #[command(after_help = "\
Examples:
  cargo xtask parity
  cargo xtask parity --target aarch64-pc-windows-msvc --target x86_64-pc-windows-msvc
  cargo xtask parity /path/to/one/bundle /path/to/another --out /tmp/table")]
    Parity(Parity),
    /// Run a program of the target here
    #[command(after_help = "\
Examples:
  cargo xtask run --target aarch64-pc-windows-msvc -- ffmpeg -version
  cargo xtask run --target aarch64-pc-windows-msvc --bundle /path/to/an/unpacked/bundle -- ffmpeg -version
  cargo xtask run --target aarch64-pc-windows-msvc --cpu max,pauth=off --timeout 60 -- ./my.exe")]
    Run(Run),
    /// Run a bundle's programs as their components ask, and write down beside the bundle what was seen
    #[command(after_help = "\
Exit codes: 0 every program is proved, 1 one is not or could not be run.

Examples:
  cargo xtask prove --target aarch64-pc-windows-msvc
  cargo xtask gate --target aarch64-pc-windows-msvc --ledger target/windlass/aarch64-pc-windows-msvc/proof.json")]
    Prove(Prove),
    /// Say what this machine lacks, and the command that installs it
    #[command(after_help = "\
Examples:
  cargo xtask doctor
  cargo xtask doctor --message-format json")]
    Doctor,
    /// Remove what was built or fetched
    #[command(after_help = "\
Examples:
  cargo xtask clean -p ffmpeg
  cargo xtask clean -p ffmpeg --target x86_64-pc-windows-msvc
  cargo xtask clean --work
  cargo xtask clean --all")]
    Clean(Clean),
    /// Bring Microsoft's SDK; `fetch` has an xtask that can do so called with this
    #[command(
        hide = true,
        after_help = "\
Example:
  cargo run -p xtask --features xwin -- sdk --target aarch64-pc-windows-msvc --accept-microsoft-licence"
    )]
    Sdk(Sdk),
    /// Change or check the pin of a component
    #[command(
        subcommand,
        after_help = "\
Examples:
  cargo xtask pin set ffmpeg 9.0.3
  cargo xtask pin check"
    )]
    Pin(Pin),
}

/// Where headers, import libraries and the C runtime come from.
#[derive(Args, Clone, Debug, Default)]
pub struct Origin {
    /// Who made the system root: open, or xwin for Microsoft's SDK [default: WINDLASS_PROVIDER, else open]
    #[arg(long, value_name = "PROVIDER")]
    pub provider: Option<Provider>,
    /// Accept the licence of Microsoft's C runtime and SDK, so that they may be fetched
    #[arg(long, alias = "accept-microsoft-license")]
    pub accept_microsoft_licence: bool,
}

/// A target and some of the components.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// The target triple, for example aarch64-pc-windows-msvc
    #[arg(long, value_name = "TRIPLE")]
    pub target: String,
    /// Only this component and what it needs; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Only these components and what they need
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Build a component in another form, under another licence; may be repeated [default: WINDLASS_VARIANTS]
    #[arg(long, value_name = "NAME=VARIANT")]
    pub variant: Vec<String>,
    #[command(flatten)]
    pub origin: Origin,
}

impl Selection {
    /// The names of all components that were asked for; none means every one.
    pub fn names(&self) -> Vec<&str> {
        self.package.iter().chain(&self.only).map(String::as_str).collect()
    }
}

/// Options of `bundle`.
#[derive(Args, Debug)]
pub struct Bundle {
    #[command(flatten)]
    pub selection: Selection,
    /// Put these wheels and what they require into the bundle: components that make one, or published ones
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub wheels: Vec<String>,
    /// Where the folder `bundle` and its record go [default: target/windlass/TRIPLE]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Options of `lock`.
#[derive(Args, Debug)]
pub struct Lock {
    /// Change nothing, and fail if the lock does not say what it should
    #[arg(long)]
    pub check: bool,
}

/// Options of `fetch`.
#[derive(Args, Debug)]
pub struct Fetch {
    /// The target triple whose tools, system root, runner and image's base are wanted too
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// Only this component and what it needs; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Only these components and what they need
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// These wheels and what they require, as `bundle` takes them
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "target")]
    pub wheels: Vec<String>,
    /// Fetch the [[pin]] tables of a TOML file, and nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "package", "only"])]
    pub pins: Option<PathBuf>,
    #[command(flatten)]
    pub origin: Origin,
}

/// Options of `sdk`.
#[derive(Args, Debug)]
pub struct Sdk {
    /// The target triple, for example aarch64-pc-windows-msvc
    #[arg(long, value_name = "TRIPLE")]
    pub target: String,
    /// Accept the licence of Microsoft's C runtime and SDK
    #[arg(long, alias = "accept-microsoft-license")]
    pub accept_microsoft_licence: bool,
}

/// Options of `gate`.
#[derive(Args, Debug)]
pub struct Gate {
    /// Folders, wheels, packages, archives, images or single files [default: the target's bundle]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What it has to be for [default: what each says of itself, or what most of it is for]
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// A bundle that lies elsewhere
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["target", "paths"])]
    pub bundle: Option<PathBuf>,
    /// Judge the target's image in the place of its bundle
    #[arg(long, requires = "target", conflicts_with_all = ["bundle", "paths"])]
    pub image: bool,
    /// The measure [default: gates/policy/default.toml for bundles and --image, foreign.toml for all else]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Ask these rules alone
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Fail if less was looked at: files, images, archives, members, wheels, imports, exports
    #[arg(long, value_name = "COUNT=N", value_delimiter = ',')]
    pub at_least: Vec<String>,
    /// All wheels together are a store that has to close over its requirements
    #[arg(long)]
    pub store: bool,
    /// What the last release exported; what is gone is a finding
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what is exported, for the next release's --baseline
    #[arg(long, value_name = "FILE")]
    pub record_exports: Option<PathBuf>,
    /// The ledger of runs that prove the programs
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Print what a file needs and who needs it, and judge nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sarif", "junit", "record_exports"])]
    pub needs: Option<String>,
    /// Write the report as SARIF too
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the report as JUnit too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// How the layers of an image are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// gzip, which every client reads.
    Gzip,
    /// zstd, smaller and quicker; clients of OCI 1.1 read it.
    Zstd,
}

/// Options of `image`.
#[derive(Args, Debug)]
pub struct Image {
    /// The target triple of a bundle that is there; may be repeated, for one index over all of them
    #[arg(long, value_name = "TRIPLE", required = true)]
    pub target: Vec<String>,
    /// How layers are compressed
    #[arg(long, value_enum, default_value = "gzip", value_name = "FORM")]
    pub compression: Compression,
    /// The file in images/ [default: the only one for the target's system]
    #[arg(long, value_name = "NAME")]
    pub image: Option<String>,
    /// Where the folder `image` goes [default: target/windlass/TRIPLE, or target/windlass for several]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Hand the images to an engine: podman, docker, nerdctl or ctr [default: the first that is there]
    #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "")]
    pub load: Option<String>,
}

/// Options of `parity`.
#[derive(Args, Debug)]
pub struct Parity {
    /// Bundles that lie elsewhere
    #[arg(value_name = "BUNDLE")]
    pub paths: Vec<PathBuf>,
    /// The target triple of a bundle; may be repeated [default: every target that has one]
    #[arg(long, value_name = "TRIPLE")]
    pub target: Vec<String>,
    /// The differences that are known and right [default: gates/policy/parity.toml]
    #[arg(long, value_name = "FILE")]
    pub declared: Option<PathBuf>,
    /// Where parity.md, parity.html and parity.json go [default: target/windlass]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Options of `prove`.
#[derive(Args, Debug)]
pub struct Prove {
    /// The target triple whose bundle is meant
    #[arg(long, value_name = "TRIPLE")]
    pub target: String,
    /// The processor to emulate, where one is emulated [default: the target's own, for Windows on ARM cortex-a76]
    #[arg(long, value_name = "MODEL")]
    pub cpu: Option<String>,
}

/// Options of `run`.
#[derive(Args, Debug)]
pub struct Run {
    /// The target triple, for example aarch64-pc-windows-msvc
    #[arg(long, value_name = "TRIPLE")]
    pub target: String,
    /// The bundle in which a program is looked for by name [default: the target's]
    #[arg(long, value_name = "FOLDER")]
    pub bundle: Option<PathBuf>,
    /// The processor to emulate, in the emulator's words
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<String>,
    /// Stop the program after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// A program of the bundle by name, or a path; then its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM ARGS")]
    pub command: Vec<String>,
}

/// Options of `clean`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Clean {
    /// The prefixes, work folders and logs of this component; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Of this target alone
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// What failed or killed builds left
    #[arg(long)]
    pub work: bool,
    /// The fetched sources
    #[arg(long)]
    pub sources: bool,
    /// The whole state folder
    #[arg(long, conflicts_with_all = ["package", "work", "sources", "target"])]
    pub all: bool,
}

/// What to do with pins.
#[derive(Debug, Subcommand)]
pub enum Pin {
    /// Move a component to another version: edits component.toml in place and fetches the source for its hash
    #[command(after_help = "\
Examples:
  cargo xtask pin set ffmpeg 9.0.3
  cargo xtask pin set ffmpeg 9.0.3 --sha256 0123…")]
    Set {
        /// The component
        name: String,
        /// The upstream's version
        version: String,
        /// The hash of the source, when it is known from elsewhere
        #[arg(long)]
        sha256: Option<String>,
    },
    /// Compare what lies in the state folder with the pins
    Check {
        /// Only these components
        names: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_table_is_sound_and_every_verb_has_examples() {
        let command = Flags::command();
        command.clone().debug_assert();
        // What is hidden is called by ourselves.
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("cargo xtask"), "{}: no example", verb.get_name());
        }
    }
}
