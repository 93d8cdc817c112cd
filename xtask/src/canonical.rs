//! JSON whose bytes depend on nothing but what it says: keys sorted at every depth, whatever map they came from. Digests are taken
//! of it.

use serde::Serialize;
use serde_json::{Map, Value};

/// Indented by two and closed by a line feed, for people to read too.
///
/// # Panics
/// Never: see [`value`].
pub fn pretty(from: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(&value(from)).expect("a value of JSON is always JSON");
    text.push('\n');
    text
}

/// Without a space between, for what machines alone read.
///
/// # Panics
/// Never: see [`value`].
pub fn compact(from: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&value(from)).expect("a value of JSON is always JSON")
}

/// # Panics
/// Never: what is given has names for keys, and no number that JSON cannot say.
fn value(from: &impl Serialize) -> Value {
    sorted(serde_json::to_value(from).expect("names, numbers and lists are always JSON"))
}

/// Maps of the libraries of others come in any order, and whether this crate's own keeps it is decided by whoever else uses it.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut pairs: Vec<(String, Value)> = object.into_iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            let pairs = pairs.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(pairs.collect::<Map<String, Value>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_order_of_keys_is_that_of_their_names() {
        let names = ["d", "a", "c", "b", "e"];
        let inner: HashMap<&str, u8> = names.iter().map(|name| (*name, 1)).collect();
        let text = compact(&HashMap::from([("x", vec![inner])]));
        assert_eq!(text, br#"{"x":[{"a":1,"b":1,"c":1,"d":1,"e":1}]}"#);
    }
}
