//! The loads that `experiment.toml` asks for beyond the two of every block, and other generators.

use std::collections::BTreeSet;

use crate::source::{Source, Step::Item, Step::Key};
use crate::{DesignKind, ExperimentManifest, Objective};

/// Most connections or users: what ephemeral ports of one address allow.
const CONNECTIONS_MAX: u32 = 28_000;

pub(super) fn loads(manifest: &ExperimentManifest, source: &mut Source) {
    levels(manifest, source);
    if let Some(text) = &manifest.objective
        && let Err(remedy) = text.parse::<Objective>()
    {
        let problem = format!("`{text}` is not an objective");
        source.wrong(&[Key("objective")], problem, remedy);
    }
    solo_only(manifest, source);
    users(manifest, source);
    tools(manifest, source);
}

fn levels(manifest: &ExperimentManifest, source: &mut Source) {
    for (index, connections) in manifest.concurrencies.iter().enumerate() {
        if !(1..=CONNECTIONS_MAX).contains(connections) {
            source.wrong(
                &[Key("concurrencies"), Item(index)],
                format!("{connections} is not a number of connections"),
                format!("give 1 to {CONNECTIONS_MAX}"),
            );
        }
    }
    for (index, ratio) in manifest.own_capacity_ratios.iter().enumerate() {
        if !(*ratio > 0.0 && *ratio <= 2.0) {
            source.wrong(
                &[Key("own_capacity_ratios"), Item(index)],
                format!("{ratio} is not a share of a capacity"),
                "give ratios above 0, for instance 0.6; at most 2",
            );
        }
    }
    let mut seen = BTreeSet::new();
    let (closed, own) = manifest.slice_levels();
    for (key, names) in [("concurrencies", closed), ("own_capacity_ratios", own)] {
        for (index, name) in names.into_iter().enumerate() {
            if !seen.insert(name) {
                source.wrong(&[Key(key), Item(index)], "it is there twice", "remove one");
            }
        }
    }
}

/// What slices of a second cannot show.
fn solo_only(manifest: &ExperimentManifest, source: &mut Source) {
    for (key, value) in [
        ("cold_requests", manifest.cold_requests),
        ("users", manifest.users.map(u64::from)),
    ] {
        let Some(value) = value else { continue };
        if value == 0 {
            source.wrong(
                &[Key(key)],
                "nothing would be measured with 0",
                "give 1 or more",
            );
        }
        if manifest.design != DesignKind::SoloTrials {
            source.wrong(
                &[Key(key)],
                "it needs a service that is alone",
                "add `design = \"solo_trials\"`",
            );
        }
    }
}

fn users(manifest: &ExperimentManifest, source: &mut Source) {
    match (manifest.users, manifest.ramp_up_s) {
        (Some(users), _) if users > CONNECTIONS_MAX => source.wrong(
            &[Key("users")],
            format!("{users} users are more than there are ports for"),
            format!("give at most {CONNECTIONS_MAX}"),
        ),
        (Some(_), None) => source.wrong(
            &[Key("users")],
            "it is not said over which time they begin",
            "add `ramp_up_s`",
        ),
        (None, Some(_)) => source.wrong(&[Key("ramp_up_s")], "there are no `users`", "add them"),
        (Some(_), Some(ramp_up_s)) if !(0.0..=3600.0).contains(&ramp_up_s) => source.wrong(
            &[Key("ramp_up_s")],
            format!("{ramp_up_s} s is not the length of a ramp"),
            "give seconds, 0 to 3600",
        ),
        _ => {}
    }
    match (manifest.users, manifest.requests_per_user) {
        (None, Some(_)) => {
            source.wrong(
                &[Key("requests_per_user")],
                "there are no `users`",
                "add them",
            );
        }
        (_, Some(0)) => source.wrong(
            &[Key("requests_per_user")],
            "a user who asks nothing measures nothing",
            "give 1 or more",
        ),
        _ => {}
    }
}

fn tools(manifest: &ExperimentManifest, source: &mut Source) {
    let names = manifest.tool.iter().map(|tool| tool.name.as_str());
    super::distinct("tool", "name", names, source);
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    for (index, tool) in manifest.tool.iter().enumerate() {
        let at = |key| [Key("tool"), Item(index), Key(key)];
        if !tool.name.starts_with(|c: char| c.is_ascii_alphanumeric())
            || !tool.name.bytes().all(part)
        {
            source.wrong(
                &at("name"),
                format!("`{}` is not the name of a program on the PATH", tool.name),
                "give a program without a folder",
            );
        }
        if !(1..=3600).contains(&tool.within_s) {
            source.wrong(
                &at("within_s"),
                format!("{} s is not a limit", tool.within_s),
                "give seconds, 1 to 3600",
            );
        }
    }
}
