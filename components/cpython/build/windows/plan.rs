//! What is to be built, from the evaluated projects: objects, resources, frozen modules, programs and DLLs. It compiles nothing
//! and writes no file; what Ninja is told of it is in `ninja`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::windows::externals::External;
use crate::windows::msbuild::{Element, Item, Project, Values, World};
use crate::windows::{flags, targets, toolset};

/// How upstream's sources are to be built.
pub(crate) struct Settings {
    /// Upstream's tree.
    pub(crate) source: PathBuf,
    /// The folder that is built in.
    pub(crate) build: PathBuf,
    /// The machine, as Visual Studio calls its platform.
    pub(crate) platform: &'static str,
    /// Whether the interpreter has no global lock.
    pub(crate) free_threaded: bool,
    /// Libraries of other upstreams.
    pub(crate) externals: Vec<External>,
    /// Projects that are not built, by name.
    pub(crate) without: BTreeSet<String>,
}

/// Everything that is to be built.
pub(crate) struct Plan {
    /// Programs and DLLs, in the order in which they were met.
    pub(crate) units: Vec<Unit>,
    /// Modules of the library that are compiled into the interpreter.
    pub(crate) frozen: Vec<Frozen>,
    /// The interpreter's configuration header, which every object may include.
    pub(crate) pyconfig: PathBuf,
    /// The folder that all products lie in.
    pub(crate) out: PathBuf,
    /// The interpreter's import library, which upstream makes before everything else.
    pub(crate) core: PathBuf,
}

/// One program or DLL.
pub(crate) struct Unit {
    /// The project's name.
    pub(crate) name: String,
    /// The file that is made.
    pub(crate) output: PathBuf,
    /// The import library that comes with a DLL.
    pub(crate) import_library: Option<PathBuf>,
    /// What is compiled.
    pub(crate) compiles: Vec<Step>,
    /// What resources are compiled.
    pub(crate) resources: Vec<Step>,
    /// Options of the linker.
    pub(crate) options: Vec<String>,
    /// Import libraries of other units.
    pub(crate) references: Vec<PathBuf>,
    /// Other libraries: those of Windows by name, those of other components by path.
    pub(crate) libraries: Vec<String>,
}

/// One source and what is made of it.
pub(crate) struct Step {
    /// The source.
    pub(crate) source: PathBuf,
    /// The object.
    pub(crate) object: PathBuf,
    /// The compiler's options.
    pub(crate) options: Vec<String>,
    /// The folders in which headers are looked for.
    pub(crate) include: Vec<PathBuf>,
}

/// One module that is frozen.
pub(crate) struct Frozen {
    /// Its name.
    pub(crate) module: String,
    /// Its source.
    pub(crate) source: PathBuf,
    /// The header that is made of it.
    pub(crate) header: PathBuf,
}

/// The project that lists all others.
const LIST: &str = "pcbuild.proj";
/// The project of the interpreter's DLL.
const CORE: &str = "pythoncore";
/// The project of the program that freezes modules; the host's does it here.
const FREEZE: &str = "_freeze_module";

/// Reads upstream's project files.
///
/// # Errors
/// If they say something that is not known here, name what there is not, or seem to have been read in part.
pub(crate) fn read(settings: &Settings) -> Result<Plan> {
    let plan = gather(settings)?;
    plan.check()?;
    Ok(plan)
}

fn gather(settings: &Settings) -> Result<Plan> {
    let folder = settings.source.join("PCbuild");
    let world = world(settings, &folder)?;
    let mut reader = Reader {
        settings,
        folder: &folder,
        world: &world,
        projects: BTreeMap::new(),
        order: Vec::new(),
    };
    let list = world.evaluate(&folder.join(LIST))?;
    let kinds = ["Projects", "Projects2"];
    let named: Vec<&Item> = kinds.iter().flat_map(|kind| list.items_of(kind)).collect();
    for item in named {
        reader.add(item.include.trim_end_matches(".vcxproj"))?;
    }
    for name in &settings.without {
        let there = folder.join(format!("{name}.vcxproj")).is_file();
        ensure!(
            there,
            "project `{name}` is to be left out, and there is none of that name"
        );
    }
    let core = reader
        .projects
        .get(CORE)
        .with_context(|| format!("{LIST} names no {CORE}"))?;
    let (pyconfig, out) = (core.wanted("GeneratedPyConfigDir")?, core.wanted("OutDir")?);
    Ok(Plan {
        units: reader.units()?,
        frozen: frozen(&world.evaluate(&folder.join(format!("{FREEZE}.vcxproj")))?)?,
        pyconfig: core.path(pyconfig).join("pyconfig.h"),
        out: core.path(out),
        core: core.path(out).join(format!("{}.lib", core.wanted("TargetName")?)),
    })
}

impl Plan {
    /// Fewer than upstream had for years would mean that something was not read.
    fn check(&self) -> Result<()> {
        let core = self.units.iter().find(|unit| unit.name == CORE);
        let sources = core.map_or(0, |core| core.compiles.len());
        for (what, found, wanted) in [
            ("sources of the interpreter", sources, 200),
            ("programs and DLLs", self.units.len(), 30),
            ("frozen modules", self.frozen.len(), 20),
        ] {
            ensure!(
                found >= wanted,
                "{what}: found {found} in the project files, wanted at least {wanted}"
            );
        }
        Ok(())
    }
}

fn world(settings: &Settings, folder: &Path) -> Result<World> {
    let optional = [&toolset::OPTIONAL[..], &toolset::OPTIONAL_OF_MSBUILD].concat();
    let mut world = World::new(&optional, toolset::import);
    world.know_folder(folder)?;
    world.definitions = toolset::definitions();
    world.without = BTreeSet::from([
        // Makes sources that a release's archive has already.
        "regen.targets".to_owned(),
        // Names and folders of a Tcl that there is not.
        "tcltk.props".to_owned(),
    ]);
    for (name, value) in [
        ("Configuration", "Release"),
        ("Platform", settings.platform),
        ("PreferredToolArchitecture", settings.platform),
        ("PlatformToolset", "ClangCL"),
        ("VisualStudioVersion", "17.0"),
        // No Tcl and Tk, so nothing that stands on them.
        ("IncludeTkinter", "false"),
    ] {
        world.global(name, value);
    }
    if settings.free_threaded {
        world.global("DisableGil", "true");
    }
    world.global("Py_OutDir", settings.build.display().to_string());
    world.global("Py_IntDir", settings.build.join("obj").display().to_string());
    for external in &settings.externals {
        for (property, folder) in &external.properties {
            world.global(property, format!("{}/", folder.display()));
        }
    }
    Ok(world)
}

/// The modules that the freezing project names.
fn frozen(project: &Project) -> Result<Vec<Frozen>> {
    let kinds = ["None", "GetPath"];
    let items = kinds.iter().flat_map(|kind| project.items_of(kind));
    let items = items.filter_map(|item| Some((item, item.metadata.get("ModName")?)));
    items
        .map(|(item, module)| {
            let header = item.metadata.get("OutFile");
            let header = header.with_context(|| format!("{}: `{module}` has no OutFile", project.name))?;
            Ok(Frozen {
                module: module.clone(),
                source: project.path(&item.include),
                header: project.path(header),
            })
        })
        .collect()
}

/// Follows the projects from one to the next.
struct Reader<'a> {
    settings: &'a Settings,
    folder: &'a Path,
    world: &'a World,
    projects: BTreeMap<String, Project>,
    order: Vec<String>,
}

impl Reader<'_> {
    /// Evaluates a project and those that it refers to, unless that was done.
    fn add(&mut self, name: &str) -> Result<()> {
        if self.settings.without.contains(name) || self.projects.contains_key(name) || self.external(name)?.is_some() {
            return Ok(());
        }
        let project = self.world.evaluate(&self.folder.join(format!("{name}.vcxproj")))?;
        targets::check(&project)?;
        let references: Vec<String> = project.items_of("ProjectReference").map(referred).collect();
        self.projects.insert(name.to_owned(), project);
        for reference in references {
            self.add(&reference)?;
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    /// The external whose sources alone a project compiles, if it is such a one.
    fn external(&self, name: &str) -> Result<Option<&External>> {
        let root = Element::read(&self.folder.join(format!("{name}.vcxproj")))?;
        let mut sources = Vec::new();
        root.walk(&mut |element| {
            if element.name == "ClCompile"
                && let Some(source) = element.attribute("Include")
            {
                sources.push(source.to_owned());
            }
        });
        let of = |external: &&External| {
            let begins = |source: &String| {
                let mut properties = external.properties.iter();
                properties.any(|(property, _)| source.starts_with(&format!("$({property})")))
            };
            !sources.is_empty() && sources.iter().all(begins)
        };
        Ok(self.settings.externals.iter().find(of))
    }

    fn units(&self) -> Result<Vec<Unit>> {
        let projects = self.order.iter().filter_map(|name| self.projects.get(name));
        projects
            .map(|project| self.unit(project).with_context(|| project.name.clone()))
            .collect()
    }

    fn unit(&self, project: &Project) -> Result<Unit> {
        let library = match project.wanted("ConfigurationType")? {
            "DynamicLibrary" => true,
            "Application" => false,
            other => bail!("configuration type `{other}` is not known here"),
        };
        let out = project.path(project.wanted("OutDir")?);
        let name = project.wanted("TargetName")?;
        let mut used = Vec::new();
        let compiles = self.compiles(project, &mut used)?;
        let link = project.definition("Link");
        let mut options = flags::link(&link)?;
        let import_library = library.then(|| out.join(format!("{name}.lib")));
        if let Some(library) = &import_library {
            options.insert(0, "/DLL".to_owned());
            // The folder of the machine stays out: the linker writes the name alone.
            options.push(format!("/IMPLIB:{}", self.spelled(library)));
        }
        // The configuration header names the interpreter's import library, which lies among the products.
        options.push(format!("/LIBPATH:{}", self.spelled(&out)));
        if let Some(file) = link.get("ModuleDefinitionFile") {
            options.push(format!("/DEF:{}", self.spelled(&project.path(file))));
        }
        let mut references = Vec::new();
        for reference in project.items_of("ProjectReference").map(referred) {
            match (self.external(&reference)?, self.projects.get(&reference)) {
                (Some(external), _) => used.push(external),
                (None, Some(other)) => {
                    let library = format!("{}.lib", other.wanted("TargetName")?);
                    references.push(other.path(other.wanted("OutDir")?).join(library));
                }
                (None, None) => bail!("refers to `{reference}`, which is left out"),
            }
        }
        Ok(Unit {
            name: project.name.clone(),
            output: out.join(format!("{name}{}", project.wanted("TargetExt")?)),
            import_library,
            compiles,
            resources: self.resources(project)?,
            options,
            references,
            libraries: self.libraries(project, &link, &used)?,
        })
    }

    /// What of a project is compiled. Sources of other upstreams are not: `used` learns whose libraries take their place.
    fn compiles<'s>(&'s self, project: &Project, used: &mut Vec<&'s External>) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut names = BTreeSet::new();
        let macros = toolset::macros(project)?;
        for item in project.items_of("ClCompile") {
            let source = project.path(&item.include);
            let external = self.settings.externals.iter().find(|external| external.owns(&source));
            if let Some(external) = external {
                used.push(external);
                continue;
            }
            if item
                .metadata
                .get("ExcludedFromBuild")
                .is_some_and(|value| value == "true")
            {
                continue;
            }
            let mut options = flags::compile(&item.metadata)?;
            let said = self.definitions(&item.metadata).into_iter();
            let mut definitions: Vec<String> = Vec::new();
            for definition in said.chain(macros.iter().map(|name| (*name).to_owned())) {
                if !definitions.contains(&definition) {
                    definitions.push(definition);
                }
            }
            // What upstream asks git for; a release's archive has none.
            if source.ends_with("Modules/getbuildinfo.c") {
                definitions.extend(["GITVERSION=\"\"", "GITTAG=\"\"", "GITBRANCH=\"\""].map(str::to_owned));
            }
            options.extend(definitions.iter().map(|definition| format!("/D{definition}")));
            steps.push(Step {
                object: self.object(project, &source, "obj", &mut names)?,
                options,
                include: self.include(project, &item.metadata),
                source,
            });
        }
        // Steps for other assemblers and for interfaces, where they are not left out.
        for item in ["CustomBuild", "Midl"].iter().flat_map(|kind| project.items_of(kind)) {
            let outside = item
                .metadata
                .get("ExcludedFromBuild")
                .is_some_and(|value| value == "true")
                || self
                    .settings
                    .externals
                    .iter()
                    .any(|external| external.owns(&project.path(&item.include)));
            ensure!(outside, "`{}` is built in a way that is not known here", item.include);
        }
        Ok(steps)
    }

    fn resources(&self, project: &Project) -> Result<Vec<Step>> {
        let mut names = BTreeSet::new();
        let items = project.items_of("ResourceCompile");
        items
            .map(|item| {
                let source = project.path(&item.include);
                let mut options = flags::resource(&item.metadata)?;
                // Upstream quotes for Microsoft's command line.
                let definitions = self.definitions(&item.metadata).into_iter();
                options.extend(definitions.map(|definition| format!("/D{}", definition.replace("\\\"", "\""))));
                Ok(Step {
                    object: self.object(project, &source, "res", &mut names)?,
                    options,
                    include: self.include(project, &item.metadata),
                    source,
                })
            })
            .collect()
    }

    /// Where the object of a source goes; sources of one name in several folders are told apart by their folder.
    fn object(&self, project: &Project, source: &Path, suffix: &str, names: &mut BTreeSet<String>) -> Result<PathBuf> {
        let part = |path: Option<&std::ffi::OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
        let stem = part(source.file_stem());
        let folder = part(source.parent().and_then(Path::file_name));
        let free = [stem.clone(), format!("{folder}_{stem}")]
            .into_iter()
            .find(|name| names.insert(name.to_ascii_lowercase()));
        let name = free.with_context(|| format!("`{}` is listed twice", source.display()))?;
        Ok(project.path(project.wanted("IntDir")?).join(format!("{name}.{suffix}")))
    }

    fn definitions(&self, metadata: &Values) -> Vec<String> {
        flags::list(metadata, "PreprocessorDefinitions")
    }

    /// The folders of headers. One in the tree of another upstream is the folder of its installed headers.
    fn include(&self, project: &Project, metadata: &Values) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for said in flags::list(metadata, "AdditionalIncludeDirectories") {
            let path = project.path(&said);
            let mut externals = self.settings.externals.iter();
            let folder = match externals.find(|external| external.owns(&path)) {
                Some(external) => external.include.clone(),
                None => path,
            };
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    fn libraries(&self, project: &Project, link: &Values, used: &[&External]) -> Result<Vec<String>> {
        let mut libraries: Vec<String> = Vec::new();
        let mut add = |library: String| {
            if !libraries.contains(&library) {
                libraries.push(library);
            }
        };
        let mut used = used.to_vec();
        for said in flags::list(link, "AdditionalDependencies") {
            if !said.contains(['/', '\\']) {
                let lower = said.to_ascii_lowercase();
                match self
                    .settings
                    .externals
                    .iter()
                    .find(|external| external.names.contains(&lower))
                {
                    Some(external) => used.push(external),
                    None => add(lower),
                }
                continue;
            }
            // The product of a project that compiles another upstream's sources.
            let path = project.path(&said);
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match self.external(&stem) {
                Ok(Some(external)) => used.push(external),
                _ => bail!("library `{said}` is not known here"),
            }
        }
        for external in used {
            for library in &external.libraries {
                add(library.display().to_string());
            }
        }
        Ok(libraries)
    }

    /// A path as commands say it: from the folder that is built in.
    fn spelled(&self, path: &Path) -> String {
        spelled(self.settings, path)
    }
}

/// A path as commands say it: from the folder that is built in, so that no folder of the machine gets into a product.
pub(crate) fn spelled(settings: &Settings, path: &Path) -> String {
    if let Ok(inside) = path.strip_prefix(&settings.build) {
        return inside.display().to_string();
    }
    match path.strip_prefix(&settings.source) {
        Ok(inside) => format!("../source/{}", inside.display()),
        Err(_) => path.display().to_string(),
    }
}

/// The name of the project that a reference names.
fn referred(item: &Item) -> String {
    item.include.trim_end_matches(".vcxproj").to_owned()
}

#[cfg(test)]
#[path = "plan/tests.rs"]
mod tests;
