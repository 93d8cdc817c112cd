//! What meson-python is told: the target's compilers, which the kit wrote down for Meson, and an interpreter that answers for the
//! target's Python when Meson asks it. Meson itself is whichever the upstream names, for some bring a fork of it along.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use kit::Os;
use serde_json::{Map, Value, json};
use store::tree;

use crate::asked::{Asked, program, quoted};
use crate::{facts, write};

/// The name of meson-python's backend.
pub const BACKEND: &str = "mesonpy";

/// The key of meson-python's setting for arguments of `meson setup`.
const SETUP: &str = "setup-args";

/// The compilers of Linux.
const COMPILERS: [&str; 2] = ["clang", "clang++"];

/// Where everything is that meson-python works with.
#[derive(Clone, Copy, Debug)]
pub struct Meson<'a> {
    /// The folder that is compiled in.
    pub build: &'a Path,
    /// The folder of programs that are found before all others.
    pub programs: &'a Path,
    /// The folder of the target's compilers.
    pub bin: &'a Path,
    /// The cross file with the target's compilers.
    pub compilers: &'a Path,
    /// The interpreter that Meson asks.
    pub asked: Asked<'a>,
    /// What is built for.
    pub os: Os,
}

impl Meson<'_> {
    /// The backend's settings: what the recipe gave, and ours before it. `properties` are the recipe's, in Meson's own notation.
    ///
    /// # Errors
    /// If there is no cross file, or something cannot be written.
    pub fn settings(
        &self,
        given: &Map<String, Value>,
        properties: &BTreeMap<String, String>,
    ) -> Result<Map<String, Value>> {
        ensure!(
            self.compilers.is_file(),
            "{}: is not there, wanted `meson` among the `tools` of component.toml",
            self.compilers.display()
        );
        tree::create_dir(self.programs)?;
        if self.os == Os::Linux {
            self.compilers()?;
        }
        let asked = self.asked.write(&self.build.join("python"))?;
        let python = write(&self.build.join("python.ini"), &self.cross_file(&asked, properties))?;
        let mut setup = vec![
            json!(format!("--cross-file={}", self.compilers.display())),
            // Of two files that say the same, Meson believes the later.
            json!(format!("--cross-file={}", python.display())),
            // A subproject that would be downloaded must come from a pin.
            json!("--wrap-mode=nodownload"),
        ];
        match given.get(SETUP) {
            Some(Value::Array(more)) => setup.extend(more.iter().cloned()),
            Some(one) => setup.push(one.clone()),
            None => {}
        }
        let mut settings = given.clone();
        settings.insert(SETUP.to_owned(), Value::Array(setup));
        // By default it is a folder with a name of chance, and names of folders reach products.
        settings.insert("build-dir".to_owned(), json!(self.build));
        Ok(settings)
    }

    /// Writes programs that stand before the compilers of Linux. Meson compiles without linking to learn a size or an argument, and
    /// makes an error of every argument that is not used; the toolchain always says which linker to use.
    fn compilers(&self) -> Result<()> {
        for name in COMPILERS {
            let compiler = quoted(&self.bin.join(name));
            let text = format!("#!/bin/sh\nexec {compiler} \"$@\" -Wno-unused-command-line-argument\n");
            program(&self.programs.join(name), &text)?;
        }
        Ok(())
    }

    /// What the cross file of the compilers does not say.
    fn cross_file(&self, asked: &Path, properties: &BTreeMap<String, String>) -> String {
        let (compilers, options) = match self.os {
            Os::Windows => (["clang-cl"; 2], String::new()),
            Os::Linux => {
                let words: Vec<String> = facts::LDFLAGS.split_whitespace().map(text).collect();
                let words = words.join(", ");
                let options = format!("[built-in options]\nc_link_args = [{words}]\ncpp_link_args = [{words}]\n");
                (COMPILERS, options)
            }
        };
        let properties: String = properties
            .iter()
            .map(|(name, value)| format!("{name} = {value}\n"))
            .collect();
        format!(
            "# The target's Python, and what the recipe knows of the target.\n\
             [binaries]\n\
             python = {}\n\
             # By name, for upstreams write down what they were compiled with, and a folder of this machine is nobody's business.\n\
             c = {}\n\
             cpp = {}\n\
             pkg-config = 'pkg-config'\n\
             [properties]\n\
             {properties}\
             {options}",
            text(&asked.display().to_string()),
            text(compilers[0]),
            text(compilers[1]),
        )
    }
}

/// A text as Meson writes it.
pub fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn meson(root: &Path) -> Meson<'_> {
        Meson {
            build: root,
            programs: root,
            bin: Path::new("/t/bin"),
            compilers: Path::new("/dev/null/cross.ini"),
            asked: Asked {
                interpreter: Path::new("/p/python3.13"),
                driver: Path::new("/d"),
                requirements: Path::new("/r"),
                facts: Path::new("/f.json"),
            },
            os: Os::Linux,
        }
    }

    /// A folder, and in it the cross file that the kit would have written.
    fn with_compilers() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let compilers = dir.path().join("cross.ini");
        std::fs::write(&compilers, "").unwrap();
        (dir, compilers)
    }

    #[test]
    fn what_the_recipe_says_comes_after_what_is_always_said() {
        let (dir, compilers) = with_compilers();
        let meson = Meson {
            compilers: &compilers,
            ..meson(dir.path())
        };
        let given =
            |value: Value| Map::from_iter([(SETUP.to_owned(), value), ("compile-args".to_owned(), json!("-v"))]);
        let properties = BTreeMap::from([("longdouble_format".to_owned(), text("IEEE_QUAD_LE"))]);
        for value in [json!("-Dblas=none"), json!(["-Dblas=none"])] {
            let settings = meson.settings(&given(value), &properties).unwrap();
            let words: Vec<&str> = settings[SETUP]
                .as_array()
                .unwrap()
                .iter()
                .map(|word| word.as_str().unwrap())
                .collect();
            let wanted = [
                &format!("--cross-file={}", compilers.display()),
                &format!("--cross-file={}", dir.path().join("python.ini").display()),
                "--wrap-mode=nodownload",
                "-Dblas=none",
            ];
            assert_eq!(words, wanted);
            assert_eq!(
                (&settings["compile-args"], &settings["build-dir"]),
                (&json!("-v"), &json!(dir.path()))
            );
        }
        let file = std::fs::read_to_string(dir.path().join("python.ini")).unwrap();
        let python = text(&dir.path().join("python").display().to_string());
        assert!(file.contains(&format!("[binaries]\npython = {python}\n")), "{file}");
        assert!(
            file.contains("[properties]\nlongdouble_format = 'IEEE_QUAD_LE'\n[built-in options]\n"),
            "{file}"
        );
        assert!(
            file.contains("\nc_link_args = ['-Wl,-s', '-Wl,-z,relro', '-Wl,-z,now']\n"),
            "{file}"
        );
        assert!(dir.path().join("python").is_file());
    }

    #[test]
    fn meson_may_make_errors_of_warnings_but_not_of_arguments_that_only_a_linker_uses() {
        let (dir, compilers) = with_compilers();
        let meson = Meson {
            compilers: &compilers,
            ..meson(dir.path())
        };
        meson.settings(&Map::new(), &BTreeMap::new()).unwrap();
        let compiler = std::fs::read_to_string(dir.path().join("clang++")).unwrap();
        assert_eq!(
            compiler,
            "#!/bin/sh\nexec '/t/bin/clang++' \"$@\" -Wno-unused-command-line-argument\n"
        );
    }

    #[test]
    fn without_the_tool_there_is_no_cross_file_and_the_error_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let error = meson(dir.path()).settings(&Map::new(), &BTreeMap::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/dev/null/cross.ini: is not there, wanted `meson` among the `tools` of component.toml"
        );
    }

    #[test]
    fn a_text_ends_where_it_should() {
        assert_eq!(text(r"it's a \"), r"'it\'s a \\'");
    }
}
