//! What the drivers call, recorded by shell scripts in the place of the tools. No compiler is needed, so every target can
//! be looked at anywhere. A test starts itself a second time with those scripts on its path, for the driver crates take
//! whatever the process inherited.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use store::{DigestWriter, tree};
use toolchains::Target;

use crate::component::Component;
use crate::cx::Cx;
use crate::deps::Deps;
use crate::drivers::{Cmake, Configure, FlagEdit, Meson};
use crate::order::Order;
use crate::surroundings::Toolset;

/// Tells the second start from the first, and names its folder.
const FOLDER: &str = "KIT_SHIM_FOLDER";

/// Notes its name, its folder and its arguments; what looks like a set-up writes the file that says it happened.
const SHIM: &str = r#"#!/bin/sh
echo "$(basename "$0") in $(basename "$PWD"):" "$@" "${DESTDIR:+DESTDIR=$DESTDIR}" >> "$KIT_SHIM_FOLDER/calls"
case "$(basename "$0") $1" in
    "meson setup") ninja_file=build.ninja ;;
    "cmake "*source*) ninja_file=build.ninja; : > CMakeCache.txt ;;
esac
test -z "$ninja_file" || printf 'build a.obj: cc ../source/a.c\n FLAGS = /O2\n' > "$KIT_SHIM_FOLDER/work/build/$ninja_file"
test ! -e "$KIT_SHIM_FOLDER/fail-$(basename "$0")" || { echo "x.c:1:1: error: as told"; exit 1; }
"#;

/// Runs a recipe with recording tools and returns what was called, with the test's folder written as `~`.
fn recorded(test: &str, failing: &[&str], recipe: fn(&Cx) -> anyhow::Result<()>) -> (bool, String) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let code = match recipe(&cx(Path::new(&folder))) {
            Ok(()) => 0,
            Err(error) => {
                println!("{error:#}");
                1
            }
        };
        std::process::exit(code);
    }
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("bin");
    for folder in [&bin, &dir.path().join("work/source"), &dir.path().join("work/build")] {
        tree::create_dir(folder).unwrap();
    }
    for name in ["cmake", "make", "meson", "ninja"] {
        std::fs::write(bin.join(name), SHIM).unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in failing {
        std::fs::write(dir.path().join(format!("fail-{name}")), "").unwrap();
    }
    std::fs::write(dir.path().join("work/source/CMakeLists.txt"), "").unwrap();
    std::fs::write(dir.path().join("work/source/configure"), SHIM).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", &format!("drivers::tests::{test}")])
        .env(FOLDER, dir.path())
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .output()
        .unwrap();
    let here = dir.path().display().to_string();
    let calls = std::fs::read_to_string(dir.path().join("calls")).unwrap_or_default();
    let calls: Vec<&str> = calls
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.contains("--version"))
        .collect();
    let mut text = calls.join("\n") + "\n";
    if !output.status.success() {
        // The error that the recipe ended with.
        text += String::from_utf8_lossy(&output.stdout)
            .lines()
            .last()
            .unwrap_or_default();
    }
    (output.status.success(), text.replace(&here, "~"))
}

fn cx(folder: &Path) -> Cx {
    let text = "version = '1'\nlicense = 'MIT'\n[source]\npath = 'x'\n[ships]\n";
    Cx {
        component: Component::parse("shimmed", text).unwrap(),
        target: Target::load("aarch64-pc-windows-msvc").unwrap(),
        toolset: Toolset {
            header_arguments: Vec::new(),
            bin: "/toolchain/bin".into(),
            sysroot: "/sysroot".into(),
            cmake_file: Some(PathBuf::from("/w/toolchain.cmake")),
            meson_file: Some(PathBuf::from("/w/cross.ini")),
            runner: None,
        },
        order: Order {
            folder: folder.to_owned(),
            triple: "aarch64-pc-windows-msvc".into(),
            variant: None,
            provider: "open".into(),
            state: folder.join("state"),
            digest: DigestWriter::new("test").finish(),
            work: folder.join("work"),
            partial: folder.join("partial"),
            jobs: 3,
            deps: Deps::default(),
            host: None,
            secrets: Vec::new(),
        },
    }
}

#[test]
fn configure_is_called_by_a_relative_path_and_installs_below_the_stage() {
    let (success, calls) = recorded(
        "configure_is_called_by_a_relative_path_and_installs_below_the_stage",
        &[],
        |cx| Configure::new(cx).arg("--enable-shared").run()?.install(),
    );
    assert!(success, "{calls}");
    assert_eq!(
        calls,
        "configure in build: --prefix=/windlass --enable-shared\n\
         make in build: -j3 V=1\n\
         make in build: V=1 DESTDIR=~/work/stage install\n"
    );
}

#[test]
fn a_script_of_autoconfs_kind_is_told_both_machines() {
    let (success, calls) = recorded("a_script_of_autoconfs_kind_is_told_both_machines", &[], |cx| {
        Configure::new(cx).cross().run().map(drop)
    });
    assert!(success, "{calls}");
    let build = std::env::consts::ARCH;
    assert_eq!(
        calls,
        format!("configure in build: --prefix=/windlass --build={build}-pc-linux-gnu --host=aarch64-w64-mingw32\n")
    );
}

#[test]
fn cmake_is_told_what_it_would_guess_and_edits_survive() {
    let (success, calls) = recorded("cmake_is_told_what_it_would_guess_and_edits_survive", &[], |cx| {
        let edit = FlagEdit {
            why: "test",
            files: vec!["**/a.c".into()],
            add: vec!["-DX".into()],
            remove: Vec::new(),
            floor: 1,
        };
        Cmake::new(cx)
            .define("WITH_X", "OFF")
            .define("CMAKE_C_FLAGS", "/DX")
            .flags(edit)
            .install()?;
        let text = std::fs::read_to_string(cx.build().join("build.ninja"))?;
        anyhow::ensure!(text.contains("FLAGS = /O2 -DX"), "error: the edit is gone: {text}");
        Ok(())
    });
    assert!(success, "{calls}");
    let lines: Vec<&str> = calls.lines().collect();
    for wanted in [
        "-G Ninja",
        "-DCMAKE_TOOLCHAIN_FILE=/w/toolchain.cmake",
        "-DCMAKE_INSTALL_PREFIX=/windlass",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_C_FLAGS=/DX ",
        "-DCMAKE_CXX_FLAGS= ",
        // Takes the one before it back; what the recipe says stays.
        "-UCMAKE_CXX_FLAGS",
        "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
        "-DWITH_X=OFF",
    ] {
        assert!(lines[0].contains(wanted), "{wanted}: {}", lines[0]);
    }
    assert!(
        !lines[0].contains("-UCMAKE_C_FLAGS")
            && !lines[0].contains("CMAKE_SYSTEM_NAME")
            && !lines[0].contains("DESTDIR"),
        "{}",
        lines[0]
    );
    let rest: Vec<&str> = lines[1..].to_vec();
    assert_eq!(
        rest,
        [
            "cmake in build: --build ~/work/build --target help --config Release",
            "ninja in build: -t restat build.ninja",
            "cmake in build: --build ~/work/build --target all --config Release",
            "cmake in build: --build ~/work/build --target install --config Release DESTDIR=~/work/stage",
        ]
    );
}

#[test]
fn meson_is_set_up_before_the_crate_is_called() {
    let (success, calls) = recorded("meson_is_set_up_before_the_crate_is_called", &[], |cx| {
        Meson::new(cx).option("tests", "false").install()
    });
    assert!(success, "{calls}");
    assert_eq!(
        calls,
        "meson in work: setup --prefix /windlass --libdir lib --buildtype release --wrap-mode nodownload \
         --cross-file /w/cross.ini -Dtests=false ~/work/build ~/work/source\n\
         ninja in build:\n\
         meson in build: install --no-rebuild --destdir ~/work/stage\n"
    );
}

#[test]
fn a_crate_that_panics_is_an_error_of_its_driver() {
    let (success, calls) = recorded("a_crate_that_panics_is_an_error_of_its_driver", &["cmake"], |cx| {
        Cmake::new(cx).install()
    });
    assert!(!success);
    assert!(
        calls.ends_with("cmake: command did not execute successfully, got: exit status: 1"),
        "{calls}"
    );
}
