//! What is demanded, as data: severities, lists and exceptions. The rules decide, this only tells them by what measure.

use std::collections::BTreeMap;
use std::fmt;

use globset::{Glob, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use crate::code::Sets;
use crate::manifest::Exception;
use crate::report::Counts;
use crate::rules::RULES;

/// The measure of a judgement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// How bad a finding of each rule is.
    pub severity: BTreeMap<String, Severity>,
    /// What must at least have been looked at, by the name of the count.
    pub floors: BTreeMap<String, usize>,
    /// Code for other machines than the target's.
    pub machine: MachinePolicy,
    /// Who owns the files of images, and who may write to them.
    pub image: ImagePolicy,
    /// Where DLLs may come from.
    pub imports: ImportPolicy,
    /// Names that Windows has already.
    pub shadow: ShadowPolicy,
    /// Where ELF libraries may come from, and what they may ask of the system.
    pub elf: ElfPolicy,
    /// What code may ask of the processor.
    pub cpu: CpuPolicy,
    /// What betrays a machine that builds.
    pub paths: PathPolicy,
    /// What may differ between two builds.
    pub reproducible: ReproduciblePolicy,
    /// What files may be called.
    pub names: NamePolicy,
    /// What wheels have to say.
    pub wheels: WheelPolicy,
    /// What plug-ins have to export.
    #[serde(default, rename = "plugin")]
    pub plugins: Vec<PluginPolicy>,
    /// Findings that are known and accepted.
    #[serde(default, rename = "exception")]
    pub exceptions: Vec<Exception>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The judgement fails.
    Error,
    /// It is shown and counted.
    Warning,
    /// The rule is not asked.
    Off,
}

/// Whether code for other machines may be there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MachinePolicy {
    /// Code that runs in emulated processes only.
    pub arm64ec: bool,
    /// Code that runs in native and in emulated processes.
    pub arm64x: bool,
    /// Files that are for whichever machine runs them: launchers that tools copy.
    pub host_tools: Vec<HostTool>,
}

/// Who owns the files of images, and who may write to them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImagePolicy {
    /// The numbers of users and groups that files may belong to.
    pub owners: Vec<u64>,
    /// Folders that everybody may write to, when they are sticky.
    pub shared_folders: Vec<String>,
}

/// A file that is not for the target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostTool {
    /// A shell pattern over its path.
    pub path: String,
    /// Why it is there.
    pub reason: String,
}

/// Where DLLs may come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImportPolicy {
    /// Folders that are on the user's PATH; shell patterns.
    pub dll_homes: Vec<String>,
    /// Whether the DLLs of Microsoft's C++ redistributable may be missing.
    pub vc_redist: bool,
    /// DLLs that lie beside every `python.exe`, shell patterns; for wheels.
    pub with_python: Vec<String>,
    /// DLLs of Windows that its Server Core edition lacks.
    pub client_only: Vec<String>,
    /// DLLs that are in no bundle and not in every Windows.
    pub external: Vec<External>,
}

/// A DLL or library that is in no bundle and not in every system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct External {
    /// A shell pattern over its name, of a DLL in lower case.
    pub dll: String,
    /// Where it comes from.
    pub reason: String,
}

/// Names that Windows has already.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShadowPolicy {
    /// DLLs of System32 beyond those whose exports are known.
    pub names: Vec<String>,
    /// Names that are among the known ones and in no System32.
    pub not_there: Vec<String>,
}

/// Where ELF libraries may come from, and what they may ask of the system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ElfPolicy {
    /// Libraries that are neither in the subject nor in the base system.
    pub external: Vec<External>,
    /// Libraries that every desktop system has, by the standard for `manylinux` wheels (PEP 600).
    pub desktop: Vec<String>,
    /// Libraries of the base tables that the target's slimmest system lacks.
    pub not_in_base: Vec<String>,
    /// Symbols that a program offers to what it loads; shell patterns.
    pub host_symbols: Vec<String>,
    /// Folders that the loader searches by itself; shell patterns.
    pub homes: Vec<String>,
    /// The newest version that may be asked for, by the prefix of the version's name.
    pub ceilings: BTreeMap<String, BTreeMap<String, String>>,
    /// The alignment that segments need at least, by architecture.
    pub page_bytes: BTreeMap<String, u64>,
    /// The most static thread-local memory of one library, in bytes.
    pub static_tls_bytes_max: u64,
}

/// What code may ask of the processor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CpuPolicy {
    /// The extensions that every machine of a target has, by architecture; and, by `ARCHITECTURE+LEVEL`, those of a level besides.
    pub baseline: BTreeMap<String, Vec<String>>,
    /// Whether a plain call past nothing that asks is one too many. What a program keeps of what it asked cannot always be seen.
    pub calls: bool,
    /// Symbols that tell what the processor has.
    pub checks: Vec<String>,
    /// Functions that choose by what was asked before.
    pub choosers: Vec<Chooser>,
    /// Symbols of functions that are only called where the processor has what their names say; shell patterns.
    pub dispatched: Vec<String>,
}

/// A function that chooses by what was asked before, so that what it calls is reached only where the processor has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Chooser {
    /// A shell pattern over its symbol.
    pub symbol: String,
    /// How it knows.
    pub reason: String,
}

/// What betrays a machine that builds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PathPolicy {
    /// Beginnings of absolute paths.
    pub patterns: Vec<String>,
    /// Whole paths of the machine at hand, say its state folder; a hit counts wherever it is.
    #[serde(default)]
    pub exact: Vec<String>,
}

/// What may differ between two builds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReproduciblePolicy {
    /// Texts of dates that are a part of the source.
    pub dates: Vec<String>,
}

/// What files may be called.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamePolicy {
    /// The longest path below the subject, in UTF-16 units, on Windows.
    pub path_units_max: usize,
}

/// What wheels have to say.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WheelPolicy {
    /// Whether the wheels are a store, from which everything is installed.
    pub store: bool,
    /// The version of Python that they are installed for.
    pub python: String,
    /// What a project's wheel has to require, by normal names.
    #[serde(default)]
    pub requires: BTreeMap<String, Vec<String>>,
    /// What a project's wheel has to hold: shell patterns over its members, by normal names.
    #[serde(default)]
    pub holds: BTreeMap<String, Vec<String>>,
}

/// What plug-ins have to export.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PluginPolicy {
    /// A shell pattern over their paths.
    pub path: String,
    /// What stands before the plug-in's name in the file's.
    pub prefixes: Vec<String>,
    /// The symbol, with `{name}` for the plug-in's name, `-` in it as `_`.
    pub export: String,
}

/// Why a policy is refused.
#[derive(Debug)]
pub struct PolicyError(String);

impl Policy {
    /// The policy of `policy/default.toml`: for what we build.
    ///
    /// # Panics
    /// Never: a test reads the file, which is a part of this crate.
    pub fn standard() -> Policy {
        Policy::parse(include_str!("../policy/default.toml")).expect("the default policy is read by a test")
    }

    /// The policy of `policy/foreign.toml`: for what others built.
    ///
    /// # Panics
    /// Never: a test reads the file, which is a part of this crate.
    pub fn foreign() -> Policy {
        Policy::parse(include_str!("../policy/foreign.toml")).expect("the policy for others' files is read by a test")
    }

    /// Understands the text of a policy.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key or a bad pattern, or does not name exactly the rules that there are.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        let policy: Policy = toml_edit::de::from_str(text).map_err(|error| PolicyError(error.to_string()))?;
        for rule in RULES {
            if !policy.severity.contains_key(rule.id) {
                return Err(PolicyError(format!("severity: rule `{}` is not named", rule.id)));
            }
        }
        let known = |id: &str| RULES.iter().any(|rule| rule.id == id);
        if let Some(id) = policy.severity.keys().find(|id| !known(id)) {
            return Err(PolicyError(format!("there is no rule `{id}`")));
        }
        if let Some(name) = policy.floors.keys().find(|name| Counts::default().get(name).is_none()) {
            return Err(PolicyError(format!("floors: there is no count `{name}`")));
        }
        for (arch, names) in &policy.cpu.baseline {
            // RISC-V's baseline has names of what no code is told by.
            let unknown = Sets::named(names.iter().map(String::as_str)).err();
            if let Some(name) = unknown.filter(|_| !arch.starts_with("riscv")) {
                return Err(PolicyError(format!(
                    "cpu: baseline of {arch}: there is no extension `{name}`"
                )));
            }
        }
        let bad = policy.patterns().find_map(|pattern| Glob::new(pattern).err());
        match bad {
            Some(error) => Err(PolicyError(error.to_string())),
            None => Ok(policy),
        }
    }

    /// How bad a finding of a rule is.
    pub fn severity(&self, rule: &str) -> Severity {
        self.severity.get(rule).copied().unwrap_or(Severity::Error)
    }

    /// Where a DLL outside of the bundle and of Windows comes from.
    pub fn external(&self, dll: &str) -> Option<&External> {
        let dll = dll.to_ascii_lowercase();
        let mut all = self.imports.external.iter();
        all.find(|external| is_match(&external.dll, &dll))
    }

    /// Where a library outside of the subject and of the base system comes from.
    pub fn external_library(&self, library: &str) -> Option<&External> {
        let mut all = self.elf.external.iter();
        all.find(|external| is_match(&external.dll, library))
    }

    fn patterns(&self) -> impl Iterator<Item = &String> {
        let external = self.imports.external.iter().chain(&self.elf.external);
        let lists = [
            &self.elf.host_symbols,
            &self.elf.homes,
            &self.cpu.dispatched,
            &self.imports.dll_homes,
            &self.imports.with_python,
        ];
        external
            .map(|external| &external.dll)
            .chain(lists.into_iter().flatten())
            .chain(self.machine.host_tools.iter().map(|tool| &tool.path))
            .chain(self.cpu.choosers.iter().map(|chooser| &chooser.symbol))
            .chain(self.plugins.iter().map(|plugin| &plugin.path))
    }
}

/// The matcher of several shell patterns; bad ones match nothing.
pub(crate) fn globs<'a>(patterns: impl IntoIterator<Item = &'a String>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in patterns.into_iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

/// The matcher of a shell pattern; a bad one matches nothing.
pub(crate) fn glob(pattern: &str) -> Option<GlobMatcher> {
    Glob::new(pattern).ok().map(|glob| glob.compile_matcher())
}

/// Whether a text matches a shell pattern. Most patterns are plain names and are compared as such.
pub(crate) fn is_match(pattern: &str, text: &str) -> bool {
    match pattern.contains(['*', '?', '[', '{']) {
        true => glob(pattern).is_some_and(|glob| glob.is_match(text)),
        false => pattern == text,
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy: {}", self.0)
    }
}

impl std::error::Error for PolicyError {}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = include_str!("../policy/default.toml");

    #[test]
    fn both_policies_are_such() {
        Policy::parse(DEFAULT).unwrap();
        Policy::parse(include_str!("../policy/foreign.toml")).unwrap();
        assert!(Policy::standard().external("NVCUDA.dll").is_some());
    }

    #[test]
    fn a_policy_names_exactly_the_rules_and_known_counts() {
        let error = |text: &str| Policy::parse(text).unwrap_err().to_string();
        assert_eq!(
            error(&DEFAULT.replace("machine = \"error\"\n", "")),
            "policy: severity: rule `machine` is not named"
        );
        let more = DEFAULT.replace("[severity]\n", "[severity]\nmachines = \"error\"\n");
        assert_eq!(error(&more), "policy: there is no rule `machines`");
        let more = DEFAULT.replace("x86_64 = []", "x86_64 = [\"avx3\"]");
        assert_eq!(
            error(&more),
            "policy: cpu: baseline of x86_64: there is no extension `avx3`"
        );
        let more = DEFAULT.replace("[floors]\n", "[floors]\nimage = 1\n");
        assert_eq!(error(&more), "policy: floors: there is no count `image`");
    }
}
