//! Whether Microsoft's C runtime and Windows SDK have to be brought, and whether that is allowed: its licence must have been
//! accepted. Which release that is and what a whole tree holds, `toolchains` knows.
//!
//! The crate that brings them has sixty dependencies and is worth them to nobody but the users of this provider, so an
//! ordinary xtask is built without it and has cargo build another one when the moment comes.

#[cfg(feature = "xwin")]
mod packages;

use anyhow::{Result, bail};
use store::State;
use toolchains::Sdk;

use super::{Options, Settings};
use crate::progress::Progress;
#[cfg(feature = "xwin")]
use packages::bring;

/// What the user said about Microsoft's licence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Licence {
    /// That it is accepted.
    Accepted,
    /// Nothing.
    NotAccepted,
}

/// Brings the SDK, unless it is there; then its licence was accepted when it came.
///
/// # Errors
/// If the licence was not accepted, or something cannot be had: what was tried and wanted, and how to go on.
pub fn sdk(
    state: &State,
    sdk: &Sdk,
    licence: Licence,
    settings: &Settings,
    options: &Options,
    shown: &Progress,
) -> Result<()> {
    let slot = sdk.slot(state);
    if slot.probe()?.is_some() {
        return Ok(());
    }
    if licence == Licence::NotAccepted {
        bail!(
            "{}: {} come under a licence of Microsoft's, which was not accepted; it stands at {}\n\nhint: {}",
            sdk.triple(),
            sdk.name(),
            sdk.licence(),
            sdk.remedy()
        );
    }
    if options.offline {
        bail!(
            "{}: {} are not there, wanted at {}, and --offline forbids to fetch them\n\nhint: {}",
            sdk.triple(),
            sdk.name(),
            slot.dir().display(),
            sdk.remedy()
        );
    }
    bring(state, sdk, settings, options, shown)
}

/// Has an xtask that is built with the crate bring the SDK.
#[cfg(not(feature = "xwin"))]
fn bring(_state: &State, sdk: &Sdk, settings: &Settings, _options: &Options, shown: &Progress) -> Result<()> {
    use anyhow::Context;
    shown.say(
        "Building",
        "xtask with the crate `xwin`, which only this provider needs",
    );
    let mut command = std::process::Command::new(&settings.cargo);
    for name in crate::environment::of_this_package() {
        command.env_remove(name);
    }
    let status = command
        .current_dir(crate::environment::root()?)
        .args(["run", "--quiet", "--package", "xtask", "--features", "xwin", "--"])
        .args(["sdk", "--target", sdk.triple(), "--accept-microsoft-licence"])
        .status()
        .with_context(|| format!("{}: cannot be started", settings.cargo))?;
    anyhow::ensure!(
        status.success(),
        "{}: {} were not fetched, for the reason above\n\nhint: {}",
        sdk.triple(),
        sdk.name(),
        sdk.remedy()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use toolchains::Target;

    use super::*;

    struct Site {
        dir: tempfile::TempDir,
        state: State,
        sdk: Sdk,
    }

    impl Site {
        fn new() -> Site {
            let dir = tempfile::tempdir().unwrap();
            Site {
                state: State::at(&dir.path().join("state")),
                sdk: Sdk::load(&Target::load("aarch64-pc-windows-msvc").unwrap()).unwrap(),
                dir,
            }
        }

        fn fetch(&self, licence: Licence, offline: bool) -> Result<()> {
            let options = Options {
                offline,
                attempts: 1,
                ..Options::default()
            };
            sdk(
                &self.state,
                &self.sdk,
                licence,
                &Settings::read(),
                &options,
                &Progress::none(),
            )
        }
    }

    #[test]
    fn without_the_licence_nothing_is_tried_and_the_error_says_where_it_stands() {
        let site = Site::new();
        for offline in [false, true] {
            let error = site.fetch(Licence::NotAccepted, offline).unwrap_err().to_string();
            assert_eq!(
                error,
                "aarch64-pc-windows-msvc: Microsoft's C runtime 14.44.17.14 and Windows SDK 10.0.26100 come under a licence of \
                 Microsoft's, which was not accepted; it stands at https://go.microsoft.com/fwlink/?LinkId=2179911\n\n\
                 hint: cargo xtask fetch --target aarch64-pc-windows-msvc --provider xwin --accept-microsoft-licence"
            );
        }
        assert!(!site.dir.path().join("state").exists(), "something was tried");
    }

    #[test]
    fn offline_the_error_says_what_is_wanted_and_where() {
        let site = Site::new();
        let error = site.fetch(Licence::Accepted, true).unwrap_err().to_string();
        let place = site.sdk.slot(&site.state).dir().display().to_string();
        assert!(
            error.contains(&format!(
                "are not there, wanted at {place}, and --offline forbids to fetch them"
            )),
            "{error}"
        );
        assert!(error.ends_with("--provider xwin --accept-microsoft-licence"), "{error}");
    }

    #[test]
    fn what_is_there_needs_neither_the_network_nor_the_licence_again() {
        let site = Site::new();
        let store::Begin::Build(partial) = site.sdk.slot(&site.state).begin().unwrap() else {
            panic!("it is there already")
        };
        partial.commit(std::collections::BTreeMap::new()).unwrap();
        site.fetch(Licence::NotAccepted, true).unwrap();
    }
}
