//! How an error reaches the user: one chain after `error:`, then each remedy on a line of its own after `hint:`.
//! Whoever makes the error puts `hint: COMMAND` lines at the end of its text; nothing else is known here.

/// The text of one failed verb, without a final line break.
pub fn report(error: &anyhow::Error) -> String {
    let whole = format!("{error:#}");
    let mut causes = Vec::new();
    let mut hints: Vec<&str> = Vec::new();
    for line in whole.lines() {
        match line.strip_prefix("hint: ") {
            Some(hint) if !hints.contains(&hint) => hints.push(hint),
            Some(_) => {}
            None => causes.push(line),
        }
    }
    let mut text = format!("error: {}", causes.join("\n").trim());
    for hint in hints {
        text += &format!("\nhint: {hint}");
    }
    text
}

/// The name among `known` that somebody who typed `name` most likely meant.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn hints_stand_on_lines_of_their_own_after_the_chain_and_once() {
        let error = Err::<(), _>(anyhow!("disk is full\n\nhint: free space\nhint: free space"))
            .context("a.tar")
            .unwrap_err();
        assert_eq!(report(&error), "error: a.tar: disk is full\nhint: free space");
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour_and_nonsense_none() {
        assert_eq!(did_you_mean("ffmpg", ["opencv", "ffmpeg"]), Some("ffmpeg"));
        assert_eq!(did_you_mean("qqq", ["opencv", "ffmpeg"]), None);
    }
}
