//! The names of instruction sets beyond the first version of each architecture, as compilers spell them, and sets of them.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Sub};

macro_rules! sets {
    ($($id:ident $name:literal)*) => {
        /// An extension of an architecture.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are the manuals'")]
        pub enum Set { $($id),* }

        const ALL: &[(Set, &str)] = &[$((Set::$id, $name)),*];
    };
}

// Those of ARM, of RISC-V, of x86. What two architectures have in common stands once.
sets! {
    Neon "neon" Exclusive "exclusive" Lse "lse" Rdm "rdm" Crc "crc" Aes "aes" Sha2 "sha2" Sha3 "sha3" Sm4 "sm4" Dotprod "dotprod"
    I8mm "i8mm" Bf16 "bf16" Fp16 "fp16" Fp16fml "fp16fml" Fcma "fcma" Jscvt "jscvt" Frintts "frintts" Rcpc "rcpc" Rcpc2 "rcpc2"
    Flagm "flagm" Pauth "pauth" Memtag "memtag" Mops "mops" Sb "sb" Ls64 "ls64" Sve "sve" Sve2 "sve2" Sme "sme"
    V "v" Zba "zba" Zbb "zbb" Zbs "zbs" Zbc "zbc" Zbkb "zbkb" Zicond "zicond" Zfh "zfh" Zfhmin "zfhmin" Zfa "zfa" Zcb "zcb" Zacas "zacas"
    Zicbom "zicbom" Zvk "zvk"
    Sse3 "sse3" Ssse3 "ssse3" Sse41 "sse4.1" Sse42 "sse4.2" Popcnt "popcnt" Cx16 "cx16" Avx "avx" Avx2 "avx2" Bmi "bmi" Bmi2 "bmi2"
    F16c "f16c" Fma "fma" Lzcnt "lzcnt" Movbe "movbe" Xsave "xsave" Avx512f "avx512f" Avx512bw "avx512bw" Avx512cd "avx512cd"
    Avx512dq "avx512dq" Avx512vl "avx512vl" Avx512x "avx512-other" Avx10x "avx-other" Amx "amx" Pclmul "pclmul" Vaes "vaes"
    Vpclmulqdq "vpclmulqdq" Gfni "gfni" Sha "sha" Adx "adx" Rdrnd "rdrnd" Rdseed "rdseed" Rdtscp "rdtscp" Rdpid "rdpid"
    Fsgsbase "fsgsbase" Clflushopt "clflushopt" Rtm "rtm" Sse4a "sse4a" Fma4 "fma4" Xop "xop" Tbm "tbm" Now3d "3dnow"
    Waitpkg "waitpkg"
}

/// What a level of x86-64's psABI has beyond the one before it.
const LEVELS: [(&str, &[Set]); 3] = [
    (
        "x86-64-v2",
        &[Set::Sse3, Set::Ssse3, Set::Sse41, Set::Sse42, Set::Popcnt, Set::Cx16],
    ),
    (
        "x86-64-v3",
        &[
            Set::Avx,
            Set::Avx2,
            Set::Bmi,
            Set::Bmi2,
            Set::F16c,
            Set::Fma,
            Set::Lzcnt,
            Set::Movbe,
            Set::Xsave,
        ],
    ),
    (
        "x86-64-v4",
        &[Set::Avx512f, Set::Avx512bw, Set::Avx512cd, Set::Avx512dq, Set::Avx512vl],
    ),
];

/// Several extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sets(u128);

impl Set {
    /// The extension of a name, say `dotprod`.
    pub fn named(name: &str) -> Option<Set> {
        ALL.iter().find(|(_, known)| *known == name).map(|(set, _)| *set)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }
}

impl Sets {
    /// None at all.
    pub const NONE: Sets = Sets(0);

    /// The extensions of names; a level of x86-64 stands for what it has and for the levels below it.
    ///
    /// # Errors
    /// The first name that means nothing.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Sets, &'a str> {
        let mut sets = Sets::NONE;
        for name in names {
            match LEVELS.iter().position(|(level, _)| *level == name) {
                Some(level) => {
                    let below = LEVELS[..=level].iter().flat_map(|(_, own)| own.iter());
                    below.for_each(|set| sets |= Sets::from(*set));
                }
                None => sets |= Set::named(name).ok_or(name)?.into(),
            }
        }
        Ok(sets)
    }

    /// Whether it has an extension.
    pub fn has(self, set: Set) -> bool {
        self.0 & 1 << set as u32 != 0
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The extensions, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Set> {
        ALL.iter().map(|(set, _)| *set).filter(move |set| self.has(*set))
    }
}

impl From<Set> for Sets {
    fn from(set: Set) -> Sets {
        Sets(1 << set as u32)
    }
}

impl BitOr for Sets {
    type Output = Sets;
    fn bitor(self, other: Sets) -> Sets {
        Sets(self.0 | other.0)
    }
}

impl BitOrAssign for Sets {
    fn bitor_assign(&mut self, other: Sets) {
        self.0 |= other.0;
    }
}

impl Sub for Sets {
    type Output = Sets;
    fn sub(self, other: Sets) -> Sets {
        Sets(self.0 & !other.0)
    }
}

impl fmt::Display for Sets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Set::name).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_sets_and_back() {
        assert!(ALL.len() <= 128);
        for (set, name) in ALL {
            assert_eq!((Set::named(name), set.name()), (Some(*set), *name));
        }
        let level = Sets::named(["x86-64-v3"]).unwrap();
        assert!(level.has(Set::Popcnt) && level.has(Set::Avx2) && !level.has(Set::Avx512f));
        assert_eq!(Sets::named(["v", "avx3"]), Err("avx3"));
        assert_eq!((Sets::from(Set::Zba) | Set::V.into()).to_string(), "v, zba");
    }
}
