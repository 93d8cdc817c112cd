//! Ordinals of system DLLs that programs import by and that no table of exports tells: a pinned list, `tables/windows/ordinals.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../tables/windows/ordinals.txt");

/// The name of a system DLL's export by its number.
pub(crate) fn name(dll: &str, ordinal: u16) -> Option<&'static str> {
    static NAMES: LazyLock<HashMap<(&str, u16), &str>> = LazyLock::new(|| {
        let mut names = HashMap::new();
        // The first part is the head comment.
        for part in TABLE.split("\n[").skip(1) {
            let Some((dll, lines)) = part.split_once("]\n") else {
                continue;
            };
            let lines = lines.lines().filter_map(|line| line.split_once(' '));
            names.extend(lines.filter_map(|(ordinal, name)| Some(((dll, ordinal.parse().ok()?), name))));
        }
        names
    });
    NAMES.get(&(dll, ordinal)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_belong_to_names_of_their_dll() {
        assert_eq!(name("ws2_32.dll", 1), Some("accept"));
        assert_eq!(name("oleaut32.dll", 6), Some("SysFreeString"));
        assert_eq!(name("ws2_32.dll", 60000), None);
    }
}
