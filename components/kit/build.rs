//! Hashes the sources that decide what a recipe's run produces, so that a change of the kit is a change of every prefix.

use std::error::Error;
use std::path::Path;

use store::{DigestWriter, tree};

fn main() -> Result<(), Box<dyn Error>> {
    let mut writer = DigestWriter::new("kit sources");
    for folder in ["src", "store/src"] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in tree::list(Path::new(folder))? {
            // Tests decide nothing.
            let source = entry.path.ends_with(".rs") && !entry.path.ends_with("tests.rs");
            if entry.kind != tree::Kind::Folder && source {
                writer.file(&entry.path, &Path::new(folder).join(&entry.path))?;
            }
        }
    }
    println!("cargo::rustc-env=KIT_SOURCES={}", writer.finish());
    Ok(())
}
