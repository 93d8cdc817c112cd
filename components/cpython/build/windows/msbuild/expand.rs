//! References in texts: `$(Property)`, `%(Metadata)` and `@(Items)`. Functions of properties are in `function`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::function;
use super::{Item, Properties, Values};

/// What a text may refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) properties: &'a Properties,
    /// Properties that may be unset.
    pub(super) optional: &'a BTreeSet<String>,
    /// What was said before about the same item; nothing outside of one.
    pub(super) metadata: Option<&'a Values>,
    /// The items until here.
    pub(super) items: &'a [Item],
    /// The folder of the project's file.
    pub(super) folder: &'a Path,
}

impl Scope<'_> {
    /// The text with every reference replaced by what it refers to.
    ///
    /// # Errors
    /// If it refers to what there is not, or in a way that is not known.
    pub(super) fn expand(&self, text: &str) -> Result<String> {
        let mut out = String::new();
        let mut at = 0;
        while let Some(length) = text[at..].find(['$', '%', '@']) {
            let start = at + length;
            out.push_str(&text[at..start]);
            let rest = &text[start..];
            if !rest[1..].starts_with('(') {
                ensure!(!is_escape(rest), "escapes are not known here: `{}`", &rest[..3]);
                out.push_str(&rest[..1]);
                at = start + 1;
                continue;
            }
            let end = closing(text, start + 2)?;
            let inner = &text[start + 2..end];
            match &rest[..1] {
                "$" => out.push_str(&self.property(inner).with_context(|| format!("`$({inner})`"))?),
                "%" => out.push_str(self.metadata(inner)?),
                _ => bail!("`@({inner})` stands where no list is known here"),
            }
            at = end + 1;
        }
        out.push_str(&text[at..]);
        Ok(out)
    }

    /// The items that an `Include` names: lists of other items, and names with semicolons between.
    ///
    /// # Errors
    /// As [`Scope::expand`].
    pub(super) fn list(&self, text: &str) -> Result<Vec<String>> {
        let mut all = Vec::new();
        for part in split(text, ';') {
            match part.strip_prefix("@(").and_then(|rest| rest.strip_suffix(')')) {
                Some(inner) => all.extend(self.transformed(inner)?),
                None => all.extend(split(&self.expand(part)?, ';').into_iter().map(str::to_owned)),
            }
        }
        all.retain(|name| !name.is_empty());
        Ok(all)
    }

    /// `Kind` or `Kind->'text with %(Identity)'`.
    fn transformed(&self, inner: &str) -> Result<Vec<String>> {
        let (kind, form) = match inner.split_once("->") {
            Some((kind, form)) => {
                let form = form.trim();
                let quoted = form.strip_prefix('\'').and_then(|form| form.strip_suffix('\''));
                (
                    kind.trim(),
                    quoted.with_context(|| format!("`{form}` is no form of items that is known here"))?,
                )
            }
            None => (inner.trim(), "%(Identity)"),
        };
        let items = self.items.iter().filter(|item| item.kind == kind);
        items
            .map(|item| {
                let named = form.replace("%(Identity)", &item.include);
                ensure!(!named.contains("%("), "`{form}` uses more than the items' names");
                self.expand(&named)
            })
            .collect()
    }

    fn metadata(&self, name: &str) -> Result<&str> {
        let values = self
            .metadata
            .with_context(|| format!("`%({name})` stands outside of an item"))?;
        // A value that nobody said anything of is empty: every list ends in what was there before.
        Ok(values.get(name).map_or("", String::as_str))
    }

    /// The value of what stands in `$(…)`.
    fn property(&self, inner: &str) -> Result<String> {
        let inner = inner.trim();
        // This machine has no registry, as a Windows without the SDK has none of the keys that upstream asks for.
        if inner
            .get(..9)
            .is_some_and(|head| head.eq_ignore_ascii_case("registry:"))
        {
            return Ok(String::new());
        }
        if inner.starts_with('[') {
            return function::of_type(inner, self);
        }
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let end = inner.find(|character| !is_name(character)).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        let value = match self.properties.get(name) {
            Some(value) => value,
            None if self.optional.contains(&name.to_ascii_lowercase()) => "",
            None => bail!("property `{name}` is set nowhere"),
        };
        function::of_value(value, rest, self)
    }
}

/// `%0D` and the like.
fn is_escape(text: &str) -> bool {
    let digits = text.as_bytes().get(1..3).unwrap_or_default();
    text.starts_with('%') && digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit)
}

/// Where the parenthesis closes whose inside begins at `from`. Quotes hide what is in them.
///
/// # Errors
/// If it does not close.
pub(super) fn closing(text: &str, from: usize) -> Result<usize> {
    let mut depth = 1;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'`' | b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            return Ok(at);
        }
    }
    bail!("a parenthesis is not closed: `{text}`")
}

/// The parts of a text between separators that stand outside of parentheses and quotes, without white space around them.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quote, mut start) = (0, None, 0);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            // A double quote is a part of many definitions, where it quotes nothing.
            (None, '`' | '\'') if depth > 0 || separator == ',' => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) if character == separator && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + character.len_utf8();
            }
            (None, _) => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}
