//! Has the gates judge a bundle and shows the report. It judges nothing itself.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::flags::{Format, Gate};
use crate::ground::Ground;
use crate::session::Session;

/// Runs the verb. Returns whether the bundle passed.
///
/// # Errors
/// If there is nothing that could be judged.
pub fn run(session: &Session, flags: &Gate) -> Result<bool> {
    let bundle: PathBuf = match (&flags.bundle, &flags.target) {
        (Some(folder), _) => folder.clone(),
        (None, Some(triple)) => {
            Ground::find(triple)?;
            session.output(triple).join("bundle")
        }
        (None, None) => bail!("neither --target nor --bundle was given"),
    };
    if !bundle.is_dir() {
        let triple = flags.target.as_deref().unwrap_or("TRIPLE");
        bail!(
            "{}: there is no bundle\n\nhint: cargo xtask bundle --target {triple}",
            bundle.display()
        );
    }
    let report = gates::judge(&bundle, &gates::Policy::standard());
    match session.common.message_format {
        Format::Human => println!("{report}"),
        Format::Json => println!("{}", report.to_json().trim_end()),
    }
    Ok(report.verdict() == gates::Verdict::Clean)
}
