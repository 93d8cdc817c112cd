//! The only place that reads the environment. What is read is announced to cargo, so that a change of it is noticed.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use store::{Digest, State};
use toolchains::Provider;

use crate::announce;
use crate::deps::{Dep, Prefix};

/// Names the target, and thereby asks for a build.
pub(crate) const TARGET: &str = "WINDLASS_TARGET";

/// Names the variants that are asked for: `COMPONENT=VARIANT`, with commas between.
const VARIANTS: &str = "WINDLASS_VARIANTS";

/// What cargo and the user say to a recipe's build script.
#[derive(Debug)]
pub(crate) struct Given {
    /// The component's folder.
    pub(crate) folder: PathBuf,
    /// Where cargo wants what the component's crate includes.
    pub(crate) out: PathBuf,
    /// The target's triple; nothing means that nobody asked for a build.
    pub(crate) triple: Option<String>,
    /// Where headers and import libraries come from.
    pub(crate) provider: Provider,
    /// The variants that were asked for, by component.
    pub(crate) variants: BTreeMap<String, String>,
    /// How many processes may run at once.
    pub(crate) jobs: usize,
    /// Whether the folder in which the component was built stays after success.
    pub(crate) keep: bool,
    /// The prefixes of direct needs.
    pub(crate) deps: Vec<Dep>,
}

impl Given {
    /// Reads all of it.
    pub(crate) fn read() -> Result<Given> {
        let (Some(folder), Some(out)) = (env::var_os("CARGO_MANIFEST_DIR"), env::var_os("OUT_DIR")) else {
            bail!("is a cargo build script: run it with `cargo build`");
        };
        let triple = match watched(TARGET)? {
            Some(triple) => Some(triple),
            // `--target` means the same, for whoever has that target's standard library. Build scripts always see both.
            None => match (watched("TARGET")?, watched("HOST")?) {
                (Some(target), Some(host)) if target != host => Some(target),
                _ => None,
            },
        };
        let provider = match watched("WINDLASS_PROVIDER")? {
            Some(name) => name.parse().context("WINDLASS_PROVIDER")?,
            None => Provider::Open,
        };
        Ok(Given {
            folder: folder.into(),
            out: out.into(),
            triple,
            provider,
            variants: variants(watched(VARIANTS)?.as_deref().unwrap_or_default())?,
            jobs: jobs()?,
            keep: keep(),
            deps: deps()?,
        })
    }
}

/// The state folder, with the variables that name it announced.
pub(crate) fn state() -> Result<State> {
    for name in ["WINDLASS_STATE", "XDG_CACHE_HOME", "HOME"] {
        announce::watch_variable(name);
    }
    State::locate()
}

/// The arguments of the process, without its name.
pub(crate) fn arguments() -> Vec<String> {
    env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// This executable, which is also the host tool that wrappers call.
pub(crate) fn executable() -> Result<PathBuf> {
    env::current_exe().context("the build script's own path cannot be found")
}

/// The user's home folder, only to prove that it is in no product.
pub(crate) fn home() -> Option<String> {
    env::var("HOME").ok()
}

/// `WINDLASS_JOBS`, else what cargo allows. The number changes no product, so it is not watched.
fn jobs() -> Result<usize> {
    for name in ["WINDLASS_JOBS", "NUM_JOBS"] {
        if let Some(value) = env::var(name).ok().filter(|value| !value.is_empty()) {
            return match value.parse() {
                Ok(jobs) if jobs > 0 => Ok(jobs),
                _ => bail!("{name}: wanted a number above 0, found `{value}`"),
            };
        }
    }
    Ok(1)
}

/// `WINDLASS_KEEP`, set and not empty. It changes no product either; what is built already is not built again for it.
fn keep() -> bool {
    env::var_os("WINDLASS_KEEP").is_some_and(|value| !value.is_empty())
}

/// Understands a list of variants.
fn variants(text: &str) -> Result<BTreeMap<String, String>> {
    let mut variants = BTreeMap::new();
    for item in text.split(',').filter(|item| !item.is_empty()) {
        match item.split_once('=') {
            Some((name, variant)) if !name.is_empty() && !variant.is_empty() => {
                variants.insert(name.to_owned(), variant.to_owned());
            }
            _ => bail!("{VARIANTS}: wanted COMPONENT=VARIANT with commas between, found `{text}`"),
        }
    }
    Ok(variants)
}

/// The direct needs: cargo hands over what each of their scripts announced as `DEP_<LINKS>_<KEY>`.
fn deps() -> Result<Vec<Dep>> {
    let all: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with("DEP_"))
        .collect();
    let mut deps = Vec::new();
    // Only our announcement has a closure; libraries of other packages have a root too.
    for (name, closure) in &all {
        let links = name.strip_prefix("DEP_").and_then(|name| name.strip_suffix("_CLOSURE"));
        let Some(links) = links.filter(|links| !links.ends_with("_HOST")) else {
            continue;
        };
        let key = |key: &str| {
            let name = format!("DEP_{links}_{key}");
            all.get(&name)
                .with_context(|| format!("{name}: was not announced, wanted with {links}'s closure"))
        };
        let host = match all.get(&format!("DEP_{links}_HOST_CLOSURE")) {
            Some(closure) => Some(Prefix {
                root: PathBuf::from(key("HOST_ROOT")?),
                digest: Digest::from_hex(key("HOST_DIGEST")?)?,
                closure: env::split_paths(closure).collect(),
            }),
            None => None,
        };
        deps.push(Dep {
            name: key("NAME")?.clone(),
            root: PathBuf::from(key("ROOT")?),
            digest: Digest::from_hex(key("DIGEST")?)?,
            closure: env::split_paths(closure).collect(),
            host,
            foreign: all.contains_key(&format!("DEP_{links}_FOREIGN")),
        });
    }
    deps.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(deps)
}

/// A variable that is announced and, when set but empty, counts as unset.
fn watched(name: &str) -> Result<Option<String>> {
    announce::watch_variable(name);
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => bail!("{name}: is not UTF-8"),
    }
}
