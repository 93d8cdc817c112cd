//! What is heard of a build, and what cargo is not told.

use super::*;

fn heard(output: &str) -> (Heard, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.log");
    let mut log = Log::create(&path).unwrap();
    let mut echo = Vec::new();
    let heard = listen(output.as_bytes(), &mut log, &mut echo).unwrap();
    (
        heard,
        std::fs::read_to_string(path).unwrap(),
        String::from_utf8(echo).unwrap(),
    )
}

#[test]
fn the_errors_are_those_of_the_last_step() {
    let (heard, ..) = heard(
        "windlass: step configure\nx.c:1:1: error: probe\nwindlass: step build\n[1/2] a\nFAILED: b.obj\nb.c:2:1: error: no\n",
    );
    assert_eq!(heard.step.as_deref(), Some("build"));
    assert_eq!(heard.errors, ["FAILED: b.obj", "b.c:2:1: error: no"]);
}

#[test]
fn an_upstream_does_not_talk_to_cargo() {
    let (_, log, echo) = heard("[1/2] a\ncargo:root=/elsewhere\ncargo::rustc-env=X=1\n");
    assert_eq!(echo, "[1/2] a\n");
    assert!(log.contains("cargo:root=/elsewhere"));
}

#[test]
fn a_failure_arrives_whole_and_is_not_echoed() {
    let failure = Failure {
        message: "make: exit status: 2\n\nhint: x".into(),
    };
    let line = format!("{FAILED}{}\n", serde_json::to_string(&failure).unwrap());
    let (heard, _, echo) = heard(&line);
    assert_eq!(heard.failure, Some(failure));
    assert_eq!(echo, "");
}

#[test]
fn a_folder_of_the_machine_in_a_compile_line_is_heard() {
    let (heard, ..) = heard("clang-cl -I/usr/include -c x.c\n");
    assert_eq!(
        heard.strangers,
        ["a command for the target names the machine's /usr/include: clang-cl -I/usr/include -c x.c"]
    );
}

#[test]
fn the_log_before_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.log");
    Log::create(&path).unwrap().line("first").unwrap();
    Log::create(&path).unwrap().line("second").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "second\n");
    assert_eq!(
        std::fs::read_to_string(dir.path().join("x.log.old")).unwrap(),
        "first\n"
    );
}
