//! One sound file of each kind, for tests that damage them and as seeds for `cargo fuzz`.

use super::{
    ARM64, Elf, Image, Wheel, X64, archive, coff, deb, helper, parts, short_import, tar, thin_archive, unlinked, words,
    zip,
};

/// Sound inputs of one fuzz target, by the name of the seed.
pub fn samples(target: &str) -> Vec<Vec<u8>> {
    match target {
        "pe" => pe(),
        "elf" => elf(),
        "code" => code(),
        "archive" => archives(),
        "container" => containers(),
        "wheel" => wheels(),
        "layout" => vec![linux_layout(), windows_layout()],
        "metadata" => metadata(),
        other => panic!("there are no samples for `{other}`"),
    }
}

/// A program that has every table which is read.
fn full() -> Image {
    let mut image = helper();
    image.imports = vec![("KERNEL32.dll", &["ExitProcess", "7"])];
    image.delayed = vec![("USER32.dll", &["MessageBoxW", "9"])];
    image.bound = vec!["kernel32.dll"];
    image.resources = vec![16, 24];
    image.code_map = vec![(0x1000, 16, 0)];
    image.pdb = Some("a.pdb");
    image
}

fn pe() -> Vec<Vec<u8>> {
    let old = Image {
        delayed_old: true,
        base: 0x40_0000,
        ..full()
    };
    vec![
        full().write(),
        old.write(),
        coff(ARM64),
        short_import(ARM64, "b.dll", "b"),
    ]
}

fn elf() -> Vec<Vec<u8>> {
    let riscv = Elf {
        machine: 243,
        riscv_arch: Some("rv64i2p1_m2p0"),
        tls_bytes: 8,
        ..Elf::program(&["libc.so.6"])
    };
    vec![riscv.write(), Elf::library("l.so").write()]
}

/// Code of each architecture, with calls, branches and addresses that are made.
fn code() -> Vec<Vec<u8>> {
    // bl, adr, cbz, adrp, ldr, blr, b.ne backwards, udot, ret.
    let arm = words(&[
        0x9400_0002,
        0x1000_0040,
        0xb400_0040,
        0xb000_0000,
        0xf940_0400,
        0xd63f_0000,
        0x54ff_ffe1,
        0x6e82_9420,
        0xd65f_03c0,
    ]);
    // cpuid, call, lea, jne backwards, vpaddd, ret.
    let x64 = [
        &[0x0f, 0xa2, 0xe8, 1, 0, 0, 0, 0xc3][..],
        &[0x48, 0x8d, 0x05, 2, 0, 0, 0, 0x75, 0xf7, 0xc5, 0xfd, 0xfe, 0xc1, 0xc3],
    ];
    // auipc, addi, jalr, c.bnez, vsetvli, c.ret.
    let riscv = [
        words(&[0x0000_0517, 0x0085_0513, 0x0005_00e7, 0x0d05_72d7]),
        vec![0x75, 0xfd, 0x82, 0x80],
    ]
    .concat();
    let image = |machine, code| Image {
        machine,
        code,
        code_map: Vec::new(),
        ..full()
    };
    // Hybrid code: ARM's of both kinds, then x86's.
    let both = [&arm[..], &x64.concat()].concat();
    let map = vec![(0x1000, 0x10, 0), (0x1010, 0x14, 1), (0x1024, 0x16, 2)];
    let hybrid = |machine| Image {
        code_map: map.clone(),
        ..image(machine, both.clone())
    };
    let elf = |machine, code| Elf {
        machine,
        code,
        ..Elf::program(&["libc.so.6"])
    };
    let mut samples = vec![
        hybrid(ARM64).write(),
        hybrid(X64).write(),
        image(ARM64, arm.clone()).write(),
        image(X64, x64.concat()).write(),
        elf(183, arm).write(),
        elf(62, x64.concat()).write(),
        elf(243, riscv).write(),
    ];
    samples.extend(unlinked::samples());
    samples
}

fn archives() -> Vec<Vec<u8>> {
    let members = [("a.obj", coff(ARM64)), ("b", short_import(ARM64, "b.dll", "b"))];
    let nested = archive(&[("c.lib", archive(&members))]);
    vec![archive(&members), nested, thin_archive(&["a", "b"])]
}

fn containers() -> Vec<Vec<u8>> {
    let inner = tar(&[("a", b"1"), ("b -> a", b"")]);
    let xz = {
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut liblzma::read::XzEncoder::new(&inner[..], 1), &mut out).unwrap();
        out
    };
    let raw = [
        zip(&[("a", &full().write()), ("b", b"2")]),
        deb("Package: x\n", &[("./a", b"x")]),
        zstd::stream::encode_all(&inner[..], 1).unwrap(),
        xz,
        inner,
    ];
    let members = [
        b"control\nPackage: x\n".to_vec(),
        [b"usr/lib/a.dll\n", &helper().write()[..]].concat(),
        [b"b.so\t0\t493\t1000\t7\n", &Elf::library("b.so").write()[..]].concat(),
        b"c -> usr/lib/a.dll\n".to_vec(),
        b"d/\t5\n".to_vec(),
    ];
    let packed = |kind: u8| [&[kind], &members.join(parts::BETWEEN)[..]].concat();
    raw.into_iter()
        .chain((parts::ZIP..=parts::TAR_BZ2).map(packed))
        .collect()
}

/// Wheels as parts: for Windows with a module, for Linux with a library that was brought along and a requirement, and a pure one that
/// holds an archive.
fn wheels() -> Vec<Vec<u8>> {
    let windows = Wheel::new("pkg-1.0-cp313-cp313-win_arm64.whl").with("pkg/m.cp313-win_arm64.pyd", helper().write());
    let module = Elf {
        runpath: Some("$ORIGIN/../pkg.libs"),
        ..Elf::program(&["libx.so.1", "libc.so.6"])
    };
    let mut linux = Wheel::new("pkg-1.0-cp39-abi3-manylinux_2_17_aarch64.manylinux2014_aarch64.whl")
        .with("pkg/m.abi3.so", module.write())
        .with("pkg.libs/libx.so.1", Elf::library("libx.so.1").write());
    linux.metadata += "Requires-Python: >=3.9\nRequires-Dist: other[extra]>=1,<2; python_version < '3.14' and sys_platform == 'linux'\n";
    let pure = Wheel::new("pkg-1.0-py3-none-any.whl").with("pkg/data.zip", zip(&[("a", b"1")]));
    let input = |wheel: &Wheel| {
        let members = wheel.members();
        let members = members
            .iter()
            .map(|(path, bytes)| [path.as_bytes(), b"\n", bytes].concat());
        let parts: Vec<Vec<u8>> = std::iter::once(wheel.name.into()).chain(members).collect();
        parts.join(parts::BETWEEN)
    };
    [windows, linux, pure].iter().map(input).collect()
}

/// The layers of the sample image; the second takes away what the first brings.
pub fn layers() -> [Vec<u8>; 2] {
    [
        tar(&[("usr/a", b"1"), ("l -> usr/a", b"")]),
        tar(&[("usr/.wh.a", b""), ("b/.wh..wh..opq", b"")]),
    ]
}

/// The parts of a layout: an index, then blobs by their place.
fn linux_layout() -> Vec<u8> {
    let program = Elf::program(&["libc.so.6"]).write();
    let first = [
        [b"usr/bin/a\t0\t493\n", &program[..]].concat(),
        b"usr/lib/\t5\t493\n".to_vec(),
        b"bin -> usr/bin\n".to_vec(),
    ];
    let second = [b"usr/bin/.wh.a\n".to_vec(), b"usr/lib/.wh..wh..opq\n".to_vec()];
    let runs = r#""platform": {"architecture": "arm64", "os": "linux"}"#;
    let parts = [
        format!(r#"{{"manifests": [{{"digest": "sha256:3"}}, {{"digest": "sha256:2", {runs}}}]}}"#).into_bytes(),
        first.join(parts::BETWEEN_MEMBERS),
        second.join(parts::BETWEEN_MEMBERS),
        br#"{"config": {"digest": "sha256:4"}, "layers": [{"digest": "sha256:0"}, {"digest": "sha256:1"}]}"#.to_vec(),
        format!(r#"{{"manifests": [{{"digest": "sha256:2", {runs}}}, {{"digest": "sha256:5"}}]}}"#).into_bytes(),
        br#"{"created": "1970-01-01T00:00:00Z", "os": "linux", "config": {"User": "65532:65532"}}"#.to_vec(),
        br#"{"artifactType": "text/x", "layers": [{"digest": "sha256:6"}], "subject": {"digest": "sha256:2"}}"#
            .to_vec(),
        b"=about the image".to_vec(),
    ];
    parts.join(parts::BETWEEN)
}

fn windows_layout() -> Vec<u8> {
    let program = Image::program(&[("KERNEL32.dll", &["ExitProcess"])]).write();
    let layer = [
        [b"Files/app/a.exe\n", &program[..]].concat(),
        b"Hives/DefaultUser_Delta\nregf".to_vec(),
    ];
    let parts = [
        br#"{"manifests": [{"digest": "sha256:1", "platform": {"architecture": "arm64", "os": "windows"}}]}"#.to_vec(),
        layer.join(parts::BETWEEN_MEMBERS),
        br#"{"config": {"digest": "sha256:2"}, "layers": [{"digest": "sha256:0"}]}"#.to_vec(),
        br#"{"architecture": "arm64", "os": "windows"}"#.to_vec(),
    ];
    parts.join(parts::BETWEEN)
}

fn metadata() -> Vec<Vec<u8>> {
    vec![
        b"Metadata-Version: 2.1\nName: a\n b\nRequires-Dist: x>=1; python_version<'3'\n\nbody".to_vec(),
        b"\"a,\"\"b\",sha256=x,3\nr/RECORD,,\n".to_vec(),
        b"a-1.0-2-py2.py3-none-any.whl".to_vec(),
    ]
}
