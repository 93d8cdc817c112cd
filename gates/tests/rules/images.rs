//! Layouts of images that are wrong in one way.

use super::support::{Elf, Image, Member, PLAIN, helper, layout, layout_of, tar, tar_of};
use super::{Case, Files, Given};

/// The files of an image for Linux, in two layers.
fn layers() -> [Vec<u8>; 2] {
    let program = Elf::program(&["libhelper.so.1", "libc.so.6"]).write();
    let library = Elf::library("libhelper.so.1").write();
    [
        tar_of(&[
            Member {
                path: "usr/",
                mode: 0o755,
                ..PLAIN
            },
            Member {
                path: "usr/lib/libhelper.so.1",
                bytes: &library,
                mode: 0o755,
                ..PLAIN
            },
        ]),
        tar_of(&[Member {
            path: "usr/bin/app",
            bytes: &program,
            mode: 0o755,
            ..PLAIN
        }]),
    ]
}

/// An image for Linux with a program and a library, and nothing wrong.
pub fn good() -> Files {
    layout("arm64", &layers())
}

/// One for Windows, whose files lie below `Files`.
pub fn payload() -> Files {
    let program = Image::program(&[("helper.dll", &["answer"]), ("KERNEL32.dll", &["ExitProcess"])]).write();
    let layer = tar(&[
        ("Files/windlass/bin/app.exe", &program),
        ("Files/windlass/bin/helper.dll", &helper().write()),
        ("Hives/", b""),
    ]);
    layout_of("arm64", "windows", r#"{"created": "1970-01-01T00:00:00Z"}"#, &[layer])
}

/// The good image with one more layer.
fn with(members: &[Member<'_>]) -> Files {
    let mut all = layers().to_vec();
    all.push(tar_of(members));
    layout("arm64", &all)
}

pub const CASES: &[Case] = &[
    Case {
        rule: "image-covers",
        given: Given::Folder(|| {
            with(&[
                Member {
                    path: "usr/lib/.wh.libnone.so",
                    ..PLAIN
                },
                Member {
                    path: "usr/bin/.wh..wh..opq",
                    ..PLAIN
                },
                Member {
                    path: "usr/lib/libhelper.so.1 -> app",
                    ..PLAIN
                },
            ])
        }),
        wanted: &[
            "layer/usr/bin/.wh..wh..opq: takes away 1 files of lower layers, which are shipped all the same, wanted layers without them",
            "layer/usr/lib/.wh.libnone.so: takes away nothing, wanted no whiteout",
            "layer/usr/lib/libhelper.so.1: is in a lower layer too, and both are shipped, wanted each file in one layer",
        ],
    },
    Case {
        rule: "image-modes",
        given: Given::Folder(|| {
            with(&[
                Member {
                    path: "tmp/",
                    mode: 0o1777,
                    ..PLAIN
                },
                Member {
                    path: "usr/bin/su",
                    mode: 0o4755,
                    ..PLAIN
                },
                Member {
                    path: "usr/bin/wall",
                    mode: 0o2755,
                    ..PLAIN
                },
                Member {
                    path: "usr/share/team/",
                    mode: 0o2755,
                    ..PLAIN
                },
                Member {
                    path: "usr/share/x",
                    mode: 0o666,
                    ..PLAIN
                },
            ])
        }),
        wanted: &[
            "layer/tmp: has the mode 1777: everybody may write to it, wanted files that their owner alone writes to",
            "layer/usr/bin/su: has the mode 4755, and runs as its owner, wanted programs that run as whoever starts them",
            "layer/usr/bin/wall: has the mode 2755, and runs as its group, wanted programs that run as whoever starts them",
            "layer/usr/share/x: has the mode 0666: everybody may write to it, wanted files that their owner alone writes to",
        ],
    },
    Case {
        rule: "image-owners",
        given: Given::Folder(|| {
            with(&[Member {
                path: "opt/x",
                owner: 1000,
                ..PLAIN
            }])
        }),
        wanted: &["layer/opt/x: belongs to 1000:1000, wanted users and groups among 0"],
    },
    Case {
        rule: "image-times",
        given: Given::Folder(|| {
            with(&[Member {
                path: "opt/x",
                time: 1_700_000_000,
                ..PLAIN
            }])
        }),
        wanted: &["layer/opt/x: is of 2023-11-14T22:13:20Z, wanted the time of the image, 1970-01-01T00:00:00Z"],
    },
    Case {
        rule: "image-times",
        given: Given::Folder(|| layout_of("arm64", "linux", r#"{"config": {"User": "1"}}"#, &layers())),
        wanted: &["configuration: does not say when it was made, wanted a `created` that all files have too"],
    },
    Case {
        rule: "image-user",
        given: Given::Folder(|| {
            layout_of(
                "arm64",
                "linux",
                r#"{"created": "1970-01-01T00:00:00Z", "config": {"User": "0:0"}}"#,
                &layers(),
            )
        }),
        wanted: &["configuration: names the user `0:0`, wanted a user without rights"],
    },
    Case {
        rule: "image-user",
        given: Given::Folder(|| layout_of("arm64", "linux", r#"{"created": "1970-01-01T00:00:00Z"}"#, &layers())),
        wanted: &["configuration: names no user, which means root, wanted a user without rights"],
    },
];
