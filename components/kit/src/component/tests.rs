//! What a `component.toml` may and may not say.

use super::*;

const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn text(more: &str) -> String {
    format!(
        "version = '1.2'\nlicense = 'MIT'\n{more}\n[source]\nfile = 'x-{{version}}.tar.gz'\nsha256 = '{HASH}'\n\
         url = ['https://example.org/{{version}}/x.tar.gz']\n[ships]\nprograms = ['x']\n"
    )
}

fn refused(text: &str) -> String {
    format!("{:#}", Component::parse("x", text).unwrap_err())
}

#[test]
fn the_version_stands_in_one_place() {
    let component = Component::parse("x", &text("")).unwrap();
    let pin = component.all_pins().next().unwrap();
    assert_eq!(pin.file, "x-1.2.tar.gz");
    assert_eq!(pin.url, ["https://example.org/1.2/x.tar.gz"]);
    assert_eq!(component.source[0].strip, 1);
}

#[test]
fn several_sources_are_a_list() {
    let text = format!(
        "version = '1'\nlicense = 'MIT'\n[[source]]\npath = 'tree'\n[[source]]\nfile = 'y'\nsha256 = '{HASH}'\n\
         url = ['u']\ninto = 'contrib'\n[ships]\n"
    );
    let component = Component::parse("x", &text).unwrap();
    assert_eq!(component.source.len(), 2);
    assert_eq!(component.source[1].into, "contrib");
    assert_eq!(component.all_pins().count(), 1);
}

#[test]
fn unknown_keys_and_unmeant_values_are_refused_all_at_once() {
    assert!(refused(&text("licence = 'MIT'")).contains("unknown field `licence`"));
    assert!(refused(&text("").replace("url =", "urls =")).contains("unknown field `urls`"));
    assert!(refused(&text("tools = ['gmake']")).contains("unknown variant `gmake`"));
    let faults = refused(&text("").replace("'1.2'", "''").replace("['x']", "['x.exe', '../y']"));
    assert_eq!(
        faults,
        "version: is empty\n\
         ships: wanted a name or a path in the prefix, found `../y`\n\
         ships: wanted `x.exe` without its suffix"
    );
    assert!(refused(&text("").replace("sha256", "path = 'y'\nsha256")).contains("wanted either a pin"));
}

#[test]
fn a_promise_is_a_path_on_every_system() {
    let more = "libs = ['x-1']\nimport-libs = ['x']\nheaders = ['x.h']\npkgconfig = ['x']\nplugins = ['lib/x/p']\n\
                files = ['share/x.txt']\n[ships.windows]\nprograms = ['only-there']\n";
    let component = Component::parse("x", &(text("") + more)).unwrap();
    let paths = |triple| -> Vec<String> {
        let mut paths: Vec<_> = component
            .ships
            .resolve(&Target::load(triple).unwrap())
            .into_iter()
            .map(|shipped| shipped.path)
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(
        paths("aarch64-pc-windows-msvc"),
        [
            "bin/only-there.exe",
            "bin/x-1.dll",
            "bin/x.exe",
            "include/x.h",
            "lib/pkgconfig/x.pc",
            "lib/x.lib",
            "lib/x/p.dll",
            "share/x.txt"
        ]
    );
    assert_eq!(
        paths("x86_64-unknown-linux-gnu"),
        [
            "bin/x",
            "include/x.h",
            "lib/pkgconfig/x.pc",
            "lib/x-1",
            "lib/x/p.so",
            "share/x.txt"
        ]
    );
}

#[test]
fn a_list_that_is_not_there_names_those_that_are() {
    let component = Component::parse("x", &(text("") + "[lists]\nmodules = ['a', 'b']\n")).unwrap();
    assert_eq!(component.list("modules").unwrap(), "a,b");
    assert_eq!(
        component.list("module").unwrap_err().to_string(),
        "x: component.toml has no list `module`, found: modules"
    );
}

#[test]
fn absences_are_chosen_by_target() {
    let more = "[[absent]]\nwhat = 'nvenc'\ntargets = ['aarch64-*']\nreason = 'no driver'\n";
    let component = Component::parse("x", &(text("") + more)).unwrap();
    let count = |triple| component.absences(&Target::load(triple).unwrap()).count();
    assert_eq!(count("aarch64-pc-windows-msvc"), 1);
    assert_eq!(count("x86_64-pc-windows-msvc"), 0);
}

#[test]
fn a_variant_is_taken_only_by_its_name_and_brings_its_licence() {
    let more = "[variant.gpl]\nlicense = 'GPL-2.0-or-later'\nlicence-files = ['COPYING.GPL']\nwhat = 'filters'\n";
    let component = || Component::parse("x", &text("").replace("[source]", &format!("{more}[source]"))).unwrap();
    let usual = component().choose(None).unwrap();
    assert_eq!((usual.license.as_str(), usual.variant), ("MIT", None));
    let gpl = component().choose(Some("gpl")).unwrap();
    assert_eq!(gpl.license, "GPL-2.0-or-later");
    assert_eq!(gpl.licence_files, ["COPYING.GPL"]);
    assert_eq!(gpl.variant.as_deref(), Some("gpl"));
    let error = |component: Component| component.choose(Some("lgpl")).unwrap_err().to_string();
    assert_eq!(error(component()), "x: there is no variant `lgpl`, found: gpl");
    let none = Component::parse("x", &text("")).unwrap();
    assert_eq!(error(none), "x: there is no variant `lgpl`, found: none");
}

#[test]
fn a_variant_that_cannot_be_shipped_is_refused() {
    let more = "[variant.GPL]\nlicense = ''\nlicence-files = ['../x']\nwhat = 'filters'\n";
    assert_eq!(
        refused(&text("").replace("[source]", &format!("{more}[source]"))),
        "variant `GPL`: `license`, `licence-files` and `what` may not be empty\n\
         variant `GPL`: wanted a name of lower-case letters and digits\n\
         variant `GPL`: wanted a path in the source, found `../x`"
    );
}

#[test]
fn a_promise_may_be_of_one_processor_of_one_system() {
    let more = "[ships.windows]\nlibs = ['x']\n[ships.windows.aarch64]\nlibs = ['x-{version}-arm64']\n";
    let component = Component::parse("x", &(text("").replace("programs = ['x']", "") + more)).unwrap();
    let paths = |triple| -> Vec<String> {
        let promises = component.ships.resolve(&Target::load(triple).unwrap());
        promises.into_iter().map(|promise| promise.path).collect()
    };
    assert_eq!(paths("aarch64-pc-windows-msvc"), ["bin/x-1.2-arm64.dll", "bin/x.dll"]);
    assert_eq!(paths("x86_64-pc-windows-msvc"), ["bin/x.dll"]);
    assert!(paths("aarch64-unknown-linux-gnu").is_empty());
    assert_eq!(
        refused(&(text("") + "[ships.x86_64]\n[ships.linux.x86_64.aarch64]\n[ships.windows.linux]\n")),
        "ships: a processor's table belongs below an operating system's, as [ships.windows.aarch64]\n\
         ships: an operating system in an operating system\n\
         ships: a processor in a processor"
    );
}

#[test]
fn sources_and_whole_components_are_chosen_by_target() {
    let source = |name: &str, targets: &str| {
        format!("[[source]]\nfile = '{name}'\nsha256 = '{HASH}'\nurl = ['u']\ntargets = ['{targets}']\n")
    };
    let head = "version = '1'\nlicense = 'MIT'\ntargets = ['*-windows-*']\n";
    let text = format!("{head}{}{}[ships]\n", source("a", "aarch64-*"), source("b", "x86_64-*"));
    let component = Component::parse("x", &text).unwrap();
    let files = |triple| -> Vec<&str> { component.pins(triple).map(|pin| pin.file.as_str()).collect() };
    assert_eq!(files("aarch64-pc-windows-msvc"), ["a"]);
    assert_eq!(files("x86_64-pc-windows-msvc"), ["b"]);
    assert_eq!(component.all_pins().count(), 2);
    assert!(component.is_for("x86_64-pc-windows-msvc") && !component.is_for("x86_64-unknown-linux-gnu"));
    assert_eq!(
        refused(&text.replace("*-windows-*", "[").replace("aarch64-*", "{")),
        "targets: `[` is not a pattern over target triples\nsource: `{` is not a pattern over target triples"
    );
}
