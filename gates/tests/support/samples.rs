//! One sound file of each kind, for tests that damage them and as seeds for `cargo fuzz`.

use super::{
    ARM64, Elf, Image, Wheel, X64, archive, coff, deb, helper, layout, short_import, tar, thin_archive, words, zip,
};

/// The wheel of the samples; its tags say what it is judged by.
pub const WHEEL: &str = "pkg-1.0-cp313-cp313-win_arm64.whl";

/// What stands between the files of a layout in one input; no JSON holds it.
pub const BETWEEN: &[u8] = b"\xff\n";

/// Sound inputs of one fuzz target, by the name of the seed.
pub fn samples(target: &str) -> Vec<Vec<u8>> {
    match target {
        "pe" => pe(),
        "elf" => elf(),
        "code" => code(),
        "archive" => archives(),
        "container" => containers(),
        "wheel" => vec![
            Wheel::new(WHEEL)
                .with("pkg/m.cp313-win_arm64.pyd", helper().write())
                .write(),
        ],
        "layout" => vec![layout_in_one()],
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
    image.has_chpe = true;
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
        ..full()
    };
    let elf = |machine, code| Elf {
        machine,
        code,
        ..Elf::program(&["libc.so.6"])
    };
    vec![
        image(ARM64, arm.clone()).write(),
        image(X64, x64.concat()).write(),
        elf(183, arm).write(),
        elf(62, x64.concat()).write(),
        elf(243, riscv).write(),
    ]
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
    vec![
        zip(&[("a", &full().write()), ("b", b"2")]),
        deb("Package: x\n", &[("./a", b"x")]),
        zstd::stream::encode_all(&inner[..], 1).unwrap(),
        xz,
        inner,
    ]
}

/// The layers of the sample image; the second takes away what the first brings.
pub fn layers() -> [Vec<u8>; 2] {
    [
        tar(&[("usr/a", b"1"), ("l -> usr/a", b"")]),
        tar(&[("usr/.wh.a", b""), ("b/.wh..wh..opq", b"")]),
    ]
}

/// A layout in one input: the index, then the blobs. Where it is written, each blob is named by its place, as the digests here are.
fn layout_in_one() -> Vec<u8> {
    let files = layout("arm64", &layers());
    let blobs: Vec<&(String, Vec<u8>)> = files.iter().filter(|(path, _)| path.starts_with("blobs/")).collect();
    let (_, index) = files.last().unwrap();
    let mut parts = vec![String::from_utf8(index.clone()).unwrap().into_bytes()];
    parts.extend(blobs.iter().map(|(_, bytes)| bytes.clone()));
    for (place, (path, _)) in blobs.iter().enumerate() {
        let digest = path.rsplit('/').next().unwrap().as_bytes();
        for part in &mut parts {
            if let Some(at) = part.windows(digest.len()).position(|window| window == digest) {
                part.splice(at..at + digest.len(), place.to_string().into_bytes());
            }
        }
    }
    parts.join(BETWEEN)
}

fn metadata() -> Vec<Vec<u8>> {
    vec![
        b"Metadata-Version: 2.1\nName: a\n b\nRequires-Dist: x>=1; python_version<'3'\n\nbody".to_vec(),
        b"\"a,\"\"b\",sha256=x,3\nr/RECORD,,\n".to_vec(),
        b"a-1.0-2-py2.py3-none-any.whl".to_vec(),
    ]
}
