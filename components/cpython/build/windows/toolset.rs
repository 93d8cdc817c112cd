//! What Microsoft's toolset adds to a project around upstream's files, as far as upstream relies on it: default names, core
//! libraries, macros. It knows no project.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::windows::msbuild::{Project, Properties, Values};

/// Properties that a user or MSBuild may set and that upstream's files ask for. What is not here and not set in any of the files
/// is a mistake.
pub(crate) const OPTIONAL: [&str; 17] = [
    // Upstream's own switches, which no file sets.
    "BuildForRelease",
    "DisableGil",
    "EXTERNALS_DIR",
    "EnableControlFlowGuard",
    "ExternalProps",
    "GenerateSourceDependencies",
    "IncludeTest",
    "OverrideVersion",
    "Py_OutDir",
    "SigningCertificate",
    "SigningCertificateSha1",
    "UseExtraStackReserve",
    "UseJIT",
    "UseTIER2",
    "UseTestMarker",
    // Never set at all; definitions begin with it.
    "_PydPreprocessorDefinition",
    // The toolset's release: of interest for faults of Microsoft's compiler alone.
    "VCToolsVersion",
];

/// The same, by MSBuild itself or by an installation of Visual Studio.
pub(crate) const OPTIONAL_OF_MSBUILD: [&str; 6] = [
    "MSBuildToolsVersion",
    "UserRootDir",
    "VCTargetsPath10",
    "VCTargetsPath11",
    "VCTargetsPath12",
    "VCTargetsPath14",
];

/// What the toolset's files do to properties when they are imported.
pub(crate) fn import(file: &str, properties: &mut Properties) -> Result<()> {
    match file {
        "Microsoft.Cpp.Default.props" | "Microsoft.Cpp.targets" => {}
        "Microsoft.Cpp.props" => {
            let kind = properties.get("ConfigurationType").unwrap_or_default();
            let extension = match kind {
                "Application" => ".exe",
                "DynamicLibrary" => ".dll",
                "StaticLibrary" => ".lib",
                // A file that only lists others has no product.
                "" => "",
                _ => bail!("configuration type `{kind}` is not known here"),
            };
            // Whatever a project said before is lost; one that wants another suffix says so afterwards.
            properties.set("TargetExt", extension);
        }
        _ => bail!("`{file}` of the toolset is not known here"),
    }
    Ok(())
}

/// What holds for every link before any file speaks: the libraries of Windows that every program may use.
pub(crate) fn definitions() -> BTreeMap<String, Values> {
    let libraries = [
        "kernel32", "user32", "gdi32", "winspool", "comdlg32", "advapi32", "shell32", "ole32", "oleaut32", "uuid",
        "odbc32", "odbccp32",
    ];
    let libraries: String = libraries.map(|name| format!("{name}.lib;")).concat();
    let link = Values::from([("AdditionalDependencies".to_owned(), libraries)]);
    BTreeMap::from([("Link".to_owned(), link)])
}

/// The macros that follow from a project's properties.
pub(crate) fn macros(project: &Project) -> Result<Vec<&'static str>> {
    let mut macros = Vec::new();
    match project.property("CharacterSet").unwrap_or("NotSet") {
        "NotSet" => {}
        "Unicode" => macros.extend(["_UNICODE", "UNICODE"]),
        "MultiByte" => macros.push("_MBCS"),
        other => bail!("{}: character set `{other}` is not known here", project.name),
    }
    if project.property("ConfigurationType") == Some("DynamicLibrary") {
        macros.push("_WINDLL");
    }
    Ok(macros)
}
