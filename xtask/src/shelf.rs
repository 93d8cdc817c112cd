//! Published wheels: what can be asked for, the lock that pins every file of them, and which of them go into a bundle. Formats, tags
//! and requirements are the crate `wheels`' business; nothing here builds a wheel.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use gates::manifest::{Absence, Exception};
use gates::wheel::{Name, normal_name};
use pep508_rs::pep440_rs::Version;
use store::{Pin, Pypi, State, tree};
use toolchains::Target;
use wheels::{Asked, AskedWheel, Held, Lock, Locked, Python, Wanted, Wheel};

use crate::bundle::Part;
use crate::components::Components;
use crate::failure;
use crate::flags;
use crate::ground::Ground;
use crate::session::Session;

/// What can be asked for.
const ASKED: &str = "components/wheels/wheels.toml";

/// Every file of it, pinned.
const LOCK: &str = "components/wheels/wheels.lock";

/// The text of a licence that is also ours, for wheels that lack theirs.
const APACHE: &str = include_str!("../../LICENSE-APACHE");

/// The folder of wheels in a bundle and in the prefix of whoever makes one.
pub const FOLDER: &str = "wheels";

/// One published wheel that goes into a bundle.
#[derive(Clone, Debug)]
pub struct Published {
    /// What the lock says of it.
    pub locked: Locked,
    /// Where it lies.
    pub path: PathBuf,
    /// Paths in it of texts of its licence that lie elsewhere than among its metadata.
    pub licence_files: Vec<String>,
    /// What is known of it and accepted.
    pub exceptions: Vec<Exception>,
}

/// What a bundle gets beside its components.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The wheels, by name.
    pub wheels: Vec<Published>,
    /// What was asked for and the target cannot have.
    pub absences: Vec<Absence>,
}

/// Runs the verb: pins what is asked for.
///
/// # Errors
/// If a wheel is not published for a target and nothing says so, if something is said to be absent and is published, if a licence is
/// not known, or if the store of a target does not close.
pub fn lock(session: &Session, flags: &flags::Lock) -> Result<()> {
    let asked = asked(session)?;
    let components = session.components()?;
    for wheel in &asked.wheel {
        if let Ok(component) = components.get(&wheel.project) {
            agree(&kit::Component::load(&component.folder)?, &asked)?;
        }
    }
    let path = session.root.join(LOCK);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let known = Lock::parse(&old).unwrap_or_default();
    let files = resolve(session, &asked)?;
    let mut lock = Lock::default();
    for (file, (wanted, targets)) in &files {
        let before = known.wheel.iter().find(|locked| locked.file == *file);
        let mut locked = read(session, wanted, file, before)?;
        locked.targets = targets.clone();
        lock.wheel.push(locked);
    }
    for target in Target::all() {
        lock.select(&Python::new(&target, &asked.python)?, &[], &[])?;
    }
    let text = lock.to_text()?;
    ensure!(
        !flags.check || text == old,
        "{LOCK}: does not say what {ASKED} leads to\n\nhint: cargo xtask lock"
    );
    if text != old {
        tree::write_atomic(&path, text.as_bytes())?;
    }
    let human = format!(
        "{} files of {} projects are pinned in {LOCK}",
        lock.wheel.len(),
        asked.wheel.len()
    );
    session.print("locked", serde_json::json!({ "files": lock.wheel.len() }), &human)
}

/// The file for each project and target, with the targets that share it.
fn resolve<'a>(session: &Session, asked: &'a Asked) -> Result<BTreeMap<String, (&'a AskedWheel, Vec<String>)>> {
    let mut files: BTreeMap<String, (&AskedWheel, Vec<String>)> = BTreeMap::new();
    let mut faults = Vec::new();
    for wheel in &asked.wheel {
        let AskedWheel { project, version, .. } = wheel;
        let names = session.listed(project)?;
        for target in Target::all().iter().filter(|target| wheel.is_for(target)) {
            let python = Python::new(target, &asked.python)?;
            let triple = &target.triple;
            match (best(&python, &names, version)?, asked.absence(project, target)) {
                (Some(file), None) => {
                    files.entry(file.clone()).or_insert((wheel, Vec::new())).1.push(triple.clone());
                }
                (None, Some(_)) => {}
                (Some(file), Some(_)) => faults.push(format!(
                    "{project}: is said to be absent for {triple}, and {file} is published\nhint: take its [[absent]] out of {ASKED}"
                )),
                (None, None) => faults.push(format!(
                    "{project} {version}: no wheel for {triple} and Python {} is published; what has to be built first is never taken\n\
                     hint: give {ASKED} another version of it, or an [[absent]] with the reason",
                    asked.python
                )),
            }
        }
    }
    match faults.is_empty() {
        true => Ok(files),
        false => bail!("{}", faults.join("\n")),
    }
}

/// The file of a version that suits a Python best.
fn best<'a>(python: &Python, names: &'a [String], version: &str) -> Result<Option<&'a String>> {
    let Ok(wanted) = Version::from_str(version) else {
        bail!("`{version}` is no version");
    };
    let ranked = names.iter().filter_map(|file| {
        let name = Name::parse(file)?;
        let is_it = Version::from_str(&name.version.replace('_', "-")).is_ok_and(|found| found == wanted);
        Some((python.rank(&name).filter(|_| is_it)?, file))
    });
    // Of two files with one tag the later build counts, and the names tell which that is.
    let best = ranked.min_by(|(a, one), (b, other)| a.cmp(b).then_with(|| other.cmp(one)));
    Ok(best.map(|(_, file)| file))
}

/// Brings a file, if it is not there, and reads what the lock says of it.
fn read(session: &Session, asked: &AskedWheel, file: &str, before: Option<&Locked>) -> Result<Locked> {
    let mut pin = match before {
        Some(locked) => locked.pin(),
        None => Pin {
            file: file.to_owned(),
            sha256: "0".repeat(64),
            url: Vec::new(),
            debian: None,
            pypi: Some(Pypi {
                project: asked.project.clone(),
                version: asked.version.clone(),
            }),
            crate_: None,
        },
    };
    match before {
        Some(_) => drop(session.fetch(std::slice::from_ref(&pin))?),
        None => pin.sha256 = session.learn(&pin)?,
    }
    let wheel = open(&session.state, &pin)?;
    let locked = Locked::of(&wheel, &pin.sha256, asked)?;
    licences(&wheel, &locked.license, &asked.licence_files)?;
    Ok(locked)
}

/// Opens a fetched wheel; one whose list of files lies is none.
fn open(state: &State, pin: &Pin) -> Result<Wheel> {
    let wheel = Wheel::open(&state.need(pin)?)?;
    if let Some(fault) = wheel.faults().first() {
        bail!("{}: `{}` {}", pin.file, fault.path, fault.what);
    }
    Ok(wheel)
}

fn asked(session: &Session) -> Result<Asked> {
    let path = session.root.join(ASKED);
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Asked::parse(&text).context(ASKED)
}

fn locked(session: &Session) -> Result<Lock> {
    let path = session.root.join(LOCK);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{}: cannot be read\n\nhint: cargo xtask lock", path.display()))?;
    Lock::parse(&text).context(LOCK)
}

/// Which of the names are components that make a wheel for the target; the others must be published. Without a target, a component is
/// one for some target.
///
/// # Errors
/// If a name is neither, and the likeliest is named; or if a component and what is published disagree.
pub fn split(
    session: &Session,
    components: &Components,
    names: &[String],
    triple: Option<&str>,
) -> Result<(Vec<String>, Vec<String>)> {
    if names.is_empty() {
        return Ok(Default::default());
    }
    let asked = asked(session)?;
    let (mut own, mut published) = (Vec::new(), Vec::new());
    for name in names {
        let component = match components.get(name) {
            Ok(component) => Some(kit::Component::load(&component.folder)?),
            Err(_) => None,
        };
        if let Some(component) = &component {
            agree(component, &asked)?;
        }
        match maker(name, component.as_ref(), &asked, triple)? {
            Maker::Component => own.push(name.clone()),
            Maker::Others => published.push(normal_name(name)),
        }
    }
    Ok((own, published))
}

/// Who makes a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// A component of its name.
    Component,
    /// Whoever published it.
    Others,
}

fn maker(name: &str, component: Option<&kit::Component>, asked: &Asked, triple: Option<&str>) -> Result<Maker> {
    let makes = |component: &kit::Component| triple.is_none_or(|triple| component.is_for(triple));
    match (component, asked.get(&normal_name(name))) {
        (Some(component), _) if makes(component) => Ok(Maker::Component),
        (_, Some(_)) => Ok(Maker::Others),
        (Some(_), None) => bail!(
            "wheel `{name}`: its component is not for {}, and {ASKED} does not ask for it\n\n\
             hint: give {ASKED} a [[wheel]] of it, then cargo xtask lock",
            triple.unwrap_or_default()
        ),
        (None, None) => {
            let known: Vec<&str> = asked.wheel.iter().map(|wheel| wheel.project.as_str()).collect();
            let hint = match failure::did_you_mean(name, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("give {ASKED} a [[wheel]] of it, then cargo xtask lock"),
            };
            bail!("wheel `{name}`: no component makes it, and {ASKED} does not ask for it\n\nhint: {hint}")
        }
    }
}

/// A wheel that is published for some targets and built for others is of one version everywhere, and of one origin on each.
fn agree(component: &kit::Component, asked: &Asked) -> Result<()> {
    let name = &component.name;
    let Some(wheel) = asked.get(&normal_name(name)) else {
        return Ok(());
    };
    ensure!(
        component.version == wheel.version,
        "{name}: the component is of version {}, and {ASKED} asks for {}\n\nhint: cargo xtask pin set {name} {}",
        component.version,
        wheel.version,
        wheel.version
    );
    let twice = Target::all().into_iter().find(|target| {
        let is_published = wheel.is_for(target) && asked.absence(&wheel.project, target).is_none();
        is_published && component.is_for(&target.triple)
    });
    match twice {
        None => Ok(()),
        Some(target) => bail!(
            "{name}: is published for {}, and the component is for it too\n\n\
             hint: take the triple out of the component's `targets`, or give {ASKED} an [[absent]] with the reason",
            target.triple
        ),
    }
}

impl Shelf {
    /// The files of its wheels.
    pub fn pins(&self) -> impl Iterator<Item = Pin> {
        self.wheels.iter().map(|wheel| wheel.locked.pin())
    }

    /// Fetches the published wheels that a bundle needs: those that are named, and what they and the wheels of its
    /// components require.
    ///
    /// # Errors
    /// If a requirement is met by nothing, or a wheel cannot be had.
    pub fn fill(session: &Session, ground: &Ground, named: &[String], parts: &[Part]) -> Result<Shelf> {
        let built = built(parts)?;
        if named.is_empty() && built.is_empty() {
            return Ok(Shelf::default());
        }
        let (asked, lock) = (asked(session)?, locked(session)?);
        let python = Python::new(&ground.target, &asked.python)?;
        let mut shelf = Shelf::default();
        let mut wanted: Vec<Wanted> = built.iter().map(|held| Wanted::plain(&held.project)).collect();
        for name in named {
            match asked.absence(name, &ground.target) {
                Some(absent) => shelf.absences.push(Absence {
                    what: name.clone(),
                    reason: absent.reason.clone(),
                }),
                None => {
                    let there = lock.for_target(&ground.target).any(|locked| locked.project == *name);
                    ensure!(
                        there,
                        "wheel `{name}`: {LOCK} has none for {}\n\nhint: cargo xtask lock",
                        ground.target.triple
                    );
                    wanted.push(Wanted::plain(name));
                }
            }
        }
        if wanted.is_empty() {
            return Ok(shelf);
        }
        let taken = lock.select(&python, &wanted, &built)?;
        let pins: Vec<Pin> = taken.iter().map(|locked| locked.pin()).collect();
        session.fetch(&pins)?;
        for (locked, pin) in taken.into_iter().zip(pins) {
            let exceptions = asked.get(&locked.project).map(|asked| {
                let file = format!("{FOLDER}/{}", locked.file);
                asked.exceptions(&ground.target, &file)
            });
            let licence_files = asked.get(&locked.project).map(|asked| asked.licence_files.clone());
            shelf.wheels.push(Published {
                licence_files: licence_files.unwrap_or_default(),
                path: session.state.source_path(&pin),
                exceptions: exceptions.unwrap_or_default(),
                locked: locked.clone(),
            });
        }
        Ok(shelf)
    }
}

impl Published {
    /// The texts of its licence, by the names under which they are shipped. The wheel is read whole, and must be what the lock says.
    ///
    /// # Errors
    /// If it was damaged since it was fetched, its list of files lies, or it has no text of its licence.
    pub fn licences(&self, state: &State) -> Result<Vec<(String, Vec<u8>)>> {
        let wheel = open(state, &self.locked.pin())?;
        licences(&wheel, &self.locked.license, &self.licence_files)
    }
}

/// The texts of a wheel's licence. Some have none; where it is one of ours, the text is the same.
fn licences(wheel: &Wheel, license: &str, more: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
    let texts = wheel.licence_texts(more)?;
    match (texts.is_empty(), license) {
        (false, _) => Ok(texts),
        (true, "Apache-2.0") => Ok(vec![("LICENSE".to_owned(), APACHE.as_bytes().to_vec())]),
        (true, _) => bail!(
            "{}: has no text of its licence\n\nhint: give its [[wheel]] in {ASKED} the `licence-files` that lie elsewhere in it",
            wheel.file()
        ),
    }
}

/// The wheels that components made.
fn built(parts: &[Part]) -> Result<Vec<Held>> {
    let mut built = Vec::new();
    for part in parts {
        let folder = part.prefix.join(FOLDER);
        if !folder.is_dir() {
            continue;
        }
        for entry in tree::list(&folder)?.iter().filter(|entry| entry.path.ends_with(".whl")) {
            let wheel = Wheel::open(&folder.join(&entry.path)).with_context(|| part.name.clone())?;
            let metadata = wheel.metadata()?;
            built.push(Held {
                file: wheel.file().to_owned(),
                project: normal_name(&wheel.name.project),
                version: metadata.first("Version").unwrap_or_default().to_owned(),
                requires: metadata.all("Requires-Dist").map(str::to_owned).collect(),
                requires_python: metadata.first("Requires-Python").map(str::to_owned),
            });
        }
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["riscv64gc-unknown-linux-gnu", "aarch64-pc-windows-msvc"];

    fn component(version: &str, targets: &str) -> kit::Component {
        let text = format!(
            "version = '{version}'\nlicense = 'MIT'\ntargets = [{targets}]\n[ships]\n[source]\nfile = 'x.tar.gz'\nurl = ['u']\n\
             sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'\n"
        );
        kit::Component::parse("numpy", &text).unwrap()
    }

    fn asked(absent: &str) -> Asked {
        let text = format!(
            "python = '3.13.15'\n[[wheel]]\nproject = 'numpy'\nversion = '2.5.5'\nwhy = 'w'\n\
             [[absent]]\nproject = 'numpy'\ntargets = ['{absent}']\nreason = 'r'\n"
        );
        Asked::parse(&text).unwrap()
    }

    #[test]
    fn a_wheel_is_built_where_its_component_is_for_and_published_elsewhere() {
        let (component, asked) = (component("2.5.5", "'riscv64gc-*'"), asked("riscv64gc-*"));
        let maker = |name: &str, triple| maker(name, Some(&component).filter(|_| name == "numpy"), &asked, triple);
        assert_eq!(maker("numpy", Some(NAMES[0])).unwrap(), Maker::Component);
        assert_eq!(maker("numpy", Some(NAMES[1])).unwrap(), Maker::Others);
        // What is fetched for every target is fetched for the component too.
        assert_eq!(maker("numpy", None).unwrap(), Maker::Component);
        let error = maker("nunpy", None).unwrap_err().to_string();
        assert!(error.ends_with("hint: did you mean `numpy`?"), "{error}");
    }

    #[test]
    fn a_component_for_other_targets_makes_no_wheel_here() {
        let asked = Asked::parse("python = '3.13.15'\n").unwrap();
        let component = component("2.5.5", "'riscv64gc-*'");
        let error = maker("numpy", Some(&component), &asked, Some(NAMES[1]))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("wheel `numpy`: its component is not for aarch64-pc-windows-msvc, and "),
            "{error}"
        );
    }

    #[test]
    fn one_wheel_is_of_one_version_and_on_each_target_of_one_origin() {
        assert!(agree(&component("2.5.5", "'riscv64gc-*'"), &asked("riscv64gc-*")).is_ok());
        let error = |component: &kit::Component, asked: &Asked| agree(component, asked).unwrap_err().to_string();
        let text = error(&component("2.5.4", "'riscv64gc-*'"), &asked("riscv64gc-*"));
        assert!(
            text.ends_with("asks for 2.5.5\n\nhint: cargo xtask pin set numpy 2.5.5"),
            "{text}"
        );
        let text = error(&component("2.5.5", "'*-linux-*'"), &asked("riscv64gc-*"));
        assert!(
            text.starts_with("numpy: is published for aarch64-unknown-linux-gnu, and "),
            "{text}"
        );
    }

    #[test]
    fn the_components_of_this_repository_agree_with_what_it_takes_of_others() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let asked = Asked::parse(&std::fs::read_to_string(root.join(ASKED)).unwrap()).unwrap();
        let folder = |wheel: &&AskedWheel| root.join("components").join(&wheel.project);
        let both: Vec<PathBuf> = asked
            .wheel
            .iter()
            .map(|wheel| folder(&wheel))
            .filter(|path| path.is_dir())
            .collect();
        assert!(!both.is_empty());
        for folder in both {
            agree(&kit::Component::load(&folder).unwrap(), &asked).unwrap();
        }
    }

    #[test]
    fn of_all_files_of_a_version_the_best_for_the_target_is_taken_and_never_a_source() {
        let names = [
            "a-1.0.tar.gz",
            "a-1.0-py3-none-any.whl",
            "a-1.0-cp313-cp313-win_arm64.whl",
            "a-1.0-cp312-abi3-win_arm64.whl",
            "a-1.0-cp313-cp313-manylinux_2_28_aarch64.whl",
            "a-1.0-cp313-cp313-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
            "a-1.0-cp313-cp313-manylinux_2_35_aarch64.whl",
            "a-2.0-cp313-cp313-win_arm64.whl",
        ]
        .map(str::to_owned);
        let best = |triple: &str, version: &str| {
            let python = Python::new(&Target::load(triple).unwrap(), "3.13.15").unwrap();
            super::best(&python, &names, version).unwrap().cloned()
        };
        assert_eq!(best("aarch64-pc-windows-msvc", "1.0").unwrap(), names[2]);
        assert_eq!(best("aarch64-unknown-linux-gnu", "1").unwrap(), names[4]);
        assert_eq!(best("x86_64-unknown-linux-gnu", "1.0").unwrap(), names[1]);
        assert_eq!(best("x86_64-unknown-linux-gnu", "2.0"), None);
    }
}
