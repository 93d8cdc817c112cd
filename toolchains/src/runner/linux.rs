//! How a Linux program runs on this machine: at native speed where the machine is of its kind, else under the pinned
//! emulator with the target's system root in place of the machine's. One script, as for Windows programs.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use store::{Begin, DigestWriter, Pin, State};

use super::{Runner, ensure_emulator, quote, script_name, write_program};
use crate::linux::Root;
use crate::{Arch, Progress, Target};

const RUN: &str = include_str!("../../runner/linux.sh");
/// What makes the kernel start programs that programs start; beside the script.
const ENTER: &str = include_str!("../../runner/enter.sh");
const CHILD: &str = include_str!("../../runner/child.sh");
/// Where the kernel's list of formats is mounted.
const FORMATS: &str = "formats";

/// What has to be fetched besides the emulator.
pub(super) fn pins(target: &Target) -> Result<Vec<Pin>> {
    Ok(match target.emulated_cpu {
        Some(_) => Root::of(target)?.pins().to_vec(),
        None => Vec::new(),
    })
}

/// The runner of a target, written on its first use.
pub(super) fn ensure(state: &State, target: &Target, emulator: &Pin, progress: &dyn Progress) -> Result<Runner> {
    let mut writer = DigestWriter::new("linux-runner");
    writer
        .field("target", &target.triple)
        .field("run", RUN)
        .field("enter", ENTER)
        .field("child", CHILD)
        .field("code", include_str!("linux.rs"));
    let means = match &target.emulated_cpu {
        None => None,
        Some(cpu) => {
            let root = Root::of(target)?;
            writer.field("cpu", cpu).field("emulator", &emulator.sha256);
            writer.digest("sysroot", &root.identity());
            let program = ensure_emulator(state, emulator, target.arch)?;
            Some((cpu, program, root.ensure(state, target, progress)?))
        }
    };
    let digest = writer.finish();
    let slot = state.slot(&target.triple, "runner", &digest);
    let dir = match slot.begin()? {
        Begin::Ready(dir) => dir,
        Begin::Build(partial) => {
            let own = slot.dir();
            let means = means.as_ref().map(|(cpu, emulator, root)| Means {
                cpu,
                emulator,
                root,
                folder: own,
            });
            write_program(&partial.path().join(script_name(target)), &render(RUN, target, &means)?)?;
            if means.is_some() {
                write_program(&partial.path().join("enter"), &render(ENTER, target, &means)?)?;
                write_program(&partial.path().join("child"), &render(CHILD, target, &means)?)?;
                store::tree::create_dir(&partial.path().join(FORMATS))?;
            }
            partial.commit(Default::default())?
        }
    };
    Ok(Runner {
        script: dir.join(script_name(target)),
        digest,
        emulated: target.emulated_cpu.is_some(),
    })
}

/// What programs of another machine are run by.
struct Means<'a> {
    /// The emulated CPU, in the emulator's words.
    cpu: &'a str,
    emulator: &'a Path,
    /// The system root.
    root: &'a Path,
    /// Where the scripts will lie.
    folder: &'a Path,
}

/// One of the scripts.
fn render(text: &str, target: &Target, means: &Option<Means>) -> Result<String> {
    let text = text.replace("@TARGET@", &target.triple);
    if let Some(means) = means {
        ensure!(
            !means.folder.display().to_string().contains(':'),
            "{}: the kernel cannot be told of a folder whose name has a `:`\n\nhint: export WINDLASS_STATE=/another/folder",
            means.folder.display()
        );
    }
    Ok(match means {
        None => text
            .replace("@HOW@", "at native speed")
            .replace("@CPU@", "none")
            .replace("@EMULATED@", "no")
            .replace("@EMULATOR@ -L @SYSROOT@ ", "")
            .replace("@FOLDER@/", ""),
        Some(means) => text
            .replace("@HOW@", "under an emulator")
            .replace("@CPU@", means.cpu)
            .replace("@EMULATED@", "yes")
            .replace("@MACHINE@", machine(target.arch))
            .replace("@EMULATOR@", &quote(means.emulator).context("emulator")?)
            .replace("@SYSROOT@", &quote(means.root).context("system root")?)
            .replace("@FOLDER@", &quote(means.folder).context("runner")?),
    })
}

/// The low byte of `e_machine` (the numbers of the processor supplements of the System V ABI), in hexadecimal digits.
fn machine(arch: Arch) -> &'static str {
    match arch {
        Arch::Aarch64 => "b7",
        Arch::Riscv64 => "f3",
        Arch::X86_64 => "3e",
    }
}
