//! The format of `METADATA` and `WHEEL`: headers of e-mail in their order, and a text below. Who only asks for a field reads it with
//! [`gates::wheel::Fields`]; this is for writing and for changing what is there.

use anyhow::{Result, anyhow};
use gates::wheel::Fields;

/// Headers and a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    rows: Vec<(String, String)>,
    /// What stands below the headers: a package's description.
    pub body: String,
}

impl Headers {
    /// Understands a file's bytes.
    ///
    /// # Errors
    /// If they are not UTF-8, or a line above the text is no header.
    pub fn parse(bytes: &[u8]) -> Result<Headers> {
        let text = std::str::from_utf8(bytes)
            .map_err(|why| anyhow!("is not UTF-8 from byte {} on, wanted UTF-8", why.valid_up_to()))?;
        let text = text.replace("\r\n", "\n");
        let (head, body) = match text.split_once("\n\n") {
            Some((head, body)) => (head, body),
            None => (text.as_str(), ""),
        };
        let mut rows: Vec<(String, String)> = Vec::new();
        for (at, line) in head.lines().enumerate() {
            match (line.strip_prefix([' ', '\t']), line.split_once(':'), rows.last_mut()) {
                (Some(rest), _, Some((_, value))) => {
                    value.push('\n');
                    // The old way to keep the indentation of a text is a bar before each line.
                    value.push_str(rest.trim_start().strip_prefix('|').unwrap_or(rest.trim_start()));
                }
                (None, Some((key, value)), _) => rows.push((key.trim().to_owned(), value.trim().to_owned())),
                _ => return Err(anyhow!("line {} is `{line}`, wanted `Field: value`", at + 1)),
            }
        }
        Ok(Headers {
            rows,
            body: body.to_owned(),
        })
    }

    /// The first value of a field.
    pub fn first(&self, key: &str) -> Option<&str> {
        let mut rows = self.rows.iter();
        let row = rows.find(|(name, _)| name.eq_ignore_ascii_case(key));
        row.map(|(_, value)| value.as_str())
    }

    /// Every value of a field, in their order.
    pub fn all<'a, 'k>(&'a self, key: &'k str) -> impl Iterator<Item = &'a str> + use<'a, 'k> {
        self.rows
            .iter()
            .filter(move |(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.as_str())
    }

    /// Adds a field behind the others.
    pub fn add(&mut self, key: &str, value: impl Into<String>) -> &mut Headers {
        self.rows.push((key.to_owned(), value.into()));
        self
    }

    /// Puts values in the place of all that a field had; without one the field goes.
    pub fn set(&mut self, key: &str, values: impl IntoIterator<Item = String>) -> &mut Headers {
        let is_it = |(name, _): &(String, String)| name.eq_ignore_ascii_case(key);
        let at = self.rows.iter().position(is_it).unwrap_or(self.rows.len());
        let before = self.rows[..at].to_vec();
        let after: Vec<_> = self.rows[at..].iter().filter(|row| !is_it(row)).cloned().collect();
        let own = values.into_iter().map(|value| (key.to_owned(), value));
        self.rows = before.into_iter().chain(own).chain(after).collect();
        self
    }

    /// The same as the judge reads it.
    pub fn fields(&self) -> Fields {
        Fields::parse(&self.to_text())
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let rows = self.rows.iter();
        let mut text: String = rows
            .map(|(key, value)| format!("{key}: {}\n", value.replace('\n', "\n        ")))
            .collect();
        if !self.body.is_empty() {
            text.push('\n');
            text.push_str(&self.body);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_their_order_and_can_be_changed() {
        let mut headers =
            Headers::parse(b"A: 1\r\nTag: x\r\nB: 2\r\nTag: y\r\nL: one\r\n  |  two\r\n\r\nbody\r\n").unwrap();
        assert_eq!(headers.all("tag").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(headers.first("l"), Some("one\n  two"));
        headers.set("Tag", ["z".to_owned()]);
        assert_eq!(headers.to_text(), "A: 1\nTag: z\nB: 2\nL: one\n          two\n\nbody\n");
        assert_eq!(headers.fields().first("b"), Some("2"));
        headers.set("Tag", []);
        assert_eq!(headers.first("Tag"), None);
    }

    #[test]
    fn what_is_no_header_is_named() {
        let why = |bytes: &[u8]| Headers::parse(bytes).unwrap_err().to_string();
        assert_eq!(why(b"A: 1\nnonsense\n"), "line 2 is `nonsense`, wanted `Field: value`");
        assert_eq!(why(b"A: \xff\n"), "is not UTF-8 from byte 3 on, wanted UTF-8");
    }
}
