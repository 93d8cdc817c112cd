//! `simd-alive`: the vector paths that components promise are in the files. A configure script that does not find its assembler goes
//! on without it; the result works, and is slow.

use super::Case;
use crate::code::Set;
use crate::manifest::FILE;
use crate::report::Report;

const RULE: &str = "simd-alive";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(manifest) = &case.subject.manifest else { return };
    for promise in manifest.components.iter().flat_map(|component| &component.simd) {
        let Some(set) = Set::named(&promise.set) else {
            let found = format!("promises the unknown extension `{}` in {}", promise.set, promise.path);
            report.add(case.finding(RULE, FILE, found, "an extension that the judge can tell"));
            continue;
        };
        let code = case.subject.files.get(&promise.path).map(|file| &*file.code);
        let found = match code {
            None => "is not there".to_owned(),
            Some([]) => "holds no code that can be read".to_owned(),
            Some(code) => match code.iter().filter_map(|code| code.uses.get(&set)).sum::<usize>() {
                count if count >= promise.functions => continue,
                count => format!("uses {} in {count} functions", promise.set),
            },
        };
        let wanted = format!("{} in at least {} functions", promise.set, promise.functions);
        let wrong = case.finding(RULE, &promise.path, found, wanted);
        report.add(wrong.hint(case.rebuild(&promise.path)));
    }
}
