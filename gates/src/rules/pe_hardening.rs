//! `pe-hardening`: images of Windows can be moved, do not run data, and have no pages that can be written to and run.

use super::Case;
use crate::report::Report;

const RULE: &str = "pe-hardening";

/// What `DllCharacteristics` has to say, by the bit, with the option of the linker (PE format, "DLL Characteristics").
const WANTED: [(u16, &str, &str); 3] = [
    (0x0020, "cannot use high addresses", "/highentropyva"),
    (0x0040, "cannot be moved", "/dynamicbase"),
    (0x0100, "may run data", "/nxcompat"),
];

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    if !case.subject.is_windows() {
        return;
    }
    for (path, pe) in case.subject.images() {
        for (bit, what, option) in WANTED {
            if pe.dll_characteristics & bit == 0 {
                let wrong = case.finding(RULE, path, what, format!("an image linked with {option}"));
                report.add(wrong.cause(what));
            }
        }
        for section in pe
            .sections
            .iter()
            .filter(|section| section.is_writable && section.is_executable)
        {
            let found = format!("has the section `{}`, which can be written to and run", section.name);
            report.add(case.finding(RULE, path, found, "sections that can be one of both"));
        }
    }
}
