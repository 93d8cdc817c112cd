//! `machine`: everything native is for the target, down to the last member of the last archive.

use super::{finding, rebuild};
use crate::bundle::Bundle;
use crate::policy::Policy;
use crate::read::{Content, Machine, archive::Archive};
use crate::report::Report;

const RULE: &str = "machine";

pub(super) fn check(bundle: &Bundle, policy: &Policy, report: &mut Report) {
    for (path, file) in &bundle.files {
        judge(bundle, policy, path, &file.content, report);
    }
}

fn judge(bundle: &Bundle, policy: &Policy, path: &str, content: &Result<Content, String>, report: &mut Report) {
    match content {
        Ok(Content::Pe(pe)) => {
            machine(bundle, policy, path, pe.machine, report);
            for trouble in &pe.trouble {
                unreadable(bundle, path, &format!("cannot be read as PE: {trouble}"), report);
            }
        }
        Ok(Content::Coff(found)) => machine(bundle, policy, path, *found, report),
        Ok(Content::ShortImport(import)) => machine(bundle, policy, path, import.machine, report),
        Ok(Content::Elf(elf)) => match bundle.manifest.target.contains("-windows-") {
            true => report.add(finding(bundle, RULE, path, "is ELF", "PE or COFF")),
            false => machine(bundle, policy, path, elf.machine, report),
        },
        Ok(Content::Archive(archive)) => members(bundle, policy, path, archive, report),
        Ok(Content::Other) => {}
        Err(why) => unreadable(bundle, path, why, report),
    }
}

fn members(bundle: &Bundle, policy: &Policy, path: &str, archive: &Archive, report: &mut Report) {
    for trouble in &archive.trouble {
        unreadable(bundle, path, trouble, report);
    }
    for member in &archive.members {
        let path = format!("{path}:{}", member.name);
        match &member.content {
            // A linker would not know what to do with it either.
            Ok(Content::Other) => {
                report.add(finding(
                    bundle,
                    RULE,
                    &path,
                    "is of no known format",
                    "an object or a short import",
                ));
            }
            content => judge(bundle, policy, &path, content, report),
        }
    }
}

fn machine(bundle: &Bundle, policy: &Policy, path: &str, found: Machine, report: &mut Report) {
    let is_arm = bundle.arch == crate::Arch::Aarch64;
    let accepted = found.is(bundle.arch)
        || is_arm && policy.machine.arm64ec && found == Machine::Arm64Ec
        || is_arm && policy.machine.arm64x && found == Machine::Arm64X;
    if !accepted {
        let mut wrong = finding(bundle, RULE, path, format!("is for {found}"), bundle.arch.to_string());
        wrong.hint = rebuild(bundle, path);
        report.add(wrong);
    }
}

fn unreadable(bundle: &Bundle, path: &str, why: &str, report: &mut Report) {
    report.add(finding(bundle, RULE, path, why, "a file that can be read whole"));
}
