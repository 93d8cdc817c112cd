//! The prefixes of what a component needs. It names only direct needs; search paths are complete through their closures.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use store::Digest;

/// One direct need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dep {
    /// The component's name.
    pub name: String,
    /// Its prefix.
    pub root: PathBuf,
    /// The identity of its prefix.
    pub digest: Digest,
    /// Its own prefix and those of everything below it.
    pub closure: Vec<PathBuf>,
    /// The same component for the machine that builds, if it has that role.
    #[serde(default)]
    pub host: Option<Prefix>,
    /// Whether there is no such component for the machine that builds: what is built for it has no such need.
    #[serde(default)]
    pub foreign: bool,
}

/// A finished prefix and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefix {
    /// Its folder.
    pub root: PathBuf,
    /// Its identity.
    pub digest: Digest,
    /// Itself and everything below it.
    pub closure: Vec<PathBuf>,
}

/// All direct needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Deps(pub Vec<Dep>);

impl Deps {
    /// The direct need of that name.
    pub fn get(&self, name: &str) -> Option<&Dep> {
        self.0.iter().find(|dep| dep.name == name)
    }

    /// The needs of the host role: the same components, for the machine that builds.
    ///
    /// # Errors
    /// If one of them has no host role.
    pub(crate) fn of_host(&self) -> Result<Deps> {
        let host = self.0.iter().filter(|dep| !dep.foreign).map(|dep| match &dep.host {
            Some(host) => Ok(Dep {
                name: dep.name.clone(),
                root: host.root.clone(),
                digest: host.digest.clone(),
                closure: host.closure.clone(),
                host: Some(host.clone()),
                foreign: false,
            }),
            None => bail!(
                "{}: is needed by a component that is also built for this machine, wanted `host` among the `roles` of its {}",
                dep.name,
                crate::FILE
            ),
        });
        Ok(Deps(host.collect::<Result<_>>()?))
    }

    /// The prefixes of all needs, direct and not, in the order of the needs and each once.
    pub fn closure(&self) -> Vec<PathBuf> {
        let mut roots = Vec::new();
        for root in self.0.iter().flat_map(|dep| &dep.closure) {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        roots
    }

    /// Where pkg-config finds the modules of all needs, joined with colons.
    pub fn pkg_config_path(&self) -> String {
        let folders: Vec<String> = self
            .closure()
            .iter()
            .flat_map(|root| [root.join("lib/pkgconfig"), root.join("share/pkgconfig")])
            .map(|folder| folder.display().to_string())
            .collect();
        folders.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_role_stands_on_the_host_roles_of_its_needs() {
        let prefix = |letter: char| Prefix {
            root: format!("/p/{letter}").into(),
            digest: Digest::from_hex(&letter.to_string().repeat(64)).unwrap(),
            closure: vec![format!("/p/{letter}").into()],
        };
        let (target, host) = (prefix('a'), prefix('b'));
        let mut deps = Deps(vec![Dep {
            name: "zlib".into(),
            root: target.root,
            digest: target.digest,
            closure: target.closure,
            host: Some(host.clone()),
            foreign: false,
        }]);
        let of_host = deps.of_host().unwrap();
        let zlib = of_host.get("zlib").unwrap();
        assert_eq!((&zlib.root, &zlib.digest), (&host.root, &host.digest));
        assert_eq!(of_host.closure(), host.closure);
        deps.0[0].host = None;
        assert_eq!(
            deps.of_host().unwrap_err().to_string(),
            "zlib: is needed by a component that is also built for this machine, wanted `host` among the `roles` of its \
             component.toml"
        );
        deps.0[0].foreign = true;
        assert!(deps.of_host().unwrap().0.is_empty());
    }
}
