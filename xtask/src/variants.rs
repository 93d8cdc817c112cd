//! Which components are wanted in another form, under another licence: `NAME=VARIANT`. What a variant is stands in the
//! component's own file; nothing is chosen here that was not asked for.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::environment;

/// The variable that says the same to a recipe's script.
pub const VARIABLE: &str = "WINDLASS_VARIANTS";

/// The variants that were asked for, by component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variants(BTreeMap<String, String>);

impl Variants {
    /// What the command line says; where it says nothing, what the environment does.
    ///
    /// # Errors
    /// If an item is not `NAME=VARIANT`, or a component is named twice.
    pub fn from(items: &[String]) -> Result<Variants> {
        let given = environment::text(VARIABLE).unwrap_or_default();
        match items.is_empty() {
            true => Variants::parse(given.split(',').filter(|item| !item.is_empty())),
            false => Variants::parse(items.iter().map(String::as_str)),
        }
    }

    fn parse<'a>(items: impl Iterator<Item = &'a str>) -> Result<Variants> {
        let mut all = BTreeMap::new();
        for item in items {
            let Some((name, variant)) = item
                .split_once('=')
                .filter(|(name, variant)| !name.is_empty() && !variant.is_empty())
            else {
                bail!("variant `{item}`: wanted NAME=VARIANT, for example ffmpeg=gpl");
            };
            if let Some(other) = all.insert(name.to_owned(), variant.to_owned()) {
                bail!("variant `{item}`: `{name}` is asked for as `{other}` too");
            }
        }
        Ok(Variants(all))
    }

    /// The variant of a component.
    pub fn of(&self, component: &str) -> Option<&str> {
        self.0.get(component).map(String::as_str)
    }

    /// Refuses a variant of what is not built: it would be asked for in vain.
    ///
    /// # Errors
    /// If a component is not among `chosen`.
    pub fn check(&self, chosen: &[&str]) -> Result<()> {
        match self.0.keys().find(|name| !chosen.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => bail!(
                "variant of `{name}`: that component is not built here, found: {}",
                chosen.join(", ")
            ),
        }
    }

    /// The variable's value; nothing when no variant is asked for.
    pub fn value(&self) -> Option<String> {
        let items: Vec<String> = self
            .0
            .iter()
            .map(|(name, variant)| format!("{name}={variant}"))
            .collect();
        (!items.is_empty()).then(|| items.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(items: &[&str]) -> Result<Variants> {
        Variants::parse(items.iter().copied())
    }

    #[test]
    fn variants_are_asked_for_by_component_and_said_in_one_order() {
        let variants = parse(&["ffmpeg=gpl", "a=b"]).unwrap();
        assert_eq!((variants.of("ffmpeg"), variants.of("opencv")), (Some("gpl"), None));
        assert_eq!(variants.value().as_deref(), Some("a=b,ffmpeg=gpl"));
        assert_eq!(Variants::default().value(), None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let refused = |items: &[&str]| parse(items).unwrap_err().to_string();
        let wanted = "wanted NAME=VARIANT, for example ffmpeg=gpl";
        assert_eq!(refused(&["gpl"]), format!("variant `gpl`: {wanted}"));
        assert_eq!(refused(&["=gpl"]), format!("variant `=gpl`: {wanted}"));
        assert_eq!(
            refused(&["ffmpeg=gpl", "ffmpeg=x"]),
            "variant `ffmpeg=x`: `ffmpeg` is asked for as `gpl` too"
        );
        assert_eq!(
            parse(&["opencv=x"])
                .unwrap()
                .check(&["ffmpeg"])
                .unwrap_err()
                .to_string(),
            "variant of `opencv`: that component is not built here, found: ffmpeg"
        );
    }
}
