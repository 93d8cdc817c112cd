//! A toolchain in the words of CMake and meson. The files are rendered into a build's own folder and never edited there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use store::tree;

use crate::{Os, Toolchain};

impl Toolchain {
    /// Writes a CMake toolchain file into `folder`; `emulator` runs the target's programs while configuring, and libraries,
    /// headers and packages are looked for in the system root and in `prefixes` alone.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn cmake_file(&self, folder: &Path, emulator: Option<&Path>, prefixes: &[PathBuf]) -> Result<PathBuf> {
        let mut text = match self.target.os {
            Os::Windows => self.cmake_for_windows(),
            Os::Linux => self.cmake_for_linux(),
        };
        text += &format!("set(CMAKE_FIND_ROOT_PATH {}", self.sysroot.display());
        for prefix in prefixes {
            text += &format!("\n    {}", prefix.display());
        }
        text += ")\n\
                 set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n\
                 set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)\n\
                 set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\n\
                 set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)\n";
        if let Some(emulator) = emulator {
            text += &format!("set(CMAKE_CROSSCOMPILING_EMULATOR {})\n", emulator.display());
        }
        let path = folder.join("toolchain.cmake");
        tree::write_atomic(&path, text.as_bytes())?;
        Ok(path)
    }

    /// Writes a meson cross file into `folder`; `emulator` becomes its `exe_wrapper`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn meson_cross_file(&self, folder: &Path, emulator: Option<&Path>) -> Result<PathBuf> {
        let wrapper = emulator
            .map(|path| format!("exe_wrapper = '{}'\n", path.display()))
            .unwrap_or_default();
        let binaries = match self.target.os {
            Os::Windows => self.meson_for_windows(),
            Os::Linux => self.meson_for_linux(),
        };
        let (options, system) = match self.target.os {
            // There is one C runtime, a DLL.
            Os::Windows => ("[built-in options]\nb_vscrt = 'md'\n", "windows"),
            Os::Linux => ("", "linux"),
        };
        let text = format!(
            "# {triple}: the compilers of the {triple} system root.\n\
             {binaries}\
             pkg-config = 'pkg-config'\n\
             {wrapper}\
             [properties]\n\
             needs_exe_wrapper = true\n\
             {options}\
             [host_machine]\n\
             system = '{system}'\n\
             cpu_family = '{family}'\n\
             cpu = '{family}'\n\
             endian = 'little'\n",
            triple = self.target.triple,
            family = self.target.cpu_family,
        );
        let path = folder.join("cross.ini");
        tree::write_atomic(&path, text.as_bytes())?;
        Ok(path)
    }

    fn cmake_for_windows(&self) -> String {
        let bin = self.bin.display();
        format!(
            "# {triple}: clang-cl and LLD with the {triple} system root.\n\
             set(CMAKE_SYSTEM_NAME Windows)\n\
             set(CMAKE_SYSTEM_VERSION 10.0)\n\
             set(CMAKE_SYSTEM_PROCESSOR {processor})\n\
             set(CMAKE_C_COMPILER {bin}/clang-cl)\n\
             set(CMAKE_CXX_COMPILER {bin}/clang-cl)\n\
             set(CMAKE_LINKER {bin}/lld-link)\n\
             set(CMAKE_AR {bin}/llvm-lib)\n\
             set(CMAKE_RC_COMPILER {bin}/rc.exe)\n\
             set(CMAKE_MT {bin}/llvm-mt)\n\
             set(CMAKE_NM {bin}/llvm-nm)\n\
             # There is one C runtime, a DLL without a debug form; a try_compile must not ask for another.\n\
             set(CMAKE_MSVC_RUNTIME_LIBRARY MultiThreadedDLL)\n\
             set(CMAKE_TRY_COMPILE_CONFIGURATION Release)\n",
            triple = self.target.triple,
            processor = self.target.system_processor,
        )
    }

    fn cmake_for_linux(&self) -> String {
        let (bin, triple) = (self.bin.display(), &self.target.triple);
        format!(
            "# {triple}: clang and LLD with the {triple} system root.\n\
             set(CMAKE_SYSTEM_NAME Linux)\n\
             set(CMAKE_SYSTEM_PROCESSOR {processor})\n\
             set(CMAKE_C_COMPILER {bin}/clang)\n\
             set(CMAKE_CXX_COMPILER {bin}/clang++)\n\
             set(CMAKE_AR {bin}/llvm-ar)\n\
             set(CMAKE_RANLIB {bin}/llvm-ranlib)\n\
             set(CMAKE_NM {bin}/llvm-nm)\n\
             # The linker is told once where what is loaded lies; nothing is to be changed on installation. In the cache, for there\n\
             # CMake puts its own answer, which for older projects takes the place of a plain variable.\n\
             set(CMAKE_SKIP_RPATH TRUE CACHE BOOL \"\")\n",
            processor = self.target.system_processor,
        )
    }

    fn meson_for_windows(&self) -> String {
        let bin = self.bin.display();
        format!(
            "[binaries]\n\
             c = '{bin}/clang-cl'\n\
             cpp = '{bin}/clang-cl'\n\
             c_ld = '{bin}/lld-link'\n\
             cpp_ld = '{bin}/lld-link'\n\
             ar = '{bin}/llvm-lib'\n\
             windres = '{bin}/rc.exe'\n"
        )
    }

    fn meson_for_linux(&self) -> String {
        let bin = self.bin.display();
        format!(
            "[binaries]\n\
             c = '{bin}/clang'\n\
             cpp = '{bin}/clang++'\n\
             ar = '{bin}/llvm-ar'\n\
             nm = '{bin}/llvm-nm'\n\
             ranlib = '{bin}/llvm-ranlib'\n"
        )
    }
}
