//! `machine`: everything native is for the target, down to the last member of the last archive.

use super::Case;
use crate::read::{Content, Machine, archive::Archive};
use crate::report::Report;
use crate::{Arch, Platform, policy};

const RULE: &str = "machine";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    // What names no target is listed as not judged.
    let Some(platform) = case.subject.platform else { return };
    for (path, file) in &case.subject.files {
        let is_native = matches!(
            file.content,
            Ok(Content::Pe(_) | Content::Coff(_) | Content::ShortImport(_) | Content::Elf(_) | Content::Archive(_))
        );
        let shown = case.shown(path);
        let mut tools = case.policy.machine.host_tools.iter();
        match tools.find(|tool| is_native && policy::is_match(&tool.path, &shown)) {
            Some(tool) => report.note(format!("{shown}: is for any machine: {}", tool.reason)),
            None => judge(case, platform, path, &file.content, report),
        }
    }
}

fn judge(case: &Case<'_>, platform: Platform, path: &str, content: &Result<Content, String>, report: &mut Report) {
    let (is_pe, found) = match content {
        Ok(Content::Pe(pe)) => (true, pe.machine),
        Ok(Content::Coff(machine)) => (true, *machine),
        Ok(Content::ShortImport(import)) => (true, import.machine),
        Ok(Content::Elf(elf)) => (false, elf.machine),
        Ok(Content::Archive(archive)) => return members(case, platform, path, archive, report),
        // That it cannot be read is the finding of another rule.
        Ok(Content::Container(_) | Content::Other) | Err(_) => return,
    };
    match (platform.is_windows(), is_pe) {
        (true, false) => report.add(case.finding(RULE, path, "is ELF", "PE or COFF")),
        (false, true) => report.add(case.finding(RULE, path, "is PE or COFF", "ELF")),
        _ => machine(case, platform, path, found, report),
    }
}

fn members(case: &Case<'_>, platform: Platform, path: &str, archive: &Archive, report: &mut Report) {
    for member in &archive.members {
        let path = format!("{path}:{}", member.name);
        match &member.content {
            // A linker would not know what to do with it either. Rust's libraries carry their metadata along.
            Ok(Content::Other | Content::Container(_)) if !member.name.ends_with(".rmeta") => {
                let wanted = "an object or a short import";
                report.add(case.finding(RULE, &path, "is of no known format", wanted));
            }
            content => judge(case, platform, &path, content, report),
        }
    }
}

fn machine(case: &Case<'_>, platform: Platform, path: &str, found: Machine, report: &mut Report) {
    let is_arm = platform.arch == Arch::Aarch64;
    let policy = &case.policy.machine;
    let accepted = found.is(platform.arch)
        || is_arm && policy.arm64ec && found == Machine::Arm64Ec
        || is_arm && policy.arm64x && found == Machine::Arm64X;
    if !accepted {
        let wrong = case.finding(RULE, path, format!("is for {found}"), platform.arch.to_string());
        report.add(wrong.hint(case.rebuild(path)));
    }
}
