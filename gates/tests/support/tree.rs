//! A bundle made of readable code, with a bit of everything and nothing wrong.

use std::collections::BTreeMap;

use gates::manifest::{self, Component, Kind, Manifest, Promise, Provider, Role};
use gates::{Policy, Report, judge};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::{ARM64, Elf, Image, archive, coff, short_import};

/// The target of most fixtures.
pub const TARGET: &str = "aarch64-pc-windows-msvc";

/// The target of the others.
pub const LINUX: &str = "aarch64-unknown-linux-gnu";

/// A bundle to be written and then judged.
pub struct Tree {
    pub target: &'static str,
    pub files: BTreeMap<String, (Kind, Vec<u8>)>,
    pub component: Component,
    /// What is changed after the manifest has been written.
    pub afterwards: BTreeMap<String, Option<Vec<u8>>>,
    /// Links that the manifest lists.
    pub listed: BTreeMap<String, String>,
    /// Links as they are made; those that are listed, unless changed.
    pub links: BTreeMap<String, String>,
}

impl Tree {
    /// A bundle that has a bit of everything, and nothing wrong.
    pub fn good() -> Tree {
        let mut tree = Tree::empty(TARGET);
        let mut program = Image::program(&[
            ("helper.dll", &["answer", "2", "heap"]),
            ("KERNEL32.dll", &["ExitProcess"]),
            ("api-ms-win-crt-runtime-l1-1-0.dll", &["_initterm"]),
        ]);
        program.delayed = vec![("USER32.dll", &["MessageBoxW"])];
        program.pdb = Some("app.pdb");
        tree.promise("bin/app.exe", Kind::Program, program.write());
        tree.promise("bin/helper.dll", Kind::Library, helper().write());
        let members = [
            ("helper.dll", short_import(ARM64, "helper.dll", "answer")),
            ("head.obj", coff(ARM64)),
        ];
        tree.promise("lib/helper.lib", Kind::ImportLibrary, archive(&members));
        tree.promise(
            "lib/parts.lib",
            Kind::StaticLibrary,
            archive(&[("part.obj", coff(ARM64))]),
        );
        let module = "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\n\nName: helper\nDescription: /slash/ in prose\nVersion: 1.2\nLibs: -L${libdir} -lhelper\n";
        tree.promise("lib/pkgconfig/helper.pc", Kind::PkgConfig, module.into());
        tree.promise("include/helper.h", Kind::Header, b"int answer(void);\n".to_vec());
        tree.add(
            "licences/helper/LICENSE",
            Kind::Licence,
            b"Do what you like.\n".to_vec(),
        );
        tree
    }

    /// A bundle for Linux that has a program and a library, and nothing wrong.
    pub fn linux() -> Tree {
        let mut tree = Tree::empty(LINUX);
        tree.promise(
            "bin/app",
            Kind::Program,
            Elf::program(&["libhelper.so.1", "libc.so.6"]).write(),
        );
        tree.promise(
            "lib/libhelper.so.1",
            Kind::Library,
            Elf::library("libhelper.so.1").write(),
        );
        tree.link("lib/libhelper.so", "libhelper.so.1");
        tree.add(
            "licences/helper/LICENSE",
            Kind::Licence,
            b"Do what you like.\n".to_vec(),
        );
        tree
    }

    fn empty(target: &'static str) -> Tree {
        Tree {
            target,
            files: BTreeMap::new(),
            component: component(),
            afterwards: BTreeMap::new(),
            listed: BTreeMap::new(),
            links: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, path: &str, kind: Kind, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), (kind, bytes));
    }

    pub fn promise(&mut self, path: &str, kind: Kind, bytes: Vec<u8>) {
        let path_of_promise = path.to_owned();
        self.component.ships.push(Promise {
            kind,
            path: path_of_promise,
        });
        self.add(path, kind, bytes);
    }

    /// Adds a link that the manifest lists.
    pub fn link(&mut self, path: &str, to: &str) {
        self.listed.insert(path.to_owned(), to.to_owned());
        self.links.insert(path.to_owned(), to.to_owned());
    }

    pub fn replace(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.get_mut(path).unwrap().1 = bytes.into();
    }

    pub fn manifest(&self) -> Manifest {
        let file = |(path, (kind, bytes)): (&String, &(Kind, Vec<u8>))| manifest::File {
            path: path.clone(),
            size: bytes.len() as u64,
            sha256: sha256(bytes),
            kind: *kind,
            owner: "helper".to_owned(),
        };
        let link = |(path, to): (&String, &String)| manifest::Link {
            path: path.clone(),
            to: to.clone(),
            owner: "helper".to_owned(),
        };
        Manifest {
            schema: manifest::SCHEMA,
            target: self.target.to_owned(),
            provider: Provider::Open,
            components: vec![self.component.clone()],
            files: self.files.iter().map(file).collect(),
            links: self.listed.iter().map(link).collect(),
            absences: Vec::new(),
            tools: Vec::new(),
        }
    }

    pub fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        for (path, (_, bytes)) in &self.files {
            put(path, bytes);
        }
        put(manifest::FILE, self.manifest().to_json().as_bytes());
        for (path, bytes) in &self.afterwards {
            match bytes {
                Some(bytes) => put(path, bytes),
                None => std::fs::remove_file(folder.path().join(path)).unwrap(),
            }
        }
        for (path, to) in &self.links {
            std::os::unix::fs::symlink(to, folder.path().join(path)).unwrap();
        }
        folder
    }
}

/// The judgement over a bundle.
pub fn judge_tree(tree: &Tree) -> Report {
    judge(tree.write().path(), &Policy::standard())
}

/// `path: found, wanted …` of every finding of a rule.
pub fn lines(report: &Report, rule: &str) -> Vec<String> {
    let line = |finding: &&gates::Finding| format!("{}: {}, wanted {}", finding.path, finding.found, finding.wanted);
    report.of(rule).iter().map(line).collect()
}

/// The DLL of the good bundle.
pub fn helper() -> Image {
    Image::dll(&[("answer", None), ("second", None), ("heap", Some("KERNEL32.HeapAlloc"))])
}

fn component() -> Component {
    Component {
        name: "helper".into(),
        version: "1.2".into(),
        license: "MIT".into(),
        variant: None,
        published: false,
        homepage: None,
        digest: "ab".repeat(32),
        roles: vec![Role::Target],
        sources: Vec::new(),
        ships: Vec::new(),
        licence_files: vec!["licences/helper/LICENSE".into()],
        needs: Vec::new(),
        loads: Vec::new(),
        simd: Vec::new(),
        absences: Vec::new(),
        exceptions: Vec::new(),
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
