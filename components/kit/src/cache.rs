//! The machine's compile cache, if it has one: ccache, else sccache. What was compiled before by the same toolchain from the same text
//! with the same flags is taken from it, so that a changed patch costs the files that it touches. What is built is the same with and
//! without it, so it is no part of a digest. CMake alone takes it, for the other drivers' upstreams call compilers in ways of their own.

use std::path::{Path, PathBuf};

/// Where the cache keeps its files, below the state folder.
const ROOM: &str = "compiled";

/// How long sccache's server waits for the next compiler before it ends, in seconds: it must not outlive the build for long.
const IDLE_SECONDS: u32 = 60;

/// A program to put before a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    kind: Kind,
    program: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ccache,
    Sccache,
}

impl Cache {
    /// Looks for one in folders of programs.
    pub(crate) fn find(folders: &[&str]) -> Option<Cache> {
        [(Kind::Ccache, "ccache"), (Kind::Sccache, "sccache")]
            .into_iter()
            .find_map(|(kind, name)| {
                folders
                    .iter()
                    .map(|folder| Path::new(folder).join(name))
                    .find(|program| program.is_file())
                    .map(|program| Cache { kind, program })
            })
    }

    /// The variables that make CMake and the cache work, for a build in `work` with the compilers in `bin`.
    pub(crate) fn variables(&self, state: &Path, work: &Path, bin: &Path) -> Vec<(&'static str, String)> {
        let (program, room) = (
            self.program.display().to_string(),
            state.join(ROOM).display().to_string(),
        );
        let mut all = vec![
            ("CMAKE_C_COMPILER_LAUNCHER", program.clone()),
            ("CMAKE_CXX_COMPILER_LAUNCHER", program),
        ];
        // The compiler is a small script. What it stands for, the system root included, is named by the folder that it lies in.
        let compiler = bin.display();
        match self.kind {
            Kind::Ccache => all.extend([
                ("CCACHE_DIR", room),
                ("CCACHE_COMPILERCHECK", format!("string:{compiler}")),
                // Two builds of one component lie in two folders. The compiler writes neither's name into a product.
                ("CCACHE_BASEDIR", work.display().to_string()),
                ("CCACHE_NOHASHDIR", "true".into()),
            ]),
            Kind::Sccache => all.extend([
                ("SCCACHE_DIR", room),
                ("SCCACHE_C_CUSTOM_CACHE_BUSTER", compiler.to_string()),
                ("SCCACHE_BASEDIRS", work.display().to_string()),
                // The build has no network, not even to itself.
                ("SCCACHE_SERVER_UDS", work.join("sccache").display().to_string()),
                ("SCCACHE_IDLE_TIMEOUT", IDLE_SECONDS.to_string()),
            ]),
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(programs: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for program in programs {
            std::fs::write(folder.path().join(program), "").unwrap();
        }
        folder
    }

    fn found(programs: &[&str]) -> Option<Kind> {
        let folder = machine(programs);
        Cache::find(&["/nonexistent", folder.path().to_str().unwrap()]).map(|cache| cache.kind)
    }

    #[test]
    fn ccache_is_taken_before_sccache_and_none_is_needed() {
        assert_eq!(found(&["sccache", "ccache"]), Some(Kind::Ccache));
        assert_eq!(found(&["sccache"]), Some(Kind::Sccache));
        assert_eq!(found(&["cc"]), None);
    }

    #[test]
    fn another_toolchain_finds_nothing_of_this_one() {
        let machine = machine(&["ccache"]);
        let cache = Cache::find(&[machine.path().to_str().unwrap()]).unwrap();
        let of = |bin: &str| cache.variables(Path::new("/state"), Path::new("/work"), Path::new(bin));
        assert_ne!(of("/toolchain/1/bin"), of("/toolchain/2/bin"));
        assert!(of("/toolchain/1/bin").contains(&("CCACHE_DIR", "/state/compiled".into())));
    }
}
