//! Reports in the formats that other tools read: SARIF 2.1.0 for reviews of code, JUnit for test services.

use serde_json::{Value, json};

use super::Report;
use crate::policy::Severity;
use crate::rules::RULES;

/// The report as SARIF: one result for each group, with a location for each witness.
pub fn sarif(report: &Report) -> String {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| json!({"id": rule.id, "shortDescription": {"text": rule.why}}))
        .collect();
    let results: Vec<Value> = report
        .groups()
        .iter()
        .map(|group| {
            let locations: Vec<Value> = group
                .witnesses
                .iter()
                .map(|witness| {
                    json!({
                        "physicalLocation": {"artifactLocation": {"uri": uri(witness.path)}},
                        "message": {"text": witness.found},
                    })
                })
                .collect();
            let what = match group.cause {
                "" => group.witnesses[0].found,
                cause => cause,
            };
            json!({
                "ruleId": group.rule,
                "level": match group.severity { Severity::Error => "error", _ => "warning" },
                "message": {"text": format!("{what}, wanted {}", group.wanted)},
                "locations": locations,
            })
        })
        .collect();
    let whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "windlass-gates", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    });
    format!("{whole:#}\n")
}

/// The report as JUnit: one test for each rule; it fails with the groups of that rule.
pub fn junit(report: &Report) -> String {
    let groups = report.groups();
    let mut cases = String::new();
    let mut failures = 0;
    for rule in RULES {
        let own: Vec<String> = groups
            .iter()
            .filter(|group| group.rule == rule.id)
            .map(ToString::to_string)
            .collect();
        let is_warning = report.severity(rule.id) == Severity::Warning;
        let name = escape(rule.id);
        let body = match own.is_empty() {
            true => String::new(),
            false if is_warning => format!("<system-out>{}</system-out>", escape(&own.concat())),
            false => {
                failures += 1;
                let message = format!("{} findings", own.len());
                format!("<failure message=\"{message}\">{}</failure>", escape(&own.concat()))
            }
        };
        cases += &format!("  <testcase classname=\"gates\" name=\"{name}\">{body}</testcase>\n");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gates\" tests=\"{}\" failures=\"{failures}\">\n{cases}</testsuite>\n",
        RULES.len()
    )
}

/// A path as a relative reference: what RFC 3986 reserves, and a colon in the first part, would be read otherwise.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => uri.push(byte as char),
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}

/// Text for XML; characters that XML 1.0 has not become the replacement sign.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(letter),
            control if control < ' ' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, report::Counts};

    fn report() -> Report {
        let finding = |path: &str, cause: &str| Finding {
            rule: "imports-closed",
            cause: cause.to_owned(),
            path: path.to_owned(),
            owner: String::new(),
            found: "needs <x>".to_owned(),
            wanted: "a DLL".to_owned(),
            hint: String::new(),
        };
        Report {
            findings: vec![finding("a:b c", "`x` is missing"), finding("b", "`x` is missing")],
            counts: Counts {
                images: 2,
                ..Counts::default()
            },
            ..Report::default()
        }
    }

    #[test]
    fn one_cause_is_one_result_with_a_location_for_each_witness() {
        let whole: Value = serde_json::from_str(&sarif(&report())).unwrap();
        let results = whole["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["message"]["text"], "`x` is missing, wanted a DLL");
        let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "a%3Ab%20c");
        assert_eq!(results[0]["locations"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn the_rule_with_findings_is_the_failed_test() {
        let text = junit(&report());
        assert!(text.contains(&format!("tests=\"{}\" failures=\"1\"", RULES.len())));
        assert!(text.contains("name=\"imports-closed\"><failure message=\"1 findings\">error: `x` is missing"));
        assert!(text.contains("needs &lt;x&gt;") && text.contains("name=\"machine\"></testcase>"));
    }
}
