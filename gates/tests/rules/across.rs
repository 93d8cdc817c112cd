//! Two bundles that are wrong together.

use gates::manifest::Kind;

use super::support::{ARM64, Image, X64, archive, coff, helper, short_import};
use super::{Case, Given};

pub const CASES: &[Case] = &[
    Case {
        rule: "distinct-targets",
        given: Given::Two(|arm, x64| {
            // The archive of one target was packed for both.
            let same = archive(&[("part.obj", coff(X64))]);
            arm.replace("lib/parts.lib", same.clone());
            x64.replace("lib/parts.lib", same);
        }),
        wanted: &[
            "arm:lib/parts.lib: is x64:lib/parts.lib of x86_64-pc-windows-msvc, byte for byte, wanted native files of its own",
        ],
    },
    Case {
        rule: "parity",
        given: Given::Two(|arm, x64| {
            let extra = Image {
                machine: X64,
                ..helper()
            }
            .write();
            x64.promise("bin/extra.dll", Kind::Library, extra);
            arm.promise("share/more.txt", Kind::File, b"x".to_vec());
        }),
        wanted: &[
            "arm:bin/extra.dll: the library is not shipped, and x86_64-pc-windows-msvc has it, wanted the files of both targets, or an absence",
            "x64:share/more.txt: the file is not shipped, and aarch64-pc-windows-msvc has it, wanted the files of both targets, or an absence",
        ],
    },
];

/// Turns the good bundle for ARM into the good one for x64.
pub fn for_x64(tree: &mut super::support::Tree) {
    let machine = X64;
    tree.target = "x86_64-pc-windows-msvc";
    let program = Image {
        machine,
        ..Image::program(&[("helper.dll", &["answer"]), ("KERNEL32.dll", &["ExitProcess"])])
    };
    tree.replace("bin/app.exe", program.write());
    tree.replace("bin/helper.dll", Image { machine, ..helper() }.write());
    let members = [
        ("helper.dll", short_import(machine, "helper.dll", "answer")),
        ("head.obj", coff(machine)),
    ];
    tree.replace("lib/helper.lib", archive(&members));
    tree.replace("lib/parts.lib", archive(&[("part.obj", coff(machine))]));
    assert_ne!(machine, ARM64);
}
