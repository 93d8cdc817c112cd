//! Bundles to images of the Open Container Initiative, as a layout of files and without a daemon: one image for each target, one
//! index over all of them, and what is known of them attached as referrers. An image is made of its bundle, its recipe in
//! `images/` and pinned packages, and of nothing else of this machine. It builds no bundle and judges nothing.

mod attach;
mod base;
mod layer;
mod layout;
mod load;
mod provenance;
mod recipe;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use gates::ledger::Ledger;
use gates::manifest::{BUNDLER, Exception, File, Kind, Manifest};
use oci_spec::image::{
    Arch, ConfigBuilder, Descriptor, HistoryBuilder, ImageConfigurationBuilder, ImageManifestBuilder, MediaType, Os,
    PlatformBuilder, RootFsBuilder,
};
use store::{Digest, Pin, State};
use toolchains::Target;

use crate::flags::{self, Compression};
use crate::proof::Proof;
use crate::sbom::{self, rfc3339};
use crate::session::Session;
use crate::{bundle, environment, prove};
use base::Base;
use layer::{Layer, What};
use layout::Layout;
use recipe::{Recipe, Smoke};

/// The folder of recipes in a checkout.
const RECIPES: &str = "images";

/// The name of every image's index in its layout.
const INDEX_NAME: &str = "windlass";

/// One bundle that becomes an image.
pub struct Source {
    /// The target.
    pub target: Target,
    /// Where the bundle lies.
    pub bundle: PathBuf,
    /// What it says of itself.
    pub manifest: Manifest,
    /// What was run of it, when that was written down.
    pub ledger: Option<String>,
    /// What the image looks like.
    pub recipe: Recipe,
    /// What lies below the bundle; absent in an image for Windows.
    pub base: Option<Base>,
    /// What is run to see that the image works; absent when no component says it.
    pub smoke: Option<Smoke>,
}

/// How images are made.
pub struct Options {
    /// How layers are compressed.
    pub compression: Compression,
    /// The time that everything in them names, in seconds after 1970.
    pub epoch: u64,
}

/// One finished image.
pub struct Made {
    /// The triple.
    pub target: String,
    /// Its manifest.
    pub descriptor: Descriptor,
    /// Its configuration.
    pub config: Descriptor,
    /// Its layers, with their names.
    pub layers: Vec<(String, Descriptor)>,
}

/// Runs the verb.
///
/// # Errors
/// If a bundle is missing or damaged, a recipe is wrong, a package cannot be had, or something cannot be written.
pub fn run(session: &Session, flags: &flags::Image) -> Result<()> {
    // First of all: who has no engine should hear of it before minutes of packing.
    let engine = flags.load.as_deref().map(load::find).transpose()?;
    let mut sources = Vec::new();
    for triple in &flags.target {
        let target = Target::load(triple)?;
        let recipe = Recipe::find(&session.root.join(RECIPES), &target, flags.image.as_deref())?;
        ensure!(
            sources.iter().all(|source: &Source| source.target.triple != *triple),
            "target `{triple}`: is named twice"
        );
        session.fetch(&recipe.base().pins(target.arch)?)?;
        let mut source = Source::read(target, &session.output(triple), recipe, &session.state)?;
        source.smoke = smoke(session, &source)?;
        sources.push(source);
    }
    sources.sort_by(|a, b| a.target.triple.cmp(&b.target.triple));
    let output = match (&flags.out, &flags.target[..]) {
        (Some(folder), _) => folder.clone(),
        (None, [only]) => session.output(only),
        (None, _) => session.root.join("target/windlass"),
    };
    let options = Options {
        compression: flags.compression,
        epoch: environment::epoch()?,
    };
    let (path, index, made) = write(&output, &sources, &options)?;
    for image in &made {
        for (name, layer) in &image.layers {
            session
                .progress
                .say("Layer", &format!("{name}: {} bytes, {}", layer.size(), layer.digest()));
        }
        session
            .progress
            .say("Image", &format!("{}: {}", image.target, image.descriptor.digest()));
    }
    if let Some(engine) = engine {
        for image in &made {
            engine.load(&path, image)?;
            session
                .progress
                .say("Loaded", &format!("{} into {}", image.tag(), engine.name));
        }
    }
    let human = format!("{}@{}", path.display(), index.digest());
    let images = made.iter().map(|image| {
        let layers = image.layers.iter().map(|(name, layer)| {
            serde_json::json!({ "name": name, "digest": layer.digest().to_string(), "bytes": layer.size() })
        });
        serde_json::json!({
            "target": image.target,
            "digest": image.descriptor.digest().to_string(),
            "layers": layers.collect::<Vec<_>>(),
        })
    });
    let told = serde_json::json!({
        "path": path.display().to_string(),
        "digest": index.digest().to_string(),
        "images": images.collect::<Vec<_>>(),
    });
    session.print("image", told, &human)
}

/// The packages below the bundle in a target's image; none where a checkout has no images.
///
/// # Errors
/// If the recipe cannot be read, or a package is not pinned for the target.
pub fn pins(session: &Session, target: &Target) -> Result<Vec<Pin>> {
    let folder = session.root.join(RECIPES);
    match folder.is_dir() {
        true => Recipe::find(&folder, target, None)?.base().pins(target.arch),
        false => Ok(Vec::new()),
    }
}

/// The ledger of proofs beside a bundle, if there is one. Proofs of other files would be a lie about the image.
fn ledger(path: &Path, manifest: &Manifest) -> Result<Option<String>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
    };
    let hint = format!("\n\nhint: cargo xtask prove --target {}", manifest.target);
    let ledger = Ledger::parse(&text).map_err(|why| anyhow!("{}: {why}{hint}", path.display()))?;
    let files = manifest.files_by_path();
    for (file, proofs) in &ledger.proofs {
        let own = files.get(file.as_str()).map(|file| file.sha256.as_str());
        if proofs.iter().any(|proof| Some(proof.sha256.as_str()) != own) {
            bail!(
                "{}: is about another `{file}` than the bundle's, wanted proofs of this bundle{hint}",
                path.display()
            );
        }
    }
    Ok(Some(text))
}

/// The first program that a component of the bundle asks to be proved with.
fn smoke(session: &Session, source: &Source) -> Result<Option<Smoke>> {
    let components = session.components()?;
    for component in source
        .manifest
        .components
        .iter()
        .filter(|component| !component.published)
    {
        let proof = Proof::load(&components.get(&component.name)?.folder)?;
        if let Some(smoke) = proof.smoke(&source.target).next() {
            return Ok(Some(source.recipe.smoke(&smoke.program, &smoke.args, &smoke.sentinel)));
        }
    }
    Ok(None)
}

/// What is known of a target's image and accepted: of its base by its recipe, of the bundle in it by the bundle's components.
///
/// # Errors
/// If the recipe or the bundle's manifest cannot be read.
pub fn exceptions(session: &Session, target: &Target) -> Result<Vec<Exception>> {
    let recipe = Recipe::find(&session.root.join(RECIPES), target, None)?;
    let mut all = recipe.exceptions(target);
    let manifest = Manifest::load(&session.output(&target.triple).join("bundle"))?;
    for exception in manifest
        .components
        .into_iter()
        .flat_map(|component| component.exceptions)
    {
        all.push(Exception {
            path: format!("image-*:{}/{}", recipe.root(), exception.path),
            ..exception
        });
    }
    Ok(all)
}

/// Writes `<output>/image`: aside, then in one step in the place of the old one.
///
/// # Errors
/// If a bundle is not what its manifest says, or something cannot be written.
pub fn write(output: &Path, sources: &[Source], options: &Options) -> Result<(PathBuf, Descriptor, Vec<Made>)> {
    store::tree::create_dir(output)?;
    let lock = output.join("image.lock");
    let lock = fs::File::create(&lock).with_context(|| format!("{}: lock cannot be made", lock.display()))?;
    lock.lock().context("image cannot be locked")?;
    let partial = output.join("image.partial");
    store::tree::remove(&partial)?;
    let mut layout = Layout::create(&partial)?;
    let mut made = Vec::new();
    for source in sources {
        let image = source
            .write(&layout, options)
            .with_context(|| source.target.triple.clone())?;
        layout.name(&image.descriptor, &image.target);
        for attachment in attach::of_image(source, &image, options)? {
            layout.attach(&image.descriptor, &attachment, options.epoch)?;
        }
        made.push(image);
    }
    let index = layout.index(
        made.iter().map(|image| image.descriptor.clone()).collect(),
        options.epoch,
    )?;
    layout.name(&index, INDEX_NAME);
    for attachment in attach::of_index(sources, options)? {
        layout.attach(&index, &attachment, options.epoch)?;
    }
    layout.finish()?;
    let image = output.join("image");
    bundle::swap(&partial, &image)?;
    store::tree::remove(&partial)?;
    Ok((image, index, made))
}

impl Made {
    /// The name under which engines keep it.
    pub fn tag(&self) -> String {
        format!("{INDEX_NAME}:{}", self.target)
    }
}

impl Source {
    /// Reads what a target's output folder holds.
    ///
    /// # Errors
    /// If there is no bundle, it is one for another target, or the base cannot be put together.
    pub fn read(target: Target, output: &Path, recipe: Recipe, state: &State) -> Result<Source> {
        let bundle = output.join("bundle");
        let triple = &target.triple;
        if !bundle.is_dir() {
            bail!(
                "{}: there is no bundle\n\nhint: cargo xtask bundle --target {triple}",
                bundle.display()
            );
        }
        let manifest = Manifest::load(&bundle)?;
        ensure!(
            manifest.target == *triple,
            "{}: is a bundle for {}, wanted {triple}\n\nhint: cargo xtask bundle --target {triple}",
            bundle.display(),
            manifest.target
        );
        let ledger = ledger(&output.join(prove::FILE), &manifest)?;
        let base = match recipe.base().is_empty() {
            true => None,
            false => {
                let base = recipe.base().read(target.arch, state);
                Some(base.with_context(|| format!("image `{}`", recipe.name))?)
            }
        };
        Ok(Source {
            base,
            smoke: None,
            target,
            bundle,
            manifest,
            ledger,
            recipe,
        })
    }

    /// Writes the image's blobs.
    fn write(&self, layout: &Layout, options: &Options) -> Result<Made> {
        let mut layers = Vec::new();
        let mut diff_ids = Vec::new();
        let mut history = Vec::new();
        let created = rfc3339(options.epoch)?;
        let own = self.layers()?;
        for layer in self.base.iter().map(|base| &base.layer).chain(&own) {
            let (descriptor, diff_id) = layer.write(layout, self.target.os, options)?;
            diff_ids.push(diff_id);
            let step = HistoryBuilder::default()
                .created(created.clone())
                .created_by(format!("cargo xtask image: {}", layer.name));
            history.push(step.build()?);
            layers.push((layer.name.clone(), descriptor));
        }
        let (architecture, variant) = architecture(&self.target);
        let os = match self.target.os {
            toolchains::Os::Windows => Os::Windows,
            toolchains::Os::Linux => Os::Linux,
        };
        let rootfs = RootFsBuilder::default().typ("layers").diff_ids(diff_ids).build()?;
        let mut config = ImageConfigurationBuilder::default()
            .created(created)
            .architecture(architecture.clone())
            .os(os.clone())
            .config(self.config()?)
            .rootfs(rootfs)
            .history(history);
        let mut platform = PlatformBuilder::default().architecture(architecture).os(os);
        if let Some(variant) = variant {
            config = config.variant(variant);
            platform = platform.variant(variant);
        }
        let mut config = serde_json::to_value(config.build()?)?;
        if let Some(smoke) = &self.smoke {
            // No property of the standard; engines of Docker's line read it where Docker writes it.
            config["config"]["Healthcheck"] = smoke.healthcheck();
        }
        let config = layout.json(MediaType::ImageConfig, &config)?;
        let mut annotations = self.labels()?;
        annotations.insert(layout::CREATED.to_owned(), rfc3339(options.epoch)?);
        let manifest = ImageManifestBuilder::default()
            .schema_version(2_u32)
            .media_type(MediaType::ImageManifest)
            .config(config.clone())
            .layers(layers.iter().map(|(_, layer)| layer.clone()).collect::<Vec<_>>())
            .annotations(annotations)
            .build()?;
        let mut descriptor = layout.json(MediaType::ImageManifest, &manifest)?;
        descriptor.set_platform(Some(platform.build()?));
        Ok(Made {
            target: self.target.triple.clone(),
            descriptor,
            config,
            layers,
        })
    }

    fn config(&self) -> Result<oci_spec::image::Config> {
        let mut config = ConfigBuilder::default()
            .env(self.recipe.environment())
            .labels(self.labels()?);
        if let Some(user) = &self.recipe.user {
            config = config.user(user.clone());
        }
        if let Some(smoke) = &self.smoke {
            config = config.cmd(smoke.command.clone());
        }
        Ok(config.build()?)
    }

    /// The packages below the bundle, as bills of materials have them.
    fn packages(&self) -> Vec<sbom::Package> {
        let packages = self.base.iter().flat_map(|base| &base.packages);
        packages
            .map(|package| sbom::Package {
                name: package.name.clone(),
                version: package.version.clone(),
                license: package.license.clone(),
                sha256: package.pin.sha256.clone(),
                url: package.url(),
            })
            .collect()
    }

    /// The labels of the image's configuration.
    fn labels(&self) -> Result<HashMap<String, String>> {
        let packages = self.packages();
        let more = packages.iter().map(|package| package.license.as_str());
        let license = sbom::whole_license(&self.manifest, more);
        self.recipe.labels(&self.manifest, &license, self.smoke.as_ref())
    }

    /// The layers from the lowest to the highest: what the recipe puts below the bundle, what the bundler wrote that is the same
    /// for every content, and one for each component, so that a changed component changes its own layer alone. What tells of the
    /// whole bundle would change with each of them; it is attached to the image and in no layer.
    fn layers(&self) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        let mut own = Layer::new("scripts and licences of the bundle");
        self.add(&mut own, BUNDLER)?;
        layers.push(own);
        for component in &self.manifest.components {
            let mut layer = Layer::new(&format!("{} {}", component.name, component.version));
            self.add(&mut layer, &component.name)?;
            layers.push(layer);
        }
        layers.retain(|layer| !layer.is_empty());
        ensure!(!layers.is_empty(), "the bundle lists no file of a component");
        Ok(layers)
    }

    /// Puts what an owner has into a layer.
    fn add(&self, layer: &mut Layer, owner: &str) -> Result<()> {
        let at = |path: &str| format!("{}/{path}", self.recipe.root());
        let files = self.manifest.files.iter();
        for file in files.filter(|file| file.owner == owner && is_in_layer(file)) {
            let from = self.bundle.join(&file.path);
            let meta = from
                .symlink_metadata()
                .with_context(|| format!("{}: cannot be examined", from.display()))?;
            let what = What::File {
                sha256: Digest::from_hex(&file.sha256).with_context(|| file.path.clone())?,
                executable: is_executable(file, &meta),
                from,
            };
            layer.add(&at(&file.path), what)?;
        }
        for link in self.manifest.links.iter().filter(|link| link.owner == owner) {
            layer.add(&at(&link.path), What::Link(link.to.clone()))?;
        }
        Ok(())
    }
}

/// Whether a file of a bundle goes into a layer. What tells of the whole bundle does not.
fn is_in_layer(file: &File) -> bool {
    file.owner != BUNDLER || matches!(file.kind, Kind::Script | Kind::Licence)
}

/// Windows knows no such bit; its programs get it for whoever unpacks them elsewhere.
fn is_executable(file: &File, meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    matches!(file.kind, Kind::Program | Kind::Library) || meta.permissions().mode() & 0o111 != 0
}

/// The architecture and its variant, in the words of images.
fn architecture(target: &Target) -> (Arch, Option<&'static str>) {
    match target.arch {
        toolchains::Arch::Aarch64 => (Arch::ARM64, Some("v8")),
        toolchains::Arch::X86_64 => (Arch::Amd64, None),
        toolchains::Arch::Riscv64 => (Arch::RISCV64, None),
    }
}
