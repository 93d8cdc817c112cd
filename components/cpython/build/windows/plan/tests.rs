//! A small tree of projects as upstream's is built: a core with another upstream's sources in it, an extension module that links
//! another upstream's project, a program, and what freezes modules.

use super::*;

/// The beginning and the end of a project around some elements.
fn file(content: &str) -> String {
    format!("<Project xmlns=\"http://schemas.microsoft.com/developer/msbuild/2003\">{content}</Project>")
}

/// A project of a kind, with the properties that upstream's property sheets would set.
fn project(kind: &str, content: &str) -> String {
    file(&format!(
        "<PropertyGroup><ConfigurationType>{kind}</ConfigurationType></PropertyGroup>\
         <Import Project=\"$(VCTargetsPath)\\Microsoft.Cpp.props\" />\
         <PropertyGroup><OutDir>$(Py_OutDir)\\amd64\\</OutDir><IntDir>$(Py_IntDir)\\$(ProjectName)\\</IntDir>\
         <GeneratedPyConfigDir>$(Py_IntDir)\\pythoncore\\</GeneratedPyConfigDir><TargetName>$(ProjectName)</TargetName>\
         </PropertyGroup>{content}"
    ))
}

struct Tree {
    folder: tempfile::TempDir,
    settings: Settings,
}

impl Tree {
    fn new(projects: &[(&str, String)]) -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir_all(source.join("PCbuild")).unwrap();
        for (name, text) in projects {
            std::fs::write(source.join("PCbuild").join(name), text).unwrap();
        }
        let external = |property: &'static str, name: &str, library: &str| External {
            properties: vec![(property, Path::new("/deps").join(name).join("include"))],
            include: Path::new("/deps").join(name).join("include"),
            names: Vec::new(),
            libraries: vec![Path::new("/deps").join(name).join(library)],
            dlls: Vec::new(),
        };
        let settings = Settings {
            source,
            build: folder.path().join("build"),
            platform: "x64",
            free_threaded: false,
            externals: vec![
                external("zlibDir", "zlib", "zlib.lib"),
                external("lzmaDir", "xz", "lzma.lib"),
            ],
            without: BTreeSet::from(["shell".to_owned()]),
        };
        Tree { folder, settings }
    }

    fn usual() -> Tree {
        let core = "<ItemDefinitionGroup><ClCompile><PreprocessorDefinitions>CORE;%(PreprocessorDefinitions)</PreprocessorDefinitions>\
                    <AdditionalIncludeDirectories>..\\Include;$(zlibDir)</AdditionalIncludeDirectories></ClCompile></ItemDefinitionGroup>\
                    <ItemGroup><ClCompile Include=\"..\\Modules\\getbuildinfo.c;..\\Python\\call.c;..\\Objects\\call.c\" />\
                    <ClCompile Include=\"$(zlibDir)\\inflate.c\" /><ResourceCompile Include=\"..\\PC\\nt.rc\" />\
                    <ClCompile Include=\"..\\PC\\old.c\"><ExcludedFromBuild>true</ExcludedFromBuild></ClCompile></ItemGroup>";
        let module = "<PropertyGroup><TargetExt>.pyd</TargetExt></PropertyGroup>\
                      <ItemDefinitionGroup><ClCompile><AdditionalIncludeDirectories>$(lzmaDir)src/api</AdditionalIncludeDirectories>\
                      </ClCompile><Link><AdditionalDependencies>$(OutDir)liblzma.lib;Ws2_32.lib;%(AdditionalDependencies)\
                      </AdditionalDependencies></Link></ItemDefinitionGroup>\
                      <ItemGroup><ClCompile Include=\"..\\Modules\\_lzma.c\" /><ProjectReference Include=\"pythoncore.vcxproj\" />\
                      <ProjectReference Include=\"liblzma.vcxproj\" /></ItemGroup>";
        Tree::new(&[
            (
                "pcbuild.proj",
                file(
                    "<ItemGroup><Projects Include=\"_lzma.vcxproj;shell.vcxproj\" /><Projects2 Include=\"python.vcxproj\" /></ItemGroup>",
                ),
            ),
            ("pythoncore.vcxproj", project("DynamicLibrary", core)),
            ("_lzma.vcxproj", project("DynamicLibrary", module)),
            (
                "liblzma.vcxproj",
                project(
                    "StaticLibrary",
                    "<ItemGroup><ClCompile Include=\"$(lzmaDir)src\\a.c\" /></ItemGroup>",
                ),
            ),
            ("shell.vcxproj", project("DynamicLibrary", "<Choose />")),
            (
                "python.vcxproj",
                project(
                    "Application",
                    "<ItemGroup><ClCompile Include=\"..\\Programs\\python.c\" /></ItemGroup>",
                ),
            ),
            (
                "_freeze_module.vcxproj",
                file(
                    "<ItemGroup><None Include=\"..\\Lib\\os.py\"><ModName>os</ModName>\
             <OutFile>$(Py_IntDir)\\frozen\\os.h</OutFile></None><None Include=\"x.ico\" /></ItemGroup>",
                ),
            ),
        ])
    }

    fn spelled(&self, path: &Path) -> String {
        spelled(&self.settings, path)
    }
}

#[test]
fn projects_are_followed_and_other_upstreams_left_to_their_components() {
    let tree = Tree::usual();
    let plan = gather(&tree.settings).unwrap_or_else(|error| panic!("{error:#}"));
    let names: Vec<&str> = plan.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(names, ["pythoncore", "_lzma", "python"]);
    let [core, module, program] = &plan.units[..] else {
        panic!()
    };
    let objects: Vec<String> = core.compiles.iter().map(|step| tree.spelled(&step.object)).collect();
    let wanted = ["getbuildinfo", "call", "Objects_call"].map(|name| format!("obj/pythoncore/{name}.obj"));
    assert_eq!(objects, wanted);
    assert_eq!(
        core.compiles[0].options[1..],
        [
            "/DCORE",
            "/D_WINDLL",
            "/DGITVERSION=\"\"",
            "/DGITTAG=\"\"",
            "/DGITBRANCH=\"\""
        ]
    );
    let include: Vec<String> = core.compiles[0]
        .include
        .iter()
        .map(|folder| tree.spelled(folder))
        .collect();
    assert_eq!(include, ["../source/Include", "/deps/zlib/include"]);
    assert_eq!(core.libraries.last().map(String::as_str), Some("/deps/zlib/zlib.lib"));
    assert_eq!(tree.spelled(&core.resources[0].object), "obj/pythoncore/nt.res");
    assert_eq!(tree.spelled(&module.output), "amd64/_lzma.pyd");
    assert_eq!(module.references, std::slice::from_ref(&plan.core));
    assert_eq!(module.compiles[0].include, [Path::new("/deps/xz/include")]);
    assert_eq!(
        (module.libraries[0].as_str(), module.libraries.last().unwrap().as_str()),
        ("ws2_32.lib", "/deps/xz/lzma.lib")
    );
    assert!(module.options.contains(&"/IMPLIB:amd64/_lzma.lib".to_owned()));
    assert_eq!(
        (tree.spelled(&program.output), &program.import_library),
        ("amd64/python.exe".to_owned(), &None)
    );
    assert_eq!(plan.frozen.len(), 1);
    assert_eq!(tree.spelled(&plan.frozen[0].header), "obj/frozen/os.h");
}

#[test]
fn what_was_read_in_part_is_refused() {
    let tree = Tree::usual();
    let error = read(&tree.settings).err().unwrap().to_string();
    assert_eq!(
        error,
        "sources of the interpreter: found 3 in the project files, wanted at least 200"
    );
}

#[test]
fn what_the_projects_do_not_have_or_cannot_be_built_is_refused() {
    let fault = |tree: &Tree| format!("{:#}", gather(&tree.settings).err().unwrap());
    let mut tree = Tree::usual();
    tree.settings.without.insert("gone".to_owned());
    assert_eq!(
        fault(&tree),
        "project `gone` is to be left out, and there is none of that name"
    );
    let write = |tree: &Tree, text: &str| {
        let path = tree.folder.path().join("source/PCbuild/python.vcxproj");
        std::fs::write(path, project("Application", text)).unwrap();
    };
    let tree = Tree::usual();
    for (content, wanted) in [
        (
            "<Target Name=\"Surprise\" />",
            "python: target `Surprise` is not known here",
        ),
        (
            "<ItemGroup><CustomBuild Include=\"a.asm\" /></ItemGroup>",
            "python: `a.asm` is built in a way that is not known here",
        ),
        (
            "<ItemGroup><ProjectReference Include=\"shell.vcxproj\" /></ItemGroup>",
            "python: refers to `shell`, which is left out",
        ),
        (
            "<PropertyGroup><CharacterSet>Ebcdic</CharacterSet></PropertyGroup>",
            "python: python: character set `Ebcdic` is not known here",
        ),
    ] {
        write(&tree, content);
        assert_eq!(fault(&tree), wanted);
    }
}
