//! OpenCV: its own CMake, with the codecs of pictures from its own tree and those of videos from the bundle's FFmpeg.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use kit::{Arch, Cmake, Cx, Os};

/// What upstream would download, or what needs a vendor's kit or a window system: each is an absence.
const WITHOUT: [&str; 15] = [
    "WITH_AVIF",
    "WITH_GSTREAMER",
    "WITH_GTK",
    "WITH_IPP",
    "WITH_JASPER",
    "WITH_KLEIDICV",
    "WITH_NVCUVENC",
    "WITH_NVCUVID",
    "WITH_OBSENSOR",
    "WITH_OPENEXR",
    "WITH_UNIFONT",
    "WITH_VA",
    "WITH_VA_INTEL",
    "WITH_VTK",
    "WITH_WIN32UI",
];

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let mut cmake = Cmake::new(cx)
        .source_subdir("opencv")
        .define("BUILD_TESTS", "OFF")
        .define("BUILD_PERF_TESTS", "OFF")
        .define("BUILD_JAVA", "OFF")
        // The Python package is a component of its own.
        .define("BUILD_opencv_python3", "OFF")
        // The codecs of pictures come from upstream's own tree, on Linux as on Windows.
        .define("OPENCV_FORCE_3RDPARTY_BUILD", "ON")
        .define("OPENCV_GENERATE_PKGCONFIG", "ON")
        .define("OPENCV_GENERATE_SETUPVARS", "OFF")
        // The kit has CMake use one, without upstream's knowing.
        .define("ENABLE_CCACHE", "OFF")
        // It marks code for a profiler of Intel's, and is the last thing under another licence.
        .define("WITH_ITT", "OFF")
        .define("BUILD_ITT", "OFF");
    // These are built from downloads when upstream's own tree is asked for.
    for name in WITHOUT.iter().chain(&["BUILD_TBB", "BUILD_IPP_IW"]) {
        cmake = cmake.define(*name, "OFF");
    }
    // Nothing above what the target promises; what is above is chosen when it runs.
    if cx.target().arch == Arch::X86_64 {
        cmake = cmake.define("CPU_BASELINE", "SSE2");
    }
    cmake = match cx.target().os {
        Os::Windows => windows(cx, cmake),
        Os::Linux => linux(cmake),
    };
    cmake.install()?;
    found_ffmpeg(cx)?;
    dispatch(cx)?;
    bindings(cx)
}

fn linux(mut cmake: Cmake<'_>) -> Cmake<'_> {
    // The linker leaves the symbol table out, in which the assembler names its sources.
    for kind in ["EXE", "SHARED"] {
        cmake = cmake.define(format!("CMAKE_{kind}_LINKER_FLAGS"), "-Wl,-s");
    }
    cmake
}

fn windows<'a>(cx: &Cx, mut cmake: Cmake<'a>) -> Cmake<'a> {
    // Upstream gives no flags to a compiler of Microsoft's kind, which has all of them always; clang has those it is told.
    if cx.target().arch == Arch::Aarch64 {
        for (name, extension) in [("FP16", "fp16"), ("DOTPROD", "dotprod"), ("BF16", "bf16")] {
            cmake = cmake.define(
                format!("CPU_NEON_{name}_FLAGS_ON"),
                format!("/clang:-march=armv8.2-a+{extension}"),
            );
        }
    }
    cmake
        // See the absences.
        .define("WITH_MSMF", "OFF")
        .define("WITH_DSHOW", "OFF")
        .define("WITH_DIRECTX", "OFF")
        .define("WITH_DIRECTML", "OFF")
        .define("BUILD_WITH_STATIC_CRT", "OFF")
        .define("OPENCV_FFMPEG_SKIP_DOWNLOAD", "ON")
}

/// Has upstream generate what its Python module is compiled from, out of the headers of the modules that were built, and keeps it for
/// the component of that module.
fn bindings(cx: &Cx) -> Result<()> {
    cx.step("bindings");
    cx.call("cmake")
        .args(["--build", ".", "--target", "gen_opencv_python_source"])
        .run()?;
    let own = cx.staged().join(kit::OWN_FOLDER).join("python");
    std::fs::create_dir_all(&own).with_context(|| format!("{}: cannot be made", own.display()))?;
    cx.call("sh")
        .args(["-c", "cp *.h \"$1\" && cp -R cv2 \"$1\"", "cp"])
        .arg(&own)
        .dir(cx.build().join("modules/python_bindings_generator"))
        .run()?;
    // It names headers by the folder that they are read from here.
    let modules = format!("{}/", cx.source().join("opencv/modules").display());
    let custom = own.join("pyopencv_custom_headers.h");
    let text = read(&custom)?;
    ensure!(
        text.contains(&modules),
        "{}: names no header of {modules}",
        custom.display()
    );
    std::fs::write(&custom, text.replace(&modules, ""))
        .with_context(|| format!("{}: cannot be written", custom.display()))
}

/// Upstream goes on without what it does not find. Of the bundle's FFmpeg it must say that it did.
fn found_ffmpeg(cx: &Cx) -> Result<()> {
    let path = cx.build().join("version_string.tmp");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    ensure!(
        text.lines()
            .any(|line| line.contains("FFMPEG:") && line.contains("YES")),
        "{}: says of no FFmpeg that it was found",
        path.display()
    );
    Ok(())
}

/// Holds the kernels that upstream says it chose against those that this component promises. A probe that fails for a reason of its
/// own leaves them out without a word.
fn dispatch(cx: &Cx) -> Result<()> {
    let path = cx.build().join("cv_cpu_config.h");
    let text = read(&path)?;
    let list = match cx.target().arch {
        Arch::Aarch64 => "kernels-aarch64",
        Arch::Riscv64 => "kernels-riscv64",
        Arch::X86_64 => "kernels-x86_64",
    };
    for name in cx.component().lists.get(list).into_iter().flatten() {
        ensure!(
            text.lines()
                .any(|line| line.trim() == format!("#define CV_CPU_DISPATCH_COMPILE_{name} 1")),
            "{}: upstream compiles no kernels for {name}, wanted by `{list}` of component.toml",
            path.display()
        );
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))
}
