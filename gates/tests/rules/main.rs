//! Every rule against the good things, which it must let pass, and against ones that are wrong in one way, which it must find in
//! exactly these words.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod across;
mod cpu;
mod images;
mod linux;
mod made;
#[path = "../support/mod.rs"]
mod support;
mod wheels;
mod windows;

use std::collections::BTreeMap;
use std::path::Path;

use gates::ledger::{Ledger, Level, Proof, Run};
use gates::manifest::Exception;
use gates::{Baseline, Judge, Policy, RULES, Report, Severity, Verdict, judge};
use support::{Tree, lines, sha256};
use tempfile::TempDir;

/// A thing that is wrong in one way, and every finding of the rule.
struct Case {
    rule: &'static str,
    given: Given,
    /// `path: found, wanted …`; a hash and what follows `…` are not compared.
    wanted: &'static [&'static str],
}

type Files = Vec<(String, Vec<u8>)>;

/// What is judged.
enum Given {
    /// The good bundle for Windows, changed.
    Windows(fn(&mut Tree)),
    /// The good bundle for Linux, changed.
    Linux(fn(&mut Tree)),
    /// The good bundles for Windows on ARM and on x64 at once, changed.
    Two(fn(&mut Tree, &mut Tree)),
    /// A folder of files.
    Folder(fn() -> Files),
    /// A folder of files by another measure.
    FolderBy(fn(&mut Policy), fn() -> Files),
    /// The good bundle for Windows by another measure.
    Policy(fn(&mut Policy)),
    /// The good bundle for Windows with proofs of these runs of its program: level, exit status, whether the sentinel was seen, and
    /// whether it was this file that was run.
    Ledger(&'static [(Level, i32, bool, bool)]),
    /// The good bundle for Windows after a release that exported this.
    Baseline(&'static [(&'static str, &'static [&'static str])]),
}

fn cases() -> impl Iterator<Item = &'static Case> {
    [
        windows::CASES,
        linux::CASES,
        cpu::CASES,
        made::CASES,
        wheels::CASES,
        across::CASES,
        images::CASES,
    ]
    .into_iter()
    .flatten()
}

fn write(files: &Files) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

/// Judges what a case gives, by some rules or by all.
fn report(given: &Given, only: &[&str]) -> Report {
    let mut policy = Policy::standard();
    let mut baseline = None;
    let mut tree = match given {
        Given::Linux(_) => Tree::linux(),
        _ => Tree::good(),
    };
    let folder = match given {
        Given::Windows(change) | Given::Linux(change) => {
            change(&mut tree);
            tree.write()
        }
        Given::Two(change) => {
            let mut other = Tree::good();
            across::for_x64(&mut other);
            change(&mut tree, &mut other);
            let folder = tempfile::tempdir().unwrap();
            for (name, tree) in [("arm", tree), ("x64", other)] {
                std::fs::rename(tree.write().keep(), folder.path().join(name)).unwrap();
            }
            folder
        }
        Given::Folder(files) => write(&files()),
        Given::FolderBy(change, files) => {
            change(&mut policy);
            write(&files())
        }
        Given::Policy(change) => {
            change(&mut policy);
            tree.write()
        }
        Given::Ledger(_) => tree.write(),
        Given::Baseline(record) => {
            let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let record: BTreeMap<_, _> = record
                .iter()
                .map(|(path, all)| ((*path).to_owned(), names(all)))
                .collect();
            baseline = Some(Baseline(record));
            tree.write()
        }
    };
    let ledger = match given {
        Given::Ledger(runs) => Some(ledger(folder.path(), runs)),
        _ => None,
    };
    let paths: Vec<_> = match given {
        Given::Two(_) => vec![folder.path().join("arm"), folder.path().join("x64")],
        _ => vec![folder.path().to_owned()],
    };
    let paths: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let judge = Judge {
        only,
        baseline,
        ledger,
        ..Judge::new(&policy)
    };
    let mut report = judge.paths(&paths);
    let root = folder.path().display().to_string();
    for finding in &mut report.findings {
        finding.found = finding.found.replace(&root, "BUNDLE");
        finding.path = finding.path.replace(&"x".repeat(190), "XXX");
        finding.path = in_image(&finding.path);
    }
    report
}

/// A path in an image without the hashes of image and layer, which a change of any fixture changes.
fn in_image(path: &str) -> String {
    let is_hash = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some((image, below)) = path.split_once(':') else {
        return path.to_owned();
    };
    if !image.strip_prefix("image-").is_some_and(is_hash) {
        return path.to_owned();
    }
    match below.split_once('/') {
        Some((layer, rest)) if layer.strip_prefix("layer-").is_some_and(is_hash) => format!("layer/{rest}"),
        _ => below.to_owned(),
    }
}

/// The proofs of runs of the good bundle's program.
fn ledger(bundle: &Path, runs: &[(Level, i32, bool, bool)]) -> Ledger {
    let mut ledger = Ledger::new(support::TARGET);
    let sha256 = sha256(&std::fs::read(bundle.join("bin/app.exe")).unwrap());
    for (level, exit, sentinel_seen, is_this) in runs {
        let run = Run {
            runner: "wine 10.0".into(),
            runner_digest: "0".repeat(64),
            cpu: "cortex-a76".into(),
            command: vec!["app".into()],
            exit: *exit,
            sentinel: "42".into(),
            sentinel_seen: *sentinel_seen,
            output_sha256: "0".repeat(64),
        };
        let proof = Proof {
            sha256: if *is_this { sha256.clone() } else { "f".repeat(64) },
            level: *level,
            run: (*level != Level::Inspected).then_some(run),
        };
        ledger.add("bin/app.exe", proof);
    }
    Ledger::parse(&ledger.to_json()).unwrap()
}

/// A line up to what a reader would not compare either.
fn cut(line: &str) -> String {
    let line = line.split('…').next().unwrap_or(line);
    match line.split_once("has the sha256") {
        Some((before, _)) => before.to_owned(),
        None => line.to_owned(),
    }
}

#[test]
fn every_rule_finds_what_is_wrong_in_these_words() {
    let mut wrong = Vec::new();
    for case in cases() {
        let report = report(&case.given, &[]);
        let found = lines(&report, case.rule);
        let is_said = |(found, wanted): (&String, &&str)| match wanted.contains(['…']) || wanted.contains("sha256 ") {
            true => found.starts_with(&cut(wanted)),
            false => found == wanted,
        };
        let same = found.len() == case.wanted.len() && found.iter().zip(case.wanted).all(is_said);
        let is_error = Policy::standard().severity(case.rule) == Severity::Error;
        // A case that wants nothing is a good thing that the rule must let pass.
        let is_clean = report.verdict() == Verdict::Clean;
        let agrees = is_clean == case.wanted.is_empty() || !is_error;
        if !same || !agrees {
            wrong.push(format!(
                "rule `{}` found\n{found:#?}\nwanted\n{:#?}\n{report}",
                case.rule, case.wanted
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_finding_is_its_rules_alone() {
    // Without the rule nothing of its findings is left: a rule that is taken out of the table is missed by its cases.
    for case in cases() {
        let others: Vec<&str> = RULES.iter().map(|rule| rule.id).filter(|id| *id != case.rule).collect();
        assert_eq!(
            lines(&report(&case.given, &others), case.rule),
            [""; 0],
            "rule `{}`",
            case.rule
        );
    }
}

#[test]
fn every_rule_has_a_case() {
    let known: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let judged: std::collections::BTreeSet<&str> = cases().map(|case| case.rule).collect();
    for id in &known {
        assert!(judged.contains(id), "rule `{id}` has nothing known-bad");
    }
    for id in judged {
        assert!(
            known.contains(&id),
            "`{id}` is no rule: it was taken out of the table and its cases were not"
        );
    }
}

#[test]
fn the_good_things_are_clean_and_were_looked_at() {
    let windows = report(&Given::Windows(|_| {}), &[]);
    let linux = report(&Given::Linux(|_| {}), &[]);
    let two = report(&Given::Two(|_, _| {}), &[]);
    let wheels = report(&Given::Folder(wheels::good), &[]);
    let image = report(&Given::Folder(images::good), &[]);
    let payload = report(&Given::Folder(images::payload), &[]);
    let run = report(&Given::Ledger(&[(Level::Executed, 0, true, true)]), &[]);
    for report in [&windows, &linux, &two, &wheels, &run, &image, &payload] {
        assert_eq!(report.findings, [], "{report}");
        assert_eq!(report.verdict(), Verdict::Clean, "{report}");
    }
    let counts = windows.counts;
    let found = (
        counts.files,
        counts.images,
        counts.archives,
        counts.members,
        counts.imports,
        counts.resolved,
    );
    assert_eq!((found, counts.exports), ((7, 2, 2, 3, 6, 6), 3));
    let counts = linux.counts;
    assert_eq!((counts.images, counts.imports, counts.resolved), (2, 3, 3));
    assert_eq!(wheels.counts.wheels, 1);
    // Named twice and opened once.
    let of_images = |report: &Report| {
        report
            .subjects
            .iter()
            .filter(|subject| subject.contains("(image)"))
            .count()
    };
    assert_eq!((of_images(&image), image.counts.images), (1, 2));
    assert_eq!((of_images(&payload), payload.counts.images), (1, 2));
}

#[test]
fn an_exception_takes_away_what_it_covers_and_says_so() {
    let mut tree = Tree::good();
    tree.replace("include/helper.h", "// from /home/ann/src/helper.h\n");
    tree.component.exceptions = vec![Exception {
        rule: "no-build-paths".into(),
        path: "include/*".into(),
        found: "/home/ann".into(),
        reason: "an example in a comment".into(),
        link: Some("upstream#1".into()),
        until: Some("9000-01-01".into()),
    }];
    let bundle = tree.write();
    let report = judge(bundle.path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::Clean, "{report}");
    assert_eq!(report.accepted.len(), 1);
    assert!(report.to_string().contains("an example in a comment"));
}

#[test]
fn nothing_to_judge_is_never_clean() {
    let empty = tempfile::tempdir().unwrap();
    let report = judge(empty.path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::NotJudged);
    assert_eq!(report.findings.len(), 1);
    let policy = Policy::standard();
    let report = Judge::new(&policy).paths(&[empty.path(), Path::new("/nowhere/at/all")]);
    assert_eq!(report.verdict(), Verdict::NotJudged);
    assert_eq!(report.not_judged.len(), 1);
    let mut tree = Tree::good();
    tree.files.clear();
    let report = judge(tree.write().path(), &Policy::standard());
    assert_eq!(report.verdict(), Verdict::NotJudged);
}

#[test]
fn one_missing_dll_that_breaks_forty_files_is_one_group_with_forty_witnesses() {
    let mut tree = Tree::good();
    for number in 0..40 {
        let program = support::Image::program(&[("gone.dll", &["start"])]);
        tree.add(
            &format!("bin/p{number:02}.exe"),
            gates::manifest::Kind::Program,
            program.write(),
        );
    }
    let bundle = tree.write();
    let report = judge(bundle.path(), &Policy::standard());
    let groups = report.groups();
    let [group] = &groups[..] else { panic!("{report}") };
    assert_eq!(
        (group.cause, group.witnesses.len()),
        ("`gone.dll`: it is neither here nor in Windows", 40)
    );
    // People are shown the cause and the first twenty-five.
    let text = report.to_string();
    assert!(text.contains("error: `gone.dll`: it is neither here nor in Windows, wanted a DLL that the loader finds"));
    assert!(
        text.contains("  … and 15 more\n") && text.ends_with(": 1 errors"),
        "{text}"
    );
    let whole: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(whole["findings"][0]["witnesses"].as_array().unwrap().len(), 40);
}
