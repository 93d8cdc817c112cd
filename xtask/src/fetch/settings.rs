//! What this machine was told about registries: by variables, by apt's and pip's files, by cargo's home. Only read here;
//! each registry's own module makes addresses of it.

use std::path::PathBuf;

use crate::environment;

/// What decides on which registries are asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `WINDLASS_DEBIAN_MIRROR`: base addresses of Debian archives, separated by blanks.
    pub debian_mirror: Option<String>,
    /// The folder with apt's sources.
    pub apt: PathBuf,
    /// `PIP_INDEX_URL`.
    pub pip_index: Option<String>,
    /// `PIP_EXTRA_INDEX_URL`: addresses, separated by blanks.
    pub pip_extra: Option<String>,
    /// `PIP_FIND_LINKS`: folders, addresses of pages, separated by blanks.
    pub pip_links: Option<String>,
    /// Whether pip is asked for what the variables do not say.
    pub ask_pip: bool,
    /// The cargo to call.
    pub cargo: String,
    /// Where cargo keeps what it downloads.
    pub cargo_home: Option<PathBuf>,
}

impl Settings {
    /// The settings of this machine and this environment.
    pub fn read() -> Settings {
        Settings {
            debian_mirror: environment::text("WINDLASS_DEBIAN_MIRROR"),
            apt: PathBuf::from("/etc/apt"),
            pip_index: environment::text("PIP_INDEX_URL"),
            pip_extra: environment::text("PIP_EXTRA_INDEX_URL"),
            pip_links: environment::text("PIP_FIND_LINKS"),
            ask_pip: true,
            cargo: environment::cargo(),
            cargo_home: environment::cargo_home(),
        }
    }
}
