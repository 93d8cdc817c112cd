//! The part that does the work: source, patches, recipe, promise, prefix. It runs in an environment made from nothing and
//! without a network, so that whatever its children inherit is right. Publishing is not its business.

use std::panic::AssertUnwindSafe;

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Signal, set_parent_process_death_signal};
use store::archive::{Unpack, unpack};
use store::{State, tree};
use toolchains::Target;

use crate::component::{Component, inside};
use crate::cx::Cx;
use crate::finish;
use crate::order::Order;
use crate::patch::{Fit, PatchSet};
use crate::surroundings::{self, Toolset};
use crate::tee::Failure;

/// Runs the part and returns the exit code.
pub(crate) fn run(order: &str, recipe: fn(&Cx) -> Result<()>) -> i32 {
    // The cmake and meson crates, and recipes, may panic; the message is an error like any other.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        println!("windlass: panic at {place}");
    }));
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| try_run(order, recipe)));
    let error = match result {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => format!("{error:#}"),
        Err(panic) => format!("recipe panicked: {}", panic_text(&*panic)),
    };
    Failure { message: error }.print();
    1
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").trim().to_owned()
}

fn try_run(order: &str, recipe: fn(&Cx) -> Result<()>) -> Result<()> {
    // When the script is killed the worker goes at once, and its children at their next line of output.
    set_parent_process_death_signal(Some(Signal::KILL)).context("cannot be bound to the script")?;
    let cx = prepare(Order::from_argument(order)?)?;
    cx.step("source");
    bring_source(&cx)?;
    cx.step("patch");
    patch(&cx)?;
    tree::create_dir(&cx.build())?;
    cx.step("recipe");
    recipe(&cx)?;
    cx.step("check");
    finish::finish(&cx)
}

fn prepare(order: Order) -> Result<Cx> {
    let component = Component::load(&order.folder)?.choose(order.variant.as_deref())?;
    let target = Target::load(&order.triple)?;
    let provider = order.provider.parse()?;
    let state = State::at(&order.state);
    let place = surroundings::ready(&state, &target, provider, order.jobs, &component)?;
    let toolset = Toolset::write(&place, &component, &order.deps, &order.work)?;
    Ok(Cx {
        component,
        target,
        order,
        toolset,
    })
}

/// Unpacks or copies every source into the source tree.
fn bring_source(cx: &Cx) -> Result<()> {
    let state = State::at(&cx.order.state);
    for source in cx.component.sources(&cx.target.triple) {
        let into = match source.into.as_str() {
            "" => cx.source(),
            folder => cx.source().join(folder),
        };
        match (&source.pin, &source.path) {
            (Some(pin), _) => {
                let how = Unpack::strip(source.strip).only(source.only.iter().cloned());
                unpack(&state.need(pin)?, &into, &how)?;
            }
            (None, Some(path)) => tree::copy(&inside(&cx.order.folder, path), &into)?,
            (None, None) => bail!("a source has neither pin nor path"),
        }
    }
    if tree::list(&cx.source())?.is_empty() {
        return Err(anyhow!("the source tree is empty, check `strip` and `only`"));
    }
    Ok(())
}

fn patch(cx: &Cx) -> Result<()> {
    let patches = PatchSet::load(&cx.order.folder, &cx.component, &cx.target.triple)?;
    for outcome in patches.apply(&cx.source())? {
        cx.note(&outcome);
        if outcome.fit == Fit::Upstream {
            println!("{}{outcome}", crate::tee::WARNING);
        }
    }
    Ok(())
}
