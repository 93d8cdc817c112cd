//! What may go wrong with a change of the source, and what must be said of it.

use super::*;

const HEADER: &str = "Say the greeting in capitals.\n\nThe test looks for capitals.\n\nUpstream-Status: Pending\n\n";

const SOURCE: &str = "one\ntwo\nthree\nfour\nfive\n";

const DIFF: &str = "--- a/x.c\n+++ b/x.c\n@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+and a half\n four\n";

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(source: &str) -> Tree {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("x.c"), source).unwrap();
        Tree(dir)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.0.path().join("x.c")).unwrap()
    }

    fn apply(&self, diff: &str) -> Result<Fit> {
        diff::apply(diff.as_bytes(), self.0.path())
    }

    fn refused(&self, diff: &str) -> String {
        let before = self.text();
        let error = self.apply(diff).unwrap_err();
        assert_eq!(
            self.text(),
            before,
            "a change that does not fit leaves the file as it was"
        );
        format!("{error:#}")
    }
}

#[test]
fn a_diff_applies_once_and_is_then_reported_as_there() {
    let tree = Tree::new(SOURCE);
    assert_eq!(tree.apply(DIFF).unwrap(), Fit::Exact);
    assert_eq!(tree.text(), "one\ntwo\nTHREE\nand a half\nfour\nfive\n");
    assert_eq!(tree.apply(DIFF).unwrap(), Fit::Upstream);
    assert_eq!(tree.text(), "one\ntwo\nTHREE\nand a half\nfour\nfive\n");
}

#[test]
fn an_insertion_is_not_applied_twice() {
    let diff = "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,3 @@\n one\n+one\n two\n";
    let tree = Tree::new("one\ntwo\n");
    assert_eq!(tree.apply(diff).unwrap(), Fit::Exact);
    let patched = tree.text();
    assert_eq!(tree.apply(diff).unwrap(), Fit::Upstream);
    assert_eq!(tree.text(), patched);
}

#[test]
fn a_moved_hunk_goes_to_the_only_place_and_says_how_far() {
    let tree = Tree::new(&format!("new\nnew\n{SOURCE}"));
    assert_eq!(tree.apply(DIFF).unwrap(), Fit::Moved(2));
    assert_eq!(tree.text(), "new\nnew\none\ntwo\nTHREE\nand a half\nfour\nfive\n");
}

#[test]
fn a_moved_hunk_with_two_places_is_refused() {
    let tree = Tree::new(&format!("new\n{SOURCE}{SOURCE}"));
    assert_eq!(
        tree.refused(DIFF),
        "x.c: hunk 1 does not match at line 2 and matches at 2 other places"
    );
}

#[test]
fn one_changed_context_line_is_refused_where_fuzz_would_apply() {
    // GNU patch applies this with its default fuzz of 2.
    let tree = Tree::new(&SOURCE.replace("two", "zwei"));
    assert_eq!(
        tree.refused(DIFF),
        "x.c: hunk 1 does not match: wanted `two` in line 2, found `zwei`"
    );
    let tree = Tree::new(&SOURCE.replace("two", "two "));
    assert!(tree.refused(DIFF).contains("does not match"));
    let tree = Tree::new(&SOURCE.replace('\n', "\r\n"));
    assert!(tree.refused(DIFF).contains("does not match"));
}

#[test]
fn a_second_hunk_that_does_not_fit_leaves_the_first_undone() {
    let diff = format!("{DIFF}@@ -5,1 +6,1 @@\n-six\n+SIX\n");
    let tree = Tree::new(SOURCE);
    assert!(
        tree.refused(&diff).starts_with("x.c: hunk 2 does not match"),
        "{}",
        tree.refused(&diff)
    );
}

#[test]
fn a_second_file_that_does_not_fit_leaves_the_first_unchanged() {
    let diff = format!("{DIFF}--- a/y.c\n+++ b/y.c\n@@ -1,1 +1,1 @@\n-a\n+b\n");
    assert!(Tree::new(SOURCE).refused(&diff).starts_with("y.c: cannot be read"));
}

#[test]
fn damaged_and_dangerous_diffs_are_refused() {
    let tree = Tree::new(SOURCE);
    // A stripped context line in the middle: what follows would silently be prose.
    let damaged = "--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,1 @@\n-one\n+ONE\n\n@@ -5,1 +5,1 @@\n-five\n+FIVE\n";
    let _ = tree.refused(damaged);
    let truncated = &DIFF[..DIFF.len() - 7];
    let _ = tree.refused(truncated);
    for path in ["a/../../etc/x", "a//x", "/etc/passwd"] {
        let diff = DIFF.replace("a/x.c", path).replace("b/x.c", path);
        let _ = tree.refused(&diff);
    }
    let _ = tree.refused("no diff at all\n");
}

#[test]
fn files_are_created_and_removed() {
    let tree = Tree::new("gone\n");
    let diff =
        "--- /dev/null\n+++ b/sub/new.c\n@@ -0,0 +1,1 @@\n+new\n--- a/x.c\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n";
    assert_eq!(tree.apply(diff).unwrap(), Fit::Exact);
    assert_eq!(
        std::fs::read_to_string(tree.0.path().join("sub/new.c")).unwrap(),
        "new\n"
    );
    assert!(!tree.0.path().join("x.c").exists());
    assert_eq!(tree.apply(diff).unwrap(), Fit::Upstream);
}

#[test]
fn a_header_says_what_why_and_what_the_upstream_knows() {
    header::check(format!("{HEADER}{DIFF}").as_bytes()).unwrap();
    let refused = |header: &str| {
        header::check(format!("{header}{DIFF}").as_bytes())
            .unwrap_err()
            .to_string()
    };
    let prose = "has no proper header: wanted a line that says what it does and, below it, why it is needed";
    assert_eq!(refused(""), prose);
    assert_eq!(refused("From: me\nOnly what.\nUpstream-Status: Pending\n"), prose);
    assert_eq!(
        refused("What.\nWhy.\n"),
        "has no proper header: wanted a line `Upstream-Status: …`"
    );
    assert!(refused("What.\nWhy.\nUpstream-Status: Maybe\n").contains("found `Maybe`"));
    assert!(refused("What.\nWhy.\nUpstream-Status: Backport\n").contains("in brackets"));
    header::check(format!("What.\nWhy.\nUpstream-Status: Backport [9.1]\n{DIFF}").as_bytes()).unwrap();
}

#[test]
fn an_edit_wants_its_anchor_exactly_as_often_as_it_says() {
    let tree = Tree::new("int a;\nint a;\n");
    let path = tree.0.path().join("x.c");
    let refused = |find, count| format!("{:#}", edit::apply(&path, find, "int b;", count).unwrap_err());
    assert!(refused("int a;", 1).ends_with("wanted `int a;` 1 times, found 2"));
    assert!(refused("int c;", 1).ends_with("wanted `int c;` 1 times, found 0"));
    assert_eq!(edit::apply(&path, "int a;", "int b;", 2).unwrap(), Fit::Exact);
    assert_eq!(tree.text(), "int b;\nint b;\n");
    assert_eq!(edit::apply(&path, "int a;", "int b;", 2).unwrap(), Fit::Upstream);
}

#[test]
fn an_edit_whose_replacement_keeps_the_anchor_is_not_applied_twice() {
    let tree = Tree::new("begin\nend\n");
    let path = tree.0.path().join("x.c");
    for wanted in [Fit::Exact, Fit::Upstream] {
        assert_eq!(edit::apply(&path, "begin\n", "begin\nmiddle\n", 1).unwrap(), wanted);
        assert_eq!(tree.text(), "begin\nmiddle\nend\n");
    }
}
