//! Host tools that wrappers of the toolchain call by `$WINDLASS_TOOL tool NAME …`: what the pinned compiler package lacks and a
//! build cannot do without. They do what builds ask of them, not what the originals can.

mod mt;
mod nm;

/// Runs a tool and returns its exit code.
pub(crate) fn run(name: &str, arguments: &[&str]) -> i32 {
    let result = match name {
        "nm" => nm::run(arguments, &mut std::io::stdout().lock()).map(|()| 0),
        "mt" => mt::run(arguments),
        _ => Err(anyhow::anyhow!("there is no such tool, wanted `nm` or `mt`")),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {name}: {error:#}");
            1
        }
    }
}
