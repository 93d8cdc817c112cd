//! Everything that xtask asks of a target: whether there is one of that name, and whose headers it is built against. The
//! compilers, system roots and runners themselves belong to the `toolchains` room; each component's script calls them.

use anyhow::{Result, bail};
use gates::manifest::Provider;

use crate::{environment, failure};

/// The targets of the design.
const TARGETS: [&str; 5] = [
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];

/// Refuses a triple that is no target.
///
/// # Errors
/// If it is none; the likeliest one is named.
pub fn check(triple: &str) -> Result<()> {
    if TARGETS.contains(&triple) {
        return Ok(());
    }
    match failure::did_you_mean(triple, TARGETS) {
        Some(meant) => bail!("target `{triple}`: there is none\n\nhint: did you mean `{meant}`?"),
        None => bail!("target `{triple}`: there is none, found: {}", TARGETS.join(", ")),
    }
}

/// Whose headers and import libraries a target is built against.
///
/// # Errors
/// If `WINDLASS_PROVIDER` names none.
pub fn provider(triple: &str) -> Result<Provider> {
    match environment::text("WINDLASS_PROVIDER").as_deref() {
        _ if triple.contains("-linux-") => Ok(Provider::Debian),
        None | Some("open") => Ok(Provider::Open),
        Some("xwin") => Ok(Provider::Xwin),
        Some(other) => bail!("WINDLASS_PROVIDER: wanted `open` or `xwin`, found `{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_target_names_the_likeliest() {
        assert_eq!(
            check("aarch64-windows-msvc").unwrap_err().to_string(),
            "target `aarch64-windows-msvc`: there is none\n\nhint: did you mean `aarch64-pc-windows-msvc`?"
        );
    }
}
