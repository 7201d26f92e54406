//! `stack.toml`.

use std::collections::BTreeSet;

use crate::fault::choose;
use crate::source::{Source, Step::Item, Step::Key};
use crate::stack::TOOLS;
use crate::{STACK_SCHEMA, StackManifest};

pub(crate) fn stack(
    name: &str,
    manifest: &StackManifest,
    workloads: &[String],
    source: &mut Source,
) {
    source.check_schema(&manifest.schema, STACK_SCHEMA);
    super::said(
        &[
            ("title", &manifest.title),
            ("language", &manifest.language),
            ("framework", &manifest.framework),
        ],
        source,
    );
    for (index, tool) in manifest.needs.iter().enumerate() {
        if !TOOLS.contains(&tool.as_str()) {
            source.wrong(
                &[Key("needs"), Item(index)],
                format!("`{tool}` is not a tool that is known"),
                choose(tool, TOOLS),
            );
        }
    }
    for (index, command) in manifest.prepare.iter().enumerate() {
        if command.first().is_none_or(String::is_empty) {
            source.wrong(
                &[Key("prepare"), Item(index)],
                "the command is empty",
                "give a program and its arguments",
            );
        }
    }
    super::target(&manifest.health, &[Key("health")], source);
    served(manifest, workloads, source);
    variant(name, manifest, source);
    if manifest.sources.is_empty() {
        source.wrong(
            &[Key("sources")],
            "there is no handler for a run to keep",
            "name the files that answer requests",
        );
    }
    for (index, file) in manifest.sources.iter().enumerate() {
        source.companion(&[Key("sources"), Item(index)], file);
    }
    launch(manifest, source);
}

fn served(manifest: &StackManifest, workloads: &[String], source: &mut Source) {
    if manifest.workloads.is_empty() {
        source.wrong(
            &[Key("workloads")],
            "the service would be asked nothing",
            "name a folder below workloads/",
        );
    }
    let mut seen = BTreeSet::new();
    for (index, workload) in manifest.workloads.iter().enumerate() {
        let steps = [Key("workloads"), Item(index)];
        if !workloads.contains(workload) {
            source.wrong(
                &steps,
                format!("there is no workload `{workload}`"),
                choose(workload, workloads.iter().map(String::as_str)),
            );
        }
        if !seen.insert(workload) {
            source.wrong(&steps, format!("`{workload}` is there twice"), "remove one");
        }
    }
}

fn variant(name: &str, manifest: &StackManifest, source: &mut Source) {
    let suffix = ["-tuned", "-published"]
        .into_iter()
        .find(|suffix| name.ends_with(suffix));
    if let Some(suffix) = suffix
        && manifest.ranked
    {
        source.wrong(
            &[Key("ranked")],
            format!("a folder whose name ends in `{suffix}` is never ranked"),
            "write ranked = false",
        );
    }
    if !manifest.ranked && manifest.differs.is_none() {
        source.wrong(
            &[Key("differs")],
            "a variant that is not ranked must say what it does differently",
            "add it",
        );
    }
    if manifest.ranked && manifest.differs.is_some() {
        source.wrong(
            &[Key("differs")],
            "it is for a variant that is not ranked",
            "write ranked = false, or remove it",
        );
    }
}

fn launch(manifest: &StackManifest, source: &mut Source) {
    if !manifest.launch.contains_key("default") {
        source.wrong(
            &[Key("launch")],
            "there is no launch mode `default`",
            "add a table [launch.default] with a command",
        );
    }
    for (mode, launch) in &manifest.launch {
        let steps = [Key("launch"), Key(mode.as_str())];
        if launch.command.first().is_none_or(String::is_empty) {
            source.wrong(
                &[steps[0], steps[1], Key("command")],
                "the command is empty",
                "give a program and its arguments",
            );
        }
        super::own_environment(&launch.env, &steps, source);
    }
}
