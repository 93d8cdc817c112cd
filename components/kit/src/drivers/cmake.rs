//! CMake with Ninja, through the `cmake` crate. Everything that the crate would guess from cargo's variables is said
//! explicitly, for the target that cargo knows is the machine that builds.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::{FlagEdit, caught, flags};
use crate::PREFIX;
use crate::cx::Cx;

/// One CMake project.
#[must_use = "nothing is built until it is installed"]
pub struct Cmake<'a> {
    cx: &'a Cx,
    source: PathBuf,
    defines: Vec<(String, String)>,
    edits: Vec<FlagEdit>,
}

impl<'a> Cmake<'a> {
    /// The project in the root of the source.
    pub fn new(cx: &'a Cx) -> Cmake<'a> {
        Cmake {
            cx,
            source: cx.source(),
            defines: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// The project in a folder of the source.
    pub fn source_subdir(mut self, folder: &str) -> Self {
        self.source = self.cx.source().join(folder);
        self
    }

    /// Sets a variable of the cache.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.push((name.into(), value.into()));
        self
    }

    /// Changes the flags of some files in what CMake generated.
    pub fn flags(mut self, edit: FlagEdit) -> Self {
        self.edits.push(edit);
        self
    }

    /// Configures, builds and installs into the stage.
    ///
    /// # Errors
    /// If a step fails, or a flag edit matches too few files.
    pub fn install(self) -> Result<()> {
        ensure!(
            self.source.join("CMakeLists.txt").is_file(),
            "{}: has no CMakeLists.txt",
            self.source.display()
        );
        let toolchain = self.cx.toolset.cmake_file()?;
        let config = || self.config(toolchain);
        self.cx.step("configure");
        for (name, value) in &self.defines {
            self.cx.note(format_args!("cmake -D{name}={value}"));
        }
        // Listing the targets needs the configured project and compiles nothing of it.
        caught("cmake", || config().build_target("help").build())?;
        flags::apply(self.cx, &self.edits)?;
        self.cx.step("build");
        caught("cmake", || config().build_target("all").build())?;
        self.cx.step("install");
        let stage = self.cx.stage();
        caught("cmake", || {
            config().env("DESTDIR", &stage).build_target("install").build()
        })?;
        Ok(())
    }

    fn config(&self, toolchain: &Path) -> cmake::Config {
        let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let mut config = cmake::Config::new(&self.source);
        config
            .host(&host)
            .target(&host)
            // The crate builds in the folder `build` below, which is ours.
            .out_dir(&self.cx.order.work)
            .generator("Ninja")
            .profile("Release")
            .no_default_flags(true)
            // The build must not configure again: flag edits would be lost, and it is the same project.
            .always_configure(false)
            .define("CMAKE_TOOLCHAIN_FILE", toolchain)
            .define("CMAKE_INSTALL_PREFIX", PREFIX)
            .define("CMAKE_PREFIX_PATH", joined(&self.cx.deps().closure()))
            .define("CMAKE_EXPORT_COMPILE_COMMANDS", "ON")
            // Archives that a project would download must come from a pin.
            .define("FETCHCONTENT_FULLY_DISCONNECTED", "ON");
        for (name, value) in &self.defines {
            config.define(name, value);
        }
        for language in ["C", "CXX", "ASM"] {
            let flags = format!("CMAKE_{language}_FLAGS");
            // The crate sets flags always, if only to nothing, and CMake would then leave out what a target's compiler
            // needs by default: `/EHsc`, for example. Its further arguments come last, and this one takes it back.
            if !self.defines.iter().any(|(name, _)| *name == flags) {
                config.configure_arg(format!("-U{flags}"));
            }
        }
        config
    }
}

fn joined(folders: &[PathBuf]) -> String {
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    folders.join(";")
}
