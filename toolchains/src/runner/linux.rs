//! How a Linux program runs on this machine: at native speed where the machine is of its kind, else under the pinned
//! emulator with the target's system root in place of the machine's. One script, as for Windows programs.

use std::path::Path;

use anyhow::{Context, Result};
use store::{Begin, DigestWriter, Pin, State};

use super::{Runner, ensure_emulator, quote, script_name, write_program};
use crate::linux::Root;
use crate::{Progress, Target};

const RUN: &str = include_str!("../../runner/linux.sh");

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
    let dir = match state.slot(&target.triple, "runner", &digest).begin()? {
        Begin::Ready(dir) => dir,
        Begin::Build(partial) => {
            let means = means
                .as_ref()
                .map(|(cpu, emulator, root)| (cpu.as_str(), &**emulator, &**root));
            write_program(&partial.path().join(script_name(target)), &render(target, means)?)?;
            partial.commit(Default::default())?
        }
    };
    Ok(Runner {
        script: dir.join(script_name(target)),
        digest,
        emulated: target.emulated_cpu.is_some(),
    })
}

/// The script; `means` are the emulated CPU, the emulator and the system root.
fn render(target: &Target, means: Option<(&str, &Path, &Path)>) -> Result<String> {
    let text = RUN.replace("@TARGET@", &target.triple);
    Ok(match means {
        None => text
            .replace("@HOW@", "at native speed")
            .replace("@CPU@", "none")
            .replace("@EMULATED@", "no")
            .replace("@EMULATOR@ -cpu \"$cpu\" -L @SYSROOT@ ", ""),
        Some((cpu, emulator, root)) => text
            .replace("@HOW@", "under an emulator")
            .replace("@CPU@", cpu)
            .replace("@EMULATED@", "yes")
            .replace("@EMULATOR@", &quote(emulator).context("emulator")?)
            .replace("@SYSROOT@", &quote(root).context("system root")?),
    })
}
