//! Compares the bundles of several targets: the rules that look at more than one bundle, and the table of what each offers. What is
//! compared and what counts is the gates' to know; here the bundles are found, and the table is written for people and machines.
//!
//! The table goes beside the bundles and onto the index of their images, never into a bundle: a bundle's bytes would then depend on
//! which others happen to be there, and two builds of the same thing would differ.

mod render;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use gates::parity::{Declared, Offer, Table};
use gates::{Judge, Policy, Report, Subject};
use toolchains::Target;

use crate::flags;
use crate::session::Session;

/// The rules that hold several bundles against each other.
const RULES: [&str; 2] = ["distinct-targets", "parity"];

/// The table's files, each with its media type.
pub const FILES: [(&str, &str); 3] = [
    ("parity.html", "text/html"),
    ("parity.json", "application/json"),
    ("parity.md", "text/markdown"),
];

/// Differences are shown up to this many; the files have all of them.
const SHOWN_MAX: usize = 25;

/// Runs the verb.
///
/// # Errors
/// If a bundle is missing, a difference is not declared, or a declaration is out of date.
pub fn run(session: &Session, flags: &flags::Parity) -> Result<()> {
    let bundles = bundles(session, flags)?;
    let declared = match &flags.declared {
        None => Declared::standard(),
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| format!("{}: cannot be read", file.display()))?;
            Declared::parse(&text).with_context(|| file.display().to_string())?
        }
    };
    let paths: Vec<&Path> = bundles.iter().map(PathBuf::as_path).collect();
    let (table, report) = compare(&paths, &declared, &gates::today())?;
    let output = flags
        .out
        .clone()
        .unwrap_or_else(|| session.root.join("target/windlass"));
    for (name, text) in documents(&table) {
        store::tree::write_atomic(&output.join(name), text.as_bytes())?;
    }
    let undeclared = table.undeclared().count();
    let human = format!(
        "{}: {} groups, {} differences, {undeclared} of them undeclared",
        output.join("parity.md").display(),
        table.groups.len(),
        table.differences.len()
    );
    let told = serde_json::json!({
        "path": output.join("parity.json").display().to_string(),
        "differences": table.differences.len(),
        "undeclared": undeclared,
    });
    session.print("parity", told, &human)?;
    verdict(&table, &report)
}

/// Compares bundles by their contents, and by the rules. Declarations count as on the given day.
///
/// # Errors
/// If there are fewer than two, or one cannot be opened.
pub fn compare(bundles: &[&Path], declared: &[Declared], day: &str) -> Result<(Table, Report)> {
    ensure!(
        bundles.len() > 1,
        "one bundle has nothing to be compared with\n\nhint: cargo xtask parity --target TRIPLE --target TRIPLE"
    );
    let policy = Policy::standard();
    let judge = Judge {
        only: RULES.map(str::to_owned).to_vec(),
        ..Judge::new(&policy)
    };
    let mut report = Report::default();
    let mut subjects: Vec<Subject> = Vec::new();
    for bundle in bundles {
        // One by one, so that the findings name paths in bundles and no folder of this machine.
        subjects.extend(
            judge
                .open(&[bundle], &mut report)
                .into_iter()
                .filter(|subject| subject.manifest.is_some()),
        );
    }
    ensure!(
        subjects.len() == bundles.len(),
        "{} of {} bundles can be read: {}",
        subjects.len(),
        bundles.len(),
        report.not_judged.join("; ")
    );
    let mut offers = Vec::new();
    for subject in &subjects {
        offers.extend(Offer::of(subject).map_err(|why| anyhow!("{}: {why}", subject.target()))?);
    }
    judge.subjects(&subjects, &mut report);
    Ok((gates::parity::compare(&offers, declared, day), report))
}

/// The table's files with their texts.
pub fn documents(table: &Table) -> [(&'static str, String); 3] {
    FILES.map(|(name, media_type)| {
        let text = match media_type {
            "text/html" => render::html(table),
            "text/markdown" => render::markdown(table),
            _ => crate::canonical::pretty(table),
        };
        (name, text)
    })
}

fn verdict(table: &Table, report: &Report) -> Result<()> {
    let mut faults: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| RULES.contains(&finding.rule))
        .map(ToString::to_string)
        .collect();
    faults.extend(table.faults.iter().cloned());
    faults.extend(table.undeclared().map(|difference| {
        format!(
            "{}: lacks `{}` of `{}`, which {} has",
            difference.lacks,
            difference.name,
            difference.group,
            difference.has.join(", ")
        )
    }));
    if faults.is_empty() {
        ensure!(
            !table.groups.is_empty(),
            "the bundles hold nothing that could be compared"
        );
        return Ok(());
    }
    let shown = faults[..faults.len().min(SHOWN_MAX)].join("\n");
    let more = match faults.len().saturating_sub(SHOWN_MAX) {
        0 => String::new(),
        more => format!("\nand {more} more"),
    };
    bail!(
        "the targets do not offer the same:\n{shown}{more}\n\nhint: declare with a reason what is right, as [[absent]] in the \
         component's component.toml or as [[difference]] in gates/policy/parity.toml"
    )
}

fn bundles(session: &Session, flags: &flags::Parity) -> Result<Vec<PathBuf>> {
    let mut all = flags.paths.clone();
    for triple in &flags.target {
        Target::load(triple)?;
        let bundle = session.output(triple).join("bundle");
        ensure!(
            bundle.is_dir(),
            "{}: there is no bundle\n\nhint: cargo xtask bundle --target {triple}",
            bundle.display()
        );
        all.push(bundle);
    }
    if all.is_empty() {
        for target in Target::all() {
            let bundle = session.output(&target.triple).join("bundle");
            all.extend(bundle.is_dir().then_some(bundle));
        }
    }
    Ok(all)
}
