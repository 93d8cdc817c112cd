//! `cpu-baseline`: the build attributes ask for nothing beyond the target's baseline. What is beyond it in code that is chosen at
//! run time is not in the attributes; what a compiler was told for whole files is.

use super::Case;
use crate::report::Report;

const RULE: &str = "cpu-baseline";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for (path, elf) in case.subject.elves() {
        let Some(arch) = &elf.riscv_arch else { continue };
        let baseline = &case.policy.elf.riscv_baseline;
        let beyond: Vec<&str> = extensions(arch)
            .filter(|own| !baseline.iter().any(|known| known == own))
            .collect();
        if !beyond.is_empty() {
            let found = format!("was compiled for the extensions {}", beyond.join(", "));
            let wrong = case.finding(RULE, path, found.clone(), "those of the target's baseline alone");
            report.add(wrong.cause(found).hint(case.rebuild(path)));
        }
    }
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
