//! The targets of upstream's projects, none of which is run: what is done in the place of each. One that is not here is an error,
//! because a new release may make something in it that would be missed.

use anyhow::{Result, ensure};

use crate::windows::msbuild::Project;

/// Targets by their names, with what is done in their place.
const TARGETS: [(&str, &str); 29] = [
    ("CleanAll", "everything is built in a fresh folder"),
    ("CopyPGCFiles", "nothing is built with a profile"),
    ("CopyPGORT", "nothing is built with a profile"),
    ("CopyTclTkLib", "there is no Tcl"),
    (
        "FindPythonForBuild",
        "the host's interpreter is a need of the component",
    ),
    ("FindVCRedistDir", "the C runtime is a need of the component"),
    ("FindVCRuntime", "the C runtime is a need of the component"),
    (
        "GeneratePyBuildDirTxt",
        "marks the folder of a build, which is not shipped",
    ),
    (
        "GeneratePythonBat",
        "starts the interpreter in the folder of a build, which is not shipped",
    ),
    ("KillPython", "nothing runs that was built"),
    ("ResolveAssemblyReferences", "is empty"),
    ("ShowVersionInfo", "prints"),
    ("ValidateUcrtbase", "tests run the interpreter"),
    ("_CheckWindowsSDKFound", "the SDK is the system root"),
    ("_CleanFrozen", "everything is built in a fresh folder"),
    ("_CleanLIBFFIDLL", "everything is built in a fresh folder"),
    ("_CleanPyconfig", "everything is built in a fresh folder"),
    ("_CleanSSLDLL", "everything is built in a fresh folder"),
    ("_CleanVCRuntime", "everything is built in a fresh folder"),
    ("_CopyLIBFFIDLL", "the layout takes the DLL from the component"),
    ("_CopyPyconfig", "the layout takes the header from where it is made"),
    ("_CopySSLDLL", "the layout takes the DLLs from the component"),
    ("_CopyVCRuntime", "the layout takes the DLLs from the component"),
    ("_DeletePyBuildDirTxt", "everything is built in a fresh folder"),
    ("_GetBuildInfo", "the plan says that there is no git"),
    ("_RebuildFrozen", "Ninja freezes what the project names"),
    ("_RebuildGetPath", "Ninja freezes what the project names"),
    ("_SignBuild", "nothing is signed"),
    ("_UpdatePyconfig", "the recipe writes the header"),
];

/// Beginnings of names whose targets make nothing: warnings, and what makes sources that a release's archive has.
const HARMLESS: [&str; 2] = ["_Trigger", "_WarnAbout"];

/// Refuses targets that are not known.
pub(crate) fn check(project: &Project) -> Result<()> {
    let known = |name: &str| TARGETS.iter().any(|(known, _)| *known == name);
    let harmless = |name: &str| HARMLESS.iter().any(|head| name.starts_with(head));
    let strange = project.targets.iter().find(|name| !known(name) && !harmless(name));
    ensure!(
        strange.is_none(),
        "{}: target `{}` is not known here",
        project.name,
        strange.map_or("", String::as_str)
    );
    Ok(())
}
