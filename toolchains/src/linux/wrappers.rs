//! The wrappers of the Linux targets' compilers. They know the system root by its place and what a product may say of where its
//! libraries are.

use std::path::Path;

use super::Root;
use crate::Target;
use crate::toolchain::{AS_CALLED, QUIET, head, kit_tool, path_maps};

/// What the linker's wrapper does with its arguments: what is loaded is found from where it lies, in `bin` and in `lib` alike. A
/// build's own folders, which Meson and libtool add for its programs to be run before they are installed, are left out.
const RUN_PATH: &str = r#"r='$ORIGIN/../lib' w=
for a; do
  shift
  case $w:$a in
  y:*) w= l=$a ;;
  :-rpath | :--rpath) w=y && continue ;;
  :-rpath=* | :--rpath=*) l=${a#*=} ;;
  *) set -- "$@" "$a" && continue ;;
  esac
  IFS=:
  for d in $l; do case $d in '$ORIGIN'*) r=$r:$d ;; esac; done
  unset IFS
done
"#;

/// The arguments with which libclang reads a C header as the target's compiler does.
pub(crate) fn header_arguments(target: &Target, root: &Root, sysroot: &Path, zig: &Path) -> Vec<String> {
    vec![
        format!("--target={}", compiler_triple(target)),
        format!("--sysroot={}", sysroot.display()),
        // With this of the pinned compiler, libclang's own release has no headers of its own to bring.
        "-nostdlibinc".to_owned(),
        "-isystem".to_owned(),
        zig.with_file_name("lib").join("include").display().to_string(),
        "-isystem".to_owned(),
        sysroot.join("usr/include").join(&root.multiarch).display().to_string(),
        "-isystem".to_owned(),
        sysroot.join("usr/include").display().to_string(),
    ]
}

/// The triple in the words of clang, which knows extensions by `-march` alone.
fn compiler_triple(target: &Target) -> String {
    format!("{}-unknown-linux-gnu", target.arch)
}

/// The wrapper scripts, by name. `sysroot` and `zig` are paths below the folder of all prefixes.
pub(crate) fn wrappers(target: &Target, root: &Root, sysroot: &str, zig: &str) -> Vec<(&'static str, String)> {
    let head = head(sysroot, zig);
    let run = |program: &str, arguments: &str| format!("{head}exec \"$p/{zig}\" {program} {arguments}\n");
    let march = target
        .level
        .as_ref()
        .map(|level| format!("-march={} ", level.march))
        .unwrap_or_default();
    let driver = |mode: &str| {
        run(
            "clang",
            &format!(
                "--driver-mode={mode} --target={} {march}{QUIET} -no-canonical-prefixes --sysroot=\"$s\" \
                 --gcc-install-dir=\"$s/{}\" -resource-dir \"$z\" -fuse-ld=lld -B\"$t/bin\" {} {AS_CALLED} \
                 -Wno-unused-command-line-argument \"$@\"",
                compiler_triple(target),
                root.gcc_folder(),
                path_maps(""),
            ),
        )
    };
    // All is bound and made read-only before the program starts. The build id is a hash of the content: crash reports name the
    // file by it.
    let link = format!(
        "{head}{RUN_PATH}exec \"$p/{zig}\" ld.lld --enable-new-dtags -rpath \"$r\" -z relro -z now --hash-style=gnu \
         --build-id=sha1 \"$@\"\n"
    );
    vec![
        ("clang", driver("gcc")),
        ("clang++", driver("g++")),
        ("ld.lld", link),
        ("llvm-ar", run("ar", "\"$@\"")),
        ("llvm-nm", kit_tool("nm")),
        ("llvm-ranlib", run("ranlib", "\"$@\"")),
    ]
}
