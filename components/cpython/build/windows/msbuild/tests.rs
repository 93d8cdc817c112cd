//! Small project files of our own for each thing that the evaluation knows, and for what it refuses.

use std::path::Path;

use super::*;

/// The namespace's beginning and end around some elements.
fn file(content: &str) -> String {
    format!("<Project xmlns=\"http://schemas.microsoft.com/developer/msbuild/2003\">\n{content}\n</Project>")
}

fn toolset(file: &str, properties: &mut Properties) -> Result<()> {
    ensure!(file == "Tool.props", "`{file}` is not there");
    properties.set("FromTool", "yes");
    properties.set("TargetExt", ".dll");
    Ok(())
}

/// Evaluates `main.vcxproj` of some files.
fn evaluated(files: &[(&str, &str)]) -> Result<Project> {
    let folder = tempfile::tempdir()?;
    for (name, content) in files {
        std::fs::write(folder.path().join(name), file(content))?;
    }
    let mut world = World::new(&["Unset"], toolset);
    world.global("Platform", "x64");
    world.know_folder(folder.path())?;
    world.evaluate(&folder.path().join("main.vcxproj"))
}

/// The value of property `X` after some elements.
fn x(content: &str) -> String {
    let project = evaluated(&[("main.vcxproj", content)]).unwrap_or_else(|error| panic!("{error:#}"));
    project.properties.get("X").unwrap().to_owned()
}

fn refused(content: &str) -> String {
    match evaluated(&[("main.vcxproj", content)]) {
        Err(error) => format!("{error:#}"),
        Ok(project) => panic!("was taken: {:?} {:?}", project.properties, project.items),
    }
}

/// Whether a condition holds where `A` is `one`, `B` is `3.13`, `T` is `true`.
fn holds(condition: &str) -> bool {
    let condition = condition
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    let content = format!(
        "<PropertyGroup><A>one</A><B>3.13</B><T>true</T><X>no</X><X Condition=\"{condition}\">yes</X></PropertyGroup>"
    );
    x(&content) == "yes"
}

#[test]
fn properties_are_replaced_in_the_order_of_the_file_and_in_any_case() {
    assert_eq!(
        x("<PropertyGroup><A>1</A><X>$(a)-$(A)$(Unset)</X><A>2</A></PropertyGroup>"),
        "1-1"
    );
    assert_eq!(
        x("<PropertyGroup><X>1</X></PropertyGroup><PropertyGroup><X>$(X);2</X></PropertyGroup>"),
        "1;2"
    );
    assert_eq!(
        x(
            "<PropertyGroup Condition=\"'$(Platform)' == 'ARM64'\"><X>1</X></PropertyGroup><PropertyGroup><X>$(X)0</X></PropertyGroup>"
        ),
        "0"
    );
}

#[test]
fn what_is_set_from_outside_cannot_be_set_inside() {
    assert_eq!(
        x("<PropertyGroup><platform>ARM</platform><X>$(Platform)</X></PropertyGroup>"),
        "x64"
    );
}

#[test]
fn a_property_that_is_set_nowhere_is_refused_by_file_line_and_name() {
    let error = refused("<PropertyGroup>\n<X>$(Nobody)</X></PropertyGroup>");
    assert_eq!(error, "main.vcxproj:3: `$(Nobody)`: property `Nobody` is set nowhere");
    // One that another file or a target sets is only not set here.
    let content = "<PropertyGroup><X>[$(Late)]</X></PropertyGroup><Target Name=\"T\"><PropertyGroup><Late>1</Late></PropertyGroup></Target>";
    assert_eq!(x(content), "[]");
}

#[test]
fn conditions_compare_combine_and_negate() {
    for condition in [
        "'$(A)' == 'ONE'",
        "$(A) == 'one'",
        "'$(A)'!='two'",
        "$(B) > '3.9'",
        "$(B) == '3.13.0'",
        "$(T)",
        "!($(A) == 'x') and $(T)",
        "$(A) == 'x' or ($(T) and '$(Unset)' == '')",
        "'$(A)' == 'x' and '$(B)' == '' or $(T)",
        "HasTrailingSlash('a\\')",
        "!HasTrailingSlash(a)",
        "Exists('main.vcxproj')",
        "!Exists('$(Unset)')",
        "$(A.StartsWith(`on`))",
        "$(A.EndsWith('ne'))",
        "'$(A.Replace('o', 'x)'))' == 'x)ne'",
    ] {
        assert!(holds(condition), "{condition}");
    }
    for condition in [
        "'$(A)' == 'two'",
        "$(B) <= 3.9",
        "!$(T)",
        "Exists('nothing')",
        "$(T) and $(A) == ''",
    ] {
        assert!(!holds(condition), "{condition}");
    }
}

#[test]
fn what_stands_right_of_a_decided_part_is_not_evaluated() {
    assert!(!holds(
        "'$(Unset)' != '' and $([System.Version]::Parse($(Unset))) > '1'"
    ));
    assert!(holds("$(T) or $(Nobody) == ''"));
}

#[test]
fn a_condition_that_is_not_understood_is_refused() {
    for (condition, fault) in [
        ("'$(X)' == 'a", "a quote is not closed"),
        ("$(X", "a parenthesis is not closed"),
        ("$(X) ==", "wanted a value after Equal"),
        ("$(X)", "`$(X)` is `1`, wanted true or false"),
        ("Contains('a')", "function `Contains` is not known here"),
        ("'a' > 'b'", "`a` and `b` have no order"),
        ("$(X) == 1 2", "there is more after its end"),
        ("@(X) == ''", "`@(X) == ''` is not known here"),
    ] {
        let escaped = condition.replace('>', "&gt;");
        let content = format!("<PropertyGroup><X>1</X></PropertyGroup><PropertyGroup Condition=\"{escaped}\" />");
        let error = refused(&content);
        assert!(
            error.starts_with("main.vcxproj:2: condition `") && error.contains(fault),
            "{error}"
        );
    }
}

#[test]
fn functions_of_texts_numbers_versions_and_patterns() {
    for (expression, wanted) in [
        ("$([msbuild]::Add($([MSBuild]::Multiply(13, 1000)), 5))", "13005"),
        ("$([msbuild]::BitwiseOr(\n 256,\n 15\n))", "271"),
        (
            "$([System.Text.RegularExpressions.Regex]::Match(`a 12 b`, `a\\s+(\\d+)`).Groups[1].Value)",
            "12",
        ),
        (
            "$([System.Text.RegularExpressions.Regex]::Match(`x`, `(\\d+)`).Groups[1].Value)",
            "",
        ),
        ("$([System.Version]::Parse(`8.6.15.0`).Build)", "15"),
        ("$([System.Version]::Parse(8.6).Revision)", "-1"),
        ("$(P.Replace(`\\\\`, `\\`))", "a\\b.c.pyd"),
        ("$(P.Substring($(P.LastIndexOf(`.`))))", ".pyd"),
        ("$(P.Substring(0, 1))", "a"),
        ("$(Registry:HKEY_LOCAL_MACHINE\\SOFTWARE\\X@Y)", ""),
        ("100% of it", "100% of it"),
    ] {
        let content = format!("<PropertyGroup><P>a\\\\b.c.pyd</P><X>{expression}</X></PropertyGroup>");
        assert_eq!(x(&content), wanted, "{expression}");
    }
}

#[test]
fn files_are_read_and_paths_made_full_from_the_projects_folder() {
    let content = "<PropertyGroup><X>$([System.IO.File]::ReadAllText(`note.props`))</X>\
                   <Y>$([System.IO.Path]::GetFullPath(`a\\..\\b\\`))</Y></PropertyGroup>";
    let project = evaluated(&[("main.vcxproj", content), ("note.props", "")]).unwrap();
    assert!(project.properties.get("X").unwrap().contains("<Project"));
    let full = project.properties.get("Y").unwrap();
    assert_eq!(full, format!("{}/b/", project.folder.display()));
    assert_eq!(full_path(Path::new("/p"), "..\\q\\.\\r.c"), Path::new("/q/r.c"));
}

#[test]
fn a_function_that_is_not_known_is_refused() {
    for (expression, fault) in [
        (
            "$([System.IO.Path]::Combine(`a`, `b`))",
            "function `system.io.path::combine` with 2 arguments is not known here",
        ),
        ("$(P.ToUpper())", "member `ToUpper` with 0 arguments is not known here"),
        ("$(P[0])", "`[0]` of what has no parts"),
        ("$(P.Substring(9))", "`abc` has no part from `9`"),
        ("%0A", "escapes are not known here: `%0A`"),
        ("@(Things)", "`@(Things)` stands where no list is known here"),
        ("%(Name)", "`%(Name)` stands outside of an item"),
    ] {
        let error = refused(&format!("<PropertyGroup><P>abc</P><X>{expression}</X></PropertyGroup>"));
        assert!(error.contains(fault), "{expression}: {error}");
    }
}

#[test]
fn imports_are_read_in_place_and_those_of_the_toolset_by_name() {
    let main = "<PropertyGroup><TargetExt>.pyd</TargetExt></PropertyGroup>\
                <Import Project=\"$(VCTargetsPath)\\Tool.props\" />\
                <ImportGroup><Import Project=\"$(Unset)\\user.props\" Condition=\"Exists('$(Unset)\\user.props')\" />\
                <Import Project=\"part.props\" /></ImportGroup>\
                <PropertyGroup><X>$(FromTool) $(TargetExt) $(Part)</X></PropertyGroup>";
    let part = "<PropertyGroup><Part>$(TargetExt)!</Part></PropertyGroup>";
    let project = evaluated(&[("main.vcxproj", main), ("part.props", part)]).unwrap();
    assert_eq!(project.properties.get("X"), Some("yes .dll .dll!"));
    let error = refused("<Import Project=\"$(VCTargetsPath)\\Other.props\" />");
    assert_eq!(error, "main.vcxproj:2: `Other.props` is not there");
    let error = refused("<Import Project=\"gone.props\" />");
    assert!(
        error.starts_with("imported at main.vcxproj:2: ") && error.contains("gone.props: cannot be read"),
        "{error}"
    );
}

#[test]
fn definitions_and_items_see_the_last_properties_and_what_was_said_before() {
    let main = "<ItemDefinitionGroup><C><D>$(Late);%(D)</D><O>fast</O></C></ItemDefinitionGroup>\
                <ItemDefinitionGroup><C><D Condition=\"'$(Platform)' == 'x64'\">B;%(D)</D>\
                <D Condition=\"'$(Platform)' == 'ARM64'\">never</D></C><C Condition=\"false\"><O>slow</O></C></ItemDefinitionGroup>\
                <ItemGroup><C Include=\"..\\a.c;b.c\" /><C Include=\"c.c\" Id=\"$(Late)\"><D>\nC;\n%(D)\n</D></C>\
                <C Include=\"d.c\" Condition=\"'$(Late)' == ''\" /></ItemGroup>\
                <ItemGroup Condition=\"false\"><C Include=\"e.c\" /></ItemGroup>\
                <PropertyGroup><Late>L</Late></PropertyGroup>";
    let project = evaluated(&[("main.vcxproj", main)]).unwrap();
    let items: Vec<_> = project
        .items_of("C")
        .map(|item| (item.include.as_str(), item.metadata["D"].as_str()))
        .collect();
    assert_eq!(items, [("..\\a.c", "B;L;"), ("b.c", "B;L;"), ("c.c", "C;\nB;L;")]);
    assert_eq!(project.items[0].metadata["O"], "fast");
    assert_eq!(project.items[2].metadata["Id"], "L");
    assert_eq!(project.definition("C")["D"], "B;L;");
}

#[test]
fn lists_of_items_are_taken_over_and_renamed() {
    let main = "<ItemGroup><E Include=\"_bz2;_lzma\" /><M Include=\"select\" /><M Include=\"@(E->'%(Identity)')\" />\
                <P Include=\"@(M->'%(Identity).vcxproj');core.vcxproj\" /><Q Include=\"@(E)\" /></ItemGroup>";
    let project = evaluated(&[("main.vcxproj", main)]).unwrap();
    let names = |kind| {
        project
            .items_of(kind)
            .map(|item| item.include.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names("P"), "select.vcxproj _bz2.vcxproj _lzma.vcxproj core.vcxproj");
    assert_eq!(names("Q"), "_bz2 _lzma");
}

#[test]
fn what_is_not_known_of_groups_and_elements_is_refused() {
    for (content, fault) in [
        ("<Choose />", "element `Choose` is not known here"),
        (
            "<ItemGroup><C Remove=\"a.c\" /></ItemGroup>",
            "attribute `Remove` of `C` is not known here",
        ),
        ("<ItemGroup><C /></ItemGroup>", "item without `Include`"),
        (
            "<ItemGroup><C Include=\"*.c\" /></ItemGroup>",
            "patterns over files are not known here: `*.c`",
        ),
        (
            "<ItemGroup><C Include=\"@(D->'%(Filename)')\" /><D Include=\"a\" /></ItemGroup>\
          <ItemGroup><E Include=\"@(D->'%(Filename)')\" /></ItemGroup>",
            "uses more than the items' names",
        ),
        (
            "<PropertyGroup><X Extra=\"1\">1</X></PropertyGroup>",
            "attribute `Extra` of `X` is not known here",
        ),
        (
            "<PropertyGroup><X>text<Y /></X></PropertyGroup>",
            "text beside elements: `text`",
        ),
        (
            "<ImportGroup><PropertyGroup /></ImportGroup>",
            "`PropertyGroup` in an ImportGroup",
        ),
    ] {
        let error = refused(content);
        assert!(error.contains(fault), "{content}: {error}");
    }
    assert!(
        Element::parse("x", "<Project/>")
            .unwrap_err()
            .to_string()
            .contains("is not of MSBuild's namespace")
    );
    assert!(Element::parse("x", "<Project").is_err());
}

#[test]
fn targets_are_named_and_not_run() {
    let project = evaluated(&[(
        "main.vcxproj",
        "<UsingTask TaskName=\"K\" /><Target Name=\"Clean\"><Exec /></Target>",
    )])
    .unwrap();
    assert_eq!(project.targets, BTreeSet::from(["Clean".to_owned()]));
}
