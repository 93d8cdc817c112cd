//! `wheel-tags`: a wheel's file name, its `WHEEL`, the suffixes of its modules and the Python that they link to all say the same.
//! That its native files are for that platform the rule `machine` says.

use std::collections::BTreeSet;

use super::Case;
use super::python::Suffix;
use crate::read::Content;
use crate::report::Report;
use crate::subject::name;
use crate::wheel::{Name, Wheel};

const RULE: &str = "wheel-tags";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let Some(wheel) = &case.subject.wheel else { return };
    let Some(name) = &wheel.name else {
        let wanted = "project-version-python-abi-platform.whl";
        return report.add(case.finding(RULE, "", format!("is named `{}`", wheel.file), wanted));
    };
    tags(case, wheel, name, report);
    held(case, name, report);
    pure(case, wheel, name, report);
    for path in case.subject.files.keys() {
        suffix(case, name, path, report);
    }
    for (path, pe) in case.subject.images() {
        for from in pe.imports.iter() {
            python_dll(case, name, path, from.dll, report);
        }
    }
}

/// Compares the file name with `WHEEL` and with what the wheel is wanted for.
fn tags(case: &Case<'_>, wheel: &Wheel, name: &Name, report: &mut Report) {
    let listed: BTreeSet<String> = wheel.wheel.all("Tag").iter().cloned().collect();
    let named = name.tags();
    let info = format!("{}/WHEEL", wheel.info);
    if listed != named {
        let list = |tags: &BTreeSet<String>| tags.iter().cloned().collect::<Vec<_>>().join(", ");
        let found = format!("lists the tags {}", list(&listed));
        report.add(case.finding(RULE, &info, found, format!("those of the file name: {}", list(&named))));
    }
    // Who wants it for something may be a bundle around it or the command line.
    let wanted = case.subject.platform.filter(|_| !name.is_any());
    if let (Some(wanted), Some(own)) = (wanted, name.platform())
        && wanted != own
    {
        let found = format!("is for {own}");
        report.add(case.finding(RULE, "", found, format!("{wanted}, as {} says", claim(case))));
    }
}

/// Where everything native is for one other architecture than the tag's, it is the tag that is wrong: it was the build machine's. That
/// the files are not for the tag's the rule `machine` says of each.
fn held(case: &Case<'_>, name: &Name, report: &mut Report) {
    let Some(own) = name.platform() else { return };
    let images = case.subject.images().map(|(path, pe)| (path, pe.machine));
    let elves = case.subject.elves().map(|(path, elf)| (path, elf.machine));
    let tools = &case.policy.machine.host_tools;
    let is_tool = |path: &str| {
        let shown = case.shown(path);
        tools.iter().any(|tool| crate::policy::is_match(&tool.path, &shown))
    };
    let native = images.chain(elves).filter(|(path, _)| !is_tool(path));
    let held: Vec<_> = native.map(|(_, machine)| machine.arch()).collect();
    let Some(Some(arch)) = held.first().filter(|first| held.iter().all(|other| other == *first)) else {
        return;
    };
    if *arch != own.arch {
        let found = format!("is tagged for {} and holds native files for {arch} alone", own.arch);
        report.add(case.finding(
            RULE,
            "",
            found,
            format!("the tag of {arch}, and not the build machine's"),
        ));
    }
}

fn claim<'a>(case: &'a Case<'_>) -> &'a str {
    case.subject.claim.as_deref().unwrap_or("its content")
}

/// A wheel for any platform has no native code, and one that calls itself pure neither.
fn pure(case: &Case<'_>, wheel: &Wheel, name: &Name, report: &mut Report) {
    let is_pure = wheel
        .wheel
        .first("Root-Is-Purelib")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    for (path, file) in &case.subject.files {
        let is_native = matches!(
            file.content,
            Ok(Content::Pe(_) | Content::Elf(_) | Content::Coff(_) | Content::Archive(_) | Content::ShortImport(_))
        );
        let is_installed_elsewhere = path.split('/').next().is_some_and(|first| first.ends_with(".data"));
        let is_tool = {
            let shown = case.shown(path);
            let mut tools = case.policy.machine.host_tools.iter();
            tools.any(|tool| crate::policy::is_match(&tool.path, &shown))
        };
        if !is_native || is_tool {
            continue;
        }
        if name.is_any() {
            let wrong = case.finding(
                RULE,
                path,
                "is native code",
                "no native code in a wheel for any platform",
            );
            report.add(wrong.cause("native code is in a wheel for any platform"));
        } else if is_pure && !is_installed_elsewhere {
            let wrong = case.finding(RULE, path, "is native code", "`Root-Is-Purelib: false`");
            report.add(wrong.cause("native code is in a wheel that calls itself pure"));
        }
    }
}

/// Python finds a module by its suffix.
fn suffix(case: &Case<'_>, wheel: &Name, path: &str, report: &mut Report) {
    let Some(suffix) = Suffix::of(name(path)) else { return };
    if let Some(foreign) = wheel.platform().and_then(|platform| suffix.is_foreign(platform)) {
        let found = format!("has the suffix of {foreign}");
        let wanted = format!("a suffix of {}", wheel.platforms.join(" or "));
        report.add(
            case.finding(RULE, path, found, wanted)
                .cause(format!("modules have the suffix of {foreign}")),
        );
    }
    let python = format!("cp{}", suffix.python);
    let is_any_python = wheel.abis.iter().any(|abi| abi == "none");
    if !wheel.abis.contains(&python) && !is_any_python {
        let found = format!("has the suffix of {python}");
        let wanted = format!("a suffix of {}", wheel.abis.join(" or "));
        report.add(
            case.finding(RULE, path, found, wanted)
                .cause(format!("modules have the suffix of {python}")),
        );
    }
}

/// A module for the stable ABI links to `python3.dll`, one for a free-threaded Python to `python3XYt.dll`.
fn python_dll(case: &Case<'_>, wheel: &Name, path: &str, dll: &str, report: &mut Report) {
    let dll = dll.to_ascii_lowercase();
    let version = dll.strip_prefix("python3").and_then(|rest| rest.strip_suffix(".dll"));
    let Some(version) =
        version.filter(|version| version.chars().all(|letter| letter.is_ascii_digit() || letter == 't'))
    else {
        return;
    };
    let fits = |abi: &String| match (abi.as_str(), version) {
        // What is for no ABI may start a Python of its own.
        ("none", _) => true,
        ("abi3", version) => version.is_empty(),
        ("abi3t", version) => version == "t",
        (abi, "") => !abi.ends_with('t'),
        (abi, "t") => abi.ends_with('t'),
        (abi, version) => abi.strip_prefix("cp3") == Some(version),
    };
    if !wheel.abis.iter().any(fits) {
        let found = format!("links to {dll}");
        let wanted = format!("the Python of {}", wheel.abis.join(" or "));
        report.add(
            case.finding(RULE, path, found, wanted)
                .cause(format!("modules link to {dll}")),
        );
    }
}
