//! The table for people: how many of each group every target has, then each difference with its reason. As Markdown, and as one page
//! of HTML without anything from elsewhere.

use gates::parity::{Difference, Table};

/// Groups whose names are few enough to be shown themselves.
const SHOWN_GROUPS: [&str; 1] = ["components"];

/// Rows of a text: the head first.
fn counts(table: &Table) -> Vec<Vec<String>> {
    let mut head = vec![String::new()];
    head.extend(table.targets.iter().cloned());
    let mut rows = vec![head];
    for (group, names) in &table.groups {
        let mut row = vec![group.clone()];
        for place in 0..table.targets.len() {
            let own = names.iter().filter(|(_, places)| places.contains(&place));
            row.push(
                match SHOWN_GROUPS.contains(&group.as_str()) || group.ends_with(" simd") {
                    true => own.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
                    false => table.count(group, place).to_string(),
                },
            );
        }
        rows.push(row);
    }
    rows
}

fn differences(table: &Table) -> Vec<Vec<String>> {
    let mut rows = vec![
        ["what", "which", "is not in", "and is in", "because"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(table.differences.iter().map(|difference| {
        let Difference {
            group,
            name,
            lacks,
            has,
            ..
        } = difference;
        let reason = difference.reason.clone().unwrap_or_else(|| "UNDECLARED".to_owned());
        vec![group.clone(), name.clone(), lacks.clone(), has.join(", "), reason]
    }));
    rows
}

fn summary(table: &Table) -> String {
    format!(
        "{} differences, {} of them undeclared.",
        table.differences.len(),
        table.undeclared().count()
    )
}

/// The table as Markdown.
pub fn markdown(table: &Table) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let draw = |rows: &[Vec<String>]| {
        let mut text = String::new();
        for (place, row) in rows.iter().enumerate() {
            text += &line(row);
            if place == 0 {
                text += &format!("|{}\n", "---|".repeat(row.len()));
            }
        }
        text
    };
    let mut text = format!(
        "# Parity\n\nWhat the bundles offer, by their contents.\n\n{}",
        draw(&counts(table))
    );
    text += &format!("\n## Differences\n\n{}\n", summary(table));
    if !table.differences.is_empty() {
        text += &format!("\n{}", draw(&differences(table)));
    }
    text
}

/// The table as a page.
pub fn html(table: &Table) -> String {
    let draw = |rows: &[Vec<String>]| {
        let mut text = "<table>\n".to_owned();
        for (place, row) in rows.iter().enumerate() {
            let tag = if place == 0 { "th" } else { "td" };
            let cells: String = row
                .iter()
                .map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)))
                .collect();
            text += &format!("<tr>{cells}</tr>\n");
        }
        text + "</table>\n"
    };
    let mut body = format!(
        "<h1>Parity</h1>\n<p>What the bundles offer, by their contents.</p>\n{}",
        draw(&counts(table))
    );
    body += &format!("<h2>Differences</h2>\n<p>{}</p>\n", summary(table));
    if !table.differences.is_empty() {
        body += &draw(&differences(table));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Parity</title>\n<style>\n\
         body {{ font-family: sans-serif }} table {{ border-collapse: collapse }}\n\
         td, th {{ border: 1px solid #999; padding: 2px 6px; text-align: left; vertical-align: top }}\n\
         </style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn table() -> Table {
        let names = |all: &[(&str, &[usize])]| {
            let all = all.iter().map(|(name, places)| ((*name).to_owned(), places.to_vec()));
            all.collect::<BTreeMap<_, _>>()
        };
        Table {
            targets: vec!["arm".into(), "x64".into()],
            groups: BTreeMap::from([
                ("components".to_owned(), names(&[("ffmpeg 9", &[0, 1])])),
                ("filters".to_owned(), names(&[("a<b", &[0]), ("c|d", &[0, 1])])),
            ]),
            differences: vec![Difference {
                group: "filters".into(),
                name: "a<b".into(),
                lacks: "x64".into(),
                has: vec!["arm".into()],
                reason: None,
            }],
            faults: vec![],
        }
    }

    #[test]
    fn people_see_counts_and_every_difference() {
        assert_eq!(
            markdown(&table()),
            "# Parity\n\nWhat the bundles offer, by their contents.\n\n\
             |  | arm | x64 |\n|---|---|---|\n| components | ffmpeg 9 | ffmpeg 9 |\n| filters | 2 | 1 |\n\n\
             ## Differences\n\n1 differences, 1 of them undeclared.\n\n\
             | what | which | is not in | and is in | because |\n|---|---|---|---|---|\n\
             | filters | a<b | x64 | arm | UNDECLARED |\n"
        );
        let page = html(&table());
        assert!(page.contains("<tr><td>filters</td><td>2</td><td>1</td></tr>"), "{page}");
        assert!(page.contains("<td>a&lt;b</td>") && !page.contains("a<b"), "{page}");
    }
}
