//! One wheel in memory: what is in it, whether its list of files tells the truth, and changing it so that the list stays right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use gates::wheel::{self, Name, normal_name};
use sha2::{Digest, Sha256};

use crate::archive::{self, Limits, Member};
use crate::headers::Headers;

/// The list of files, and signatures of it, which cannot hold their own hashes.
const LIST: [&str; 3] = ["RECORD", "RECORD.jws", "RECORD.p7s"];

/// A wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The parts of its file's name.
    pub name: Name,
    file: String,
    info: String,
    members: BTreeMap<String, Member>,
}

/// One thing that the list of files says wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The member.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
}

impl Wheel {
    /// Reads a wheel.
    ///
    /// # Errors
    /// As [`Wheel::parse`], or if the file cannot be read.
    pub fn open(path: &Path) -> Result<Wheel> {
        let data = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Wheel::parse(&file, &data, &Limits::default()).with_context(|| path.display().to_string())
    }

    /// Understands the bytes of a wheel of that file name. Its list of files is not believed and not checked; see [`Wheel::faults`].
    ///
    /// # Errors
    /// If the name is not a wheel's, the archive is damaged or unsafe to unpack, or it has not the one folder of metadata that its name
    /// calls for.
    pub fn parse(file: &str, data: &[u8], limits: &Limits) -> Result<Wheel> {
        let name = parse_name(file)?;
        let members = archive::read(data, limits)?;
        let infos: BTreeSet<&str> = members
            .keys()
            .filter_map(|path| path.split_once('/'))
            .map(|(folder, _)| folder)
            .filter(|folder| folder.ends_with(".dist-info"))
            .collect();
        let infos: Vec<String> = infos.into_iter().map(str::to_owned).collect();
        let [info] = &infos[..] else {
            bail!("has not one folder `….dist-info`, wanted that of {}", name.project);
        };
        let (project, version) = info
            .trim_end_matches(".dist-info")
            .split_once('-')
            .with_context(|| format!("`{info}` has no version in its name"))?;
        ensure!(
            normal_name(project) == normal_name(&name.project) && normal_name(version) == normal_name(&name.version),
            "`{info}` is another package's, wanted {}-{}.dist-info",
            name.project,
            name.version
        );
        for needed in ["WHEEL", "METADATA"] {
            ensure!(
                members.contains_key(&format!("{info}/{needed}")),
                "has no `{info}/{needed}`"
            );
        }
        Ok(Wheel {
            name,
            file: file.to_owned(),
            info: info.clone(),
            members,
        })
    }

    /// A wheel made of members; what the formats want beside `METADATA` is added: `WHEEL`.
    ///
    /// # Errors
    /// If the name is not a wheel's.
    pub(crate) fn made(file: &str, metadata: &Headers, is_pure: bool) -> Result<Wheel> {
        let name = parse_name(file)?;
        let info = format!("{}-{}.dist-info", name.project, name.version);
        let mut wheel = Wheel {
            file: file.to_owned(),
            info,
            members: BTreeMap::new(),
            name,
        };
        let mut own = Headers::default();
        own.add("Wheel-Version", "1.0")
            .add("Generator", concat!("windlass ", env!("CARGO_PKG_VERSION")))
            .add("Root-Is-Purelib", is_pure.to_string());
        for tag in wheel.name.tags() {
            own.add("Tag", tag);
        }
        let texts = [("WHEEL", own.to_text()), ("METADATA", metadata.to_text())];
        for (name, text) in texts {
            let path = format!("{}/{name}", wheel.info);
            wheel.members.insert(path, Member::plain(text));
        }
        Ok(wheel)
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The folder of metadata.
    pub fn info(&self) -> &str {
        &self.info
    }

    /// Every member by its path, the list of files too if there is one.
    pub fn members(&self) -> &BTreeMap<String, Member> {
        &self.members
    }

    /// One member.
    pub fn get(&self, path: &str) -> Option<&Member> {
        self.members.get(path)
    }

    /// Adds a member.
    ///
    /// # Errors
    /// If there is one of that path, or the path is not a plain one.
    pub fn add(&mut self, path: &str, member: Member) -> Result<()> {
        archive::check_path(path)?;
        self.not_the_list(path)?;
        ensure!(!self.members.contains_key(path), "{}: has `{path}` already", self.file);
        self.members.insert(path.to_owned(), member);
        Ok(())
    }

    /// Puts a member in the place of another.
    ///
    /// # Errors
    /// If there is none of that path.
    pub fn replace(&mut self, path: &str, member: Member) -> Result<Member> {
        self.not_the_list(path)?;
        match self.members.get_mut(path) {
            Some(old) => Ok(std::mem::replace(old, member)),
            None => bail!("{}: has no `{path}` that could be replaced", self.file),
        }
    }

    /// Takes a member out.
    ///
    /// # Errors
    /// If there is none of that path.
    pub fn remove(&mut self, path: &str) -> Result<Member> {
        self.not_the_list(path)?;
        match self.members.remove(path) {
            Some(old) => Ok(old),
            None => bail!("{}: has no `{path}` that could be removed", self.file),
        }
    }

    fn not_the_list(&self, path: &str) -> Result<()> {
        ensure!(
            !self.is_list(path),
            "{}: `{path}` is written with the wheel and not by hand",
            self.file
        );
        Ok(())
    }

    /// `METADATA`.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn metadata(&self) -> Result<Headers> {
        self.headers("METADATA")
    }

    /// `WHEEL`.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn wheel(&self) -> Result<Headers> {
        self.headers("WHEEL")
    }

    fn headers(&self, name: &str) -> Result<Headers> {
        let path = format!("{}/{name}", self.info);
        let member = self.members.get(&path).with_context(|| format!("has no `{path}`"))?;
        Headers::parse(&member.bytes).with_context(|| format!("{}: `{path}`", self.file))
    }

    /// Changes `METADATA`.
    ///
    /// # Errors
    /// If it would name another package than the file does.
    pub fn set_metadata(&mut self, metadata: &Headers) -> Result<()> {
        let found = metadata.first("Name").unwrap_or_default();
        ensure!(
            normal_name(found) == normal_name(&self.name.project),
            "{}: METADATA of `{found}` is another package's",
            self.file
        );
        let path = format!("{}/METADATA", self.info);
        self.members.insert(path, Member::plain(metadata.to_text()));
        Ok(())
    }

    /// Gives the wheel another tag, in its name and in `WHEEL`.
    ///
    /// # Errors
    /// If the tag has not three parts, or `WHEEL` cannot be understood.
    pub fn retag(&mut self, tag: &str) -> Result<()> {
        ensure!(
            tag.split('-').count() == 3,
            "`{tag}` is no tag, wanted one like cp313-cp313-win_arm64"
        );
        let build = self.build();
        let file = format!("{}-{}{build}-{tag}.whl", self.name.project, self.name.version);
        let mut headers = self.wheel()?;
        self.name = parse_name(&file)?;
        self.file = file;
        headers.set("Tag", self.name.tags());
        let path = format!("{}/WHEEL", self.info);
        self.members.insert(path, Member::plain(headers.to_text()));
        Ok(())
    }

    /// The number for builds of one version, with the `-` before it.
    fn build(&self) -> String {
        let parts: Vec<&str> = self.file.split('-').collect();
        match parts[..] {
            [_, _, build, _, _, _] => format!("-{build}"),
            _ => String::new(),
        }
    }

    /// The texts of licences, by their paths in the wheel.
    pub fn licences(&self) -> impl Iterator<Item = (&str, &Member)> {
        let is_licence = |path: &str| {
            let Some(rest) = path.strip_prefix(&self.info) else {
                return false;
            };
            let name = rest.trim_start_matches('/').to_ascii_uppercase();
            // Before the folder had its place in the format, tools put them beside METADATA.
            name.starts_with("LICENSES/")
                || ["LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS"]
                    .iter()
                    .any(|known| name.starts_with(known))
        };
        let members = self.members.iter();
        members
            .map(|(path, member)| (path.as_str(), member))
            .filter(move |(path, _)| is_licence(path))
    }

    /// The same, and `more` that lie elsewhere in the wheel, by the names under which they are shipped.
    ///
    /// # Errors
    /// If one of `more` is not there.
    pub fn licence_texts(&self, more: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
        let info = format!("{}/", self.info);
        let own = self.licences().map(|(path, member)| {
            let name = path.strip_prefix(&info).unwrap_or(path);
            (name.trim_start_matches("licenses/").to_owned(), member.bytes.clone())
        });
        let mut texts: Vec<_> = own.collect();
        for path in more {
            match self.members.get(path) {
                Some(member) => texts.push((path.clone(), member.bytes.clone())),
                None => bail!(
                    "{}: has no `{path}`, which is said to be a text of its licence",
                    self.file
                ),
            }
        }
        Ok(texts)
    }

    /// What the list of files says wrongly; empty if it can be believed.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut put = |path: &str, what: String| {
            faults.push(Fault {
                path: path.to_owned(),
                what,
            });
        };
        let list = format!("{}/RECORD", self.info);
        let Some(text) = self.members.get(&list) else {
            put(&list, "is not there".into());
            return faults;
        };
        let Ok(text) = std::str::from_utf8(&text.bytes) else {
            put(&list, "is not UTF-8".into());
            return faults;
        };
        let mut listed = BTreeSet::new();
        for row in wheel::record(text) {
            if !listed.insert(row.path.clone()) {
                put(&row.path, "stands twice in RECORD".into());
            }
            match self.members.get(&row.path) {
                _ if self.is_list(&row.path) || row.path.ends_with('/') => {}
                None => put(&row.path, "is in RECORD and not in the wheel".into()),
                Some(member) => {
                    let hash = hash(&member.bytes);
                    if row.hash.trim_end_matches('=') != hash {
                        put(&row.path, format!("has the hash {hash}, and `{}` in RECORD", row.hash));
                    }
                    if !row.size.is_empty() && row.size.parse() != Ok(member.bytes.len()) {
                        let length = member.bytes.len();
                        put(&row.path, format!("is {length} bytes long, and {} in RECORD", row.size));
                    }
                }
            }
        }
        for path in self.members.keys() {
            if !listed.contains(path) && !self.is_list(path) {
                put(path, "is not in RECORD".into());
            }
        }
        faults
    }

    fn is_list(&self, path: &str) -> bool {
        let name = path.strip_prefix(&self.info).and_then(|rest| rest.strip_prefix('/'));
        name.is_some_and(|name| LIST.contains(&name))
    }

    /// The bytes of the wheel: sorted, the metadata after the rest and a list of files that is right at the end. Signatures of an
    /// older list are left out.
    ///
    /// # Errors
    /// If a path is not a plain one.
    pub fn write(&self) -> Result<Vec<u8>> {
        let is_info = |path: &String| path.starts_with(&format!("{}/", self.info));
        let members: Vec<_> = self.members.iter().filter(|(path, _)| !self.is_list(path)).collect();
        let (info, rest): (Vec<_>, Vec<_>) = members.into_iter().partition(|(path, _)| is_info(path));
        let list = format!("{}/RECORD", self.info);
        let rows = rest.iter().chain(&info).map(|(path, member)| {
            let (hash, length) = (hash(&member.bytes), member.bytes.len());
            format!("{},{hash},{length}\n", quoted(path))
        });
        let text: String = rows.chain([format!("{},,\n", quoted(&list))]).collect();
        let list_member = Member::plain(text);
        let all = rest
            .into_iter()
            .chain(info)
            .map(|(path, member)| (path.as_str(), member));
        archive::write(all.chain([(list.as_str(), &list_member)])).with_context(|| self.file.clone())
    }
}

fn parse_name(file: &str) -> Result<Name> {
    Name::parse(file)
        .with_context(|| format!("`{file}` is no wheel's name, wanted project-version-python-abi-platform.whl"))
}

fn hash(bytes: &[u8]) -> String {
    wheel::hash(&Sha256::digest(bytes).into())
}

/// A field of the list as comma-separated values spell it.
fn quoted(path: &str) -> String {
    match path.contains([',', '"', '\n']) {
        true => format!("\"{}\"", path.replace('"', "\"\"")),
        false => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a_b-1.0-cp313-cp313-win_arm64.whl";

    fn made() -> Wheel {
        let mut metadata = Headers::default();
        metadata
            .add("Metadata-Version", "2.4")
            .add("Name", "A.b")
            .add("Version", "1.0");
        let mut wheel = Wheel::made(FILE, &metadata, false).unwrap();
        wheel.add("a_b/x,y.py", Member::plain("1")).unwrap();
        wheel.add("a_b/m.cp313-win_arm64.pyd", Member::plain("MZ")).unwrap();
        wheel
    }

    fn again(wheel: &Wheel) -> Wheel {
        Wheel::parse(wheel.file(), &wheel.write().unwrap(), &Limits::default()).unwrap()
    }

    #[test]
    fn the_list_of_files_stays_right_through_changes() {
        let mut wheel = again(&made());
        assert_eq!(wheel.faults(), []);
        wheel.replace("a_b/x,y.py", Member::plain("22")).unwrap();
        assert_eq!(wheel.faults().len(), 2, "hash and length: {:?}", wheel.faults());
        wheel.remove("a_b/m.cp313-win_arm64.pyd").unwrap();
        wheel.add("a_b/n.py", Member::plain("3")).unwrap();
        let paths: Vec<String> = wheel.faults().into_iter().map(|fault| fault.path).collect();
        assert!(paths.contains(&"a_b/n.py".to_owned()) && paths.contains(&"a_b/m.cp313-win_arm64.pyd".to_owned()));
        assert_eq!(again(&wheel).faults(), []);
        assert!(wheel.add("a_b/n.py", Member::plain("")).is_err());
        assert!(wheel.replace("a_b/gone.py", Member::plain("")).is_err());
        assert!(wheel.remove("a_b-1.0.dist-info/RECORD").is_err());
        assert!(wheel.add("../x", Member::plain("")).is_err());
    }

    #[test]
    fn the_list_is_the_last_member_and_the_bytes_are_always_the_same() {
        let bytes = made().write().unwrap();
        assert_eq!(bytes, again(&made()).write().unwrap());
        let archive = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
        let names: Vec<&str> = archive.file_names().collect();
        assert_eq!(names.last().unwrap(), &"a_b-1.0.dist-info/RECORD");
        assert_eq!(names[0], "a_b/m.cp313-win_arm64.pyd");
    }

    #[test]
    fn a_wheel_is_retagged_in_its_name_and_in_what_it_says() {
        let mut wheel = made();
        wheel.retag("cp312-abi3-win_arm64").unwrap();
        assert_eq!(wheel.file(), "a_b-1.0-cp312-abi3-win_arm64.whl");
        let headers = again(&wheel).wheel().unwrap();
        assert_eq!(headers.all("Tag").collect::<Vec<_>>(), ["cp312-abi3-win_arm64"]);
        assert!(wheel.retag("win_arm64").is_err());
    }

    #[test]
    fn what_is_no_wheel_is_named() {
        let why = |file: &str, bytes: &[u8]| Wheel::parse(file, bytes, &Limits::default()).unwrap_err().to_string();
        let bytes = made().write().unwrap();
        assert!(why("a.zip", &bytes).contains("is no wheel's name"));
        assert_eq!(
            why("c-1.0-py3-none-any.whl", &bytes),
            "`a_b-1.0.dist-info` is another package's, wanted c-1.0.dist-info"
        );
        assert!(why(FILE, b"junk").contains("is no zip archive"));
        let mut other = made();
        other.add("z-1.dist-info/x", Member::plain("")).unwrap();
        assert!(why(FILE, &other.write().unwrap()).contains("has not one folder"));
    }

    #[test]
    fn a_list_that_lies_is_found_out() {
        let mut wheel = again(&made());
        let list = "a_b-1.0.dist-info/RECORD".to_owned();
        let text = String::from_utf8(wheel.members[&list].bytes.clone()).unwrap();
        let lie = |wheel: &mut Wheel, text: &[u8]| drop(wheel.members.insert(list.clone(), Member::plain(text)));
        lie(&mut wheel, &[text.as_bytes(), b"a_b/gone.py,sha256=x,1\n"].concat());
        assert_eq!(wheel.faults()[0].what, "is in RECORD and not in the wheel");
        lie(&mut wheel, &[text.as_bytes(), text.as_bytes()].concat());
        assert!(
            wheel
                .faults()
                .iter()
                .all(|fault| fault.what == "stands twice in RECORD")
        );
        lie(&mut wheel, b"\xff");
        assert_eq!(wheel.faults()[0].what, "is not UTF-8");
        wheel.members.remove(&list);
        assert_eq!(wheel.faults()[0].what, "is not there");
    }
}
