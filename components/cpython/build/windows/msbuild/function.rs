//! The functions of properties that upstream's files call, and no others.

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use super::expand::{Scope, closing, split};
use super::full_path;

/// What a function gives.
enum Value {
    Text(String),
    /// A match of a pattern, by its groups; without one, nothing.
    Match(Vec<String>),
    Groups(Vec<String>),
    /// The parts of a version.
    Version(Vec<u64>),
}

/// `[Type]::Member(arguments)` and what follows.
pub(super) fn of_type(text: &str, scope: &Scope) -> Result<String> {
    let (kind, rest) = text[1..].split_once("]::").context("wanted `]::`")?;
    let (member, arguments, rest) = member(rest)?;
    let arguments = evaluated(arguments.context("a function without arguments")?, scope)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let full = format!("{}::{}", kind.to_ascii_lowercase(), member.to_ascii_lowercase());
    let value = match (full.as_str(), &arguments[..]) {
        ("system.io.path::getfullpath", [path]) => {
            let slash = if path.ends_with(['/', '\\']) { "/" } else { "" };
            Value::Text(format!("{}{slash}", full_path(scope.folder, path).display()))
        }
        ("system.io.file::readalltext", [path]) => {
            let path = full_path(scope.folder, path);
            let text = std::fs::read_to_string(&path);
            Value::Text(text.with_context(|| format!("{}: cannot be read", path.display()))?)
        }
        ("system.text.regularexpressions.regex::match", [text, pattern]) => {
            let pattern = Regex::new(pattern).context("is no pattern that is known here")?;
            let groups = pattern.captures(text).map(|found| {
                let groups = found.iter();
                groups
                    .map(|group| group.map_or_else(String::new, |group| group.as_str().to_owned()))
                    .collect()
            });
            Value::Match(groups.unwrap_or_default())
        }
        ("system.version::parse", [version]) => Value::Version(parts(version)?),
        ("msbuild::add", [left, right]) => Value::Text((integer(left)? + integer(right)?).to_string()),
        ("msbuild::multiply", [left, right]) => Value::Text((integer(left)? * integer(right)?).to_string()),
        ("msbuild::bitwiseor", [left, right]) => Value::Text((integer(left)? | integer(right)?).to_string()),
        _ => bail!("function `{full}` with {} arguments is not known here", arguments.len()),
    };
    chain(value, rest, scope)
}

/// A property's value and what follows its name.
pub(super) fn of_value(value: &str, rest: &str, scope: &Scope) -> Result<String> {
    chain(Value::Text(value.to_owned()), rest, scope)
}

/// Follows `.Member`, `.Member(arguments)` and `[index]` to the end.
fn chain(mut value: Value, mut rest: &str, scope: &Scope) -> Result<String> {
    loop {
        rest = rest.trim();
        if let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']').context("wanted `]`")?;
            let index: usize = index.parse().with_context(|| format!("`{index}` is no index"))?;
            let Value::Groups(groups) = value else {
                bail!("`[{index}]` of what has no parts")
            };
            value = Value::Match(vec![groups.get(index).cloned().unwrap_or_default()]);
            rest = after;
        } else if let Some(inner) = rest.strip_prefix('.') {
            let (name, arguments, after) = member(inner)?;
            let arguments = match arguments {
                Some(text) => evaluated(text, scope)?,
                None => Vec::new(),
            };
            value = of(value, name, &arguments)?;
            rest = after;
        } else {
            ensure!(rest.is_empty(), "`{rest}` is not known here");
            return match value {
                Value::Text(text) => Ok(text),
                _ => bail!("wanted a text at the end"),
            };
        }
    }
}

/// A member of a value.
fn of(value: Value, name: &str, arguments: &[String]) -> Result<Value> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let text = match (value, name, &arguments[..]) {
        (Value::Match(groups), "Groups", []) => return Ok(Value::Groups(groups)),
        (Value::Match(groups), "Value", []) => groups.into_iter().next().unwrap_or_default(),
        (Value::Version(parts), "Major" | "Minor" | "Build" | "Revision", []) => {
            let at = ["Major", "Minor", "Build", "Revision"]
                .iter()
                .position(|part| *part == name);
            let part = at.and_then(|at| parts.get(at));
            // As .NET has it: a part that was not given is -1.
            part.map_or_else(|| "-1".to_owned(), u64::to_string)
        }
        (Value::Text(text), "StartsWith", [head]) => truth(text.starts_with(head)),
        (Value::Text(text), "EndsWith", [tail]) => truth(text.ends_with(tail)),
        (Value::Text(text), "Replace", [from, to]) => text.replace(from, to),
        (Value::Text(text), "LastIndexOf", [part]) => match text.rfind(part) {
            Some(at) => at.to_string(),
            None => "-1".to_owned(),
        },
        (Value::Text(text), "Substring", [start]) => piece(&text, start, None)?,
        (Value::Text(text), "Substring", [start, length]) => piece(&text, start, Some(length))?,
        _ => bail!("member `{name}` with {} arguments is not known here", arguments.len()),
    };
    Ok(Value::Text(text))
}

/// The name of a member, its arguments if it has any, and what follows.
fn member(text: &str) -> Result<(&str, Option<&str>, &str)> {
    let end = text
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    ensure!(!name.is_empty(), "wanted a name at `{text}`");
    if !rest.starts_with('(') {
        return Ok((name, None, rest));
    }
    let close = closing(rest, 1)?;
    Ok((name, Some(&rest[1..close]), &rest[close + 1..]))
}

/// The values of arguments: quotes are taken off, references replaced.
fn evaluated(text: &str, scope: &Scope) -> Result<Vec<String>> {
    let unquoted = |text: &str| {
        let quote = text.chars().next().filter(|first| "`'\"".contains(*first));
        match quote {
            Some(quote) if text.len() > 1 && text.ends_with(quote) => text[1..text.len() - 1].to_owned(),
            _ => text.to_owned(),
        }
    };
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let parts = split(text, ',');
    parts.into_iter().map(|part| scope.expand(&unquoted(part))).collect()
}

fn truth(value: bool) -> String {
    if value { "True" } else { "False" }.to_owned()
}

fn integer(text: &str) -> Result<i64> {
    text.parse().with_context(|| format!("`{text}` is no number"))
}

fn parts(version: &str) -> Result<Vec<u64>> {
    let parts = version.split('.').map(str::parse).collect::<Result<Vec<u64>, _>>();
    parts.with_context(|| format!("`{version}` is no version"))
}

fn piece(text: &str, start: &str, length: Option<&str>) -> Result<String> {
    let outside = || format!("`{text}` has no part from `{start}`");
    let start: usize = start.parse().with_context(outside)?;
    let end = match length {
        Some(length) => start + length.parse::<usize>().with_context(outside)?,
        None => text.len(),
    };
    text.get(start..end).map(str::to_owned).with_context(outside)
}
