//! The network cut: builds run in a network namespace of their own, in which nothing answers, so that an upstream that
//! downloads behind our back fails in the build and not in the field. It needs no root where user namespaces are allowed.

use std::process::{Command, Stdio};

/// How the network is kept away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The command to put before the worker's.
    By(Vec<&'static str>),
    /// The kernel, or what guards it, does not allow it.
    NotAllowed,
}

impl Cut {
    /// Finds what this machine allows: a namespace as root, or one inside a user namespace.
    pub(crate) fn find() -> Cut {
        for words in [&["unshare", "--net"][..], &["unshare", "--map-root-user", "--net"][..]] {
            let allowed = Command::new(words[0])
                .args(&words[1..])
                .arg("true")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success());
            if allowed {
                return Cut::By(words.to_vec());
            }
        }
        Cut::NotAllowed
    }

    /// The words to put before a command, none if it is not allowed.
    pub(crate) fn words(&self) -> &[&'static str] {
        match self {
            Cut::By(words) => words,
            Cut::NotAllowed => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_behind_the_cut_has_no_way_out() {
        let cut = Cut::find();
        let words = cut.words();
        assert!(
            !words.is_empty(),
            "this machine allows no network namespace, so this cannot be tested here"
        );
        let output = Command::new(words[0])
            .args(&words[1..])
            .args(["cat", "/proc/self/net/route"])
            .output()
            .unwrap();
        assert!(output.status.success());
        // The first line is the head of the table; without a route there is no other.
        assert!(String::from_utf8(output.stdout).unwrap().lines().count() <= 1);
    }
}
