//! Two bundles that are wrong together.

use gates::manifest::{Exception, Kind};

use super::support::{ARM64, Elf, Image, X64, archive, coff, helper, short_import, zip};
use super::{Case, Given};

/// A DLL whose link has a name.
fn named(machine: u16, guid: u8, data: &[u8]) -> Vec<u8> {
    Image {
        machine,
        pdb: Some("helper.pdb"),
        guid,
        data: data.to_vec(),
        ..helper()
    }
    .write()
}

pub const CASES: &[Case] = &[
    // A component's exception is of its own bundle, also beside others.
    Case {
        rule: "machine",
        given: Given::Two(|arm, x64| {
            let other = |machine| Image { machine, ..helper() }.write();
            arm.add("bin/other.dll", Kind::Plugin, other(X64));
            x64.add("bin/other.dll", Kind::Plugin, other(ARM64));
            arm.component.exceptions = vec![Exception {
                rule: "machine".into(),
                path: "bin/*.dll".into(),
                found: String::new(),
                reason: "for the emulator".into(),
                link: Some("https://example.org".into()),
                until: Some("2999-12-31".into()),
            }];
        }),
        wanted: &["x64:bin/other.dll: is for aarch64, wanted x86_64"],
    },
    // Changed after the link; a copy is none. In the other bundle lies what was made from a file of the first.
    Case {
        rule: "build-ids",
        given: Given::Two(|arm, x64| {
            arm.add("bin/a.dll", Kind::Plugin, named(ARM64, 1, b""));
            arm.add("bin/b.dll", Kind::Plugin, named(ARM64, 1, b"signed"));
            arm.add("bin/c.dll", Kind::Plugin, named(ARM64, 1, b""));
            arm.add("bin/d.dll", Kind::Plugin, named(ARM64, 2, b""));
            x64.add("bin/d.dll", Kind::Plugin, named(X64, 2, b"patched"));
            x64.add("bin/e.dll", Kind::Plugin, named(X64, 3, b""));
            // One launcher, with the scripts that it starts behind it.
            for (path, script) in [("bin/pip.exe", "pip"), ("bin/wheel.exe", "wheel")] {
                let program = Image {
                    pdb: Some("launcher.pdb"),
                    ..Image::program(&[("KERNEL32.dll", &["ExitProcess"])])
                };
                let launcher = [program.write(), zip(&[("__main__.py", script.as_bytes())])].concat();
                arm.add(path, Kind::Program, launcher);
            }
            // A hash for its name, of 32 bits, in the header alone.
            let stamped = |machine, data: &[u8]| Image {
                machine,
                stamp: (0x1234_5678, true),
                data: data.to_vec(),
                ..helper()
            };
            arm.add("bin/f.dll", Kind::Plugin, stamped(ARM64, b"").write());
            x64.add("bin/f.dll", Kind::Plugin, stamped(X64, b"stripped").write());
        }),
        wanted: &[
            "arm:bin/b.dll: has the build id of arm:bin/a.dll and other bytes, wanted files as the linker left them",
            "arm:bin/d.dll: has the build id of x64:bin/d.dll for x86_64-windows, wanted a file that was linked for the target",
            "arm:bin/f.dll: has the build id of x64:bin/f.dll for x86_64-windows, wanted a file that was linked for the target",
        ],
    },
    Case {
        rule: "build-ids",
        given: Given::Linux(|tree| {
            let named = |id: u8, tls_bytes| Elf {
                build_id: Some([id; 20]),
                tls_bytes,
                ..Elf::library("libhelper.so.1")
            };
            tree.replace("lib/libhelper.so.1", named(1, 0).write());
            tree.add("lib/a/libhelper.so.1", Kind::Plugin, named(1, 8).write());
            tree.add("lib/b/libhelper.so.1", Kind::Plugin, named(2, 8).write());
            // What debuggers read has the id of what it was taken out of.
            tree.add("lib/debug/libhelper.so.1.debug", Kind::Plugin, named(1, 16).write());
        }),
        wanted: &[
            "lib/libhelper.so.1: has the build id of lib/a/libhelper.so.1 and other bytes, wanted files as the linker left them",
        ],
    },
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
