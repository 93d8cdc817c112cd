//! Conditions: comparisons, `and`, `or`, `!`, parentheses, `Exists` and `HasTrailingSlash`. What stands right of a decided `and`
//! or `or` is read and not evaluated, as MSBuild does it.

use std::cmp::Ordering;

use anyhow::{Context, Result, bail, ensure};

use super::expand::{Scope, closing};
use super::full_path;

/// A condition, read.
#[derive(Debug)]
enum Tree {
    Or(Box<Tree>, Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    Compare(String, Sign, String),
    Exists(String),
    HasTrailingSlash(String),
    Truth(String),
}

/// A sign of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A part of a condition's text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Not,
    Sign(Sign),
    /// A bare word: a keyword, a function, or a value.
    Word(String),
    /// A value in quotes, or a reference.
    Value(String),
}

/// Whether a condition holds.
///
/// # Errors
/// If it cannot be read, or compares what cannot be compared.
pub(super) fn holds(text: &str, scope: &Scope) -> Result<bool> {
    let inner = || -> Result<bool> {
        let mut reader = Reader {
            tokens: tokens(text)?,
            at: 0,
        };
        let tree = reader.either()?;
        ensure!(reader.at == reader.tokens.len(), "there is more after its end");
        tree.decide(scope)
    };
    inner().with_context(|| format!("condition `{text}`"))
}

impl Tree {
    fn decide(&self, scope: &Scope) -> Result<bool> {
        Ok(match self {
            Tree::Or(left, right) => left.decide(scope)? || right.decide(scope)?,
            Tree::And(left, right) => left.decide(scope)? && right.decide(scope)?,
            Tree::Not(tree) => !tree.decide(scope)?,
            Tree::Compare(left, sign, right) => sign.compare(&scope.expand(left)?, &scope.expand(right)?)?,
            Tree::Exists(path) => {
                let path = scope.expand(path)?;
                !path.is_empty() && full_path(scope.folder, &path).exists()
            }
            Tree::HasTrailingSlash(path) => scope.expand(path)?.ends_with(['/', '\\']),
            Tree::Truth(text) => {
                let value = scope.expand(text)?;
                match value.to_ascii_lowercase().as_str() {
                    "true" | "on" | "yes" => true,
                    "false" | "off" | "no" => false,
                    _ => bail!("`{text}` is `{value}`, wanted true or false"),
                }
            }
        })
    }
}

impl Sign {
    fn compare(self, left: &str, right: &str) -> Result<bool> {
        let order = match (number(left), number(right)) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => None,
        };
        let same = order.map_or_else(|| left.eq_ignore_ascii_case(right), Ordering::is_eq);
        let ordered = || order.with_context(|| format!("`{left}` and `{right}` have no order"));
        Ok(match self {
            Sign::Equal => same,
            Sign::Different => !same,
            Sign::Less => ordered()?.is_lt(),
            Sign::LessOrEqual => ordered()?.is_le(),
            Sign::Greater => ordered()?.is_gt(),
            Sign::GreaterOrEqual => ordered()?.is_ge(),
        })
    }
}

/// A number or a version, by its parts; a part that is not there is as zero.
fn number(text: &str) -> Option<Vec<u64>> {
    let mut parts = text
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<Vec<u64>>>()?;
    while parts.len() > 1 && parts.last() == Some(&0) {
        parts.pop();
    }
    Some(parts)
}

/// Reads a condition by descent: `or` binds least, then `and`, then `!`.
struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

impl Reader {
    fn either(&mut self) -> Result<Tree> {
        let mut tree = self.both()?;
        while self.takes_word("or") {
            tree = Tree::Or(Box::new(tree), Box::new(self.both()?));
        }
        Ok(tree)
    }

    fn both(&mut self) -> Result<Tree> {
        let mut tree = self.single()?;
        while self.takes_word("and") {
            tree = Tree::And(Box::new(tree), Box::new(self.single()?));
        }
        Ok(tree)
    }

    fn single(&mut self) -> Result<Tree> {
        if self.takes(&Token::Not) {
            return Ok(Tree::Not(Box::new(self.single()?)));
        }
        if self.takes(&Token::Open) {
            let tree = self.either()?;
            ensure!(self.takes(&Token::Close), "a parenthesis is not closed");
            return Ok(tree);
        }
        let left = match self.next() {
            Some(Token::Word(name)) if self.takes(&Token::Open) => return self.call(&name),
            Some(Token::Word(text) | Token::Value(text)) => text,
            other => bail!("wanted a value, found {other:?}"),
        };
        let Some(Token::Sign(sign)) = self.tokens.get(self.at).cloned() else {
            return Ok(Tree::Truth(left));
        };
        self.at += 1;
        match self.next() {
            Some(Token::Word(right) | Token::Value(right)) => Ok(Tree::Compare(left, sign, right)),
            other => bail!("wanted a value after {sign:?}, found {other:?}"),
        }
    }

    fn call(&mut self, name: &str) -> Result<Tree> {
        let argument = match self.next() {
            Some(Token::Word(text) | Token::Value(text)) => text,
            other => bail!("wanted the argument of `{name}`, found {other:?}"),
        };
        ensure!(self.takes(&Token::Close), "`{name}` has more than one argument");
        match name.to_ascii_lowercase().as_str() {
            "exists" => Ok(Tree::Exists(argument)),
            "hastrailingslash" => Ok(Tree::HasTrailingSlash(argument)),
            _ => bail!("function `{name}` is not known here"),
        }
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn takes(&mut self, token: &Token) -> bool {
        let found = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let signs = [
        ("==", Token::Sign(Sign::Equal)),
        ("!=", Token::Sign(Sign::Different)),
        ("<=", Token::Sign(Sign::LessOrEqual)),
        (">=", Token::Sign(Sign::GreaterOrEqual)),
        ("<", Token::Sign(Sign::Less)),
        (">", Token::Sign(Sign::Greater)),
        ("(", Token::Open),
        (")", Token::Close),
        ("!", Token::Not),
    ];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if let Some((sign, token)) = signs.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (token.clone(), sign.len())
        } else if first == '\'' {
            let end = quoted(rest)?;
            (Token::Value(rest[1..end].to_owned()), end + 1)
        } else if rest.starts_with("$(") || rest.starts_with("%(") {
            let end = closing(rest, 2)?;
            (Token::Value(rest[..=end].to_owned()), end + 1)
        } else {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            let length = rest.bytes().take_while(|byte| is_word(*byte)).count();
            ensure!(length > 0, "`{rest}` is not known here");
            (Token::Word(rest[..length].to_owned()), length)
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Where the quoted value ends that a text begins with; quotes inside of references do not end it.
fn quoted(text: &str) -> Result<usize> {
    let mut at = 1;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'\'' => return Ok(at),
            b'$' if text[at..].starts_with("$(") => at = closing(text, at + 2)? + 1,
            _ => at += 1,
        }
    }
    bail!("a quote is not closed")
}
