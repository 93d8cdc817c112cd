//! opencv-python-headless: upstream's bindings compiled against the bundle's OpenCV, and the package that upstream's setup.py puts
//! around them. That one builds a second OpenCV into the module, by a Python that runs on the target.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use backend::Carried;
use kit::{Cmake, Cx};
use wheels::{Abi, Assembly, Member, Project, Tree};

/// What the carried libraries are under.
const OPENCV_LICENSE: &str =
    "Apache-2.0 AND BSD-3-Clause AND BSD-2-Clause AND MIT AND libtiff AND IJG AND libpng-2.0 AND Zlib AND OFL-1.1";
const FFMPEG_LICENSE: &str = "LGPL-2.1-or-later";

/// Upstream's loader reads these two: where the module is, and where its libraries are.
const CONFIGS: [(&str, &str); 2] = [
    (
        "cv2/config.py",
        "import os\n\nBINARIES_PATHS = [os.path.join(LOADER_DIR, 'lib')] + BINARIES_PATHS\n",
    ),
    (
        "cv2/config-3.py",
        "PYTHON_EXTENSIONS_PATHS = [LOADER_DIR] + PYTHON_EXTENSIONS_PATHS\n",
    ),
];

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let module = module(cx)?;
    cx.step("pack");
    let (python, _) = backend::target_python(cx)?;
    let project = Project::parse(&read(&cx.file("pyproject.toml")?)?)?;
    let source = cx.source();
    let mut wheel = Assembly::new(&python, &project, &source, Abi::Stable(7));
    wheel.version(&cx.component().version);
    for (folder, only) in [
        ("opencv/modules/python/package/cv2", "*.py"),
        ("opencv/modules/python/package/extra_modules", "**/*.py"),
        ("opencv/modules/core/misc/python/package", "**/*.py"),
        ("cv2", "data/__init__.py"),
    ] {
        let which = Tree {
            only: vec![only.to_owned()],
            without: Vec::new(),
        };
        wheel.tree(&source.join(folder), "cv2", &which)?;
    }
    wheel.tree(&generated(cx)?.join("cv2"), "cv2", &Tree::default())?;
    for (path, text) in CONFIGS {
        wheel.file(path, Member::plain(text))?;
    }
    let version = format!(
        "opencv_version = \"{}\"\ncontrib = False\nheadless = True\nrolling = False\nci_build = False\n",
        cx.component().version
    );
    wheel.file("cv2/version.py", Member::plain(version))?;
    wheel.module("cv2.cv2", &module)?;
    let mut wheel = wheel.finish()?;
    for (need, license) in [("opencv", OPENCV_LICENSE), ("ffmpeg", FFMPEG_LICENSE)] {
        // The loader tells Python where they are.
        Carried::new(need, "cv2", license).put_without_shim(cx, &mut wheel)?;
    }
    backend::install(cx, &wheel, &project)
}

/// Compiles the module and returns where it lies.
fn module(cx: &Cx) -> Result<PathBuf> {
    let (_, home) = backend::target_python(cx)?;
    let (source, generated) = (cx.source(), generated(cx)?);
    let folder = source.join("cv2-module");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    std::fs::copy(cx.file("CMakeLists.txt")?, folder.join("CMakeLists.txt"))
        .with_context(|| format!("{}: cannot be filled", folder.display()))?;
    let headers = [
        backend::target_headers(cx.target().os, &home)?,
        source.join(".windlass/numpy/numpy/_core/include"),
        source.join("opencv/modules"),
    ];
    Cmake::new(cx)
        .source_subdir("cv2-module")
        .define(
            "BINDINGS",
            source.join("opencv/modules/python/src2").display().to_string(),
        )
        .define("GENERATED", generated.display().to_string())
        .define("HEADERS", headers.map(|path| path.display().to_string()).join(";"))
        .define("PYTHON_LIBRARY", home.join("libs/python3.lib").display().to_string())
        .install()?;
    let built = cx.staged().join("cv2.module");
    let module = cx.build().join("cv2.module");
    std::fs::rename(&built, &module).with_context(|| format!("{}: cannot be moved", built.display()))?;
    Ok(module)
}

/// What upstream generates from OpenCV's headers, where the component opencv keeps it.
fn generated(cx: &Cx) -> Result<PathBuf> {
    let opencv = &cx.deps().get("opencv").context("opencv is not among the needs")?.root;
    Ok(opencv.join(kit::OWN_FOLDER).join("python"))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))
}
