//! The verbs that put other modules together: fetch, plan, build, bundle. Each is a straight line of calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;
use store::Pin;
use toolchains::Provider;

use crate::build::{self, Built};
use crate::bundle::{self, Inputs, Outcome};
use crate::components::{Component, Components};
use crate::flags::{Bundle, Fetch, Flags, Origin, Run, Selection, Verb};
use crate::ground::Ground;
use crate::plan::{self, Part};
use crate::proof::Proof;
use crate::session::Session;
use crate::shelf::Shelf;
use crate::variants::Variants;
use crate::{clean, doctor, environment, gate, image, parity, pin, progress, prove, run, sbom, shelf};

/// Runs the verb that was asked for.
///
/// # Errors
/// Whatever stops it.
pub fn dispatch(flags: Flags) -> Result<ExitCode> {
    let session = Session::new(flags.common)?;
    match flags.verb {
        Verb::Bundle(flags) => make_bundle(&session, &flags)?,
        Verb::Build(selection) => {
            make(
                &session,
                &selection,
                &Ground::from(&selection.target, &selection.origin)?,
            )?;
        }
        Verb::Fetch(flags) => bring(&session, &flags)?,
        Verb::Sdk(flags) => {
            let origin = Origin {
                provider: Some(Provider::Xwin),
                accept_microsoft_licence: flags.accept_microsoft_licence,
            };
            Ground::from(&flags.target, &origin)?.bring(&session, &origin)?;
        }
        Verb::Lock(flags) => shelf::lock(&session, &flags)?,
        Verb::Plan(selection) => show_plan(&session, &selection)?,
        Verb::Gate(flags) => return Ok(gate::run(&session, &flags)),
        Verb::Image(flags) => image::run(&session, &flags)?,
        Verb::Parity(flags) => parity::run(&session, &flags)?,
        Verb::Run(flags) => return start(&session, &flags),
        Verb::Prove(flags) => return prove::run(&session, &flags),
        Verb::Doctor => doctor::run(&session)?,
        Verb::Clean(flags) => clean::run(&session, &flags)?,
        Verb::Pin(flags) => pin::run(&session, &flags)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn bring(session: &Session, flags: &Fetch) -> Result<()> {
    let pins = match &flags.pins {
        Some(file) => pins_of_file(file)?,
        None => {
            let mut pins = Vec::new();
            if let Some(triple) = &flags.target {
                let ground = Ground::from(triple, &flags.origin)?;
                // First of all: who did not accept the licence should hear of it before minutes of downloads.
                ground.bring(session, &flags.origin)?;
                pins.extend(ground.pins()?);
                pins.extend(ground.runner_pins()?);
                pins.extend(image::pins(session, &ground.target)?);
            }
            let components = session.components()?;
            let (makers, published) = shelf::split(session, &components, &flags.wheels, flags.target.as_deref())?;
            let mut names: Vec<&str> = flags.package.iter().chain(&flags.only).map(String::as_str).collect();
            // No name means every component.
            if !names.is_empty() {
                names.extend(makers.iter().map(String::as_str));
            }
            let mut chosen = Vec::new();
            for component in components.in_order(&names)? {
                let declared = kit::Component::load(&component.folder)?;
                match &flags.target {
                    Some(triple) if !declared.is_for(triple) => continue,
                    Some(triple) => pins.extend(declared.pins(triple).cloned()),
                    None => pins.extend(declared.all_pins().cloned()),
                }
                chosen.push(declared);
            }
            if let Some(triple) = &flags.target {
                let ground = Ground::from(triple, &flags.origin)?;
                pins.extend(Shelf::fill(session, &ground, &published, &[])?.pins());
            }
            if let Some(triple) = &flags.target
                && let Some(host) = Ground::of_host(&Ground::from(triple, &flags.origin)?, &chosen)?
            {
                pins.extend(host.pins()?);
            }
            pins
        }
    };
    let summary = session.fetch(&pins)?;
    let human = format!("{} files fetched, {} were there", summary.fetched, summary.present);
    session.print("fetched", serde_json::to_value(summary)?, &human)
}

fn pins_of_file(file: &Path) -> Result<Vec<Pin>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pins {
        pin: Vec<Pin>,
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("{}: cannot be read", file.display()))?;
    let pins: Pins = toml_edit::de::from_str(&text).with_context(|| file.display().to_string())?;
    for pin in &pins.pin {
        pin.check().with_context(|| file.display().to_string())?;
    }
    Ok(pins.pin)
}

fn show_plan(session: &Session, selection: &Selection) -> Result<()> {
    let ground = Ground::from(&selection.target, &selection.origin)?;
    let components = session.components()?;
    let (mut parts, mut chosen) = (Vec::new(), Vec::new());
    for component in components.in_order(&selection.names())? {
        let declared = kit::Component::load(&component.folder)?;
        if !declared.is_for(&selection.target) {
            continue;
        }
        parts.push(Part {
            name: component.name.clone(),
            pins: declared.pins(&selection.target).cloned().collect(),
            version: declared.version.clone(),
            needs: component.needs.clone(),
        });
        chosen.push(declared);
    }
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    for part in &mut parts {
        part.needs.retain(|need| names.contains(need));
    }
    let mut bases = vec![base(&ground)?];
    if let Some(host) = Ground::of_host(&ground, &chosen)? {
        bases.push(base(&host)?);
    }
    for step in plan::plan(&bases, &parts) {
        session.print("step", serde_json::to_value(&step)?, &step.to_string())?;
    }
    Ok(())
}

fn base(ground: &Ground) -> Result<plan::Base> {
    Ok(plan::Base {
        target: ground.target.triple.clone(),
        digest: ground.identity()?.to_string(),
        pins: ground.pins()?,
    })
}

/// Fetches and builds; gives the components in order with what was made of them.
fn make(session: &Session, selection: &Selection, ground: &Ground) -> Result<Vec<(Component, kit::Component, Built)>> {
    doctor::before_bundle()?;
    let components: Components = session.components()?;
    let variants = Variants::from(&selection.variant)?;
    let mut chosen = Vec::new();
    for component in components.in_order(&selection.names())? {
        let declared = kit::Component::load(&component.folder)?.choose(variants.of(&component.name))?;
        sbom::licences::check(&declared)?;
        if declared.is_for(&selection.target) {
            chosen.push((component.clone(), declared));
        }
    }
    let names: Vec<String> = chosen.iter().map(|(component, _)| component.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    variants.check(&names)?;
    for (component, _) in &mut chosen {
        component.needs.retain(|need| names.contains(&need.as_str()));
    }
    anyhow::ensure!(
        !chosen.is_empty(),
        "the workspace has no component for {}: no package has a component.toml that says so",
        selection.target
    );
    let mut pins: Vec<Pin> = chosen
        .iter()
        .flat_map(|(_, declared)| declared.pins(&selection.target).cloned())
        .collect();
    let on_kit = chosen.iter().any(|(component, _)| component.on_kit);
    if on_kit {
        ground.bring(session, &selection.origin)?;
        pins.extend(ground.pins()?);
    }
    let host = Ground::of_host(ground, chosen.iter().map(|(_, declared)| declared))?;
    if let Some(host) = &host {
        pins.extend(host.pins()?);
    }
    if chosen.iter().any(|(_, declared)| declared.uses(kit::Tool::Runner)) {
        pins.extend(ground.runner_pins()?);
    }
    session.fetch(&pins)?;
    session.state.prepare()?;
    if on_kit {
        ground.ensure(session)?;
    }
    if let Some(host) = &host {
        host.ensure(session)?;
    }
    let mut made = Vec::new();
    for (component, declared) in chosen {
        let built = build::build(session, &component, ground, &variants)?;
        made.push((component, declared, built));
    }
    Ok(made)
}

fn make_bundle(session: &Session, flags: &Bundle) -> Result<()> {
    let started = Instant::now();
    let mut selection = flags.selection.clone();
    let (makers, published) = shelf::split(session, &session.components()?, &flags.wheels, Some(&selection.target))?;
    // No name means every component; a wheel's maker beside it would mean it alone.
    if !selection.names().is_empty() {
        selection.only.extend(makers);
    }
    let ground = Ground::from(&selection.target, &selection.origin)?;
    // What cannot be had should be known before hours of building.
    Shelf::fill(session, &ground, &published, &[])?;
    let mut made = BTreeMap::new();
    for (component, declared, built) in make(session, &selection, &ground)? {
        let part = bundle::Part {
            name: component.name.clone(),
            prefix: built.prefix,
            digest: built.digest,
            needs: component.needs,
            declared,
            simd: Proof::load(&component.folder)?.simd(&ground.target),
        };
        made.insert(component.name, part);
    }
    let parts: Vec<bundle::Part> = made.into_values().collect();
    let inputs = Inputs {
        target: ground.target.clone(),
        provider: ground.manifest_provider(),
        state: session.state.clone(),
        shelf: Shelf::fill(session, &ground, &published, &parts)?,
        parts,
        tools: ground.manifest_tools()?,
        epoch: environment::epoch()?,
    };
    let output = flags.out.clone().unwrap_or_else(|| session.output(&selection.target));
    let (path, outcome) = bundle::assemble(&output, &inputs)?;
    let took = progress::duration(started.elapsed().as_secs_f64());
    let verb = match outcome {
        Outcome::Fresh => "Fresh",
        Outcome::Assembled => "Bundled",
    };
    session
        .progress
        .say(verb, &format!("{} in {took}", inputs.target.triple));
    let human = path.display().to_string();
    session.print(
        "bundled",
        serde_json::json!({ "path": human, "fresh": outcome == Outcome::Fresh }),
        &human,
    )
}

fn start(session: &Session, flags: &Run) -> Result<ExitCode> {
    let ground = Ground::find(&flags.target)?;
    let bundle = match &flags.bundle {
        Some(folder) => folder.clone(),
        None => session.output(&flags.target).join("bundle"),
    };
    let Some((named, arguments)) = flags.command.split_first() else {
        anyhow::bail!("no program was named");
    };
    let program = run::find(named, &bundle, &ground.target)?;
    ground.run(session, flags, &program, arguments)
}
