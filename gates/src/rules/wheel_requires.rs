//! `wheel-requires`: in a store of wheels every requirement is met by a wheel of the store, for the target, and nothing in it would
//! have to be built first. Folders that are no store are not asked.

use std::str::FromStr;

use pep508_rs::pep440_rs::Version;
use pep508_rs::{Requirement, VerbatimUrl, VersionOrUrl};

use super::Case;
use crate::report::Report;
use crate::wheel::{Name, environment, normal_name};
use crate::{Kind, Platform, Subject};

const RULE: &str = "wheel-requires";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    if !case.policy.wheels.store {
        return;
    }
    sdist(case, report);
    let Some(wheel) = &case.subject.wheel else { return };
    let Some(platform) = platform(case) else { return };
    let environment = match environment(platform, &case.policy.wheels.python) {
        Ok(environment) => environment,
        Err(why) => {
            let found = format!("the policy has Python {why}");
            return report.add(case.finding(RULE, "", found, "a version of Python like 3.14"));
        }
    };
    for row in wheel.metadata.all("Requires-Dist") {
        let requirement = match Requirement::<VerbatimUrl>::from_str(row) {
            Ok(requirement) => requirement,
            Err(why) => {
                let found = format!("requires `{row}`, which cannot be understood: {}", why.message);
                report.add(case.finding(RULE, "", found, "a requirement of PEP 508"));
                continue;
            }
        };
        // Extras are asked for by name; the store closes without them.
        if !requirement.evaluate_markers(&environment, &[]) {
            continue;
        }
        let wanted = normal_name(requirement.name.as_ref());
        let found = versions(case, platform, &wanted);
        let fits = |version: &Version| match &requirement.version_or_url {
            Some(VersionOrUrl::VersionSpecifier(wanted)) => wanted.contains(version),
            _ => true,
        };
        if found.iter().any(fits) {
            continue;
        }
        let what = match found.first() {
            Some(version) => format!("requires `{row}`, and the store has {version}"),
            None => format!("requires `{row}`, which the store does not have for {platform}"),
        };
        report.add(
            case.finding(RULE, "", what, "a wheel of the store")
                .cause(format!("`{wanted}` is required")),
        );
    }
}

/// What has to be built before it can be installed.
fn sdist(case: &Case<'_>, report: &mut Report) {
    let is_sdist = case.subject.kind == Kind::Archive
        && case.subject.files.keys().any(|path| {
            let mut parts = path.split('/');
            parts.next().is_some() && parts.next() == Some("PKG-INFO") && parts.next().is_none()
        });
    if is_sdist {
        report.add(case.finding(RULE, "", "is a source distribution", "wheels alone"));
    }
}

/// What a pure wheel runs on is what the others of the store are for.
fn platform(case: &Case<'_>) -> Option<Platform> {
    case.subject
        .platform
        .or_else(|| case.all.iter().find_map(|other| other.platform))
}

/// The versions of a project that can be installed on the platform.
fn versions(case: &Case<'_>, platform: Platform, project: &str) -> Vec<Version> {
    let of = |subject: &Subject| {
        let name: &Name = subject.wheel.as_ref()?.name.as_ref()?;
        let fits = name.is_any() || name.platform() == Some(platform);
        let is_it = normal_name(&name.project) == project && fits;
        Version::from_str(&name.version.replace('_', "-"))
            .ok()
            .filter(|_| is_it)
    };
    case.all.iter().filter_map(of).collect()
}
