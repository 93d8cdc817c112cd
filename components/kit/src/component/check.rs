//! What a `component.toml` may not say although its shape is right. All faults are reported at once.

use anyhow::{Result, bail};
use gates::manifest::Role;
use globset::Glob;

use super::{Component, Edit, Ships};
use crate::patch::status;

/// Reports every fault of a component, sorted as they stand in the file.
pub(super) fn check(component: &Component) -> Result<()> {
    let mut faults = Vec::new();
    let mut need = |holds: bool, fault: String| {
        if !holds {
            faults.push(fault);
        }
    };
    need(!component.version.is_empty(), "version: is empty".into());
    need(
        !component.license.is_empty(),
        "license: is empty, wanted an SPDX expression".into(),
    );
    need(
        !component.roles.is_empty(),
        "roles: is empty, wanted `target`, `host` or both".into(),
    );
    need(
        component.roles.contains(&Role::Target),
        "roles: wanted `target` among them; what is only of use while building is a tool".into(),
    );
    check_patterns("targets", &component.targets, &mut need);
    need(!component.source.is_empty(), "source: is empty".into());
    check_sources(component, &mut need);
    need(
        component.ships.of_processors().next().is_none(),
        "ships: a processor's table belongs below an operating system's, as [ships.windows.aarch64]".into(),
    );
    check_ships(&component.ships, &mut need);
    for file in &component.licence_files {
        need(
            relative(file),
            format!("licence-files: wanted a path in the source, found `{file}`"),
        );
    }
    check_variants(component, &mut need);
    check_facts(component, &mut need);
    check_exceptions(component, &mut need);
    for absent in &component.absent {
        need(
            !absent.what.is_empty() && !absent.reason.is_empty(),
            "absent: `what` and `reason` may not be empty".into(),
        );
        check_patterns("absent", &absent.targets, &mut need);
    }
    for patch in &component.patch {
        need(
            !patch.file.contains('/'),
            format!("patch: wanted a name in patches/, found `{}`", patch.file),
        );
        check_patterns("patch", &patch.targets, &mut need);
    }
    check_edits(&component.edit, &mut need);
    match faults.len() {
        0 => Ok(()),
        _ => bail!("{}", faults.join("\n")),
    }
}

fn check_sources(component: &Component, need: &mut impl FnMut(bool, String)) {
    for source in &component.source {
        if let Some(pin) = &source.pin {
            let refused = pin.check().err().map(|error| format!("source: {error:#}"));
            need(refused.is_none(), refused.unwrap_or_default());
        }
        if let Some(path) = &source.path {
            need(
                relative(path),
                format!("source: `path` must stay inside the component's folder, found `{path}`"),
            );
        }
        need(
            source.into.is_empty() || relative(&source.into),
            format!("source: `into` must be a relative path, found `{}`", source.into),
        );
        check_patterns("source", &source.targets, need);
    }
}

fn check_exceptions(component: &Component, need: &mut impl FnMut(bool, String)) {
    for known in &component.exception {
        need(
            !known.reason.is_empty() && !known.link.is_empty(),
            format!("exception from `{}`: `reason` and `link` may not be empty", known.rule),
        );
        check_patterns("exception", &known.targets, need);
    }
}

fn check_variants(component: &Component, need: &mut impl FnMut(bool, String)) {
    for (name, variant) in &component.variants {
        need(
            !variant.license.is_empty() && !variant.licence_files.is_empty() && !variant.what.is_empty(),
            format!("variant `{name}`: `license`, `licence-files` and `what` may not be empty"),
        );
        need(
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            format!("variant `{name}`: wanted a name of lower-case letters and digits"),
        );
        for file in &variant.licence_files {
            need(
                relative(file),
                format!("variant `{name}`: wanted a path in the source, found `{file}`"),
            );
        }
    }
}

fn check_facts(component: &Component, need: &mut impl FnMut(bool, String)) {
    for name in component.facts.iter().flat_map(|facts| &facts.names) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        need(
            !name.is_empty() && name.bytes().all(plain),
            format!("facts: wanted the name of a constant, found `{name}`"),
        );
    }
}

fn check_edits(edits: &[Edit], need: &mut impl FnMut(bool, String)) {
    for edit in edits {
        let what = format!("edit of `{}`", edit.file);
        need(relative(&edit.file), format!("{what}: wanted a path in the source"));
        need(!edit.find.is_empty(), format!("{what}: `find` is empty"));
        need(edit.find != edit.replace, format!("{what}: changes nothing"));
        need(
            edit.count > 0,
            format!("{what}: `count` is 0, wanted how often the text is found"),
        );
        need(!edit.why.is_empty(), format!("{what}: `why` is empty"));
        let refused = status::check(&edit.upstream_status).err();
        need(
            refused.is_none(),
            format!("{what}: {}", refused.map(|error| error.to_string()).unwrap_or_default()),
        );
        check_patterns(&what, &edit.targets, need);
    }
}

fn check_ships(ships: &Ships, need: &mut impl FnMut(bool, String)) {
    for name in ships.names() {
        need(
            relative(name),
            format!("ships: wanted a name or a path in the prefix, found `{name}`"),
        );
    }
    for program in ships.programs.iter().chain(&ships.libs).chain(&ships.import_libs) {
        let suffixed = [".exe", ".dll", ".lib"].iter().any(|suffix| program.ends_with(suffix));
        need(!suffixed, format!("ships: wanted `{program}` without its suffix"));
    }
    for own in ships.of_systems().chain(ships.of_processors()) {
        need(
            own.of_systems().next().is_none(),
            "ships: an operating system in an operating system".into(),
        );
        check_ships(own, need);
    }
    for own in ships.of_processors() {
        need(
            own.of_processors().next().is_none(),
            "ships: a processor in a processor".into(),
        );
    }
}

fn check_patterns(what: &str, patterns: &[String], need: &mut impl FnMut(bool, String)) {
    for pattern in patterns {
        need(
            Glob::new(pattern).is_ok(),
            format!("{what}: `{pattern}` is not a pattern over target triples"),
        );
    }
}

/// Whether a path names something below where it starts, whatever links there are.
fn relative(path: &str) -> bool {
    !path.is_empty() && !path.contains(['\\', '\0']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}
