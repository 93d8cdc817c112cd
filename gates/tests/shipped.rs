//! Wrongs that others shipped and nobody noticed, each rebuilt small, and found with its cause named. What happened is in the
//! report that stands before each.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::path::Path;

use gates::ledger::{Ledger, Level, Proof};
use gates::manifest::{Kind, Load};
use gates::{Baseline, Judge, Policy, Report};
use support::{ARM64, Elf, Image, Symbol, Tree, Wheel, X64, archive, coff, helper, judge_tree, lines, words, zip};
use tempfile::TempDir;

fn put(folder: &TempDir, path: &str, bytes: &[u8]) {
    let path = folder.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn judge_files(files: &[(&str, Vec<u8>)]) -> Report {
    judge_files_by(&Policy::foreign(), files)
}

fn judge_files_by(policy: &Policy, files: &[(&str, Vec<u8>)]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        put(&folder, path, bytes);
    }
    Judge::new(policy).paths(&[folder.path()])
}

/// The judgement over bundles of two targets at once.
fn judge_both(arm: &Tree, x64: &Tree) -> Report {
    let folder = tempfile::tempdir().unwrap();
    for (name, tree) in [("arm", arm), ("x64", x64)] {
        std::fs::rename(tree.write().keep(), folder.path().join(name)).unwrap();
    }
    let paths = ["arm", "x64"].map(|name| folder.path().join(name));
    let paths: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    Judge::new(&Policy::standard()).paths(&paths)
}

/// Whether a rule names a file in these words.
fn says(report: &Report, rule: &str, wanted: &str) {
    assert!(
        lines(report, rule).iter().any(|line| line == wanted),
        "{rule}: wanted\n{wanted}\n{report}"
    );
}

/// The reports that are rebuilt here, each named before its test.
const REPORTS: [&str; 29] = [
    "qiin2333/moonlight-qt#71",
    "pykeio/ort#570",
    "BtbN/FFmpeg-Builds#539",
    "indygreg/python-zstandard#237",
    "LalitMaganti/syntaqlite#36",
    "pypa/cibuildwheel#1942",
    "astral-sh/python-build-standalone#97",
    "python/cpython#115382",
    "google/array_record#71",
    "adang1345/delvewheel#44",
    "pypa/cibuildwheel#2918",
    "llvm/llvm-project#81837",
    "llvm/llvm-project#62810",
    "msys2/MINGW-packages#21479",
    "garglk/garglk#1016",
    "k2-fsa/sherpa-onnx#3059",
    "microsoft/onnxruntime#27888",
    "microsoft/vcpkg#39706",
    "curiosity-ai/rocksdb-sharp#82",
    "TGYD-helige/pi#108",
    "dart-lang/dart-docker#141",
    "holepunchto/rocksdb-native#109",
    "google-ai-edge/LiteRT-LM#1847",
    "google-ai-edge/LiteRT-LM#2092",
    "ggml-org/llama.cpp#14926",
    "slint-ui/slint#8134",
    "sharkdp/fd#1085",
    "SynoCommunity/spksrc#3673",
    "#3623",
];

#[test]
fn every_report_is_named_before_a_test() {
    let text = include_str!("shipped.rs");
    for report in REPORTS {
        let is_named = text
            .lines()
            .any(|line| line.starts_with("///") && line.contains(report));
        assert!(is_named, "{report}: no test says that it rebuilds it");
    }
}

fn x64_dll() -> Vec<u8> {
    Image {
        machine: X64,
        ..helper()
    }
    .write()
}

/// qiin2333/moonlight-qt#71: thirty DLLs for x64, two folders below a program for ARM.
#[test]
fn x64_dlls_below_a_program_for_arm() {
    let program = Image::program(&[("KERNEL32.dll", &["ExitProcess"])]).write();
    let portable = zip(&[
        ("Moonlight.exe", &program),
        ("Qt6Core.dll", &helper().write()),
        ("plugins/platforms/qwindows.dll", &x64_dll()),
    ]);
    let report = judge_files(&[("portable-arm64.zip", portable)]);
    says(
        &report,
        "machine",
        "portable-arm64.zip:plugins/platforms/qwindows.dll: is for x86_64, wanted aarch64",
    );
}

/// pykeio/ort#570: the library for one target was packed for both.
#[test]
fn one_library_for_two_targets() {
    let mut arm = Tree::good();
    arm.replace("lib/parts.lib", archive(&[("ort.obj", coff(X64))]));
    let mut x64 = Tree::good();
    x64.target = "x86_64-pc-windows-msvc";
    x64.replace("lib/parts.lib", archive(&[("ort.obj", coff(X64))]));
    let report = judge_both(&arm, &x64);
    says(
        &report,
        "machine",
        "arm:lib/parts.lib:ort.obj: is for x86_64, wanted aarch64",
    );
    says(
        &report,
        "distinct-targets",
        "arm:lib/parts.lib: is x64:lib/parts.lib of x86_64-pc-windows-msvc, byte for byte, wanted native files of its own",
    );
}

/// BtbN/FFmpeg-Builds#539: a program for ARM that its maintainer could not run; nothing said so.
#[test]
fn a_program_that_nobody_ever_ran() {
    let policy = Policy::standard();
    let mut ledger = Ledger::new(support::TARGET);
    let bundle = Tree::good().write();
    let program = std::fs::read(bundle.path().join("bin/app.exe")).unwrap();
    let proof = Proof {
        sha256: support::sha256(&program),
        level: Level::Inspected,
        run: None,
    };
    ledger.add("bin/app.exe", proof);
    let judge = Judge {
        ledger: Some(ledger),
        ..Judge::new(&policy)
    };
    says(
        &judge.paths(&[bundle.path()]),
        "proofs",
        "bin/app.exe: was inspected and not executed, wanted a run that shows its sentinel",
    );
}

/// indygreg/python-zstandard#237: a module that is for ARM under the name of one for x64.
#[test]
fn a_module_for_arm_with_the_suffix_of_x64() {
    let name = "zstandard-0.23.0-cp311-cp311-win_arm64.whl";
    let wheel = Wheel::new(name).with("zstandard/backend_c.cp311-win_amd64.pyd", helper().write());
    says(
        &judge_files(&[(name, wheel.write())]),
        "wheel-tags",
        "zstandard-0.23.0-cp311-cp311-win_arm64.whl:zstandard/backend_c.cp311-win_amd64.pyd: has the suffix of win_amd64, wanted a suffix of win_arm64",
    );
}

/// LalitMaganti/syntaqlite#36: a link for ARM against a static library for x64.
#[test]
fn a_static_library_for_x64_on_the_link_path_of_arm() {
    let report = judge_files(&[
        ("a.exe", Image::program(&[]).write()),
        ("b.exe", Image::program(&[]).write()),
        ("lib/syntax.lib", archive(&[("s.obj", coff(X64))])),
    ]);
    says(
        &report,
        "machine",
        "lib/syntax.lib:s.obj: is for x86_64, wanted aarch64",
    );
}

/// pypa/cibuildwheel#1942: a wheel for ARM with the tag of the machine that built it.
#[test]
fn a_wheel_with_the_tag_of_the_build_machine() {
    let name = "pkg-1.0-cp313-cp313-win_amd64.whl";
    let wheel = Wheel::new(name).with("pkg/m.pyd", helper().write());
    let report = judge_files(&[(name, wheel.write())]);
    says(
        &report,
        "wheel-tags",
        &format!(
            "{name}:: is tagged for x86_64 and holds native files for aarch64 alone, wanted the tag of aarch64, and not the build machine's"
        ),
    );
    says(
        &report,
        "machine",
        &format!("{name}:pkg/m.pyd: is for aarch64, wanted x86_64"),
    );
}

/// astral-sh/python-build-standalone#97 and SynoCommunity/spksrc#3673: a cross-built Python that took the other's names.
#[test]
fn a_python_with_the_suffix_of_the_build_machine() {
    let config = b"build_time_vars = {'EXT_SUFFIX': '.cpython-39-x86_64-linux-gnu.so'}\n".to_vec();
    let file = "lib/python3.9/_sysconfigdata__linux_x86_64-linux-gnu.py";
    let report = judge_files(&[("bin/python3", Elf::program(&["libc.so.6"]).write()), (file, config)]);
    says(
        &report,
        "python-config",
        &format!(
            "{file}: says EXT_SUFFIX = `.cpython-39-x86_64-linux-gnu.so`, which is x86_64's, wanted the value of aarch64-linux"
        ),
    );
    says(
        &report,
        "python-config",
        &format!("{file}: is named for x86_64, wanted the name of aarch64-linux"),
    );
}

/// python/cpython#115382: the interpreter that builds and the one that is built are of one version and one SOABI, and the first searches
/// the folder that the second's modules are built in, so that it imports code that it cannot run. The configuration that is shipped
/// tells how the interpreter was called.
#[test]
fn a_python_whose_builder_took_its_modules_for_its_own() {
    let called = |folders: &str, runs: &str| {
        let lines = [
            " 'BUILD_GNU_TYPE': 'x86_64-pc-linux-gnu',",
            &format!(" 'HOST_GNU_TYPE': '{runs}',"),
            " 'PYTHON_FOR_BUILD': \"_PYTHON_HOSTRUNNER='' _PYTHON_PROJECT_BASE=/b \"",
            "                     '_PYTHON_HOST_PLATFORM=linux-x86_64 '",
            &format!("                     'PYTHONPATH={folders} '"),
            "                     '_PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__linux_x86_64-linux-gnu '",
            "                     'python3.14',",
            &format!(" 'SOABI': 'cpython-314-{}',", runs.replace("-unknown", "")),
        ];
        format!("build_time_vars = {{{}}}\n", lines.join("\n")).into_bytes()
    };
    // As the build system wrote it before 3.13, and since.
    let searched = "$(shell test -f pybuilddir.txt && echo /b/`cat pybuilddir.txt`:)./Lib";
    let mut tree = Tree::linux();
    tree.target = "x86_64-unknown-linux-gnu";
    let own = |elf: Elf| Elf { machine: 62, ..elf }.write();
    tree.replace("bin/app", own(Elf::program(&["libhelper.so.1", "libc.so.6"])));
    tree.replace("lib/libhelper.so.1", own(Elf::library("libhelper.so.1")));
    let file = "lib/python3.14/_sysconfigdata__linux_x86_64-linux-gnu.py";
    let same = "x86_64-unknown-linux-gnu";
    tree.add(file, Kind::File, called(searched, same));
    says(
        &judge_tree(&tree),
        "python-config",
        &format!(
            "{file}: was built by python3.14 of `x86_64-pc-linux-gnu`, which searched the modules of what it built (PYTHONPATH in \
             PYTHON_FOR_BUILD) and takes those of `cpython-314-x86_64-linux-gnu` for its own, wanted a build Python that finds its own modules alone (`_PYTHON_SYSCONFIGDATA_PATH`)"
        ),
    );
    // Modules of another C library have other names, and an interpreter that searches its own alone takes none.
    tree.replace(file, called("./Lib", same));
    assert_eq!(lines(&judge_tree(&tree), "python-config"), [""; 0]);
    tree.replace(file, called(searched, "x86_64-unknown-linux-musl"));
    assert_eq!(lines(&judge_tree(&tree), "python-config"), [""; 0]);
}

/// The same the other way: a module of the interpreter that built it lies among the target's. Neither machine nor suffix tells; what it
/// asks of the build machine's system does.
#[test]
fn a_module_of_the_build_machines_python_in_a_bundle_of_its_architecture() {
    let mut tree = Tree::linux();
    tree.target = "x86_64-unknown-linux-gnu";
    let own = |elf: Elf| Elf { machine: 62, ..elf }.write();
    tree.replace("bin/app", own(Elf::program(&["libhelper.so.1", "libc.so.6"])));
    tree.replace("lib/libhelper.so.1", own(Elf::library("libhelper.so.1")));
    let host = Elf {
        soname: None,
        runpath: Some("/usr/lib/python3.14/config-3.14-x86_64-linux-gnu"),
        symbols: vec![Symbol::wanted("arc4random", "libc.so.6", "GLIBC_2.38")],
        ..Elf::library("")
    };
    let module = "lib/python3.14/lib-dynload/_ssl.cpython-314-x86_64-linux-gnu.so";
    tree.add(module, Kind::Plugin, own(host));
    let report = judge_tree(&tree);
    says(
        &report,
        "version-ceiling",
        &format!(
            "{module}: asks libc.so.6 for GLIBC_2.38, wanted at most GLIBC_{}",
            Policy::standard().elf.ceilings["x86_64"]["GLIBC"]
        ),
    );
    says(
        &report,
        "runpath-origin-only",
        &format!(
            "{module}: searches `/usr/lib/python3.14/config-3.14-x86_64-linux-gnu` (RUNPATH), wanted folders that begin with `$ORIGIN`"
        ),
    );
}

/// microsoft/vcpkg#39706: the link line of a library for ARM, as its CMake export hands it on, names the build machine's folders.
#[test]
fn a_link_line_with_folders_of_the_build_machine() {
    let mut tree = Tree::linux();
    let export = "set(_LIBS \"-Wl,-rpath,/usr/lib/x86_64-linux-gnu;/usr/lib/x86_64-linux-gnu/libX11.so\")\n";
    tree.add("lib/cmake/gl/gl-config.cmake", Kind::File, export.into());
    let report = judge_tree(&tree);
    for word in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/libX11.so"] {
        says(
            &report,
            "link-lines",
            &format!(
                "lib/cmake/gl/gl-config.cmake: puts `{word}` on command lines, which is a system's for x86_64, wanted paths of the same tree"
            ),
        );
    }
}

/// google/array_record#71: x86 code in a wheel for any platform.
#[test]
fn native_code_in_a_wheel_for_any_platform() {
    let name = "array_record-0.4.0-py310-none-any.whl";
    let wheel = Wheel::new(name).with(
        "array_record/m.so",
        Elf {
            machine: 62,
            ..Elf::library("m.so")
        }
        .write(),
    );
    says(
        &judge_files(&[(name, wheel.write())]),
        "wheel-tags",
        "array_record-0.4.0-py310-none-any.whl:array_record/m.so: is native code, wanted no native code in a wheel for any platform",
    );
}

/// adang1345/delvewheel#44 and pypa/cibuildwheel#2918: the C++ runtime of the target is on nobody's PATH.
#[test]
fn a_cpp_runtime_that_nobody_brings() {
    let program = Image::program(&[("msvcp140.dll", &["_Cnd_wait"])]);
    says(
        &judge_files(&[("app.exe", program.write())]),
        "imports-closed",
        "app.exe: needs `msvcp140.dll` for `_Cnd_wait`: it comes with Microsoft's C++ redistributable and not with Windows, wanted a DLL that the loader finds",
    );
}

/// llvm/llvm-project#81837: the runtime of OpenMP was not in the release.
#[test]
fn a_program_without_its_openmp() {
    let program = Image::program(&[("libomp140.aarch64.dll", &["__kmpc_fork_call"])]);
    says(
        &judge_files(&[("omp.exe", program.write())]),
        "imports-closed",
        "omp.exe: needs `libomp140.aarch64.dll` for `__kmpc_fork_call`: it is neither here nor in Windows, wanted a DLL that the loader finds",
    );
}

/// llvm/llvm-project#62810: a library of the last release that was gone from the next.
#[test]
fn a_library_that_the_last_release_had() {
    let mut tree = Tree::good();
    let profile = "lib/clang_rt.profile-aarch64.lib";
    tree.component.ships.push(gates::manifest::Promise {
        kind: Kind::StaticLibrary,
        path: profile.into(),
    });
    let report = judge_tree(&tree);
    says(
        &report,
        "ships",
        &format!("{profile}: the promised static library is missing, wanted what `[ships]` says"),
    );
    // A library that programs load is missed by the record of what the last release exported.
    let folder = Tree::good().write();
    let record = [("bin/profile.dll".to_owned(), ["start".to_owned()].into())];
    let policy = Policy::standard();
    let judge = Judge {
        baseline: Some(Baseline(record.into())),
        ..Judge::new(&policy)
    };
    says(
        &judge.paths(&[folder.path()]),
        "exports-kept",
        "bin/profile.dll: is gone, with 1 exports, wanted the libraries of the last release",
    );
}

/// msys2/MINGW-packages#21479 and #3623: a plug-in whose library's library is absent; Windows names the plug-in alone.
#[test]
fn a_plugin_whose_dependencys_dependency_is_missing() {
    let plugin = Image {
        imports: vec![("avfilter.dll", &["start"])],
        ..Image::dll(&[("gst_plugin_libav_get_desc", None)])
    };
    let filter = Image {
        imports: vec![("postproc.dll", &["pp_start"])],
        ..Image::dll(&[("start", None)])
    };
    let report = judge_files(&[
        ("lib/gstreamer-1.0/gstlibav.dll", plugin.write()),
        ("lib/gstreamer-1.0/avfilter.dll", filter.write()),
    ]);
    says(
        &report,
        "imports-closed",
        "lib/gstreamer-1.0/avfilter.dll: needs `postproc.dll` for `pp_start`: it is neither here nor in Windows, wanted a DLL that the loader finds",
    );
}

/// garglk/garglk#1016: one target's archive lacks what the other's has.
#[test]
fn a_target_that_lacks_a_library_of_the_other() {
    let mut x64 = Tree::good();
    x64.target = "x86_64-pc-windows-msvc";
    x64.promise("bin/extra.dll", Kind::Library, x64_dll());
    says(
        &judge_both(&Tree::good(), &x64),
        "parity",
        "arm:bin/extra.dll: the library is not shipped, and x86_64-pc-windows-msvc has it, wanted the files of both targets, or an absence",
    );
}

/// k2-fsa/sherpa-onnx#3059 and microsoft/onnxruntime#27888: Windows' own onnxruntime.dll is taken.
#[test]
fn a_dll_with_the_name_of_one_in_system32() {
    says(
        &judge_files(&[("onnxruntime.dll", helper().write())]),
        "no-shadow",
        "onnxruntime.dll: has the name of System32's onnxruntime.dll, wanted a name that Windows does not have",
    );
}

/// microsoft/vcpkg#39706: a program for ARM searches the x64 folders of the machine that built it.
#[test]
fn a_search_path_of_the_build_machine() {
    let program = Elf {
        runpath: Some("/usr/lib/x86_64-linux-gnu"),
        ..Elf::program(&["libc.so.6"])
    };
    says(
        &judge_files(&[("bin/app", program.write())]),
        "runpath-origin-only",
        "bin/app: searches `/usr/lib/x86_64-linux-gnu` (RUNPATH), which is a system's for x86_64, wanted folders that begin with `$ORIGIN`",
    );
}

/// The same where it was linked: the line that was run, and the pkg-config that answered with its own machine's folders, since nobody
/// had led it to the target's. Once as Meson leaves it, as in the report, and once as CMake does.
#[test]
fn a_pkg_config_that_answers_for_the_build_machine() {
    let object = Elf {
        kind: 1,
        ..Elf::library("o")
    }
    .write();
    let line = "build bus/launcher: c_LINKER bus/launcher.c.o\n LINK_ARGS = -Wl,-rpath,/usr/lib/x86_64-linux-gnu -Wl,--start-group /usr/lib/x86_64-linux-gnu/libX11.so -lm\n";
    let log = "Build machine cpu family: x86_64\nCalled: `/usr/bin/pkg-config --modversion x11` -> 0\nstdout:\n1.8.7\n-----------\nCalled: `/usr/bin/pkg-config --libs x11` -> 0\nstdout:\n-L/usr/lib/x86_64-linux-gnu -lX11\n-----------\n";
    let files = [
        ("bus/launcher.c.o", object.clone()),
        ("build.ninja", line.into()),
        ("meson-logs/meson-log.txt", log.into()),
    ];
    let report = judge_files_by(&Policy::standard(), &files);
    for word in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/libX11.so"] {
        let found =
            "which is a system's for x86_64, which `/usr/bin/pkg-config --libs x11` told (meson-logs/meson-log.txt)";
        says(
            &report,
            "link-lines",
            &format!("build.ninja: puts `{word}` on command lines, {found}, wanted paths of the same tree"),
        );
    }
    assert_eq!(
        report.of("link-lines")[0].hint,
        "set PKG_CONFIG_LIBDIR to the target's modules alone"
    );
    let line = "aarch64-linux-gnu-gcc a.o -o a /usr/lib/x86_64-linux-gnu/libX11.so\n";
    let cache = "PKG_CONFIG_EXECUTABLE:FILEPATH=/usr/bin/pkg-config\npkgcfg_lib_X11_X11:FILEPATH=/usr/lib/x86_64-linux-gnu/libX11.so\n";
    let files = [
        ("CMakeFiles/a.dir/a.o", object),
        ("CMakeFiles/a.dir/link.txt", line.into()),
        ("CMakeCache.txt", cache.into()),
    ];
    says(
        &judge_files_by(&Policy::standard(), &files),
        "link-lines",
        "CMakeFiles/a.dir/link.txt: puts `/usr/lib/x86_64-linux-gnu/libX11.so` on command lines, which is a system's for x86_64, which `/usr/bin/pkg-config` for `pkgcfg_lib_X11_X11` told (CMakeCache.txt), wanted paths of the same tree",
    );
}

/// curiosity-ai/rocksdb-sharp#82: a makefile's own compiler put x86-64 objects into an archive for ARM.
#[test]
fn objects_of_the_build_machine_in_an_archive() {
    let object = |machine| {
        Elf {
            machine,
            kind: 1,
            ..Elf::library("o")
        }
        .write()
    };
    let report = judge_files(&[
        (
            "lib/libbz2.a",
            archive(&[("good.o", object(183)), ("bad.o", object(62))]),
        ),
        ("bin/app", Elf::program(&["libc.so.6"]).write()),
    ]);
    says(&report, "machine", "lib/libbz2.a:bad.o: is for x86_64, wanted aarch64");
}

/// TGYD-helige/pi#108: ELF objects in a library for Windows.
#[test]
fn elf_objects_in_a_library_for_windows() {
    let mut tree = Tree::good();
    let object = Elf {
        kind: 1,
        ..Elf::library("o")
    }
    .write();
    tree.replace(
        "lib/parts.lib",
        archive(&[("part.obj", coff(ARM64)), ("x264.o", object)]),
    );
    says(
        &judge_tree(&tree),
        "machine",
        "lib/parts.lib:x264.o: is ELF, wanted PE or COFF",
    );
}

/// dart-lang/dart-docker#141 and holepunchto/rocksdb-native#109: RISC-V's small atomics need a library that slim images lack.
#[test]
fn a_program_for_riscv_that_needs_libatomic() {
    let mut policy = Policy::foreign();
    // A slim image has glibc alone.
    policy.elf.not_in_base = vec!["libatomic.so.1".into()];
    let folder = tempfile::tempdir().unwrap();
    let program = Elf {
        machine: 243,
        ..Elf::program(&["libatomic.so.1", "libc.so.6"])
    };
    put(&folder, "bin/dart", &program.write());
    says(
        &Judge::new(&policy).paths(&[folder.path()]),
        "needed-closed",
        "bin/dart: needs `libatomic.so.1`: it is neither here nor in the base of riscv64-linux, wanted a library that the loader finds",
    );
}

/// google-ai-edge/LiteRT-LM#1847: dot products on a Cortex-A72, which has none; nothing asked.
#[test]
fn code_for_arm_above_the_baseline_of_the_board() {
    // bl f; ret; f: udot v0.4s, v1.16b, v2.16b; ret.
    let program = Elf {
        code: words(&[0x9400_0002, 0xd65f_03c0, 0x6e82_9420, 0xd65f_03c0]),
        ..Elf::program(&["libc.so.6"])
    };
    says(
        &judge_files(&[("bin/litert", program.write())]),
        "cpu-baseline",
        "bin/litert: uses dotprod in `0x278`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
    );
}

/// google-ai-edge/LiteRT-LM#2092 and ggml-org/llama.cpp#14926: code for vector units on boards without one; by the build attributes,
/// and by the code of a program that has none.
#[test]
fn code_above_the_baseline_of_the_board() {
    // vsetvli t0, a0, e32, m1, ta, ma; c.ret.
    let code = Elf {
        machine: 243,
        code: [words(&[0x0d05_72d7]), vec![0x82, 0x80]].concat(),
        ..Elf::program(&["libc.so.6"])
    };
    says(
        &judge_files(&[("bin/llama", code.write())]),
        "cpu-baseline",
        "bin/llama: uses v in `0x270`, and nothing in it asks what the processor has, wanted those of the target's baseline alone",
    );
    let program = Elf {
        machine: 243,
        riscv_arch: Some("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_v1p0_zicsr2p0"),
        ..Elf::program(&["libc.so.6"])
    };
    says(
        &judge_files(&[("bin/llama", program.write())]),
        "cpu-baseline",
        "bin/llama: was compiled for the extensions v, wanted those of the target's baseline alone",
    );
}

/// slint-ui/slint#8134 and sharkdp/fd#1085: pages of four kilobytes on a kernel with larger ones.
#[test]
fn a_library_for_small_pages() {
    let library = Elf {
        align: 0x1000,
        ..Elf::library("libfd.so")
    };
    says(
        &judge_files(&[("lib/libfd.so", library.write())]),
        "page-align",
        "lib/libfd.so: is aligned to pages of 4096 bytes, wanted `-z max-page-size=65536`",
    );
}

/// An undeclared run-time load: the module of a wheel that calls `LoadLibrary`, which delvewheel does not see.
#[test]
fn a_dll_that_is_loaded_by_name_alone() {
    let mut tree = Tree::good();
    let image = Image {
        data: b"\0openvino_c.dll\0".to_vec(),
        ..helper()
    };
    tree.replace("bin/helper.dll", image.write());
    says(
        &judge_tree(&tree),
        "declared-loads",
        "bin/helper.dll: names `openvino_c.dll`, which nobody declared, wanted each DLL that is loaded at run time under `loads`",
    );
    tree.component.loads = vec![Load {
        name: "openvino_c.dll".into(),
        from: None,
        optional: false,
        reason: "inference".into(),
    }];
    says(
        &judge_tree(&tree),
        "imports-closed",
        "bin/: loads `openvino_c.dll` at run time: it is neither here nor in Windows, wanted a DLL that the loader finds",
    );
}

/// A symbol that a newer system has: the program starts where it was built and nowhere else.
#[test]
fn a_version_that_only_the_build_machine_has() {
    let name = "pkg-1.0-cp313-cp313-manylinux_2_17_aarch64.whl";
    let symbols = vec![Symbol::wanted("__isoc23_strtol", "libc.so.6", "GLIBC_2.38")];
    let wheel = Wheel::new(name).with(
        "pkg/m.so",
        Elf {
            symbols,
            ..Elf::library("m.so")
        }
        .write(),
    );
    says(
        &judge_files(&[(name, wheel.write())]),
        "version-ceiling",
        &format!("{name}:pkg/m.so: asks libc.so.6 for GLIBC_2.38, wanted at most GLIBC_2.17"),
    );
}
