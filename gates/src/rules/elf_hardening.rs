//! What ELF files let the system do for its safety, one rule for each property: `no-exec-stack`, `no-textrel`, `no-wx-segment`,
//! `page-align`, `relro`, `static-tls`.

use super::Case;
use crate::read::elf::Elf;
use crate::report::Report;

pub(super) fn stack(case: &Case<'_>, report: &mut Report) {
    each(
        case,
        report,
        "no-exec-stack",
        "a stack that cannot be run",
        |elf| match elf.hardening.executable_stack {
            Some(false) => None,
            Some(true) => Some("has an executable stack".to_owned()),
            None => Some("does not say what its stack is for, which means executable".to_owned()),
        },
    );
}

pub(super) fn text_relocations(case: &Case<'_>, report: &mut Report) {
    each(case, report, "no-textrel", "code that is position-independent", |elf| {
        let found = || "has relocations in its code".to_owned();
        elf.hardening.text_relocations.then(found)
    });
}

pub(super) fn writable_code(case: &Case<'_>, report: &mut Report) {
    each(
        case,
        report,
        "no-wx-segment",
        "segments that can be one of both",
        |elf| {
            let mut segments = elf.segments.iter();
            let has = segments.any(|segment| segment.is_writable && segment.is_executable);
            has.then(|| "has a segment that can be written to and run".to_owned())
        },
    );
}

pub(super) fn relro(case: &Case<'_>, report: &mut Report) {
    each(case, report, "relro", "`-z relro -z now`", |elf| {
        // What needs nothing has no tables that the loader fills.
        match (elf.hardening.relro, elf.hardening.bind_now) {
            _ if elf.needed.is_empty() => None,
            (true, true) => None,
            (false, _) => Some("leaves the loader's tables writable".to_owned()),
            (true, false) => Some("binds at the first call and so leaves the table for it writable".to_owned()),
        }
    });
}

pub(super) fn page_align(case: &Case<'_>, report: &mut Report) {
    let Some(platform) = case.subject.platform else { return };
    let Some(wanted) = case.policy.elf.page_bytes.get(&platform.arch.to_string()) else {
        return;
    };
    let text = format!("`-z max-page-size={wanted}`");
    each(case, report, "page-align", &text, |elf| {
        let least = elf.segments.iter().map(|segment| segment.align).min()?;
        (least < *wanted).then(|| format!("is aligned to pages of {least} bytes"))
    });
}

pub(super) fn static_tls(case: &Case<'_>, report: &mut Report) {
    let max = case.policy.elf.static_tls_bytes_max;
    each(case, report, "static-tls", &format!("at most {max}"), |elf| {
        let takes = elf.hardening.static_tls && !elf.is_program() && elf.tls_bytes > max;
        takes.then(|| format!("takes {} bytes of static thread-local memory", elf.tls_bytes))
    });
}

/// Asks about every ELF file that is loaded.
fn each(
    case: &Case<'_>,
    report: &mut Report,
    rule: &'static str,
    wanted: &str,
    wrong: impl Fn(&Elf) -> Option<String>,
) {
    if !case.subject.is_linux() {
        return;
    }
    for (path, elf) in case.subject.elves() {
        if let Some(found) = wrong(elf) {
            let finding = case.finding(rule, path, found.clone(), wanted);
            report.add(finding.cause(found));
        }
    }
}
