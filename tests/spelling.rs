//! Headers and libraries are found under any spelling, as on Windows: every header and library of the open system root, and
//! a system root that is laid out like Microsoft's SDK. It uses no network; the compiler must have been fetched.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use store::{Begin, State, tree};
use toolchains::{Provider, Sdk, Silent, Target, Toolchain};

const TARGETS: [&str; 2] = ["aarch64-pc-windows-msvc", "x86_64-pc-windows-msvc"];

/// Ways to spell a name: as the file is named, in capitals, and in a way that nobody would think of.
fn spellings(name: &str) -> [String; 3] {
    let mixed = name.char_indices().map(|(at, letter)| match at % 2 {
        0 => letter.to_ascii_uppercase(),
        _ => letter.to_ascii_lowercase(),
    });
    [name.to_owned(), name.to_ascii_uppercase(), mixed.collect()]
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}: not started"))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let first: Vec<&str> = text.lines().take(25).collect();
        bail!("{command:?}: {}\n{}", output.status, first.join("\n"));
    }
    Ok(())
}

/// Compiles a C file of that text in the folder; gives the object's path.
fn compile(toolchain: &Toolchain, folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    fs::write(folder.join(format!("{name}.c")), text)?;
    let mut command = Command::new(toolchain.bin.join("clang-cl"));
    command.current_dir(folder).env("WINDLASS_WORK", folder);
    command
        .args(["/nologo", "/c", "/MD", "/GS-", "/W3", "/WX", "--"])
        .arg(format!("{name}.c"));
    run(&mut command)?;
    Ok(folder.join(format!("{name}.obj")))
}

fn link(toolchain: &Toolchain, folder: &Path, arguments: &[String]) -> Result<Vec<u8>> {
    let mut command = Command::new(toolchain.bin.join("lld-link"));
    command.current_dir(folder).args(arguments).arg("/out:program.exe");
    run(&mut command)?;
    Ok(fs::read(folder.join("program.exe"))?)
}

#[test]
fn every_header_and_library_of_the_open_system_root_is_found_under_three_spellings() -> Result<()> {
    for triple in TARGETS {
        let target = Target::load(triple)?;
        let toolchain = Toolchain::ensure(&State::locate()?, &target, Provider::Open, 2, &Silent)?;
        let folder = tempfile::tempdir()?;
        let mut text = String::new();
        let mut headers = 0;
        for root in ["crt", "overlay", "msvcrt", "windows"] {
            for entry in tree::list(&toolchain.sysroot.join("include").join(root))? {
                if !entry.path.ends_with(".h") {
                    continue;
                }
                headers += 1;
                for name in spellings(&entry.path) {
                    text += &format!("#if !__has_include(<{name}>)\n#error {name}\n#endif\n");
                }
            }
        }
        ensure!(headers > 900, "{triple}: found {headers} headers, wanted more than 900");
        text += "#include <WinSock2.h>\n#include <Windows.h>\n#include <SYS/Stat.h>\n\
                 int main(void) { return WSAGetLastError() + (int)GetTickCount(); }\n";
        compile(&toolchain, folder.path(), "every", &text)?;
        let libraries: Vec<String> = tree::list(&toolchain.sysroot.join("lib"))?
            .into_iter()
            .map(|entry| entry.path)
            .filter(|path| path.ends_with(".lib"))
            .collect();
        ensure!(libraries.len() > 300, "{triple}: found {} libraries", libraries.len());
        let mut programs = Vec::new();
        for spelling in 0..3 {
            let names = libraries.iter().map(|name| spellings(name)[spelling].clone());
            let arguments: Vec<String> = ["every.obj".to_owned()].into_iter().chain(names).collect();
            programs.push(link(&toolchain, folder.path(), &arguments)?);
        }
        ensure!(
            programs.iter().all(|program| *program == programs[0]),
            "{triple}: the spelling of a library is seen in the program"
        );
        println!(
            "{triple}: {headers} headers and {} libraries, three spellings each",
            libraries.len()
        );
    }
    Ok(())
}

/// A tree as small as a whole SDK may be, spelled as Microsoft spells it.
fn put(sdk: &Sdk, state: &State) -> Result<()> {
    let Begin::Build(partial) = sdk.slot(state).begin()? else {
        bail!("it is there already")
    };
    let [crt, ucrt, um] = [0, 1, 2].map(|at| sdk.lib()[at].clone());
    let libraries = [
        format!("{crt}/msvcrt.lib"),
        format!("{crt}/msvcprt.lib"),
        format!("{crt}/oldnames.lib"),
        format!("{crt}/vcruntime.lib"),
        format!("{ucrt}/ucrt.lib"),
        format!("{um}/kernel32.Lib"),
        format!("{um}/WS2_32.Lib"),
    ];
    let headers = [
        ("crt/include/vcruntime.h", ""),
        ("crt/include/vector", ""),
        ("sdk/include/ucrt/stdio.h", ""),
        (
            "sdk/include/um/Windows.h",
            "#include <WinError.h>\n#include <gl/gl.h>\n",
        ),
        ("sdk/include/um/gl/GL.h", "#define GL 1\n"),
        ("sdk/include/um/WinSock2.h", "static const char where[] = __FILE__;\n"),
        ("sdk/include/shared/winerror.h", "#define S_OK 0\n"),
        ("sdk/include/winrt/roapi.h", ""),
        ("sdk/include/cppwinrt/winrt/base.h", ""),
    ];
    let libraries = libraries.iter().map(|path| (path.as_str(), "!<arch>\n"));
    for (path, text) in headers.into_iter().chain(libraries) {
        let path = partial.path().join(path);
        tree::create_dir(path.parent().context("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    sdk.check(partial.path())?;
    partial.commit(Default::default())?;
    Ok(())
}

/// A state folder with the user's compiler and a small SDK.
fn state(target: &Target, folder: &Path) -> Result<State> {
    let (user, state) = (State::locate()?, State::at(folder));
    tree::create_dir(&folder.join("prefix"))?;
    symlink(user.sources(), state.sources())?;
    symlink(user.root().join("prefix/host"), folder.join("prefix/host"))?;
    put(&Sdk::load(target)?, &state)?;
    Ok(state)
}

#[test]
fn a_system_root_like_microsofts_is_used_under_any_spelling_and_leaves_no_path() -> Result<()> {
    for triple in TARGETS {
        let target = Target::load(triple)?;
        let mut made = Vec::new();
        for _ in 0..2 {
            let folder = tempfile::tempdir()?;
            let state = state(&target, &folder.path().join("state"))?;
            let toolchain = Toolchain::ensure(&state, &target, Provider::Xwin, 2, &Silent)?;
            let work = folder.path().join("work");
            tree::create_dir(&work)?;
            let text = "#include <WINDOWS.H>\n#include <windows.h>\n#include <winsock2.h>\n#include <StdDef.h>\n\
                        #if S_OK != 0 || GL != 1\n#error wrong files\n#endif\n\
                        #pragma comment(lib, \"Kernel32.LIB\")\n\
                        typedef char right[sizeof(size_t) == 8 ? 1 : -1];\n\
                        __int128 quotient(__int128 a, __int128 b) { return a / b; }\n\
                        const char *start(void) { return where + (quotient(5, 3) != 1); }\n";
            let object = fs::read(compile(&toolchain, &work, "small", text)?)?;
            let arguments = [
                "small.obj",
                "ws2_32.lib",
                "/entry:start",
                "/subsystem:console",
                "/noimplib",
            ];
            let program = link(&toolchain, &work, &arguments.map(str::to_owned))?;
            let path = folder.path().display().to_string();
            for (what, bytes) in [("object", &object), ("program", &program)] {
                let found = bytes.windows(path.len()).any(|window| window == path.as_bytes());
                ensure!(!found, "{triple}: {what} holds {path}");
            }
            made.push((object, program));
        }
        ensure!(made[0] == made[1], "{triple}: two state folders give two results");
    }
    Ok(())
}
