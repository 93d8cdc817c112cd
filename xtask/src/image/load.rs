//! Hands an image to an engine of this machine: one archive on its standard input, which every engine reads. The archive is a layout
//! with one image, and names the same blobs in the way of `docker save` too.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tar::{Builder, Header};

use super::Made;
use crate::{canonical, environment};

/// The engines by name, with the words that make each read an archive; the first that is there is taken.
const ENGINES: [(&str, &[&str]); 4] = [
    ("podman", &["load"]),
    ("docker", &["load"]),
    ("nerdctl", &["load"]),
    ("ctr", &["images", "import", "--all-platforms", "-"]),
];

/// An engine that is there.
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    program: PathBuf,
    words: &'static [&'static str],
}

/// The engine of that name; of an empty name, the first that is there.
///
/// # Errors
/// If there is none.
pub fn find(named: &str) -> Result<Engine> {
    let folders = environment::path();
    for (name, words) in ENGINES {
        if !named.is_empty() && named != name {
            continue;
        }
        let program = folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        if let Some(program) = program {
            return Ok(Engine { name, program, words });
        }
    }
    let known = ENGINES.map(|(name, _)| name).join(", ");
    if !named.is_empty() && !ENGINES.iter().any(|(name, _)| *name == named) {
        bail!("--load {named}: is no engine, wanted one of {known}");
    }
    let wanted = if named.is_empty() { &known } else { named };
    bail!(
        "--load: there is no {wanted} on PATH\n\nhint: apt-get install podman\n\
         hint: or without --load, and then: skopeo copy oci:FOLDER/image:TRIPLE DESTINATION"
    )
}

impl Engine {
    /// Loads one image out of a layout.
    ///
    /// # Errors
    /// If the engine cannot be started or refuses it.
    pub fn load(&self, layout: &Path, image: &Made) -> Result<()> {
        let command = format!("{} {}", self.name, self.words.join(" "));
        let mut child = Command::new(&self.program)
            .args(self.words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{command}: cannot be started"))?;
        let written = match child.stdin.take() {
            Some(input) => archive(input, layout, image),
            None => Ok(()),
        };
        let output = child
            .wait_with_output()
            .with_context(|| format!("{command}: cannot be waited for"))?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{command}: {}: {}\n\nhint: skopeo copy oci:{}:{} DESTINATION",
                output.status,
                told.trim(),
                layout.display(),
                image.target
            );
        }
        // An engine that had read enough closes its end.
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(error).with_context(|| format!("{command}: archive cannot be written"))
            }
            _ => Ok(()),
        }
    }
}

fn archive(into: impl Write, layout: &Path, image: &Made) -> io::Result<()> {
    let mut archive = Builder::new(into);
    let blob = |digest: &oci_spec::image::Digest| format!("blobs/sha256/{}", digest.digest());
    let layers = image.layers.iter().map(|(_, layer)| layer);
    let mut blobs = vec![&image.descriptor, &image.config];
    blobs.extend(layers.clone());
    blobs.dedup_by_key(|descriptor| descriptor.digest().clone());
    for descriptor in blobs {
        let path = blob(descriptor.digest());
        let mut header = Header::new_ustar();
        header.set_size(descriptor.size());
        header.set_mode(0o644);
        archive.append_data(&mut header, &path, File::open(layout.join(&path))?)?;
    }
    let mut named = serde_json::to_value(&image.descriptor)?;
    named["annotations"] = json!({
        "org.opencontainers.image.ref.name": image.target,
        "io.containerd.image.name": format!("localhost/{}", image.tag()),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [named],
    });
    let docker = json!([{
        "Config": blob(image.config.digest()),
        "RepoTags": [format!("localhost/{}", image.tag())],
        "Layers": layers.map(|layer| blob(layer.digest())).collect::<Vec<_>>(),
    }]);
    for (name, text) in [
        ("index.json", canonical::compact(&index)),
        ("manifest.json", canonical::compact(&docker)),
        ("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec()),
    ] {
        let mut header = Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text.as_slice())?;
    }
    archive.into_inner()?.flush()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use oci_spec::image::{Descriptor, MediaType, Sha256Digest};

    use super::*;

    fn made(layout: &Path) -> Made {
        std::fs::create_dir_all(layout.join("blobs/sha256")).unwrap();
        let blob = |text: &str| {
            let hex = crate::sbom::hex(&<sha2::Sha256 as sha2::Digest>::digest(text));
            std::fs::write(layout.join("blobs/sha256").join(&hex), text).unwrap();
            let digest: Sha256Digest = hex.parse().unwrap();
            Descriptor::new(MediaType::ImageManifest, text.len() as u64, digest)
        };
        Made {
            target: "t".into(),
            descriptor: blob("manifest"),
            config: blob("config"),
            layers: vec![("a".into(), blob("layer"))],
        }
    }

    fn engine(dir: &Path, script: &str) -> Engine {
        let program = dir.join("podman");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Engine {
            name: "podman",
            program,
            words: &["load"],
        }
    }

    #[test]
    fn an_engine_gets_an_archive_with_both_ways_to_name_the_image() {
        let dir = tempfile::tempdir().unwrap();
        let made = made(dir.path());
        let script = format!("cat >{}/got.tar", dir.path().display());
        engine(dir.path(), &script).load(dir.path(), &made).unwrap();
        let got = File::open(dir.path().join("got.tar")).unwrap();
        let mut archive = tar::Archive::new(got);
        let mut names = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            io::Read::read_to_string(&mut entry, &mut text).unwrap();
            let path = entry.path().unwrap().display().to_string();
            match path.strip_prefix("blobs/sha256/") {
                Some(_) => names.push(text),
                None => names.push(path),
            }
        }
        assert_eq!(
            names,
            [
                "manifest",
                "config",
                "layer",
                "index.json",
                "manifest.json",
                "oci-layout"
            ]
        );
    }

    #[test]
    fn what_an_engine_objects_to_is_shown_with_another_way() {
        let dir = tempfile::tempdir().unwrap();
        let made = made(dir.path());
        let error = engine(dir.path(), "echo no space >&2; exit 3")
            .load(dir.path(), &made)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "podman load: exit status: 3: no space\n\nhint: skopeo copy oci:{}:t DESTINATION",
                dir.path().display()
            )
        );
        assert_eq!(
            find("lxc").err().unwrap().to_string(),
            "--load lxc: is no engine, wanted one of podman, docker, nerdctl, ctr"
        );
    }
}
