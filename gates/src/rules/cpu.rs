//! `cpu-baseline`: nothing needs more of the processor than every machine of the target has, but for what is chosen after asking.
//! The build attributes say what whole files were compiled for. The code says what its functions use: where nothing in a file asks
//! what the processor has, none of them may go beyond; where something does, those may not that plain calls lead to. Functions that
//! are reached through pointers are taken for chosen ones then.

use std::collections::BTreeMap;

use super::Case;
use crate::code::{Code, Place, Sets};
use crate::report::Report;

const RULE: &str = "cpu-baseline";

const WANTED: &str = "those of the target's baseline alone";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(platform) = case.subject.platform else { return };
    let baseline = &baseline(case, &platform.arch.to_string());
    for (path, elf) in case.subject.elves() {
        if let Some(arch) = &elf.riscv_arch {
            let beyond: Vec<&str> = extensions(arch)
                .filter(|own| !baseline.iter().any(|known| known == own))
                .collect();
            compiled_for(case, path, &beyond, report);
        }
        let level = elf.x86_level.filter(|level| !reaches(baseline, *level));
        let level = level.map(|level| format!("x86-64-v{level}"));
        compiled_for(case, path, &level.as_deref().into_iter().collect::<Vec<_>>(), report);
    }
    for (path, file) in &case.subject.files {
        // Hybrid files hold code for the emulated architecture too, which has a baseline of its own. Code for anything else is the
        // finding of another rule.
        for code in &file.code {
            let baseline = self::baseline(case, &code.arch.to_string());
            decoded(case, path, code, known(&baseline), report);
        }
    }
}

/// The extensions of a baseline that code can be told by; RISC-V's `i` is none.
fn known(baseline: &[String]) -> Sets {
    let sets = baseline.iter().filter_map(|name| Sets::named([name.as_str()]).ok());
    sets.fold(Sets::NONE, |all, one| all | one)
}

/// What every machine of the target has: of its architecture, and of the level of CPUs that its name has behind a `+`.
fn baseline(case: &Case<'_>, arch: &str) -> Vec<String> {
    let target = case.subject.manifest.as_ref().map(|manifest| &*manifest.target);
    let level = target.and_then(|target| target.split_once('+')).map(|(_, level)| level);
    let keys = [Some(arch.to_owned()), level.map(|level| format!("{arch}+{level}"))];
    let lists = keys
        .into_iter()
        .flatten()
        .filter_map(|key| case.policy.cpu.baseline.get(&key));
    lists.flatten().cloned().collect()
}

/// Reports what a file's build attributes say beyond the baseline.
fn compiled_for(case: &Case<'_>, path: &str, beyond: &[&str], report: &mut Report) {
    if beyond.is_empty() {
        return;
    }
    let found = format!("was compiled for the extensions {}", beyond.join(", "));
    let wrong = case.finding(RULE, path, found.clone(), WANTED);
    report.add(wrong.cause(found).hint(case.rebuild(path)));
}

fn decoded(case: &Case<'_>, path: &str, code: &Code, baseline: Sets, report: &mut Report) {
    if code.asks && !case.policy.cpu.calls {
        return;
    }
    let groups = if code.asks { &code.reached } else { &code.needs };
    let mut beyond: BTreeMap<Sets, (usize, &Place)> = BTreeMap::new();
    for (needs, place) in groups {
        let needs = *needs - baseline;
        if !needs.is_empty() {
            beyond.entry(needs).or_insert((0, place)).0 += place.count;
        }
    }
    for (needs, (count, place)) in beyond {
        let functions = match count {
            1 => format!("`{}`", place.function),
            count => format!("{count} functions, the first of them `{}`", place.function),
        };
        let found = match code.asks {
            true => format!(
                "uses {needs} in {functions}; plain calls from `{}` lead there, past nothing that asks what the processor has",
                place.from
            ),
            false => format!("uses {needs} in {functions}, and nothing in it asks what the processor has"),
        };
        let wrong = case.finding(RULE, path, found, WANTED);
        report.add(wrong.cause(format!("uses {needs}")).hint(case.rebuild(path)));
    }
}

/// Whether a baseline has a level of x86-64; every one has the first.
fn reaches(baseline: &[String], level: u32) -> bool {
    let has = |level: u32| baseline.iter().any(|name| *name == format!("x86-64-v{level}"));
    level <= 1 || (level..=4).any(has)
}

/// The extensions of an instruction set as attributes spell it, `rv64i2p1_m2p0_zicsr2p0`, without their versions.
fn extensions(arch: &str) -> impl Iterator<Item = &str> {
    let rest = arch
        .strip_prefix("rv64")
        .or_else(|| arch.strip_prefix("rv32"))
        .unwrap_or(arch);
    rest.split('_').map(|part| {
        let is_version = |text: &str| text.split_once('p').is_some_and(|(a, b)| is_number(a) && is_number(b));
        let end = (1..part.len()).find(|end| part.is_char_boundary(*end) && is_version(&part[*end..]));
        end.map_or(part, |end| &part[..end])
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_taken_off_extensions() {
        let found: Vec<&str> = extensions("rv64i2p1_m2p0_zicsr2p0_zvl128b1p0_zve64d1p0").collect();
        assert_eq!(found, ["i", "m", "zicsr", "zvl128b", "zve64d"]);
    }
}
