//! What the settings of upstream's projects are in the words of clang-cl, lld-link and the resource compiler. A setting that is
//! not known is an error: left out, it would be missed on somebody's device.

use anyhow::{Result, bail};

use crate::windows::msbuild::Values;

/// What Microsoft's compiler warns of and clang refuses: pointers to `int` where one to `long`, which is as wide, is wanted.
const TOLERANT: [&str; 1] = ["-Wno-error=incompatible-pointer-types"];

/// Options of the compiler for one source; macros and folders of headers are not among them.
pub(crate) fn compile(settings: &Values) -> Result<Vec<String>> {
    let mut options: Vec<String> = TOLERANT.map(str::to_owned).into();
    for (name, value) in settings {
        let option = match (name.as_str(), value.as_str()) {
            ("Optimization", "MaxSpeed") => "/O2",
            ("IntrinsicFunctions", "true") => "/Oi",
            ("StringPooling", "true") => "/GF",
            ("FunctionLevelLinking", "true") => "/Gy",
            // Microsoft's static C runtime has no counterpart; ours takes from ucrtbase.dll, which every Windows has, whatever
            // Microsoft's would have brought along.
            ("RuntimeLibrary", "MultiThreadedDLL" | "MultiThreaded") => "/MD",
            ("WarningLevel", "Level1") => "/W1",
            ("WarningLevel", "Level3") => "/W3",
            ("BufferSecurityCheck", "false") => "/GS-",
            ("ControlFlowGuard", "Guard") => "/guard:cf",
            ("ExceptionHandling", "Sync") => "/EHsc",
            ("ExceptionHandling", "") | ("CompileAs", "Default") => continue,
            ("ExcludedFromBuild", "false") => continue,
            // No debug information is made, and Ninja cares for the number of processes.
            ("DebugInformationFormat" | "MultiProcessorCompilation" | "SuppressStartupBanner", _) => continue,
            // Optimisation of the whole program is in the options below, in clang's words.
            ("WholeProgramOptimization", _) => continue,
            ("PreprocessorDefinitions" | "AdditionalIncludeDirectories", _) => continue,
            ("DisableSpecificWarnings", _) => {
                options.extend(list(settings, name).iter().map(|number| format!("/wd{number}")));
                continue;
            }
            ("AdditionalOptions", words) => {
                options.extend(words.split_whitespace().filter(|word| is_kept(word)).map(str::to_owned));
                continue;
            }
            (name, value) => bail!("ClCompile: `{name}` is `{value}`, which is not known here"),
        };
        options.push(option.to_owned());
    }
    Ok(options)
}

/// Whether an option of the compiler is passed on.
fn is_kept(option: &str) -> bool {
    // Linking the whole interpreter at once takes minutes on the machines that this is built on; and the heap of Microsoft's
    // compiler is of no interest to clang.
    !(option == "-flto" || option.starts_with("/Zm"))
}

/// Options of the linker; libraries, the module-definition file and names of files are not among them.
pub(crate) fn link(settings: &Values) -> Result<Vec<String>> {
    let mut options = Vec::new();
    for (name, value) in settings {
        let option = match (name.as_str(), value.as_str()) {
            ("SubSystem", "Console") => "/SUBSYSTEM:CONSOLE".to_owned(),
            ("SubSystem", "Windows") => "/SUBSYSTEM:WINDOWS".to_owned(),
            ("RandomizedBaseAddress", "true") => "/DYNAMICBASE".to_owned(),
            ("DataExecutionPrevention", "true") => "/NXCOMPAT".to_owned(),
            ("NoEntryPoint", "true") => "/NOENTRY".to_owned(),
            ("TargetMachine", "MachineX64") => "/MACHINE:X64".to_owned(),
            ("TargetMachine", "MachineARM64") => "/MACHINE:ARM64".to_owned(),
            ("StackReserveSize", size) => format!("/STACK:{size}"),
            // No debug information is made; nothing is compiled anew while linking.
            ("GenerateDebugInformation" | "ProgramDatabaseFile" | "LinkTimeCodeGeneration", _) => continue,
            ("SuppressStartupBanner", _) => continue,
            // Every library is named in full, or is one of Windows'.
            ("AdditionalLibraryDirectories" | "AdditionalDependencies" | "ModuleDefinitionFile", _) => continue,
            ("IgnoreSpecificDefaultLibraries", _) => {
                options.extend(
                    list(settings, name)
                        .iter()
                        .map(|library| format!("/NODEFAULTLIB:{library}")),
                );
                continue;
            }
            ("DelayLoadDLLs", _) => {
                options.extend(list(settings, name).iter().map(|dll| format!("/DELAYLOAD:{dll}")));
                options.push("delayimp.lib".to_owned());
                continue;
            }
            ("AdditionalOptions", words) => {
                options.extend(words.split_whitespace().map(str::to_owned));
                continue;
            }
            (name, value) => bail!("Link: `{name}` is `{value}`, which is not known here"),
        };
        options.push(option);
    }
    Ok(options)
}

/// Options of the resource compiler; macros and folders are not among them.
pub(crate) fn resource(settings: &Values) -> Result<Vec<String>> {
    let mut options = Vec::new();
    for (name, value) in settings {
        match (name.as_str(), value.as_str()) {
            ("Culture", language) => options.extend(["/l".to_owned(), language.to_owned()]),
            ("PreprocessorDefinitions" | "AdditionalIncludeDirectories", _) => {}
            (name, value) => bail!("ResourceCompile: `{name}` is `{value}`, which is not known here"),
        }
    }
    Ok(options)
}

/// The parts of a setting that is a list.
pub(crate) fn list(settings: &Values, name: &str) -> Vec<String> {
    let text = settings.get(name).map_or("", String::as_str);
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Values {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        pairs.collect()
    }

    #[test]
    fn settings_become_options_and_lists_are_taken_apart() {
        let given = settings(&[
            ("AdditionalOptions", "-flto /utf-8  /Zm200 "),
            ("DisableSpecificWarnings", "4244;4267;"),
            ("Optimization", "MaxSpeed"),
            ("RuntimeLibrary", "MultiThreaded"),
            ("PreprocessorDefinitions", "A;B"),
        ]);
        let options = compile(&given).unwrap();
        assert_eq!(
            options[TOLERANT.len()..],
            ["/utf-8", "/wd4244", "/wd4267", "/O2", "/MD"]
        );
        let given = settings(&[
            ("DelayLoadDLLs", "ole32.dll"),
            ("StackReserveSize", "2000000"),
            ("SubSystem", "Console"),
        ]);
        let wanted = [
            "/DELAYLOAD:ole32.dll",
            "delayimp.lib",
            "/STACK:2000000",
            "/SUBSYSTEM:CONSOLE",
        ];
        assert_eq!(link(&given).unwrap(), wanted);
        assert_eq!(resource(&settings(&[("Culture", "0x0409")])).unwrap(), ["/l", "0x0409"]);
        assert_eq!(list(&settings(&[("L", "a; ;b\n;")]), "L"), ["a", "b"]);
    }

    #[test]
    fn a_setting_that_is_not_known_is_refused_with_its_value() {
        let fault = |result: Result<Vec<String>>| result.unwrap_err().to_string();
        let given = settings(&[("Optimization", "MinSpace")]);
        assert_eq!(
            fault(compile(&given)),
            "ClCompile: `Optimization` is `MinSpace`, which is not known here"
        );
        let given = settings(&[("FixedBaseAddress", "true")]);
        assert_eq!(
            fault(link(&given)),
            "Link: `FixedBaseAddress` is `true`, which is not known here"
        );
        let given = settings(&[("NullTerminateStrings", "true")]);
        assert_eq!(
            fault(resource(&given)),
            "ResourceCompile: `NullTerminateStrings` is `true`, which is not known here"
        );
    }
}
