//! Finds the program that is to be run: a path, or a name in the bundle. Running it is for the target's runner.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use toolchains::{Os, Target};

use crate::failure;

/// Where a bundle has its programs.
const FOLDERS: [&str; 3] = ["bin", "python", "python/bin"];

/// The program that `named` means.
///
/// # Errors
/// If there is neither such a file nor such a program in the bundle; the likeliest one is named.
pub fn find(named: &str, bundle: &Path, target: &Target) -> Result<PathBuf> {
    if named.contains('/') {
        let path = PathBuf::from(named);
        return match path.is_file() {
            true => Ok(path),
            false => bail!("{named}: there is no such file"),
        };
    }
    let folders = FOLDERS.map(|folder| bundle.join(folder));
    let names: &[String] = match target.os {
        Os::Windows => &[named.to_owned(), format!("{named}.exe")],
        Os::Linux => &[named.to_owned()],
    };
    let mut candidates = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    if let Some(found) = candidates.find(|path| path.is_file()) {
        return Ok(found);
    }
    if !folders.iter().any(|folder| folder.is_dir()) {
        bail!(
            "{named}: is no path, and {} holds no bundle\n\nhint: cargo xtask bundle --target {}",
            bundle.display(),
            target.triple
        );
    }
    let mut names: Vec<String> = folders
        .iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| match target.os {
            Os::Windows => name.strip_suffix(".exe").map(str::to_owned),
            Os::Linux => Some(name),
        })
        .collect();
    names.sort();
    match failure::did_you_mean(named, names.iter().map(String::as_str)) {
        Some(meant) => bail!("{named}: the bundle has no such program\n\nhint: did you mean `{meant}`?"),
        None => bail!("{named}: the bundle has no such program, found: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_in_the_bundle_and_paths_are_not() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        std::fs::write(dir.path().join("bin/ffmpeg.exe"), "").unwrap();
        let windows = Target::load("x86_64-pc-windows-msvc").unwrap();
        assert!(
            find("ffmpeg", dir.path(), &windows)
                .unwrap()
                .ends_with("bin/ffmpeg.exe")
        );
        let text = |named: &str| find(named, dir.path(), &windows).unwrap_err().to_string();
        assert_eq!(text("./ffmpeg"), "./ffmpeg: there is no such file");
        assert_eq!(
            text("ffmpg"),
            "ffmpg: the bundle has no such program\n\nhint: did you mean `ffmpeg`?"
        );
    }
}
