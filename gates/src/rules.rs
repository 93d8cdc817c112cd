//! The table of rules. A rule is a pure function over a subject: it never stops at the first finding, prints or panics.

mod absences;
mod build_ids;
mod cpu;
mod declared_loads;
mod distinct_targets;
mod elf_hardening;
mod exports_kept;
mod image;
mod import_library;
pub(crate) mod imports;
mod licences;
pub(crate) mod link_lines;
mod links;
mod machine;
mod manifest;
mod names;
pub(crate) mod needed;
mod parity;
mod paths;
mod pe_hardening;
mod pkgconfig;
mod plugins;
mod proofs;
mod python;
mod readable;
mod runpath;
mod sbom;
mod secrets;
mod server_core;
mod shadow;
mod ships;
mod simd;
mod soname;
mod stamps;
mod versions;
mod wheel_metadata;
mod wheel_record;
mod wheel_requires;
mod wheel_tags;

use crate::ledger::Ledger;
use crate::policy::Policy;
use crate::report::{Finding, Report};
use crate::{Arch, Baseline, Subject};

/// One rule.
pub struct Rule {
    /// Its id: the name of what holds.
    pub id: &'static str,
    /// Why it is there, with what taught it.
    pub why: &'static str,
    /// How much of the files it needs.
    pub reads: Reads,
    /// Adds what is wrong to the report.
    pub check: fn(&Case<'_>, &mut Report),
}

/// How much of the files a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Headers and tables.
    Tables,
    /// Every byte is searched.
    Bytes,
    /// Hashes of what has to be compared.
    Hashes,
    /// The code is decoded.
    Code,
}

/// What a rule is asked about.
pub struct Case<'a> {
    /// The subject.
    pub subject: &'a Subject,
    /// Everything that is judged at once, the subject among it.
    pub all: &'a [Subject],
    /// The measure.
    pub policy: &'a Policy,
    /// What the last release offered.
    pub baseline: Option<&'a Baseline>,
    /// What was run.
    pub ledger: Option<&'a Ledger>,
}

macro_rules! rules {
    ($($id:literal $reads:ident $check:expr, $why:literal;)*) => {
        &[$(Rule { id: $id, why: $why, reads: Reads::$reads, check: $check }),*]
    };
}

/// Every rule, by id.
pub const RULES: &[Rule] = rules![
    "absences" Tables absences::check,
        "an absence that stopped being true hides what users could have, and the parity tables are wrong from then on";
    "build-ids" Hashes build_ids::check,
        "tools that strip, sign or repair files damage them (pypa/auditwheel#557), and a stripped copy of another target's file is not that file byte for byte";
    "cpu-baseline" Code cpu::check,
        "code above the target's baseline ends with SIGILL on older boards (google-ai-edge/LiteRT-LM#1847, ggml-org/llama.cpp#14926)";
    "declared-loads" Bytes declared_loads::check,
        "no import table tells what a program hands to LoadLibrary; peers' gates do not look (delvewheel, python-build-standalone)";
    "distinct-targets" Hashes distinct_targets::check,
        "one archive was packed for two targets, and one of them could not link it (pykeio/ort#570)";
    // The judge itself adds the findings, after all other rules, when it knows what each exception covered.
    "exceptions" Tables |_, _| {},
        "an exception that no longer fires hides the next fault; Yocto's skip lists have neither reason nor end";
    "exports-kept" Tables exports_kept::check,
        "a symbol that a release takes away breaks programs that were linked against the last one";
    // The judge itself adds the findings, when everything is counted.
    "floors" Tables |_, _| {},
        "a gate that is green because there was nothing to judge is the worst outcome";
    "image-covers" Tables image::covers,
        "what a higher layer hides is downloaded all the same, and anybody can take it out again";
    "image-modes" Tables image::modes,
        "a program that runs as its owner, or a file that everybody may write to, is the way from a guest to root";
    "image-owners" Tables image::owners,
        "numbers of users of the machine that builds mean other users elsewhere, and those own the files then";
    "image-times" Tables image::times,
        "the time at which a layer was packed is a difference between two builds of the same thing";
    "image-user" Tables image::user,
        "an image that names no user runs everything as root";
    "import-library" Tables import_library::check,
        "an import library that offers more than its DLL exports makes programs that link and do not start";
    "imports-closed" Tables imports::check,
        "Windows names the program that does not start and not the DLL or symbol that is missing (msys2/MINGW-packages#21479)";
    "licence-files" Tables licences::check,
        "the licences of what is shipped demand that their texts go with it";
    "link-lines" Tables link_lines::check,
        "a link for ARM searched /usr/lib/x86_64-linux-gnu and took the build machine's libX11.so (microsoft/vcpkg#39706)";
    "links-resolve" Tables links::check,
        "a link that leads nowhere, or out of the tree, is a file that is missing on every other machine";
    "machine" Tables machine::check,
        "archives for ARM were shipped with x64 libraries inside (qiin2333/moonlight-qt#71, pykeio/ort#570)";
    "manifest" Tables manifest::check,
        "every other rule believes what the manifest says of owners and promises";
    "names" Tables names::check,
        "what Linux can store Windows may not unpack: names that differ in case alone, reserved names, paths that are too long";
    "needed-closed" Tables needed::check,
        "a library that only the build machine has is missing in every slim image (dart-lang/dart-docker#141)";
    "no-build-paths" Bytes paths::check,
        "a path of the build machine is a leak, and a difference between two builds of the same thing";
    "no-exec-stack" Tables elf_hardening::stack,
        "one object without a note makes the stack of the whole program executable";
    "no-secrets" Bytes secrets::check,
        "a private key in a release is published for ever";
    "no-textrel" Tables elf_hardening::text_relocations,
        "code that is written to at load time is not shared, and hardened systems refuse it";
    "no-timestamps" Bytes stamps::check,
        "a time in a file makes every build differ, and nobody can check a release by building it again (reproducible-builds.org)";
    "no-wx-segment" Tables elf_hardening::writable_code,
        "pages that can be written to and run are what an attacker needs";
    "page-align" Tables elf_hardening::page_align,
        "libraries for 4 KiB pages cannot be loaded on kernels with larger ones (slint-ui/slint#8134, sharkdp/fd#1085)";
    "parity" Tables parity::check,
        "one target's archive lacked libraries that the other's had (garglk/garglk#1016)";
    "pe-hardening" Tables pe_hardening::check,
        "Windows on ARM refuses images that cannot be moved or that run data; elsewhere they are what an attacker needs";
    "pkgconfig-relocatable" Tables pkgconfig::check,
        "a module with an absolute prefix is wrong as soon as the bundle is moved";
    "plugins" Tables plugins::check,
        "a plug-in without its entry point is skipped in silence, and the feature is gone";
    "proofs" Hashes proofs::check,
        "a program that nobody ever ran was shipped for the wrong machine, and nobody could tell (BtbN/FFmpeg-Builds#539)";
    "python-config" Tables python::check,
        "a cross-built Python took names of the machine that built it (astral-sh/python-build-standalone#97, SynoCommunity/spksrc#3673)";
    "readable" Tables readable::check,
        "what cannot be read was not judged; peers' gates pass over it (Buildroot, BinaryBuilder)";
    "relro" Tables elf_hardening::relro,
        "tables of pointers that stay writable are what an attacker overwrites first";
    "runpath-origin-only" Tables runpath::check,
        "a path of the build machine is searched on the user's (microsoft/vcpkg#39706)";
    "no-shadow" Tables shadow::check,
        "System32 wins over PATH: programs got Windows' own onnxruntime.dll (k2-fsa/sherpa-onnx#3059)";
    "sbom" Hashes sbom::check,
        "who answers for what is shipped believes the list; one that lacks a file or has an old hash is worse than none";
    "server-core" Tables server_core::check,
        "vfw32's AVICAP32.dll is not on Server Core: every program that loaded avdevice ended with 0xC0000135 there";
    "ships" Hashes ships::check,
        "a promised file that is missing is noticed by users, a changed or foreign file by nobody";
    "simd-alive" Code simd::check,
        "a build that found no assembler goes on without one: x264 was built for ARM without NEON (TGYD-helige/pi#108)";
    "soname" Tables soname::check,
        "the loader looks for the name inside of a library; where the file is called otherwise, it is not found";
    "static-tls" Tables elf_hardening::static_tls,
        "static thread-local memory of loaded libraries comes out of a small reserve: `cannot allocate memory in static TLS block`";
    "version-ceiling" Tables versions::check,
        "a newer glibc on the build machine makes programs that older systems refuse to start";
    "wheel-metadata" Tables wheel_metadata::check,
        "installers believe the metadata, not the file name";
    "wheel-record" Hashes wheel_record::check,
        "tools that repair wheels damage them (pypa/auditwheel#557, jvolkman/repairwheel#33): check after the last of them";
    "wheel-requires" Tables wheel_requires::check,
        "a store of wheels that lacks a dependency fails at the first installation without a network";
    "wheel-tags" Tables wheel_tags::check,
        "wheels for ARM held modules with x64 names, pure ones held x86 code (indygreg/python-zstandard#237, google/array_record#71)";
];

impl Case<'_> {
    /// A finding about a file of the subject.
    fn finding(&self, rule: &'static str, path: &str, found: impl Into<String>, wanted: impl Into<String>) -> Finding {
        Finding {
            rule,
            cause: String::new(),
            path: self.shown(path),
            owner: self.subject.owner(path).to_owned(),
            found: found.into(),
            wanted: wanted.into(),
            hint: String::new(),
        }
    }

    /// A path of the subject as people are shown it.
    fn shown(&self, path: &str) -> String {
        format!("{}{path}", self.subject.path)
    }

    /// Whose a path of a system is, where that is another architecture than the subject's; to be put behind the path.
    fn of_another(&self, path: &str) -> String {
        let own = self.subject.platform.map(|platform| platform.arch);
        match Arch::of_path(path) {
            Some(arch) if own.is_some_and(|own| own != arch) => format!(", which is a system's for {arch}"),
            _ => String::new(),
        }
    }

    /// The command that builds a file's component again; empty for what we did not build.
    fn rebuild(&self, path: &str) -> String {
        let target = self.subject.target();
        match self.subject.owner(path) {
            _ if target.is_empty() => String::new(),
            "" => String::new(),
            crate::manifest::BUNDLER => format!("cargo xtask bundle --target {target}"),
            owner => format!("cargo xtask build --target {target} -p {owner}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_rule_has_a_reason() {
        let ids: std::collections::BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
        assert!(RULES.iter().all(|rule| !rule.why.is_empty()));
    }
}
