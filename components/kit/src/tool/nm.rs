//! `nm`: the symbols of COFF objects, import objects and archives of them. A file that cannot be read is an error and
//! never an empty list: an empty list of exports links well and breaks every consumer later.

use std::io::Write;

use anyhow::{Context, Result, bail, ensure};
use object::read::archive::ArchiveFile;
use object::read::coff::ImportFile;
use object::{Object, ObjectSymbol, SectionKind, SymbolSection};

/// What is listed and how.
#[derive(Default)]
struct Options {
    extern_only: bool,
    defined_only: bool,
    undefined_only: bool,
    format: Format,
    files: Vec<String>,
}

/// How a symbol is written.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Format {
    /// Address, letter, name.
    #[default]
    Bsd,
    /// The name alone.
    Names,
    /// Name, letter, address, size; what Meson reads the exports of an import library from.
    Posix,
}

/// Lists the symbols of the files that the arguments name.
pub(super) fn run(arguments: &[&str], out: &mut impl Write) -> Result<()> {
    let mut options = Options::default();
    for argument in arguments {
        options.take(argument)?;
    }
    ensure!(!options.files.is_empty(), "names no file");
    let several = options.files.len() > 1;
    for path in &options.files {
        let data = std::fs::read(path).with_context(|| format!("{path}: cannot be read"))?;
        list_file(path, &data, several, &options, out).with_context(|| path.clone())?;
    }
    out.flush().context("cannot be written")
}

impl Options {
    fn take(&mut self, argument: &str) -> Result<()> {
        match argument {
            "-g" | "--extern-only" => self.extern_only = true,
            "-U" | "--defined-only" => self.defined_only = true,
            "-u" | "--undefined-only" => self.undefined_only = true,
            "-j" | "--just-symbol-name" | "--format=just-symbols" => self.format = Format::Names,
            "-P" | "--portability" | "--format=posix" => self.format = Format::Posix,
            // The order of the file is the only one there is, and addresses are of no interest.
            "-p" | "--no-sort" | "--quiet" => {}
            "-B" | "--format=bsd" => self.format = Format::Bsd,
            _ => match argument.strip_prefix('@') {
                Some(response) => {
                    let text =
                        std::fs::read_to_string(response).with_context(|| format!("{response}: cannot be read"))?;
                    for word in words(&text) {
                        self.take(&word)?;
                    }
                }
                None if argument.starts_with('-') => bail!("`{argument}` is not an option that is known here"),
                None => self.files.push(argument.to_owned()),
            },
        }
        Ok(())
    }
}

fn list_file(path: &str, data: &[u8], several: bool, options: &Options, out: &mut impl Write) -> Result<()> {
    if !data.starts_with(b"!<arch>\n") && !data.starts_with(b"!<thin>\n") {
        match options.format {
            Format::Posix if several => writeln!(out, "{path}:")?,
            _ if several => writeln!(out, "\n{path}:")?,
            _ => {}
        }
        return list_object(data, options, out);
    }
    let archive = ArchiveFile::parse(data).context("is not an archive")?;
    for member in archive.members() {
        let member = member.context("is damaged")?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        match options.format {
            Format::Posix => writeln!(out, "{path}[{name}]:")?,
            _ => writeln!(out, "\n{name}:")?,
        }
        let content = member.data(data).with_context(|| format!("{name}: is damaged"))?;
        list_object(content, options, out).with_context(|| name)?;
    }
    Ok(())
}

fn list_object(data: &[u8], options: &Options, out: &mut impl Write) -> Result<()> {
    // Import objects (PE format, "Import Library Format") begin with machine 0 and 0xffff and version 0.
    if data.starts_with(&[0, 0, 0xff, 0xff, 0, 0]) {
        return list_import(data, options, out);
    }
    let object = object::File::parse(data).context("is not an object file")?;
    for symbol in object.symbols() {
        let name = symbol.name().context("a symbol's name is damaged")?;
        let undefined = symbol.is_undefined();
        // Section and file symbols are the compiler's bookkeeping.
        let named = matches!(
            symbol.kind(),
            object::SymbolKind::Text | object::SymbolKind::Data | object::SymbolKind::Unknown | object::SymbolKind::Tls
        );
        let wanted = named
            && !name.is_empty()
            && (!options.extern_only || symbol.is_global() || undefined)
            && !(options.defined_only && undefined)
            && (undefined || !options.undefined_only);
        if wanted {
            let letter = letter(&object, &symbol);
            write_symbol(options, (!undefined).then(|| symbol.address()), letter, name, out)?;
        }
    }
    Ok(())
}

/// An import object defines the function's name, if it is code, and the pointer to it.
fn list_import(data: &[u8], options: &Options, out: &mut impl Write) -> Result<()> {
    let import = ImportFile::parse(data).context("is not an import object")?;
    let name = String::from_utf8_lossy(import.symbol()).into_owned();
    if !options.undefined_only {
        write_symbol(options, Some(0), 'T', &format!("__imp_{name}"), out)?;
        if import.import_type() == object::coff::ImportType::Code {
            write_symbol(options, Some(0), 'T', &name, out)?;
        }
    }
    Ok(())
}

fn write_symbol(options: &Options, address: Option<u64>, letter: char, name: &str, out: &mut impl Write) -> Result<()> {
    let written = match (options.format, address) {
        (Format::Names, _) => writeln!(out, "{name}"),
        (Format::Bsd, Some(address)) => writeln!(out, "{address:016x} {letter} {name}"),
        (Format::Bsd, None) => writeln!(out, "{:16} {letter} {name}", ""),
        // COFF does not say how large a symbol is.
        (Format::Posix, Some(address)) => writeln!(out, "{name} {letter} {address:x} 0"),
        (Format::Posix, None) => writeln!(out, "{name} {letter}"),
    };
    written.context("cannot be written")
}

/// The letter that says where a symbol lives; capital when other objects see it.
fn letter<'data>(object: &object::File<'data>, symbol: &impl ObjectSymbol<'data>) -> char {
    use object::ObjectSection;
    let letter = match symbol.section() {
        SymbolSection::Undefined => return 'U',
        SymbolSection::Absolute => 'a',
        SymbolSection::Common => 'c',
        SymbolSection::Section(index) => match object.section_by_index(index).map(|section| section.kind()) {
            Ok(SectionKind::Text) => 't',
            Ok(SectionKind::UninitializedData | SectionKind::UninitializedTls) => 'b',
            Ok(SectionKind::ReadOnlyData | SectionKind::ReadOnlyString) => 'r',
            Ok(_) => 'd',
            Err(_) => '?',
        },
        _ => '?',
    };
    match symbol.is_global() {
        true => letter.to_ascii_uppercase(),
        false => letter,
    }
}

/// The words of a response file: separated by white space, kept together by quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut begun = false;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
            (None, '"' | '\'') => {
                quote = Some(character);
                begun = true;
            }
            (None, _) if character.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, _) => word.push(character),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use object::write::{Object as Writer, StandardSection, Symbol, SymbolSection as Place};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

    use super::*;

    fn sample() -> Vec<u8> {
        let mut object = Writer::new(BinaryFormat::Coff, Architecture::Aarch64, Endianness::Little);
        let text = object.section_id(StandardSection::Text);
        object.append_section_data(text, &[0xc0, 0x03, 0x5f, 0xd6], 4);
        let mut add = |name: &str, section, scope| {
            object.add_symbol(Symbol {
                name: name.into(),
                value: 0,
                size: 0,
                kind: SymbolKind::Text,
                scope,
                weak: false,
                section,
                flags: SymbolFlags::None,
            });
        };
        add("greet", Place::Section(text), SymbolScope::Linkage);
        add("hidden", Place::Section(text), SymbolScope::Compilation);
        add("elsewhere", Place::Undefined, SymbolScope::Linkage);
        object.write().unwrap()
    }

    fn listed(arguments: &[&str]) -> Result<String> {
        let mut out = Vec::new();
        run(arguments, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn defined_external_symbols_are_listed_from_objects_and_response_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b.obj");
        std::fs::write(&path, sample()).unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(listed(&["-g", "--defined-only", "-j", path]).unwrap(), "greet\n");
        assert_eq!(listed(&["-u", path]).unwrap(), format!("{:16} U elsewhere\n", ""));
        assert_eq!(
            listed(&["--extern-only", "--format=posix", path]).unwrap(),
            "greet T 0 0\nelsewhere U\n"
        );
        let response = dir.path().join("files");
        std::fs::write(&response, format!("-g -U\n\"{path}\"\n")).unwrap();
        let listed = listed(&[&format!("@{}", response.display())]).unwrap();
        assert_eq!(listed, "0000000000000000 T greet\n");
    }

    #[test]
    fn what_is_no_object_is_an_error_and_not_an_empty_list() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.obj");
        std::fs::write(&path, &sample()[..30]).unwrap();
        assert!(listed(&[path.to_str().unwrap()]).is_err());
        assert!(listed(&[]).is_err());
    }
}
