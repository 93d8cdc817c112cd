//! Following code from the places where it is known to begin: each function is read from its start to its end, and what it calls,
//! or takes the address of, is read next. What nothing leads to is not read, so that data between functions is not taken for code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, ControlFlow};

use super::layout::{Bind, Layout};
use super::sets::{Set, Sets};

/// Code is read by this many threads.
const THREADS: usize = 2;

/// Fewer functions than this are not worth a thread.
const FUNCTIONS_PER_THREAD_MIN: usize = 256;

/// A function that asks and calls nothing, and has at most so many instructions, only tells its callers: a stub that jumps to an
/// import, or what runs `CPUID` for others.
const TELLER_STEPS_MAX: usize = 24;

/// One instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// The address behind it.
    pub next: u64,
    /// What it needs of the processor.
    pub sets: Sets,
    /// Where it leads.
    pub flow: Flow,
    /// An address that it makes.
    pub takes: Option<u64>,
    /// An address that it reads from, or writes to.
    pub reads: Option<u64>,
    /// An address that it writes to.
    pub writes: Option<u64>,
    /// An address from which it reads data that may stand among code: constants behind a function, tables of jumps.
    pub constants: Option<u64>,
    /// Whether it asks the processor what it has.
    pub asks: bool,
}

/// Where an instruction leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    /// To the next one.
    #[default]
    Next,
    /// To the next one or to an address.
    Branch(u64),
    /// To an address.
    Jump(u64),
    /// To an address, and back.
    Call(u64),
    /// Nowhere that is known.
    End,
}

/// Is given each instruction, and says whether to go on.
pub(super) type Each<'a> = dyn FnMut(&Step) -> ControlFlow<()> + 'a;

/// A decoder of one architecture.
pub(super) trait Decode: Sync {
    /// What the address of an instruction is a multiple of.
    fn align(&self) -> u64;

    /// Gives the instructions of a function in turn, to its end or to where there is none.
    fn run(&self, bytes: &[u8], address: u64, each: &mut Each<'_>);
}

/// One function that was read.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub start: u64,
    pub end: u64,
    pub sets: Sets,
    /// Whether it asks what the processor has.
    pub asks: bool,
    /// Whether it only tells its callers what the processor has.
    pub is_check: bool,
    /// Where it calls or jumps to, beyond itself.
    pub calls: Vec<u64>,
    /// Addresses of data that it reads or writes, sorted.
    pub reads: Vec<u64>,
    /// Addresses of data that it writes.
    pub writes: Vec<u64>,
    /// Addresses that it makes.
    takes: Vec<u64>,
    /// Whether it ended as code does, and not where nothing could be read.
    is_whole: bool,
}

/// Reads every function that something leads to, in the order of their addresses.
pub(super) fn functions(layout: &Layout<'_>, decoder: &dyn Decode) -> Vec<Function> {
    let mut found: BTreeMap<u64, Function> = BTreeMap::new();
    // Data whose address is taken may begin like code; it is remembered, and not read twice.
    let mut refused = BTreeSet::new();
    let mut called: BTreeSet<u64> = BTreeSet::new();
    let mut todo: Vec<u64> = layout.starts.keys().copied().collect();
    let mut sure = true;
    while !todo.is_empty() {
        let read = read_all(layout, decoder, &todo, &found);
        let mut next = BTreeSet::new();
        for function in read {
            if !sure && !function.is_whole && !called.contains(&function.start) {
                refused.insert(function.start);
                continue;
            }
            called.extend(&function.calls);
            next.extend(function.calls.iter().chain(&function.takes).copied());
            found.insert(function.start, function);
        }
        if sure {
            next.extend(layout.pointed.iter().filter(|start| layout.may_begin(**start)));
            sure = false;
        }
        let is_new = |start: &u64| {
            let before = found.range(..=start).next_back();
            let is_inside = before.is_some_and(|(_, function)| *start < function.end.max(function.start + 1));
            !is_inside && !refused.contains(start) && start.is_multiple_of(decoder.align())
        };
        todo = next.into_iter().filter(is_new).collect();
    }
    found.into_values().collect()
}

/// Reads the functions that begin at some addresses, each at most to the next one that is known.
fn read_all(
    layout: &Layout<'_>,
    decoder: &dyn Decode,
    starts: &[u64],
    found: &BTreeMap<u64, Function>,
) -> Vec<Function> {
    let read = |part: &[u64], after: Option<u64>| -> Vec<Function> {
        let one = |(place, start): (usize, &u64)| {
            let next = part.get(place + 1).copied().or(after);
            let later = (Bound::Excluded(*start), Bound::Unbounded);
            let known = found.range(later).next().map(|(start, _)| *start);
            let limit = next.into_iter().chain(known).min().unwrap_or(u64::MAX);
            function(layout, decoder, *start, limit)
        };
        part.iter().enumerate().filter_map(one).collect()
    };
    if starts.len() < THREADS * FUNCTIONS_PER_THREAD_MIN {
        return read(starts, None);
    }
    let size = starts.len().div_ceil(THREADS);
    let read = &read;
    let parts: Vec<_> = starts.chunks(size).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(place, part)| {
                let after = parts.get(place + 1).and_then(|next| next.first().copied());
                scope.spawn(move || read(part, after))
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<Function>>| match thread.join() {
            Ok(functions) => functions,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().flat_map(join).collect()
    })
}

/// Reads one function. Where its end is known, everything up to there is its own; where it is not, it ends at the first
/// instruction that leads nowhere and that no branch leads over.
fn function(layout: &Layout<'_>, decoder: &dyn Decode, start: u64, limit: u64) -> Option<Function> {
    let code = layout.code(start)?;
    let known = layout.starts.get(&start).copied().flatten().filter(|end| *end > start);
    let end = start.saturating_add(code.len() as u64).min(limit);
    let end = known.map_or(end, |known| known.min(end));
    let code = &code[..(end - start) as usize];
    let mut function = Function {
        start,
        end: start,
        ..Function::default()
    };
    let mut furthest = start;
    // Compilers put a function's constants behind its code.
    let mut constants = end;
    let mut steps = 0;
    run(layout, decoder, code, start, &mut |step| {
        function.end = step.next;
        steps += 1;
        if let Some(there) = step.constants.filter(|there| *there >= step.next) {
            constants = constants.min(there);
        }
        function.sets |= step.sets;
        function.asks |= step.asks;
        for address in [step.reads, step.takes].into_iter().flatten() {
            function.asks |= layout.checks.contains(&address);
        }
        function.reads.extend(step.reads);
        function.writes.extend(step.writes);
        function
            .takes
            .extend(step.takes.filter(|there| layout.may_begin(*there)));
        let is_own = |there: u64| there >= start && there < end;
        match step.flow {
            Flow::Branch(there) | Flow::Jump(there) if is_own(there) => furthest = furthest.max(there),
            Flow::Branch(there) | Flow::Jump(there) | Flow::Call(there) if layout.code(there).is_some() => {
                function.asks |= layout.checks.contains(&there);
                function.calls.push(there);
            }
            // What lies outside of the code, a processor would not run either.
            Flow::Branch(_) | Flow::Jump(_) | Flow::Call(_) => {}
            Flow::Next | Flow::End => {}
        }
        let leads_on = !matches!(step.flow, Flow::Jump(_) | Flow::End);
        function.is_whole = !leads_on && furthest < step.next;
        match function.is_whole && known.is_none() || step.next >= constants {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    function.is_check = function.asks && steps <= TELLER_STEPS_MAX && function.calls.is_empty();
    function.reads.sort_unstable();
    function.reads.dedup();
    let doubtful = function.sets - Set::Neon.into() - Set::Exclusive.into();
    if known.is_some() && !doubtful.is_empty() {
        let sure = reached(
            layout,
            decoder,
            &layout.code(start)?[..(function.end - start) as usize],
            start,
        );
        function.sets = function.sets - (doubtful - sure);
    }
    // Both the exclusive loads of ARMv8.0 and the atomic operations that replace them: it asks a variable which to take, as the
    // compilers' outlined atomics do. Compilers that may use the latter write none of the former.
    if function.sets.has(Set::Exclusive) && function.sets.has(Set::Lse) {
        function.sets = function.sets - Set::Lse.into();
    }
    function.sets = function.sets - Set::Exclusive.into();
    Some(function)
}

/// Gives the instructions in turn, with what the linker will make of them where that is still to be done.
fn run(layout: &Layout<'_>, decoder: &dyn Decode, bytes: &[u8], start: u64, each: &mut Each<'_>) {
    let Some(binds) = &layout.binds else {
        return decoder.run(bytes, start, each);
    };
    let mut at = start;
    decoder.run(bytes, start, &mut |step| {
        let bind = binds.at.range(at..step.next).next();
        at = step.next;
        each(&bound(*step, bind))
    });
}

/// An instruction of an object as the linker will leave it. What it does not touch has no address of data beyond its own section.
fn bound(mut step: Step, bind: Option<(&u64, &Bind)>) -> Step {
    let Some((place, bind)) = bind else {
        (step.reads, step.writes) = (None, None);
        return step;
    };
    let to = bind.to.map(|to| match bind.from_end {
        true => to.wrapping_add(step.next - place),
        false => to,
    });
    step.asks |= bind.is_check;
    step.flow = match (step.flow, to) {
        (Flow::Branch(_), Some(to)) => Flow::Branch(to),
        (Flow::Jump(_), Some(to)) => Flow::Jump(to),
        (Flow::Call(_), Some(to)) => Flow::Call(to),
        (Flow::Branch(_) | Flow::Call(_), None) => Flow::Next,
        (Flow::Jump(_), None) => Flow::End,
        (Flow::Next | Flow::End, _) => step.flow,
    };
    step.reads = step.reads.and(to);
    step.writes = step.writes.and(to);
    step.takes = step.takes.and(to);
    step
}

/// What the instructions of a function need that branches lead to from its start. Compilers put tables of jumps between a function's
/// parts, and what is in them can look like any instruction; what only a table leads to is not seen here.
fn reached(layout: &Layout<'_>, decoder: &dyn Decode, code: &[u8], start: u64) -> Sets {
    let mut sets = Sets::NONE;
    let mut todo = BTreeSet::from([start]);
    let mut done = start;
    while let Some(at) = todo.pop_first() {
        if at < done {
            continue;
        }
        let Some(rest) = usize::try_from(at - start).ok().and_then(|from| code.get(from..)) else {
            continue;
        };
        run(layout, decoder, rest, at, &mut |step| {
            sets |= step.sets;
            done = step.next;
            if let Flow::Branch(there) | Flow::Jump(there) = step.flow {
                todo.insert(there);
            }
            match step.flow {
                Flow::Jump(_) | Flow::End => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
    }
    sets
}
