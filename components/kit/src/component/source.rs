//! `[source]`: one pinned archive, several, or a tree that lies in this repository.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use store::{CrateRef, Pin, Pypi};

/// Where one source tree comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The archive, if it is one.
    pub pin: Option<Pin>,
    /// The folder in the component's own folder, if it is one.
    pub path: Option<String>,
    /// How many leading folders of each member's path are dropped.
    pub strip: usize,
    /// The folder in the source tree that it goes to; empty for the tree's root.
    pub into: String,
    /// Shell patterns over the members that are wanted; empty takes all.
    pub only: Vec<String>,
    /// Shell patterns over target triples; empty means every target.
    pub targets: Vec<String>,
}

/// The keys of `[source]` as they are written: those of a pin, and ours.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    file: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    url: Vec<String>,
    debian: Option<String>,
    pypi: Option<Pypi>,
    #[serde(rename = "crate")]
    crate_: Option<CrateRef>,
    path: Option<String>,
    strip: Option<usize>,
    #[serde(default)]
    into: String,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    targets: Vec<String>,
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        let pin = match (fields.file, fields.sha256) {
            (Some(file), Some(sha256)) => Some(Pin {
                file,
                sha256,
                url: fields.url,
                debian: fields.debian,
                pypi: fields.pypi,
                crate_: fields.crate_,
            }),
            (None, None) => None,
            (Some(_), None) => return Err(D::Error::missing_field("sha256")),
            (None, Some(_)) => return Err(D::Error::missing_field("file")),
        };
        if pin.is_some() == fields.path.is_some() {
            return Err(D::Error::custom(
                "source: wanted either a pin (`file`, `sha256`, and where it is) or `path`",
            ));
        }
        Ok(Source {
            pin,
            path: fields.path,
            // Most upstreams wrap their archive in one folder named after the version.
            strip: fields.strip.unwrap_or(1),
            into: fields.into,
            only: fields.only,
            targets: fields.targets,
        })
    }
}

impl Source {
    pub(super) fn expand(&mut self, version: &str) {
        let put = |text: &mut String| *text = text.replace("{version}", version);
        if let Some(pin) = &mut self.pin {
            put(&mut pin.file);
            pin.url.iter_mut().for_each(put);
            pin.debian.iter_mut().for_each(put);
            pin.pypi.iter_mut().for_each(|pypi| put(&mut pypi.version));
            pin.crate_.iter_mut().for_each(|crate_| put(&mut crate_.version));
        }
        put(&mut self.into);
        self.only.iter_mut().for_each(put);
    }
}

/// Reads `[source]` (one table) or `[[source]]` (several) into a list.
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Source>, D::Error> {
    struct OneOrMany;

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<Source>;

        fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
            formatter.write_str("[source] or [[source]]")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<Source>, A::Error> {
            Source::deserialize(MapAccessDeserializer::new(map)).map(|source| vec![source])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<Source>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(seq))
        }
    }

    deserializer.deserialize_any(OneOrMany)
}
