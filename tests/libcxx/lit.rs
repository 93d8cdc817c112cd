//! What a test of libc++ says about itself, in the directives of LLVM's test runner lit: what it needs, where it is known to
//! fail, with which flags and beside which files it is compiled and run. Only what these tests use of lit is read.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

/// What is true of the compiler, the library, the target and the system that runs the tests.
pub struct Features {
    /// The names that expressions are made of.
    pub names: BTreeSet<String>,
    /// What `%{NAME}` stands for.
    pub values: BTreeMap<String, String>,
}

/// The directives of one test.
#[derive(Debug, Default, PartialEq)]
pub struct Directives {
    /// Why the test cannot run here; nothing if it can.
    pub unsupported: Option<String>,
    /// The condition under which the test is known to fail, if it holds here.
    pub fails: Option<String>,
    /// Further arguments of the compiler.
    pub flags: Vec<String>,
    /// Files and folders beside the test that it wants in the folder where it runs.
    pub files: Vec<String>,
    /// How often it may be tried.
    pub attempts: usize,
}

impl Directives {
    /// Reads the directives of a test that lies in `folder`.
    pub fn read(text: &str, folder: &str, features: &Features) -> Result<Directives> {
        let mut directives = Directives {
            attempts: 1,
            ..Directives::default()
        };
        for (keyword, condition, value) in lines(text)? {
            let context = || format!("{keyword}: {value}");
            let mut hold = value.split(',').map(str::trim).filter(|part| !part.is_empty());
            match keyword.as_str() {
                "REQUIRES" => {
                    for part in hold {
                        if !holds(part, features).with_context(context)? {
                            directives.unsupported.get_or_insert(format!("requires {part}"));
                        }
                    }
                }
                "UNSUPPORTED" => {
                    for part in hold {
                        if holds(part, features).with_context(context)? {
                            directives.unsupported.get_or_insert(format!("unsupported with {part}"));
                        }
                    }
                }
                "XFAIL" => {
                    for part in hold {
                        if part == "*" || holds(part, features).with_context(context)? {
                            directives.fails.get_or_insert(part.to_owned());
                        }
                    }
                }
                "FILE_DEPENDENCIES" => directives.files.extend(hold.map(str::to_owned)),
                "ADDITIONAL_COMPILE_FLAGS" if condition.is_none_or(|name| features.names.contains(&name)) => {
                    let value = substitute(&value, folder, features).with_context(context)?;
                    directives.flags.extend(words(&value).with_context(context)?);
                }
                "ALLOW_RETRIES" => directives.attempts = 1 + value.trim().parse::<usize>().with_context(context)?,
                "MODULE_DEPENDENCIES" if hold.next().is_some() => {
                    directives.unsupported.get_or_insert("needs C++ modules".to_owned());
                }
                _ => {}
            }
        }
        Ok(directives)
    }
}

/// The directives: keyword, condition in parentheses, value. A value that ends with a backslash goes on in the next directive.
fn lines(text: &str) -> Result<Vec<(String, Option<String>, String)>> {
    let pattern = Regex::new(
        r"\b(REQUIRES|UNSUPPORTED|XFAIL|FILE_DEPENDENCIES|ADDITIONAL_COMPILE_FLAGS|ALLOW_RETRIES|MODULE_DEPENDENCIES)(?:\(([^)]*)\))?:(.*)",
    )?;
    let mut found: Vec<(String, Option<String>, String)> = Vec::new();
    let mut open = false;
    for captures in text.lines().filter_map(|line| pattern.captures(line)) {
        let value = captures[3].trim();
        let (value, more) = match value.strip_suffix('\\') {
            Some(value) => (value.trim_end(), true),
            None => (value, false),
        };
        match found.last_mut().filter(|_| open) {
            Some((keyword, _, begun)) => {
                ensure!(
                    *keyword == captures[1],
                    "{keyword}: goes on, but {} follows",
                    &captures[1]
                );
                *begun += " ";
                *begun += value;
            }
            None => {
                let condition = captures.get(2).map(|name| name.as_str().to_owned());
                found.push((captures[1].to_owned(), condition, value.to_owned()));
            }
        }
        open = more;
    }
    ensure!(!open, "the last directive goes on, but nothing follows");
    Ok(found)
}

/// Whether a boolean expression over features holds.
pub fn holds(expression: &str, features: &Features) -> Result<bool> {
    let token = Regex::new(r"\s*(&&|\|\||[!()]|(?:[-+=._a-zA-Z0-9]|\{\{.+?\}\})+)\s*")?;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < expression.len() {
        match token.captures_at(expression, at) {
            Some(captures) if captures.get(0).is_some_and(|whole| whole.start() == at) => {
                tokens.push(captures[1].to_owned());
                at += captures[0].len();
            }
            _ => bail!("`{expression}`: cannot be read from `{}`", &expression[at..]),
        }
    }
    let mut reader = Reader {
        tokens,
        at: 0,
        features,
    };
    let value = reader.either()?;
    ensure!(
        reader.at == reader.tokens.len(),
        "`{expression}`: something follows its end"
    );
    Ok(value)
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    features: &'a Features,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|it| it == token);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<bool> {
        let mut value = self.both()?;
        while self.take("||") {
            value |= self.both()?;
        }
        Ok(value)
    }

    fn both(&mut self) -> Result<bool> {
        let mut value = self.one()?;
        while self.take("&&") {
            value &= self.one()?;
        }
        Ok(value)
    }

    fn one(&mut self) -> Result<bool> {
        if self.take("!") {
            return Ok(!self.one()?);
        }
        if self.take("(") {
            let value = self.either()?;
            ensure!(self.take(")"), "a parenthesis is not closed");
            return Ok(value);
        }
        let Some(name) = self.tokens.get(self.at) else {
            bail!("something is missing at its end");
        };
        self.at += 1;
        matches(name, &self.features.names)
    }
}

/// Whether a feature is there; parts of a name in double braces are regular expressions.
fn matches(name: &str, names: &BTreeSet<String>) -> Result<bool> {
    if !name.contains("{{") {
        return Ok(name == "true" || names.contains(name));
    }
    let mut pattern = String::new();
    let mut rest = name;
    while let Some((plain, after)) = rest.split_once("{{") {
        let (expression, after) = after.split_once("}}").context("double braces are not closed")?;
        pattern += &format!("{}(?:{expression})", regex::escape(plain));
        rest = after;
    }
    let pattern = Regex::new(&format!("^(?:{pattern}{})$", regex::escape(rest)))?;
    Ok(names.iter().any(|name| pattern.is_match(name)))
}

/// Puts in what `%{NAME}` and `%S`, the folder of the test, stand for.
fn substitute(text: &str, folder: &str, features: &Features) -> Result<String> {
    let mut text = text.replace("%S", folder);
    for (name, value) in &features.values {
        text = text.replace(&format!("%{{{name}}}"), &format!("'{value}'"));
    }
    ensure!(!text.contains("%{"), "`{text}`: nothing is known of what it stands for");
    Ok(text)
}

/// The words of a shell command: blanks separate, quotes and backslashes protect.
fn words(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    ensure!(quote.is_none(), "`{text}`: a quote is not closed");
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> Features {
        let names = ["c++26", "clang-22", "target=aarch64-pc-windows-msvc", "windows", "msvc"];
        Features {
            names: names.map(str::to_owned).into(),
            values: [("SEP".to_owned(), "L\"\\u202f\"".to_owned())].into(),
        }
    }

    fn read(text: &str) -> Directives {
        Directives::read(text, "/tests", &features()).unwrap()
    }

    #[test]
    fn expressions_follow_lits_grammar() {
        for (expression, value) in [
            ("windows", true),
            ("!windows", false),
            ("c++03 || c++26", true),
            ("windows && !(msvc || linux)", false),
            ("target={{.+}}-windows-{{.+}}", true),
            ("target={{x86_64|i686}}-{{.+}}", false),
            ("clang-{{21|22}}", true),
            ("{{clang-2}}", false),
        ] {
            assert_eq!(holds(expression, &features()).unwrap(), value, "{expression}");
        }
        for wrong in ["windows &&", "(windows", "windows linux", "windows; linux"] {
            assert!(holds(wrong, &features()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_test_runs_where_all_that_it_requires_is_there_and_nothing_that_it_cannot_bear() {
        assert_eq!(read("// REQUIRES: windows, msvc").unsupported, None);
        assert_eq!(
            read("// REQUIRES: windows, linux").unsupported.as_deref(),
            Some("requires linux")
        );
        assert_eq!(
            read("// UNSUPPORTED: c++03, \\\n// UNSUPPORTED: c++26")
                .unsupported
                .as_deref(),
            Some("unsupported with c++26")
        );
        assert_eq!(read("// XFAIL: msvc && !c++26").fails, None);
        assert_eq!(
            read("// XFAIL: linux, target={{.*}}-msvc").fails.as_deref(),
            Some("target={{.*}}-msvc")
        );
    }

    #[test]
    fn flags_are_words_of_a_shell_and_may_depend_on_a_feature() {
        let read = read(
            "// ADDITIONAL_COMPILE_FLAGS: -DA='\"b c\"' -DSEP=%{SEP} -I%S/x\n\
             // ADDITIONAL_COMPILE_FLAGS(msvc): -fx\n// ADDITIONAL_COMPILE_FLAGS(gcc): -fy\n\
             // FILE_DEPENDENCIES: a.dat, sub/b.dat\n// ALLOW_RETRIES: 2",
        );
        assert_eq!(read.flags, ["-DA=\"b c\"", "-DSEP=L\"\\u202f\"", "-I/tests/x", "-fx"]);
        assert_eq!(read.files, ["a.dat", "sub/b.dat"]);
        assert_eq!(read.attempts, 3);
    }
}
