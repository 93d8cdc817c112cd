//! Microsoft's packages through the crate `xwin`: which of a list are wanted, bringing each by its digest, laying them out as a
//! tree. Only called once the licence was accepted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use store::{Begin, State, tree};
use toolchains::{Arch, Sdk};
use xwin::manifest::{Manifest, PackageManifest};

use crate::fetch::{Options, Settings, download};
use crate::progress::{self, Progress};

/// Fetches the list of packages by its digest, then what it names, and publishes the tree when it is whole.
pub(super) fn bring(state: &State, sdk: &Sdk, settings: &Settings, options: &Options, shown: &Progress) -> Result<()> {
    crate::fetch::fetch(state, std::slice::from_ref(sdk.manifest()), settings, options, shown)?;
    let Begin::Build(partial) = sdk.slot(state).begin()? else {
        return Ok(());
    };
    let work = state.work(sdk.triple(), "microsoft-sdk", &sdk.identity());
    let room = Room {
        sdk,
        work: &work,
        options,
        shown,
    };
    room.lay_out(&state.need(sdk.manifest())?, partial.path())
        .and_then(|()| sdk.check(partial.path()))
        .map_err(|error| {
            anyhow!(
                "{}: {} could not be fetched: {error:#}\n\nhint: {}",
                sdk.triple(),
                sdk.name(),
                sdk.remedy()
            )
        })?;
    partial.commit(BTreeMap::from([
        ("manifest".to_owned(), sdk.manifest().sha256.clone()),
        ("accepted licence".to_owned(), sdk.licence().to_owned()),
    ]))?;
    // Kept until now, so that a fetch that was broken off goes on with what it had.
    tree::remove(&work)
}

/// Where and how the SDK is fetched.
struct Room<'a> {
    sdk: &'a Sdk,
    work: &'a Path,
    options: &'a Options,
    shown: &'a Progress,
}

impl Room<'_> {
    /// Fetches what the list of packages names, each by its digest, and lays it out.
    fn lay_out(&self, list: &Path, into: &Path) -> Result<()> {
        let agent = download::config(self.options).build().new_agent();
        let retries = u8::try_from(self.options.attempts).unwrap_or(u8::MAX);
        let context = xwin::Ctx::with_dir(utf8(self.work)?, xwin::util::ProgressTarget::Hidden, agent, retries)
            .with_context(|| format!("{}: cannot be worked in", self.work.display()))?;
        let packages = self.packages(&context, list)?;
        let arch = match self.sdk.arch() {
            Arch::Aarch64 => xwin::Arch::Aarch64,
            Arch::X86_64 => xwin::Arch::X86_64,
            other => bail!("Microsoft has no SDK for {other}"),
        };
        let (sdk, crt) = (self.sdk.sdk().to_owned(), self.sdk.crt().to_owned());
        let desktop = xwin::Variant::Desktop as u32;
        let chosen = xwin::prune_pkg_list(&packages, arch as u32, desktop, false, false, Some(sdk), Some(crt))
            .context("the list of packages has not what is wanted")?;
        let items: Vec<xwin::WorkItem> = chosen.payloads.into_iter().map(item).collect();
        let layout = xwin::Ops::Splat(xwin::SplatConfig {
            include_debug_libs: false,
            include_debug_symbols: false,
            // Names that the resource compiler and the headers themselves use; clang and LLD need none.
            enable_symlinks: true,
            preserve_ms_arch_notation: false,
            use_winsysroot_style: false,
            output: utf8(into)?,
            map: None,
            copy: false,
        });
        let bars: Vec<ProgressBar> = items.iter().map(|item| item.progress.clone()).collect();
        self.watch(&bars, || {
            Arc::new(context).execute(
                packages.packages,
                items,
                chosen.crt_version,
                chosen.sdk_version,
                chosen.vcr_version,
                arch as u32,
                desktop,
                layout,
            )
        })
    }

    /// Reads the list of packages. The crate looks into its folder of downloads before it asks the network, so it is put there.
    fn packages(&self, context: &xwin::Ctx, list: &Path) -> Result<PackageManifest> {
        let pin = self.sdk.manifest();
        let place = self.work.join("dl").join(format!("pkg_manifest_{}.vsman", pin.sha256));
        fs::copy(list, &place)
            .with_context(|| format!("{}: cannot be copied to {}", list.display(), place.display()))?;
        let channel = serde_json::json!({ "channelItems": [{
            "id": "Microsoft.VisualStudio.Manifests.VisualStudio",
            "version": "",
            "type": "Manifest",
            "payloads": [{ "fileName": pin.file, "sha256": pin.sha256, "size": 0, "url": pin.url.first() }],
        }]});
        // As text: the crate borrows the keys.
        let channel: Manifest =
            serde_json::from_str(&channel.to_string()).context("the pin of the list is not as wanted")?;
        xwin::manifest::get_package_manifest(context, &channel, ProgressBar::hidden())
            .with_context(|| format!("{}: not a list of packages", list.display()))
    }

    /// Runs something that tells hidden bars how far it is, and shows the sum.
    fn watch(&self, bars: &[ProgressBar], run: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        let mut bar = self.shown.work("Fetching", &self.sdk.name());
        std::thread::scope(|scope| {
            let worker = scope.spawn(run);
            while !worker.is_finished() {
                let done: u64 = bars.iter().map(ProgressBar::position).sum();
                bar.doing(&progress::bytes(done));
                std::thread::sleep(Duration::from_millis(100));
            }
            worker
                .join()
                .unwrap_or_else(|_| bail!("the crate xwin stopped in the middle"))
        })
    }
}

fn item(payload: xwin::Payload) -> xwin::WorkItem {
    xwin::WorkItem {
        progress: ProgressBar::hidden(),
        payload: Arc::new(payload),
    }
}

fn utf8(path: &Path) -> Result<xwin::PathBuf> {
    xwin::PathBuf::from_path_buf(path.to_owned()).map_err(|path| anyhow!("{}: wanted a path in UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use toolchains::Target;

    use super::*;

    fn microsoft() -> Sdk {
        Sdk::load(&Target::load("aarch64-pc-windows-msvc").unwrap()).unwrap()
    }

    /// Lays a list of packages out, whose addresses lead nowhere, and returns what is said of it.
    fn lay_out(list: &serde_json::Value) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list.vsman");
        fs::write(&path, list.to_string()).unwrap();
        let options = Options {
            attempts: 1,
            ..Options::default()
        };
        let room = Room {
            sdk: &microsoft(),
            work: &dir.path().join("work"),
            options: &options,
            shown: &Progress::none(),
        };
        let error = room.lay_out(&path, &dir.path().join("tree")).unwrap_err();
        format!("{error:#}")
    }

    /// A list with what the release wants for arm64, each package at an address where nobody listens.
    fn list() -> serde_json::Value {
        let payload = |name: &str| {
            serde_json::json!({
                "fileName": name,
                "sha256": "00".repeat(32),
                "size": 1,
                "url": format!("http://127.0.0.1:1/{}", name.replace([' ', '\\'], "-")),
            })
        };
        let package = |id: &str, kind: &str, names: &[&str]| {
            let payloads: Vec<_> = names.iter().map(|name| payload(name)).collect();
            serde_json::json!({ "id": id, "version": "1", "type": kind, "payloads": payloads })
        };
        let mut tools = package("Microsoft.VisualStudio.Product.BuildTools", "Product", &[]);
        tools["dependencies"] = serde_json::json!({ "Microsoft.VisualStudio.Component.VC.14.44.17.14.x86.x64": "" });
        let sdk = ["Headers x86", "Headers arm64", "Libs arm64"]
            .map(|what| format!("Installers\\Windows SDK Desktop {what}-x86_en-us.msi"));
        let store = ["Headers", "Libs"]
            .map(|what| format!("Installers\\Windows SDK for Windows Store Apps {what}-x86_en-us.msi"));
        let sdk: Vec<&str> = sdk.iter().chain(&store).map(String::as_str).collect();
        serde_json::json!({ "packages": [
            tools,
            package("Microsoft.VC.14.44.17.14.CRT.Headers.base", "Vsix", &["crt.headers.vsix"]),
            package("Microsoft.VC.14.44.17.14.CRT.ARM64.Desktop.base", "Vsix", &["crt.ARM64.Desktop.vsix"]),
            package("Microsoft.VC.14.44.17.14.CRT.ARM64.Store.base", "Vsix", &["crt.ARM64.Store.vsix"]),
            package("Win11SDK_10.0.26100", "Exe", &sdk),
            package("Microsoft.Windows.UniversalCRT.HeadersLibsSources.Msi", "Msi", &["Universal CRT Headers Libraries and Sources-x86_en-us.msi"]),
        ]})
    }

    #[test]
    fn a_package_that_cannot_be_had_is_named_by_its_address() {
        let error = lay_out(&list());
        assert!(error.contains("HTTP GET request for http://127.0.0.1:1/"), "{error}");
    }

    #[test]
    fn a_list_without_the_wanted_release_is_refused_by_name() {
        let mut list = list();
        list["packages"][1]["id"] = "Microsoft.VC.14.29.16.11.CRT.Headers.base".into();
        let error = lay_out(&list);
        assert!(error.contains("Microsoft.VC.14.44.17.14.CRT.Headers.base"), "{error}");
        let error = lay_out(&serde_json::json!({ "packages": 1 }));
        assert!(error.contains("list.vsman: not a list of packages"), "{error}");
    }

    #[test]
    fn the_layout_is_that_of_the_crate_which_is_locked() {
        let lock = include_str!("../../../../Cargo.lock");
        let line = format!("name = \"xwin\"\nversion = \"{}\"", microsoft().layout());
        assert!(lock.contains(&line), "Cargo.lock has not {line}");
    }
}
