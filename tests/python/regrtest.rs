//! All of upstream's own tests by upstream's own runner, which spreads them over processes: how many ran, and which failed. For
//! systems on which a process of the target starts others as it does on the device.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pipeline::said;

use crate::interpreter::Python;
use crate::suite::{Outcome, name};

/// Tests that stand or fall by the machine: some virtual machines have sockets to their host and some have not.
const OF_THE_MACHINE: &str = "*VSOCK*";

/// What upstream's runner came to.
pub(crate) struct Whole {
    /// The tests of all files together.
    pub(crate) outcome: Outcome,
    /// The files that were run.
    pub(crate) files: usize,
}

/// Runs files of tests, or all of them when none is named. `limit` is for all together, `seconds` for one file.
pub(crate) fn run(python: &Python, files: &[&str], limit: Duration, seconds: u64) -> Result<Whole> {
    let scratch = python.scratch("regrtest")?;
    let (folder, seconds) = (python.path(&scratch), seconds.to_string());
    let mut arguments = vec!["-m", "test", "-j2", "-W", "--timeout", &seconds, "--tempdir", &folder];
    arguments.extend(["--ignore", OF_THE_MACHINE, "--fail-env-changed"]);
    arguments.extend(files);
    let output = python.run(&arguments, "", limit)?;
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let whole = read(&text).with_context(|| said(&output))?;
    print!("{}", text.split_once("\n== Tests result: ").map_or("", |(_, end)| end));
    store::tree::remove(&scratch)?;
    Ok(whole)
}

/// Understands what the runner printed. A run without its last lines did not come to its end.
fn read(text: &str) -> Result<Whole> {
    let total = |of: &str, what: &str| -> Option<usize> {
        let line = text.lines().find_map(|line| line.strip_prefix(of))?;
        let field = line
            .split(' ')
            .find_map(|field| field.strip_prefix(what)?.strip_prefix('='))?;
        // Files are counted as `ran/wanted`, thousands with commas.
        field.split('/').next()?.replace(',', "").parse().ok()
    };
    let ended = text.lines().any(|line| line.starts_with("Result: "));
    ensure!(ended, "upstream's runner did not come to its end");
    let ran = total("Total tests: ", "run").context("does not say how many tests ran")?;
    let mut failed: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")))
        .map(name)
        .collect();
    // Files in which something beside a test went wrong: a crash, a leak into the environment, a limit of time.
    failed.extend(
        files(text)
            .filter(|file| !failed.iter().any(|test| test.split('.').next() == Some(*file)))
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    );
    Ok(Whole {
        outcome: Outcome {
            ran,
            skipped: total("Total tests: ", "skipped").unwrap_or_default(),
            failed,
        },
        files: total("Total test files: ", "run").context("does not say how many files ran")?,
    })
}

/// The files that the runner lists as failed: after a line that counts them, indented.
fn files(text: &str) -> impl Iterator<Item = &str> {
    let mut listed = false;
    text.lines().flat_map(move |line| {
        let of_list = listed && line.starts_with("    ");
        listed = of_list
            || line.ends_with(" failed:")
            || line.ends_with(" altered the execution environment (env changed):");
        of_list.then(|| line.split_whitespace()).into_iter().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "0:00:01 [1/3] test_abc passed\n\
        ======\nFAIL: test_a (test.test_os.Some.test_a) (x=1)\n------\n\
        == Tests result: FAILURE ==\n\n2 tests failed:\n    test_os test_posix\n\n\
        1 test altered the execution environment (env changed):\n    test_site\n\n1 test OK.\n\n\
        Total duration: 1 min 2 sec\nTotal tests: run=44,123 failures=1 skipped=1,900\n\
        Total test files: run=3/4 failed=2 env_changed=1\nResult: FAILURE\n";

    #[test]
    fn counts_tests_and_files_that_went_wrong_are_read() {
        let whole = read(SAID).unwrap();
        assert_eq!(
            (whole.outcome.ran, whole.outcome.skipped, whole.files),
            (44123, 1900, 3)
        );
        let failed: Vec<&str> = whole.outcome.failed.iter().map(String::as_str).collect();
        assert_eq!(failed, ["test_os.Some.test_a", "test_posix", "test_site"]);
    }

    #[test]
    fn a_run_that_was_cut_off_is_no_result() {
        assert!(read("0:00:01 [1/3] test_abc passed\n").is_err());
    }
}
