//! What a component's crate knows of the installed headers: constants, read by bindgen as the target's compiler reads them.
//! That the headers can be read at all is one more check of what was staged. No types and functions are taken.

use std::path::Path;

use anyhow::{Context, Result, bail};
use store::tree;

use crate::cx::Cx;

/// Where a prefix keeps what is for our own crates and is not part of the product.
pub const OWN_FOLDER: &str = ".windlass";

/// The constants, as Rust.
const FILE: &str = "facts.rs";

/// Reads the staged headers and writes the constants into the prefix.
///
/// # Errors
/// If a header cannot be read for the target or a constant is not found.
pub(crate) fn write(cx: &Cx, prefix: &Path) -> Result<()> {
    let Some(facts) = &cx.component.facts else {
        return Ok(());
    };
    let promised = cx.component.ships.headers.iter();
    let headers: String = promised
        .chain(&facts.headers)
        .map(|header| format!("#include <{header}>\n"))
        .collect();
    let mut builder = bindgen::Builder::default()
        .header_contents("facts.h", &headers)
        .clang_args(&cx.toolset.header_arguments)
        // An intrinsic of ARM's that libclang 18 knows by another type than the compiler's own headers, which are newer. Its name
        // alone matters here, and nobody calls it.
        .clang_arg("-D__prefetch=windlass_prefetch")
        .clang_arg("-I")
        .clang_arg(prefix.join("include").display().to_string())
        .generate_cstr(true)
        .generate_comments(false)
        .layout_tests(false)
        .disable_header_comment()
        .formatter(bindgen::Formatter::Prettyplease);
    for name in &facts.names {
        builder = builder.allowlist_var(name);
    }
    let text = builder
        .generate()
        .context("the installed headers cannot be read for the target")?
        .to_string();
    let missing: Vec<&str> = facts
        .names
        .iter()
        .filter(|name| !text.contains(&format!("const {name}:")))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        bail!(
            "[facts] names what the installed headers do not define: {}",
            missing.join(", ")
        );
    }
    tree::create_dir(&prefix.join(OWN_FOLDER))?;
    tree::write_atomic(&prefix.join(OWN_FOLDER).join(FILE), text.as_bytes())
}

/// The constants of a finished prefix; empty when the component takes none.
pub(crate) fn read(prefix: &Path) -> Result<String> {
    let path = prefix.join(OWN_FOLDER).join(FILE);
    match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        text => text.with_context(|| format!("{}: cannot be read", path.display())),
    }
}

/// Hands the constants to the component's crate, which includes them.
pub(crate) fn publish(text: &str, out: &Path) -> Result<()> {
    tree::write_atomic(&out.join(FILE), text.as_bytes())
}
