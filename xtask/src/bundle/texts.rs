//! The texts that the assembler itself puts into a bundle: environment scripts and the README. Pure: inputs to text.

use toolchains::Os;

use super::Inputs;

/// Every text by the file's name.
pub fn all(inputs: &Inputs) -> Vec<(String, String)> {
    let windows = inputs.target.os == Os::Windows;
    let mut all = vec![
        ("README.md".to_owned(), readme(inputs)),
        ("windlass-env.sh".to_owned(), shell(windows)),
    ];
    if windows {
        // cmd.exe finds labels and long lines reliably only with carriage returns.
        all.push(("windlass-env.cmd".to_owned(), CMD.replace('\n', "\r\n")));
        all.push(("windlass-env.ps1".to_owned(), POWERSHELL.replace('\n', "\r\n")));
    }
    all
}

const CMD: &str = r#"@echo off
rem Makes this bundle usable in the current window, wherever it lies:  call windlass-env.cmd
set "WINDLASS_BUNDLE=%~dp0"
set "WINDLASS_BUNDLE=%WINDLASS_BUNDLE:~0,-1%"
set "PATH=%WINDLASS_BUNDLE%\bin;%PATH%"
if defined PKG_CONFIG_PATH (
  set "PKG_CONFIG_PATH=%WINDLASS_BUNDLE%\lib\pkgconfig;%PKG_CONFIG_PATH%"
) else (
  set "PKG_CONFIG_PATH=%WINDLASS_BUNDLE%\lib\pkgconfig"
)
if defined CMAKE_PREFIX_PATH (
  set "CMAKE_PREFIX_PATH=%WINDLASS_BUNDLE%;%CMAKE_PREFIX_PATH%"
) else (
  set "CMAKE_PREFIX_PATH=%WINDLASS_BUNDLE%"
)
"#;

const POWERSHELL: &str = r#"# Makes this bundle usable in the current session, wherever it lies:  . .\windlass-env.ps1
$env:WINDLASS_BUNDLE = $PSScriptRoot
$join = { param($first, $rest) if ($rest) { $first + [IO.Path]::PathSeparator + $rest } else { $first } }
$env:PATH = & $join (Join-Path $PSScriptRoot 'bin') $env:PATH
$env:PKG_CONFIG_PATH = & $join (Join-Path (Join-Path $PSScriptRoot 'lib') 'pkgconfig') $env:PKG_CONFIG_PATH
$env:CMAKE_PREFIX_PATH = & $join $PSScriptRoot $env:CMAKE_PREFIX_PATH
Remove-Variable join
"#;

fn shell(windows: bool) -> String {
    // On Windows the loader looks beside the program; elsewhere it has to be told.
    let loader = match windows {
        true => "",
        false => "LD_LIBRARY_PATH=$WINDLASS_BUNDLE/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\nexport LD_LIBRARY_PATH\n",
    };
    format!(
        r#"# Makes this bundle usable in the current shell, wherever it lies:  . ./windlass-env.sh
# bash and zsh tell a sourced file where it is; in other shells, set WINDLASS_BUNDLE to this folder first.
if [ -n "${{BASH_SOURCE:-}}" ]; then
  WINDLASS_BUNDLE=$(CDPATH= cd -- "$(dirname -- "$BASH_SOURCE")" && pwd)
elif [ -n "${{ZSH_VERSION:-}}" ]; then
  eval 'WINDLASS_BUNDLE=${{${{(%):-%x}}:A:h}}'
elif [ -z "${{WINDLASS_BUNDLE:-}}" ] && [ -f ./windlass-env.sh ]; then
  WINDLASS_BUNDLE=$(pwd)
fi
if [ -f "${{WINDLASS_BUNDLE:-}}/windlass-env.sh" ]; then
  export WINDLASS_BUNDLE
  PATH=$WINDLASS_BUNDLE/bin:$PATH
  PKG_CONFIG_PATH=$WINDLASS_BUNDLE/lib/pkgconfig${{PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}}
  CMAKE_PREFIX_PATH=$WINDLASS_BUNDLE${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}
  export PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH
  {loader}else
  echo 'windlass-env.sh: set WINDLASS_BUNDLE to the folder of this file first' >&2
fi
"#,
        loader = loader.replace('\n', "\n  ").trim_end_matches("  ")
    )
    .replace("  else\n", "else\n")
}

fn readme(inputs: &Inputs) -> String {
    let triple = &inputs.target.triple;
    let windows = inputs.target.os == Os::Windows;
    let mut text = format!(
        "# Windlass bundle for {triple}\n\nBuilt from source. The folder may be moved anywhere; nothing in it knows where it was built.\n\n## What is in it\n\n| component | version | licence |\n|---|---|---|\n"
    );
    for part in &inputs.parts {
        let (name, declared) = (&part.name, &part.declared);
        text += &format!("| {name} | {} | {} |\n", declared.version, declared.license);
    }
    for wheel in &inputs.shelf.wheels {
        let locked = &wheel.locked;
        text += &format!(
            "| {}, as published, not built here | {} | {} |\n",
            locked.project, locked.version, locked.license
        );
    }
    text += "\n| folder | holds |\n|---|---|\n";
    text += match windows {
        true => "| `bin` | programs and DLLs |\n| `lib` | import libraries, `pkgconfig` |\n",
        false => "| `bin` | programs |\n| `lib` | shared libraries, `pkgconfig` |\n",
    };
    if inputs.has_wheels() {
        text += "| `wheels` | Python packages, all that any of them requires among them |\n";
    }
    text += "| `include` | headers |\n| `share` | data of the components |\n| `licences` | the licence texts, by component, and the list of them |\n";
    text += "| `manifest.json` | every file with its hash and owner, every source with its hash |\n| `sbom.spdx.json`, `sbom.cdx.json` | the same as SPDX 2.3 and as CycloneDX 1.6 |\n";
    text += "\n## What is not in it\n\n";
    let mut none = true;
    for absence in &inputs.shelf.absences {
        none = false;
        text += &format!("- {}: {}\n", absence.what, absence.reason);
    }
    for part in &inputs.parts {
        for absence in part.declared.absences(&inputs.target) {
            none = false;
            text += &format!("- {}: {}: {}\n", part.name, absence.what, absence.reason);
        }
    }
    if none {
        text += "Nothing that its components name as absent for this target.\n";
    }
    text += "\n## How to use it\n\n";
    if windows {
        text += "- cmd: `call windlass-env.cmd`; PowerShell: `. .\\windlass-env.ps1`; bash and zsh: `. ./windlass-env.sh`\n";
    } else {
        text += "- bash and zsh: `. ./windlass-env.sh`\n";
    }
    text += "- The scripts put `bin` on `PATH`, and the bundle on `PKG_CONFIG_PATH` and `CMAKE_PREFIX_PATH`.\n";
    text += "- pkg-config: `pkg-config --cflags --libs NAME`; the modules find themselves from where they lie.\n";
    text += "- CMake: `cmake -DCMAKE_PREFIX_PATH=FOLDER …`.\n";
    if inputs.has_wheels() {
        text += "- Python packages, without a network: `python -m pip install --no-index --find-links FOLDER/wheels NAME`, or `uv pip install \
                 --no-index --find-links FOLDER/wheels NAME`.\n";
    }
    text += &format!("- On the machine that built it: `cargo xtask run --target {triple} -- PROGRAM ARGS`.\n");
    text
}
