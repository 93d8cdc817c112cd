//! What the code of a file asks of the processor: which extensions its functions use, and whether it asks what the processor has
//! before it gets there. Code is decoded; data is not guessed at. A library of objects is read as a linker would that takes all of
//! them; hybrid code is read by two decoders, each its own ranges.

mod aarch64;
pub(crate) mod layout;
mod riscv64;
mod sets;
mod walk;
mod x86_64;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use globset::GlobSet;

use crate::Arch;
use crate::policy::{CpuPolicy, globs};
use crate::read::{Content, elf, pe, unlinked};
use layout::Layout;
pub use sets::{Set, Sets};
use walk::{Decode, Function};

/// What tells the processor's extensions, and what is chosen by them.
pub(crate) struct Measure {
    checks: BTreeSet<Vec<u8>>,
    choosers: GlobSet,
    dispatched: GlobSet,
}

/// What is known of the code for one architecture in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The architecture.
    pub arch: Arch,
    /// How many functions were read.
    pub functions: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// How many functions use each extension.
    pub uses: BTreeMap<Set, usize>,
    /// Whether anything in it asks what the processor has.
    pub asks: bool,
    /// Functions that need extensions and are not named as made for them, by what they need.
    pub needs: BTreeMap<Sets, Place>,
    /// Those of them that are reached by calls alone, and none of the callers asks what the processor has.
    pub reached: BTreeMap<Sets, Place>,
}

/// One function that stands for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// How many there are.
    pub count: usize,
    /// The first of them, by its name or its address.
    pub function: String,
    /// Where the calls that lead to it begin; empty if that was not asked.
    pub from: String,
}

impl Measure {
    pub fn new(policy: &CpuPolicy) -> Measure {
        Measure {
            checks: policy.checks.iter().map(|symbol| symbol.clone().into_bytes()).collect(),
            choosers: globs(policy.choosers.iter().map(|chooser| &chooser.symbol)),
            dispatched: globs(&policy.dispatched),
        }
    }

    /// Whether a symbol tells what the processor has.
    pub fn is_check(&self, symbol: &[u8]) -> bool {
        self.checks.contains(symbol)
    }

    /// Reads the code of a program, a library or objects: once for each architecture that it has code for. Empty for what has none, or
    /// is for no processor of ours.
    pub fn read(&self, data: &[u8], content: &Content) -> Vec<Code> {
        let layouts = match content {
            Content::Pe(pe) => pe::code(data, pe.machine, self),
            Content::Elf(elf) if elf.is_image() => {
                let layout = elf.machine.arch().zip(elf::code(data, self));
                layout.into_iter().collect()
            }
            Content::Elf(_) | Content::Coff(_) | Content::Archive(_) => unlinked::code(data, self),
            _ => Vec::new(),
        };
        let one = |(arch, layout): (Arch, Layout<'_>)| {
            let decoder: &dyn Decode = match arch {
                Arch::Aarch64 => &aarch64::Aarch64,
                Arch::X86_64 => &x86_64::X86_64,
                Arch::Riscv64 => &riscv64::Riscv64,
            };
            self.sum(arch, &layout, &walk::functions(&layout, decoder))
        };
        let mut codes: Vec<Code> = layouts.into_iter().map(one).collect();
        // The parts of a hybrid file share their variables: what one asked, the other knows.
        if matches!(content, Content::Pe(_)) {
            let asks = codes.iter().any(|code| code.asks);
            codes.iter_mut().for_each(|code| code.asks = asks);
        }
        codes
    }

    fn sum(&self, arch: Arch, layout: &Layout<'_>, functions: &[Function]) -> Code {
        let chooses = |function: &Function| {
            let name = layout.names.get(&function.start);
            name.is_some_and(|name| self.choosers.is_match(name))
        };
        let graph = Graph::of(functions, &chooses);
        let mut code = Code {
            arch,
            functions: functions.len(),
            bytes: 0,
            uses: BTreeMap::new(),
            asks: !layout.checks.is_empty() || graph.asks.contains(&true),
            needs: BTreeMap::new(),
            reached: BTreeMap::new(),
        };
        let from = graph.reached(layout, functions);
        for (place, function) in functions.iter().enumerate() {
            code.bytes += function.end - function.start;
            for set in function.sets.iter() {
                *code.uses.entry(set).or_default() += 1;
            }
            let needs = function.sets - Set::Neon.into();
            let name = layout.names.get(&function.start);
            if needs.is_empty() || name.is_some_and(|name| self.dispatched.is_match(name)) {
                continue;
            }
            let name = layout.shown(function.start);
            let add = |groups: &mut BTreeMap<Sets, Place>, from: &str| {
                let new = || Place {
                    count: 0,
                    function: name.clone(),
                    from: from.to_owned(),
                };
                groups.entry(needs).or_insert_with(new).count += 1;
            };
            add(&mut code.needs, "");
            if let Some(root) = from[place].filter(|_| !graph.asks[place]) {
                add(&mut code.reached, root);
            }
        }
        code
    }
}

/// Who calls whom.
struct Graph {
    calls: Vec<Vec<u32>>,
    /// Whether a function, or a stub that it calls, asks what the processor has.
    asks: Vec<bool>,
}

impl Graph {
    fn of(functions: &[Function], chooses: &dyn Fn(&Function) -> bool) -> Graph {
        let mut graph = Graph {
            calls: Vec::with_capacity(functions.len()),
            asks: functions
                .iter()
                .map(|function| function.asks || chooses(function))
                .collect(),
        };
        for (place, function) in functions.iter().enumerate() {
            let mut calls: Vec<u32> = function
                .calls
                .iter()
                .filter_map(|there| at(functions, *there))
                .filter(|callee| *callee != place)
                .map(|callee| callee as u32)
                .collect();
            calls.sort_unstable();
            calls.dedup();
            graph.asks[place] |= calls.iter().any(|callee| functions[*callee as usize].is_check);
            graph.calls.push(calls);
        }
        graph.remember(functions);
        graph
    }

    /// What asks, writes down what it was told: who reads such a variable has asked too.
    fn remember(&mut self, functions: &[Function]) {
        let asking = functions.iter().zip(&self.asks).filter(|(_, asks)| **asks);
        let variables: HashSet<u64> = asking.flat_map(|(function, _)| &function.writes).copied().collect();
        for (function, asks) in functions.iter().zip(&mut self.asks) {
            *asks |= function.reads.iter().any(|address| variables.contains(address));
        }
    }

    /// For each function the name of the first root that leads to it by calls, past nothing that asks.
    fn reached<'a>(&self, layout: &'a Layout<'_>, functions: &[Function]) -> Vec<Option<&'a str>> {
        let mut from: Vec<Option<&str>> = vec![None; functions.len()];
        let mut queue = VecDeque::new();
        for (address, name) in &layout.roots {
            let root = at(functions, *address).filter(|place| from[*place].is_none());
            if let Some(place) = root {
                from[place] = Some(name);
                queue.push_back(place);
            }
        }
        while let Some(place) = queue.pop_front() {
            if self.asks[place] {
                continue;
            }
            for callee in &self.calls[place] {
                let callee = *callee as usize;
                if from[callee].is_none() {
                    from[callee] = from[place];
                    queue.push_back(callee);
                }
            }
        }
        from
    }
}

/// The place of the function that an address is in.
fn at(functions: &[Function], address: u64) -> Option<usize> {
    let place = functions
        .partition_point(|function| function.start <= address)
        .checked_sub(1)?;
    (address < functions[place].end).then_some(place)
}
