//! What scikit-build-core is told: the toolchain file that the kit wrote down for CMake, and everything that CMake's `FindPython` would
//! else find out from the Python that runs here. Which generator and which steps, the backend decides itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kit::Os;
use serde_json::{Map, Value, json};
use store::tree;
use wheels::Python;

use crate::asked::{Asked, program, quoted};
use crate::{facts, write};

/// The name of scikit-build-core's backend.
pub const BACKEND: &str = "scikit_build_core.build";

/// Where everything is that scikit-build-core works with.
#[derive(Clone, Copy, Debug)]
pub struct Skbuild<'a> {
    /// The folder that is compiled in.
    pub build: &'a Path,
    /// The toolchain file of the target.
    pub toolchain: &'a Path,
    /// The interpreter that CMake asks.
    pub asked: Asked<'a>,
    /// The target's Python.
    pub python: &'a Python,
    /// The home of the target's Python.
    pub home: &'a Path,
    /// The script that runs programs of the target, where the recipe has it.
    pub runner: Option<&'a Path>,
    /// How many processes may run at once.
    pub jobs: usize,
}

impl Skbuild<'_> {
    /// The backend's settings: ours, and what the recipe gave in the place of or beside them.
    ///
    /// # Errors
    /// If there is no toolchain file, or something cannot be written.
    pub fn settings(&self, given: &Map<String, Value>) -> Result<Map<String, Value>> {
        ensure!(
            self.toolchain.is_file(),
            "{}: is not there, wanted `cmake` among the `tools` of component.toml",
            self.toolchain.display()
        );
        let toolchain = write(&self.build.join("python.cmake"), &self.toolchain_file()?)?;
        let mut settings = Map::from_iter([
            ("cmake.toolchain-file".to_owned(), json!(toolchain)),
            // They are taken from the Python that runs here; ours are below.
            ("cmake.python-hints".to_owned(), json!("false")),
            // Packages of this machine's Python are no packages of the target.
            ("search.site-packages".to_owned(), json!("false")),
            // By this machine's `strip`, which knows this machine's files; the linker leaves symbols out.
            ("install.strip".to_owned(), json!("false")),
            ("build-dir".to_owned(), json!(self.build.join("cmake"))),
            ("build.tool-args".to_owned(), json!([format!("-j{}", self.jobs)])),
        ]);
        for (name, value) in self.defines()? {
            settings.insert(format!("cmake.define.{name}"), json!(value));
        }
        settings.extend(given.clone());
        Ok(settings)
    }

    /// What the toolchain file of the target does not say.
    fn toolchain_file(&self) -> Result<String> {
        let root = self.root();
        tree::create_dir(&root.join("bin"))?;
        let asked = self.asked.write(&self.interpreter())?;
        let config = program(&self.config_program(), &self.config()?)?;
        let others = match self.runner {
            Some(runner) => format!("exec {} \"$@\"", quoted(runner)),
            None => "echo \"$1: is of the target, and component.toml names no runner among its tools\" >&2; exit 126"
                .to_owned(),
        };
        let text = format!(
            "#!/bin/sh\ncase $1 in\n{}|{}) exec \"$@\" ;;\nesac\n{others}\n",
            quoted(&asked),
            quoted(&config)
        );
        let launcher = program(&self.build.join("launcher"), &text)?;
        Ok(format!(
            "# The compilers of the target, and an interpreter that answers for its Python.\n\
             include(\"{}\")\n\
             set(CMAKE_CROSSCOMPILING_EMULATOR \"{}\")\n\
             # A module finds the libraries of its wheel by the path that the project gives it, which no installation changes.\n\
             set(CMAKE_SKIP_RPATH FALSE)\n\
             set(CMAKE_BUILD_WITH_INSTALL_RPATH TRUE)\n",
            self.toolchain.display(),
            launcher.display()
        ))
    }

    /// The folder that `FindPython` takes for a Python's.
    fn root(&self) -> PathBuf {
        self.build.join("python")
    }

    fn interpreter(&self) -> PathBuf {
        self.root().join("bin").join(format!("python{}", self.python.short()))
    }

    fn config_program(&self) -> PathBuf {
        self.interpreter()
            .with_file_name(format!("python{}-config", self.python.short()))
    }

    /// The program that `FindPython` asks where a project wants no interpreter; without ours it asks one of this machine.
    fn config(&self) -> Result<String> {
        let (short, home) = (self.python.short(), self.home.display());
        let include = facts::include(self.python.target().os, self.home)?;
        Ok(format!(
            "#!/bin/sh\n\
             for word; do\n\
             case $word in\n\
             --prefix | --exec-prefix) echo '{home}' ;;\n\
             --includes | --cflags) echo '-I{}' ;;\n\
             --extension-suffix) echo '{}' ;;\n\
             --configdir) echo '{home}/lib/python{short}/config-{short}-{}' ;;\n\
             --abiflags | --libs | --ldflags) echo ;;\n\
             *) echo \"$0: $word: is not known\" >&2; exit 1 ;;\n\
             esac\n\
             done\n",
            include.display(),
            self.python.ext_suffix(),
            self.python.multiarch()
        ))
    }

    /// Variables of CMake's cache.
    fn defines(&self) -> Result<Vec<(String, String)>> {
        let os = self.python.target().os;
        let text = |path: &Path| {
            let text = path
                .to_str()
                .with_context(|| format!("{}: is not UTF-8", path.display()))?;
            anyhow::Ok(text.to_owned())
        };
        let mut defines = vec![
            // With it, `FindPython` asks an interpreter through the launcher, and believes what it says of the target.
            ("CMAKE_POLICY_DEFAULT_CMP0190".to_owned(), "NEW".to_owned()),
            // Archives that a project would download must come from a pin.
            ("FETCHCONTENT_FULLY_DISCONNECTED".to_owned(), "ON".to_owned()),
        ];
        let library = |is_stable: bool| {
            let name = format!("{}.lib", self.python.import_library(is_stable));
            text(&self.home.join("libs").join(name))
        };
        for prefix in ["Python", "Python3"] {
            let mut put = |name: &str, value: String| defines.push((format!("{prefix}_{name}"), value));
            put("EXECUTABLE", text(&self.interpreter())?);
            put("ROOT_DIR", text(&self.root())?);
            put("INCLUDE_DIR", text(&facts::include(os, self.home)?)?);
            // The folder above before every other, whatever version lies there.
            put("FIND_STRATEGY", "LOCATION".to_owned());
            if os == Os::Windows {
                put("LIBRARY", library(false)?);
                put("SABI_LIBRARY", library(true)?);
            }
        }
        if os == Os::Linux {
            for kind in ["EXE", "SHARED", "MODULE"] {
                defines.push((format!("CMAKE_{kind}_LINKER_FLAGS"), facts::LDFLAGS.to_owned()));
            }
        }
        Ok(defines)
    }
}

#[cfg(test)]
mod tests {
    use kit::Target;

    use super::*;

    fn settings(root: &Path, toolchain: &Path, given: &Map<String, Value>) -> Result<Map<String, Value>> {
        let python = Python::new(&Target::load("aarch64-pc-windows-msvc").unwrap(), "3.13.15").unwrap();
        std::fs::create_dir_all(root.join("home/include")).unwrap();
        std::fs::write(root.join("home/include/Python.h"), "").unwrap();
        let skbuild = Skbuild {
            build: root,
            toolchain,
            asked: Asked {
                interpreter: Path::new("/p/python3.13"),
                driver: Path::new("/d"),
                requirements: Path::new("/r"),
                facts: Path::new("/f.json"),
            },
            python: &python,
            home: &root.join("home"),
            runner: None,
            jobs: 3,
        };
        skbuild.settings(given)
    }

    #[test]
    fn the_recipe_has_the_last_word_and_everything_else_is_of_the_target() {
        let dir = tempfile::tempdir().unwrap();
        let toolchain = dir.path().join("toolchain.cmake");
        std::fs::write(&toolchain, "").unwrap();
        let given = Map::from_iter([("build-dir".to_owned(), json!("/other"))]);
        let settings = settings(dir.path(), &toolchain, &given).unwrap();
        assert_eq!(settings["build-dir"], "/other");
        assert_eq!(settings["build.tool-args"], json!(["-j3"]));
        let library = dir.path().join("home/libs/python313.lib");
        assert_eq!(settings["cmake.define.Python_LIBRARY"], json!(library));
        let config = dir.path().join("python/bin/python3.13-config");
        let told = duct::cmd!(&config, "--extension-suffix").read().unwrap();
        assert_eq!(told, ".cp313-win_arm64.pyd");
        // What is asked through the launcher runs here, what is of the target does not.
        let launcher = dir.path().join("launcher");
        let told = duct::cmd!(&launcher, &config, "--prefix").read().unwrap();
        assert_eq!(told, dir.path().join("home").to_str().unwrap());
        let refused = duct::cmd!(&launcher, "/bin/true")
            .stderr_capture()
            .unchecked()
            .run()
            .unwrap();
        assert_eq!(refused.status.code(), Some(126));
        assert_eq!(
            String::from_utf8_lossy(&refused.stderr),
            "/bin/true: is of the target, and component.toml names no runner among its tools\n"
        );
    }

    #[test]
    fn without_the_tool_there_is_no_toolchain_file_and_the_error_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let error = settings(dir.path(), Path::new("/dev/null/toolchain.cmake"), &Map::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/dev/null/toolchain.cmake: is not there, wanted `cmake` among the `tools` of component.toml"
        );
    }
}
