//! `plugins`: what lies in a folder of plug-ins is one: it exports the entry point that its host looks for.

use super::Case;
use crate::policy;
use crate::read::{Content, Symbol};
use crate::report::Report;
use crate::subject::name;

const RULE: &str = "plugins";

pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    for plugin in &case.policy.plugins {
        let is_plugin = |path: &&String| policy::is_match(&plugin.path, path);
        for path in case.subject.files.keys().filter(is_plugin) {
            let exports = |symbol: &str| match case.subject.files.get(path).map(|file| &file.content) {
                Some(Ok(Content::Pe(pe))) => Some(pe.exports.get(Symbol::Name(symbol)).is_some()),
                Some(Ok(Content::Elf(elf))) if elf.is_image() => Some(elf.symbols.offers(symbol, None)),
                _ => None,
            };
            let file = name(path);
            let stem = file.split('.').next().unwrap_or(file);
            let mut prefixes = plugin.prefixes.iter();
            let own = prefixes
                .find_map(|prefix| stem.strip_prefix(prefix.as_str()))
                .unwrap_or(stem);
            let symbol = plugin.export.replace("{name}", &own.replace('-', "_"));
            match exports(&symbol) {
                Some(true) => {}
                Some(false) => {
                    let wrong = case.finding(RULE, path, format!("does not export `{symbol}`"), "its entry point");
                    report.add(wrong.hint(case.rebuild(path)));
                }
                None => report.add(case.finding(RULE, path, "is no library", "a plug-in")),
            }
        }
    }
}
