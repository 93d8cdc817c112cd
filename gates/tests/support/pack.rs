//! What files are packed into, made of readable code: zip and tar archives, wheels, Debian packages, layouts of images.

use std::io::Write;

use gates::wheel::Name;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

use super::archive;

/// A zip archive of files; those with a `:` in the path would not be possible, those in twice are.
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in members {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A tar archive of files; a path with ` -> ` in it is a link.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let plain: Vec<Member<'_>> = members
        .iter()
        .map(|(path, bytes)| Member { path, bytes, ..PLAIN })
        .collect();
    tar_of(&plain)
}

/// A member of a tar archive; a folder's path ends with a slash.
pub struct Member<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
    pub mode: u32,
    pub owner: u64,
    pub time: u64,
}

/// A file of root's, as old as time.
pub const PLAIN: Member<'static> = Member {
    path: "",
    bytes: b"",
    mode: 0o644,
    owner: 0,
    time: 0,
};

/// A tar archive of members as they are.
pub fn tar_of(members: &[Member<'_>]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for Member {
        path,
        bytes,
        mode,
        owner,
        time,
    } in members
    {
        let mut header = tar::Header::new_gnu();
        header.set_mode(*mode);
        header.set_uid(*owner);
        header.set_gid(*owner);
        header.set_mtime(*time);
        if path.ends_with('/') {
            header.set_entry_type(tar::EntryType::Directory);
        }
        match path.split_once(" -> ") {
            Some((path, to)) => {
                header.set_size(0);
                header.set_entry_type(tar::EntryType::Symlink);
                builder.append_link(&mut header, path, to).unwrap();
            }
            None => {
                header.set_size(bytes.len() as u64);
                // The builder refuses names that lead out; the format does not.
                header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
                header.set_cksum();
                builder.append(&header, *bytes).unwrap();
            }
        }
    }
    builder.into_inner().unwrap()
}

/// A Debian package with a control file and files.
pub fn deb(control: &str, members: &[(&str, &[u8])]) -> Vec<u8> {
    archive(&[
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar", tar(&[("./control", control.as_bytes())])),
        ("data.tar", tar(members)),
    ])
}

/// The files of an image's layout: one image with these layers, as old as time and run by a user without rights.
pub fn layout(architecture: &str, layers: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    layout_of(
        architecture,
        "linux",
        r#"{"created": "1970-01-01T00:00:00Z", "config": {"User": "65532:65532"}}"#,
        layers,
    )
}

/// The same for any system and configuration. The image is named by itself and by an index, and has a document attached.
pub fn layout_of(architecture: &str, os: &str, config: &str, layers: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("oci-layout".to_owned(), b"{\"imageLayoutVersion\": \"1.0.0\"}".to_vec())];
    let mut blob = |bytes: Vec<u8>| {
        let digest = hex(&bytes);
        files.push((format!("blobs/sha256/{digest}"), bytes));
        format!("sha256:{digest}")
    };
    let layers: Vec<String> = layers
        .iter()
        .map(|layer| format!("{{\"digest\": \"{}\"}}", blob(layer.clone())))
        .collect();
    let config = blob(config.as_bytes().to_vec());
    let layers = layers.join(", ");
    let manifest = blob(format!("{{\"config\": {{\"digest\": \"{config}\"}}, \"layers\": [{layers}]}}").into_bytes());
    let text = blob(b"about the image".to_vec());
    let attached = blob(
        format!("{{\"artifactType\": \"text/x\", \"layers\": [{{\"digest\": \"{text}\"}}], \"subject\": {{\"digest\": \"{manifest}\"}}}}")
            .into_bytes(),
    );
    let platform = format!("{{\"architecture\": \"{architecture}\", \"os\": \"{os}\"}}");
    let image = format!("{{\"digest\": \"{manifest}\", \"platform\": {platform}}}");
    let inner = blob(format!("{{\"manifests\": [{image}]}}").into_bytes());
    let index = format!("{{\"manifests\": [{{\"digest\": \"{inner}\"}}, {image}, {{\"digest\": \"{attached}\"}}]}}");
    files.push(("index.json".to_owned(), index.into_bytes()));
    files
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A wheel to be written; what it says of itself is made from its name.
#[derive(Clone)]
pub struct Wheel {
    pub name: &'static str,
    pub files: Vec<(String, Vec<u8>)>,
    /// The tags of `WHEEL`; those of the name if absent.
    pub tags: Option<Vec<&'static str>>,
    pub is_pure: bool,
    pub metadata: String,
    /// What is changed in the list of files before it is written.
    pub record: fn(&mut Vec<String>),
}

impl Wheel {
    pub fn new(name: &'static str) -> Wheel {
        let parts = Name::parse(name).unwrap();
        Wheel {
            name,
            files: Vec::new(),
            tags: None,
            is_pure: false,
            metadata: format!(
                "Metadata-Version: 2.1\nName: {}\nVersion: {}\n",
                parts.project, parts.version
            ),
            record: |_| {},
        }
    }

    pub fn with(mut self, path: &str, bytes: Vec<u8>) -> Wheel {
        self.files.push((path.to_owned(), bytes));
        self
    }

    pub fn write(&self) -> Vec<u8> {
        let files = self.members();
        let members: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
        zip(&members)
    }

    /// Its files, with what it says of itself.
    pub fn members(&self) -> Vec<(String, Vec<u8>)> {
        let parts = Name::parse(self.name).unwrap();
        let info = format!("{}-{}.dist-info", parts.project, parts.version);
        let tags: Vec<String> = match &self.tags {
            Some(tags) => tags.iter().map(|tag| (*tag).to_owned()).collect(),
            None => parts.tags().into_iter().collect(),
        };
        let mut wheel = format!("Wheel-Version: 1.0\nRoot-Is-Purelib: {}\n", self.is_pure);
        for tag in tags {
            wheel += &format!("Tag: {tag}\n");
        }
        let mut files = self.files.clone();
        files.push((format!("{info}/WHEEL"), wheel.into_bytes()));
        files.push((format!("{info}/METADATA"), self.metadata.clone().into_bytes()));
        let row = |(path, bytes): &(String, Vec<u8>)| format!("{path},sha256={},{}", base64(bytes), bytes.len());
        let mut rows: Vec<String> = files.iter().map(row).collect();
        rows.push(format!("{info}/RECORD,,"));
        (self.record)(&mut rows);
        files.push((format!("{info}/RECORD"), (rows.join("\n") + "\n").into_bytes()));
        files
    }
}

/// The hash of bytes as `RECORD` spells it.
fn base64(bytes: &[u8]) -> String {
    let alphabet: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['-', '_'])
        .collect();
    let bits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:08b}")).collect();
    let digits: Vec<char> = bits.chars().collect();
    let digit = |six: &[char]| {
        let six: String = six.iter().collect();
        alphabet[usize::from_str_radix(&format!("{six:0<6}"), 2).unwrap()]
    };
    digits.chunks(6).map(digit).collect()
}
