//! `mt`: the manifest tool, as CMake calls it around a link. One manifest is passed on as it is; merging several, which no
//! upstream here asks for, is refused and not done halfway.

use anyhow::{Context, Result, bail};

/// What CMake takes as "the manifest has changed, link again". Microsoft's program says 0x41020001, which a process of
/// this machine cannot return.
const UPDATED: i32 = 0xbb;

/// Copies the one manifest that the arguments name to where they say.
pub(super) fn run(arguments: &[&str]) -> Result<i32> {
    let mut inputs = Vec::new();
    let mut out = None;
    let mut notify = false;
    let mut listing = false;
    for argument in arguments {
        let option = argument.strip_prefix(['/', '-']).map(str::to_ascii_lowercase);
        match option.as_deref() {
            Some("nologo") => listing = false,
            Some("notify_update") => {
                notify = true;
                listing = false;
            }
            Some("manifest") => listing = true,
            Some(option) if option.starts_with("out:") => {
                out = Some(&argument["/out:".len()..]);
                listing = false;
            }
            _ if listing => inputs.push(*argument),
            _ => bail!("`{argument}` is not an option that is known here"),
        }
    }
    let (Some(out), [input]) = (out, &inputs[..]) else {
        bail!("wanted one manifest and `/out:FILE`, found {} manifests", inputs.len());
    };
    let content = std::fs::read(input).with_context(|| format!("{input}: cannot be read"))?;
    let same = std::fs::read(out).is_ok_and(|old| old == content);
    if !same {
        std::fs::write(out, content).with_context(|| format!("{out}: cannot be written"))?;
    }
    Ok(if notify && !same { UPDATED } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_manifest_is_passed_on_and_an_unchanged_one_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a.manifest"), dir.path().join("b.manifest"));
        std::fs::write(&from, "<assembly/>").unwrap();
        let out = format!("/out:{}", to.display());
        let arguments = ["/nologo", "/manifest", from.to_str().unwrap(), &out, "/notify_update"];
        assert_eq!(run(&arguments).unwrap(), UPDATED);
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "<assembly/>");
        assert_eq!(run(&arguments).unwrap(), 0);
        assert!(run(&["/manifest", "a", "b", &out]).is_err());
    }
}
