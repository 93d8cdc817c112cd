//! openssl: its own Configure, a program in Perl, then make; for Windows too, after a patch.

use anyhow::Result;
use kit::{Arch, Cx, Make, Os, PREFIX};

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    cx.step("configure");
    cx.call("perl")
        .arg("../source/Configure")
        .arg(platform(cx))
        .args([&format!("--prefix={PREFIX}"), "--libdir=lib"])
        .args(["CC=clang", "AR=llvm-ar", "RANLIB=llvm-ranlib"])
        .args(["no-apps", "no-docs", "no-tests", "no-makedepend"])
        // Nothing is loaded at run time: a folder of modules would have to be the bundle's, which has no fixed place.
        .args(["no-module", "no-engine"])
        // Programs and DLLs share one C runtime, which uplink is there to bridge.
        .arg("no-uplink")
        // The fast forms of NIST's curves want 128-bit integers, which every compiler here has.
        .arg("enable-ec_nistp_64_gcc_128")
        .args(match cx.target().os {
            // The linker leaves the symbol table out.
            Os::Linux => ["-Wl,-s"].as_slice(),
            Os::Windows => &[],
        })
        .run()?;
    // Without a list of static libraries: all that is not a part of the shared ones would be compiled twice.
    let make = folders(cx).into_iter().fold(Make::new(cx), Make::arg).arg("LIBS=");
    make.make(&[])?.arg("INSTALL_LIBS=").install_only(&["install_dev"])
}

/// The target in the words of upstream, or of our patch.
fn platform(cx: &Cx) -> &'static str {
    match (cx.target().os, cx.target().arch) {
        (Os::Linux, Arch::Aarch64) => "linux-aarch64",
        (Os::Linux, Arch::Riscv64) => "linux64-riscv64",
        (Os::Linux, Arch::X86_64) => "linux-x86_64",
        (Os::Windows, Arch::Aarch64) => "VC-CLANG-UNIX-ARM64",
        (Os::Windows, _) => "VC-CLANG-UNIX-X64",
    }
}

/// The folders of the device that are compiled in: `openssl.cnf` and the certificates that are trusted, and what could be loaded.
/// Nobody but an administrator can write there, also where they do not exist yet: whoever can, has his code run by every
/// program (CVE-2019-1552). A path without a drive would be such a place on Windows, where everybody may make folders in the root
/// of a drive. Upstream's Configure takes no drive on this machine, and has no words for the other two.
fn folders(cx: &Cx) -> [String; 3] {
    let settings = match cx.target().os {
        Os::Linux => "/etc/ssl",
        Os::Windows => "C:/Program Files/Common Files/SSL",
    };
    [
        format!("OPENSSLDIR={settings}"),
        format!("ENGINESDIR={settings}/engines-3"),
        format!("MODULESDIR={settings}/ossl-modules"),
    ]
}
