//! Linux: upstream's configure and make, with the host role's interpreter as the one that builds, and what makes the result find
//! itself wherever it lies.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kit::{Arch, Configure, Cx, PREFIX};

use crate::shared::{HOME, compile, tests};

/// Builds and installs the interpreter.
pub(crate) fn build(cx: &Cx) -> Result<()> {
    let mut configure = Configure::new(cx)
        .arg(format!("--prefix={PREFIX}/{HOME}"))
        .args(["--enable-shared", "--without-static-libpython"])
        // pip is in ensurepip: `python3 -m ensurepip`, `python3 -m venv`.
        .arg("--without-ensurepip")
        .args(["--enable-loadable-sqlite-extensions", "--with-pkg-config=yes"])
        // Upstream's own, without the debug information, of which nothing would be left.
        .env("OPT", "-DNDEBUG -fwrapv -O3 -Wall")
        // What is private to a static library is asked for, too.
        .env("PKG_CONFIG", "pkg-config --static")
        // For what is built here; what people build with it later is theirs to strip.
        .env("LDFLAGS_NODIST", "-Wl,-s");
    // Of all its libraries, this one alone has no module for pkg-config.
    let bzip2 = cx
        .deps()
        .get("bzip2")
        .context("wanted bzip2 among the needs")?
        .root
        .display();
    configure = configure
        .env("BZIP2_CFLAGS", format!("-I{bzip2}/include"))
        .env("BZIP2_LIBS", format!("-L{bzip2}/lib -lbz2"));
    for answer in cx.component().items("same-on-every-machine")? {
        configure = answered(configure, answer)?;
    }
    for module in cx.component().items("not-on-linux")? {
        configure = configure.env(&format!("py_cv_module_{module}"), "n/a");
    }
    configure = match cx.host() {
        Some(host) => cross(cx, configure, host)?,
        // It builds itself, and tries each module as it is made.
        None => configure.env("LD_LIBRARY_PATH", libraries(cx)),
    };
    let make = configure.run()?;
    find_openssl(cx)?;
    make.make(&[])?.install_only(&["install"])?;
    if cx.host().is_none() {
        // What freezes modules into the interpreter is of use to the builds for other machines.
        let freezer = cx.build().join("Programs/_freeze_module");
        cx.install(&freezer, &format!("{HOME}/lib/build/_freeze_module"))?;
    }
    leave_out(cx)?;
    check_modules(cx)?;
    relocate(cx)?;
    let python = match cx.host() {
        Some(host) => host.join(HOME).join("bin/python3.13"),
        None => cx.staged().join(HOME).join("bin/python3.13"),
    };
    compile(cx, &python, &library(cx))
}

/// Another machine's: what configure would run programs for is answered, and the host role's interpreter does the work.
fn cross<'a>(cx: &Cx, mut configure: Configure<'a>, host: &Path) -> Result<Configure<'a>> {
    // By a path that is the same on every machine, for it is remembered.
    symlink(host.join(HOME), cx.build().join("host")).context("the host role's interpreter cannot be linked")?;
    for answer in cx.component().items("configure-answers")? {
        configure = answered(configure, answer)?;
    }
    let signed = if cx.target().arch == Arch::Aarch64 { "no" } else { "yes" };
    Ok(configure
        .cross()
        .arg("--with-build-python=./host/bin/python3.13")
        .arg("--with-computed-gotos")
        .env("ac_cv_wchar_t_signed", signed))
}

fn answered<'a>(configure: Configure<'a>, answer: &str) -> Result<Configure<'a>> {
    let (name, value) = answer
        .split_once('=')
        .with_context(|| format!("`{answer}`: has no value"))?;
    Ok(configure.env(name, value))
}

/// The folders of the needs' shared libraries.
fn libraries(cx: &Cx) -> String {
    let folders = cx
        .deps()
        .closure()
        .into_iter()
        .map(|root| root.join("lib").display().to_string());
    folders.collect::<Vec<_>>().join(":")
}

/// The modules that use OpenSSL find it in the bundle's `lib`.
fn find_openssl(cx: &Cx) -> Result<()> {
    for module in ["_SSL", "_HASHLIB"] {
        let flags = format!("\nMODULE_{module}_LDFLAGS=");
        cx.edit(
            &cx.build().join("Makefile"),
            &flags,
            &format!("{flags}-Wl,-rpath,\\$$ORIGIN/../../../../lib "),
            1,
        )?;
    }
    Ok(())
}

/// The library's folder in the stage.
fn library(cx: &Cx) -> PathBuf {
    cx.staged().join(HOME).join("lib/python3.13")
}

/// The file names in a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for item in fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
        names.extend(item?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Takes away what could not start, adds a name, and puts what serves upstream's tests alone apart.
fn leave_out(cx: &Cx) -> Result<()> {
    // Without Tcl and Tk there is no IDLE to start.
    let bin = cx.staged().join(HOME).join("bin");
    for name in names(&bin)?.iter().filter(|name| name.starts_with("idle")) {
        fs::remove_file(bin.join(name)).with_context(|| format!("{name}: cannot be removed"))?;
    }
    // The name that it has on Windows, and in every virtual environment.
    symlink("python3.13", bin.join("python")).context("python cannot be linked")?;
    let of_tests = cx.component().items("modules-of-tests")?;
    let modules = names(&library(cx).join("lib-dynload"))?.into_iter().filter(|name| {
        let mut heads = of_tests.iter().map(|module| format!("{module}."));
        heads.any(|head| name.starts_with(&head))
    });
    for item in modules
        .map(|name| format!("lib-dynload/{name}"))
        .chain(["test".to_owned()])
    {
        let (from, to) = (
            library(cx).join(&item),
            tests(cx).join(HOME).join("lib/python3.13").join(&item),
        );
        fs::create_dir_all(to.parent().unwrap_or(&to))
            .and_then(|()| fs::rename(&from, &to))
            .with_context(|| format!("{}: cannot be put apart", from.display()))?;
    }
    Ok(())
}

/// Every module that is promised must be there: upstream goes on without those that it cannot build.
fn check_modules(cx: &Cx) -> Result<()> {
    let there = names(&library(cx).join("lib-dynload"))?;
    let promised = cx.component().items("modules-on-linux")?;
    let missing: Vec<&String> = promised
        .iter()
        .filter(|module| !there.iter().any(|name| name.starts_with(&format!("{module}."))))
        .collect();
    ensure!(
        missing.is_empty(),
        "modules were not built: {missing:?}; why is at the end of make's output"
    );
    Ok(())
}

/// Makes what names folders or compilers of the build say where things are when they are used.
fn relocate(cx: &Cx) -> Result<()> {
    let (home, library) = (cx.staged().join(HOME), library(cx));
    let data = names(&library)?
        .into_iter()
        .find(|name| name.starts_with("_sysconfigdata_") && name.ends_with(".py"))
        .context("sysconfig's data were not installed")?;
    let config = names(&library)?
        .into_iter()
        .find(|name| name.starts_with("config-3.13"))
        .context("the folder for embedding was not installed")?;
    let scrub = |path: &Path, more: &dyn Fn(String) -> String| -> Result<()> {
        let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let mut text = text
            .replace(&cx.source().display().to_string(), "/windlass/work/source")
            .replace(&cx.build().display().to_string(), "/windlass/work/build");
        // What it was built against lies in the same bundle.
        for need in cx.deps().closure() {
            text = text.replace(&need.display().to_string(), PREFIX);
        }
        fs::write(path, more(text)).with_context(|| format!("{}: cannot be written", path.display()))
    };
    scrub(&library.join(&data), &|text| {
        with_own_place(&with_usual_compilers(&text))
    })?;
    scrub(&library.join(&config).join("Makefile"), &|text| {
        with_usual_compilers(&text)
    })?;
    // The same in Python as `python3.13-config`, which works out where it lies.
    let script = library.join(&config).join("python-config.py");
    fs::remove_file(&script).with_context(|| format!("{}: cannot be removed", script.display()))?;
    // pkg-config's modules lie where those of all components do.
    let modules = home.join("lib/pkgconfig");
    fs::create_dir_all(cx.staged().join("lib"))
        .and_then(|()| fs::rename(&modules, cx.staged().join("lib/pkgconfig")))
        .with_context(|| format!("{}: cannot be moved", modules.display()))?;
    relocate_scripts(&home.join("bin"))
}

/// Has every script start the interpreter beside it.
fn relocate_scripts(bin: &Path) -> Result<()> {
    for name in names(bin)? {
        let path = bin.join(&name);
        if path.is_symlink() {
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        if let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| text.starts_with("#!")) {
            fs::write(&path, beside_interpreter(text))
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
    }
    Ok(())
}

/// The compilers by the names that they have on a machine where somebody builds modules.
fn with_usual_compilers(text: &str) -> String {
    let mut text = text.to_owned();
    for (own, usual) in [("clang++", "c++"), ("clang", "cc"), ("llvm-ar", "ar")] {
        // As the first word of a value, in Python's data or in a makefile.
        for before in ["'", "\t"] {
            for after in ["'", " ", "\n"] {
                text = text.replace(&format!("{before}{own}{after}"), &format!("{before}{usual}{after}"));
            }
        }
    }
    text
}

/// Python's data, with every path below the neutral prefix taken from where the data themselves lie.
fn with_own_place(text: &str) -> String {
    format!(
        "{text}\n\
         # Where it is installed is known when it is used.\n\
         import os as _os\n\
         _home = _os.path.dirname(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))\n\
         build_time_vars = {{\n    \
             name: value.replace('{PREFIX}/{HOME}', _home) if isinstance(value, str) else value\n    \
             for name, value in build_time_vars.items()\n\
         }}\n"
    )
}

/// A script that starts the interpreter beside it; a `#!` line can only name a fixed folder. The shell runs the first line and is
/// replaced, Python reads it as a text.
fn beside_interpreter(text: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.contains(HOME) {
        true => format!(
            "#!/bin/sh\n'''exec' \"$(dirname \"$(readlink -f \"$0\")\")/python3.13\" \"$0\" \"$@\"\n' '''\n{rest}"
        ),
        // Of the shell, and it works out by itself where it lies.
        false => text.replace(&format!("\"{PREFIX}/{HOME}\""), "\"$prefix_real\""),
    }
}
