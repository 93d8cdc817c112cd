//! Runners: how a program of a target runs on this machine. For Windows: Wine from pinned packages, for another architecture under a
//! pinned emulator, without root, kernel setting, chroot or window system. It judges no program: it passes on what the
//! program wrote and the code it ended with. Everything a run does stands in one script, which build systems call too.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection};
use serde::Deserialize;
use store::archive::{Unpack, unpack};
use store::{Begin, Digest, DigestWriter, Pin, State};

use crate::{Arch, Os, Progress, Target, Tools};

mod complex;
mod features;
mod linux;

/// The data file and everything that is rendered or compiled from it, embedded so that an identity needs no checkout.
const DATA: &str = include_str!("../runner/runner.toml");
const LAUNCHER: &str = include_str!("../runner/launcher.c");
const KERNEL32: &str = include_str!("../runner/kernel32.def");
const LOADER: &str = include_str!("../runner/loader.sh");
const RUN: &str = include_str!("../runner/run.sh");
const SYSTEM_REG: &str = include_str!("../runner/system.reg");
const USER_REG: &str = include_str!("../runner/user.reg");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    emulator: Pin,
    set: Vec<Set>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    arch: String,
    multiarch: String,
    loader: String,
    cpu: Option<String>,
    pin: Vec<Pin>,
}

/// What runs programs of one target on this machine.
#[derive(Clone, Debug)]
pub struct Runner {
    script: PathBuf,
    digest: Digest,
    emulated: bool,
}

/// How one program is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The emulated CPU in the emulator's spelling, for example `max,pauth=off`; none for the runner's default.
    pub cpu: Option<String>,
    /// When the program is stopped; part seconds count as whole ones. None for never.
    pub timeout: Option<Duration>,
    /// Host folders in which shared libraries are looked for: on Windows after the program's own folder, by `PATH`.
    pub path: Vec<PathBuf>,
    /// Variables that reach the program. No variable of the caller's own environment does.
    pub env: BTreeMap<String, String>,
    /// A file that gets the full 32-bit exit code as 8 hexadecimal digits; a host status has 8 bits only.
    pub code: Option<PathBuf>,
}

impl Runner {
    /// What has to be fetched to run programs of a target.
    ///
    /// # Errors
    /// If there is no runner for the target.
    pub fn pins(target: &Target) -> Result<Vec<Pin>> {
        if target.os == Os::Linux {
            let mut pins = linux::pins(target)?;
            if target.emulated_cpu.is_some() {
                pins.push(read()?.emulator);
            }
            return Ok(pins);
        }
        let (emulator, set) = find(target)?;
        let mut pins = set.pin;
        pins.push(Tools::pin("zig")?);
        if set.cpu.is_some() {
            pins.push(emulator);
        }
        Ok(pins)
    }

    /// The runner of a target, unpacked and linked on its first use.
    ///
    /// # Errors
    /// If there is no runner for the target, a package was not fetched or is damaged, or the launcher does not compile.
    pub fn ensure(state: &State, target: &Target, progress: &dyn Progress) -> Result<Runner> {
        if target.os == Os::Linux {
            return linux::ensure(state, target, &read()?.emulator, progress);
        }
        let (emulator, set) = find(target)?;
        let emulator = match set.cpu {
            Some(_) => Some(ensure_emulator(state, &emulator, target.arch)?),
            None => None,
        };
        let digest = identity(&set)?;
        let slot = state.slot("host", &format!("runner-{}", set.arch), &digest);
        let dir = match slot.begin()? {
            Begin::Ready(dir) => dir,
            Begin::Build(partial) => {
                let root = partial.path().to_path_buf();
                for (done, pin) in set.pin.iter().enumerate() {
                    progress.step(&format!("runner: unpacking {}", pin.file));
                    progress.count(done as u64, set.pin.len() as u64);
                    unpack(&state.need(pin)?, &root, &Unpack::default())?;
                }
                let build = Build {
                    set: &set,
                    target,
                    emulator: emulator.as_deref(),
                    digest: &digest,
                    published: slot.dir(),
                    root: &root,
                };
                build.programs()?;
                build.windows()?;
                progress.step("runner: compiling the launcher");
                build.compiled(&Tools::ensure(state, progress)?.zig()?)?;
                build.script()?;
                let packages = set.pin.iter().map(|pin| pin.file.as_str()).collect::<Vec<_>>();
                partial.commit(BTreeMap::from([("packages".into(), packages.join(" "))]))?
            }
        };
        Ok(Runner {
            script: dir.join(script_name(target)),
            digest,
            emulated: emulator.is_some(),
        })
    }

    /// The host script `run-<target> PROGRAM ARGS…`, fit for CMake's `CMAKE_CROSSCOMPILING_EMULATOR`, meson's
    /// `exe_wrapper` and FFmpeg's `--target-exec`. Its head documents the variables it reads.
    pub fn script(&self) -> &Path {
        &self.script
    }

    /// What the runner is made of; never a path.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// A command that runs a program, given as a path of this machine. The script's head says what its status means.
    ///
    /// # Errors
    /// If an option cannot be had: a CPU where nothing is emulated, a folder with `:` or `;` in it, an impossible name.
    pub fn command<A: AsRef<OsStr>>(&self, program: &Path, args: &[A], options: &RunOptions) -> Result<Command> {
        let mut command = Command::new(&self.script);
        command.arg(program).args(args);
        for name in ["CPU", "TIMEOUT", "PATH", "ENV", "CODE"] {
            command.env_remove(format!("WINDLASS_RUN_{name}"));
        }
        if let Some(cpu) = &options.cpu {
            ensure!(
                self.emulated,
                "cpu `{cpu}` is wanted, but programs of this target run on this machine's own CPU"
            );
            command.env("WINDLASS_RUN_CPU", cpu);
        }
        if let Some(timeout) = options.timeout {
            let seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
            command.env("WINDLASS_RUN_TIMEOUT", seconds.max(1).to_string());
        }
        if !options.path.is_empty() {
            command.env("WINDLASS_RUN_PATH", join_path(&options.path)?);
        }
        for (name, value) in &options.env {
            check_name(name)?;
            command.env(name, value);
        }
        let names = options.env.keys().map(String::as_str).collect::<Vec<_>>();
        command.env("WINDLASS_RUN_ENV", names.join(" "));
        if let Some(code) = &options.code {
            command.env("WINDLASS_RUN_CODE", code);
        }
        Ok(command)
    }
}

/// One runner in the making. It is built in a partial folder, but what is rendered names the published one.
struct Build<'a> {
    set: &'a Set,
    target: &'a Target,
    emulator: Option<&'a Path>,
    digest: &'a Digest,
    published: &'a Path,
    root: &'a Path,
}

impl Build<'_> {
    /// Puts host scripts in the place of Wine's loader and server.
    fn programs(&self) -> Result<()> {
        let bin = self.root.join("usr/lib/wine");
        let libraries = format!("usr/lib/{}", self.set.multiarch);
        let loader = self.root.join(&libraries).join(&self.set.loader);
        // Wine finds its parts beside /proc/self/exe, which is the C library's loader when that one starts it.
        fs::copy(&loader, bin.join("ld.so")).with_context(|| format!("{}: cannot be copied", loader.display()))?;
        // The server keeps its descriptors for as long as it lingers; a pipe among them would never be closed.
        let quiet = r#"-p4 "$@" </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-"#;
        for (program, packaged, arguments) in [("wine64", "wine64", r#""$@""#), ("wineserver", "wineserver64", quiet)] {
            let from = bin.join(packaged);
            fs::rename(&from, bin.join(format!("{program}.bin")))
                .with_context(|| format!("{}: not where the packages used to have it", from.display()))?;
            let emulator = match self.emulator {
                Some(path) => format!("{} -cpu \"$WINDLASS_RUN_CPU\" ", quote(path)?),
                None => String::new(),
            };
            let text = LOADER
                .replace("@PROGRAM@", program)
                .replace("@BIN@", &quote(&self.published.join("usr/lib/wine"))?)
                .replace("@EMULATOR@", &emulator)
                .replace("\"@LIBRARIES@\"", &quote(&self.published.join(&libraries))?)
                .replace("@ARGUMENTS@", arguments);
            write_program(&bin.join(program), &text)?;
        }
        if self.target.arch == Arch::Aarch64 {
            unguard(&self.root.join(&libraries).join("wine/aarch64-unix/ntdll.so"))?;
        }
        // Debian's server looks for its code pages one folder deeper than Debian's package puts them.
        symlink(".", self.root.join("usr/share/wine/wine")).context("runner: code pages cannot be linked")
    }

    /// Lays out what Wine's own set-up would: links to every Windows module, and a registry that asks for no window
    /// system, no sound and no crash dialogue. Set-up itself needs a desktop and takes half a minute.
    fn windows(&self) -> Result<()> {
        let prefix = self.root.join("prefix");
        let system = self.root.join("system32");
        for dir in [
            prefix.join("dosdevices"),
            prefix.join("drive_c/windows/temp"),
            prefix.join("drive_c/users"),
            system.join("drivers"),
        ] {
            fs::create_dir_all(&dir).with_context(|| format!("{}: cannot be created", dir.display()))?;
        }
        let folder = format!("usr/lib/{}/wine/{}-windows", self.set.multiarch, self.set.arch);
        let mut modules = 0;
        for name in names(&self.root.join(&folder))? {
            let from = |up: &str| format!("{up}/{folder}/{name}");
            match name.rsplit('.').next() {
                Some("a") => continue,
                Some("sys") => symlink(from("../.."), system.join("drivers").join(&name)),
                _ => symlink(from(".."), system.join(&name)),
            }
            .with_context(|| format!("{name}: cannot be linked"))?;
            modules += 1;
        }
        ensure!(
            modules > 500,
            "{folder}: holds {modules} modules, wanted over 500; the package is not Wine's whole one"
        );
        for name in names(&self.root.join("usr/share/wine/nls"))? {
            symlink(format!("../usr/share/wine/nls/{name}"), system.join(&name))
                .with_context(|| format!("{name}: cannot be linked"))?;
        }
        // Debian's Wine for x86_64 takes zlib from a package of its own, at a path that is fixed when it is compiled.
        let zlib = "usr/x86_64-w64-mingw32ucrt/lib/zlib1.dll";
        if self.root.join(zlib).exists() {
            symlink(format!("../{zlib}"), system.join("zlib1.dll")).context("zlib1.dll: cannot be linked")?;
        }
        symlink("../drive_c", prefix.join("dosdevices/c:")).context("drive C: cannot be linked")?;
        symlink("/", prefix.join("dosdevices/z:")).context("drive Z: cannot be linked")?;
        // `disable` keeps Wine from running its own set-up over this.
        for (name, text) in [
            (".update-timestamp", "disable\n"),
            ("system.reg", SYSTEM_REG),
            ("user.reg", USER_REG),
        ] {
            write(&prefix.join(name), text)?;
        }
        Ok(())
    }

    /// Compiles the parent of every program, the functions that Wine lacks and, for arm64, what Wine does not know of the CPU. All
    /// stand alone: no header, no C library, import libraries of our own.
    fn compiled(&self, zig: &Path) -> Result<()> {
        let work = self.root.join("launcher.work");
        fs::create_dir_all(&work).with_context(|| format!("{}: cannot be created", work.display()))?;
        for (name, text) in [
            ("launcher.c", LAUNCHER),
            ("kernel32.def", KERNEL32),
            ("features.c", features::SOURCE),
            ("complex.c", complex::SOURCE),
            ("complex_impl.h", complex::HEADER),
            ("ucrtbase.def", complex::UCRTBASE),
        ] {
            write(&work.join(name), text)?;
        }
        self.launcher(zig, &work)?;
        self.complex(zig, &work)?;
        if self.target.arch == Arch::Aarch64 {
            // A table of jumps would need relocations.
            self.compile(zig, &work, "features.c", &["-clang:-fno-jump-tables"])?;
            let folder = format!("usr/lib/{}/wine/aarch64-windows/ntdll.dll", self.set.multiarch);
            features::add(&self.root.join(folder), &features::code(&work.join("features.obj"))?)?;
        }
        fs::remove_dir_all(&work).with_context(|| format!("{}: cannot be removed", work.display()))
    }

    fn launcher(&self, zig: &Path, work: &Path) -> Result<()> {
        self.import_library(zig, work, "kernel32")?;
        self.compile(zig, work, "launcher.c", &[])?;
        let link = [
            "lld-link",
            "-nodefaultlib",
            "-entry:start",
            "-subsystem:console",
            "-Brepro",
            "-out:../launcher.exe",
            "launcher.obj",
            "kernel32.lib",
        ];
        call(zig, work, &link)
    }

    /// Makes the DLL of complex functions and leads Wine's names to it.
    fn complex(&self, zig: &Path, work: &Path) -> Result<()> {
        let musl = zig.with_file_name("lib/libc/musl/src/complex");
        let mut objects = Vec::new();
        for (folder, name) in [(work, "complex")]
            .into_iter()
            .chain(complex::MUSL.map(|name| (&*musl, name)))
        {
            let source = folder.join(format!("{name}.c")).display().to_string();
            // Contraction would round the same sum in two ways on the two targets.
            self.compile(zig, work, &source, &["-I.", "-w", "-clang:-ffp-contract=off"])?;
            objects.push(work.join(format!("{name}.obj")));
        }
        let folder = format!("usr/lib/{}/wine/{}-windows", self.set.multiarch, self.set.arch);
        let dll = self.root.join(folder).join("ucrtbase.dll");
        let wanted = complex::forward(&dll, self.target.arch, &complex::defined(&objects)?)?;
        self.import_library(zig, work, "ucrtbase")?;
        let mut link = [
            "lld-link",
            "-nodefaultlib",
            "-dll",
            "-noentry",
            "-Brepro",
            "ucrtbase.lib",
        ]
        .map(String::from)
        .to_vec();
        link.push(format!("-out:../system32/{}.dll", complex::MODULE));
        link.extend(wanted.iter().map(|name| format!("-export:{name}")));
        link.extend(objects.iter().map(|object| object.display().to_string()));
        call(zig, work, &link.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Makes `NAME.lib` of `NAME.def`.
    fn import_library(&self, zig: &Path, work: &Path, name: &str) -> Result<()> {
        let machine = self
            .target
            .coff_machine
            .as_deref()
            .context("runner: the target has no COFF machine")?;
        let (definitions, library) = (format!("{name}.def"), format!("{name}.lib"));
        call(
            zig,
            work,
            &["dlltool", "-m", machine, "-d", &definitions, "-l", &library],
        )
    }

    /// Compiles a source into an object of its name in the working folder.
    fn compile(&self, zig: &Path, work: &Path, source: &str, flags: &[&str]) -> Result<()> {
        let target = format!("--target={}", self.target.triple);
        // Without the stack cookie, which is the C library's to set up.
        let fixed = [
            "clang",
            "--driver-mode=cl",
            &target,
            "-nologo",
            "-c",
            "-O2",
            "-GS-",
            "-Fo./",
        ];
        // What follows `--` is a file; without it a path reads as a flag.
        call(zig, work, &[&fixed, flags, &["--", source]].concat())
    }

    fn script(&self) -> Result<()> {
        let text = render(self.set, self.target, self.digest, self.published)?;
        write_program(&self.root.join(script_name(self.target)), &text)
    }
}

/// One call of the compiler package, with nothing of the caller's environment.
fn call(zig: &Path, work: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new(zig)
        .args(arguments)
        .current_dir(work)
        .env_clear()
        .env("HOME", work)
        .env("ZIG_GLOBAL_CACHE_DIR", work.join("cache"))
        .env("ZIG_LOCAL_CACHE_DIR", work.join("cache"))
        .output()
        .with_context(|| format!("{}: cannot be started", zig.display()))?;
    if !output.status.success() {
        bail!(
            "runner: `zig {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

fn script_name(target: &Target) -> String {
    format!("run-{}", target.triple)
}

fn render(set: &Set, target: &Target, digest: &Digest, published: &Path) -> Result<String> {
    let (how, emulated) = match set.cpu {
        Some(_) => ("under an emulator", "yes"),
        None => ("at native speed", "no"),
    };
    // A Wine prefix has links into this very folder: the same runner in another state folder has prefixes of its own.
    let mut place = DigestWriter::new("place");
    place
        .digest("runner", digest)
        .field("path", published.as_os_str().as_encoded_bytes());
    Ok(RUN
        .replace("@TARGET@", &target.triple)
        .replace("@HOW@", how)
        .replace("@CPU@", set.cpu.as_deref().unwrap_or("none"))
        .replace("@EMULATED@", emulated)
        .replace("@ROOT@", &quote(published)?)
        .replace("@DIGEST@", place.finish().short()))
}

fn read() -> Result<File> {
    toml_edit::de::from_str(DATA).context("runner.toml cannot be read")
}

fn find(target: &Target) -> Result<(Pin, Set)> {
    let file = read()?;
    let arch = target.arch.to_string();
    let set = file.set.into_iter().find(|set| set.arch == arch);
    let set = set.with_context(|| format!("{}: has no runner; runner.toml has no set for `{arch}`", target.triple))?;
    Ok((file.emulator, set))
}

fn identity(set: &Set) -> Result<Digest> {
    let mut writer = DigestWriter::new("runner");
    writer
        .field("arch", &set.arch)
        .field("runner.toml", DATA)
        .field("launcher.c", LAUNCHER)
        .field("kernel32.def", KERNEL32)
        .field("loader.sh", LOADER)
        .field("run.sh", RUN)
        .field("system.reg", SYSTEM_REG)
        .field("user.reg", USER_REG)
        .field("features.c", features::SOURCE)
        .field("complex.c", complex::SOURCE)
        .field("complex_impl.h", complex::HEADER)
        .field("ucrtbase.def", complex::UCRTBASE)
        .field("runner.rs", include_str!("runner.rs"))
        .field("features.rs", include_str!("runner/features.rs"))
        .field("complex.rs", include_str!("runner/complex.rs"))
        .field("zig", Tools::pin("zig")?.sha256);
    Ok(writer.finish())
}

/// Takes back what a library says of itself in its program property: that every indirect branch ends on a landing pad.
/// Debian's compiler settings put it into Wine's `ntdll.so`, whose assembler has none, so that it stops with an illegal
/// instruction on any CPU that looks (those of Armv8.5 and later).
fn unguard(library: &Path) -> Result<()> {
    // An entry of `.note.gnu.property`: GNU_PROPERTY_AARCH64_FEATURE_1_AND, and the size of its one word.
    const FEATURES: [u8; 8] = [0, 0, 0, 0xc0, 4, 0, 0, 0];
    const BTI: u8 = 1;
    let mut bytes = fs::read(library).with_context(|| format!("{}: cannot be read", library.display()))?;
    let range = object::File::parse(&*bytes)
        .ok()
        .and_then(|file| file.section_by_name(".note.gnu.property")?.file_range());
    let word = range.and_then(|(start, size)| {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(start + size).ok()?);
        let at = bytes.get(start..end)?.windows(8).position(|entry| entry == FEATURES)?;
        Some(start + at + FEATURES.len())
    });
    match word.and_then(|at| bytes.get_mut(at)) {
        Some(features) if *features & BTI != 0 => *features &= !BTI,
        _ => bail!(
            "{}: not marked as guarded; the package is another one, and needs no change any more",
            library.display()
        ),
    }
    fs::write(library, bytes).with_context(|| format!("{}: cannot be written", library.display()))
}

/// The emulator is a prefix of its own: the Linux targets use the same package.
fn ensure_emulator(state: &State, pin: &Pin, arch: Arch) -> Result<PathBuf> {
    let program = format!("usr/bin/qemu-{arch}");
    let mut digest = DigestWriter::new("emulator");
    digest.field("pin", &pin.sha256).field("program", &program);
    let dir = match state.slot("host", "qemu", &digest.finish()).begin()? {
        Begin::Ready(dir) => dir,
        Begin::Build(partial) => {
            unpack(
                &state.need(pin)?,
                partial.path(),
                &Unpack::default().only([program.as_str()]),
            )?;
            ensure!(
                partial.path().join(&program).is_file(),
                "{}: holds no {program}",
                pin.file
            );
            partial.commit(BTreeMap::from([("package".into(), pin.file.clone())]))?
        }
    };
    Ok(dir.join(program))
}

/// A path as one word of a shell script.
fn quote(path: &Path) -> Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("{}: is not UTF-8", path.display()))?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

fn join_path(folders: &[PathBuf]) -> Result<String> {
    let mut texts = Vec::new();
    for folder in folders {
        let text = folder
            .to_str()
            .with_context(|| format!("{}: is not UTF-8", folder.display()))?;
        ensure!(
            !text.contains([':', ';']),
            "{text}: cannot stand in a list of folders because of its `:` or `;`"
        );
        ensure!(folder.is_absolute(), "{text}: wanted an absolute path");
        texts.push(text);
    }
    Ok(texts.join(":"))
}

fn check_name(name: &str) -> Result<()> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    ensure!(
        plain && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()),
        "variable `{name}`: wanted letters, digits and `_`, not starting with a digit"
    );
    ensure!(
        !name.starts_with("WINE") && name != "PATH",
        "variable `{name}`: is the runner's own; use `RunOptions::path`"
    );
    Ok(())
}

/// Sorted names of a folder.
fn names(dir: &Path) -> Result<Vec<String>> {
    let read = || -> std::io::Result<Vec<String>> {
        fs::read_dir(dir)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    };
    let mut names = read().with_context(|| format!("{}: cannot be listed", dir.display()))?;
    names.sort();
    Ok(names)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))
}

fn write_program(path: &Path, text: &str) -> Result<()> {
    write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("{}: cannot be made executable", path.display()))
}

#[cfg(test)]
mod tests;
