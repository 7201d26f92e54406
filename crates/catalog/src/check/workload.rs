//! `workload.toml`.

use crate::source::{Source, Step::Item, Step::Key};
use crate::{Contract, WORKLOAD_SCHEMA, WorkloadManifest};

pub(crate) fn workload(manifest: &WorkloadManifest, source: &mut Source) {
    source.check_schema(&manifest.schema, WORKLOAD_SCHEMA);
    super::said(
        &[("title", &manifest.title), ("asks", &manifest.asks)],
        source,
    );
    super::method(&manifest.method, &[Key("method")], source);
    super::target(&manifest.path, &[Key("path")], source);
    super::headers(&manifest.headers, &[], source);
    if !(200..=599).contains(&manifest.expect_status) {
        source.wrong(
            &[Key("expect_status")],
            format!("{} is not the status of an answer", manifest.expect_status),
            "give one from 200 to 599",
        );
    }
    for (index, file) in manifest.database.iter().enumerate() {
        source.companion(&[Key("database"), Item(index)], file);
    }
    if let Some(file) = &manifest.feed {
        feed(file, source);
    }
    for (key, count) in [
        ("statements_per_request", manifest.statements_per_request),
        ("rows_per_request", manifest.rows_per_request),
    ] {
        if count.is_some_and(|count| !(count.is_finite() && count >= 0.0)) {
            source.wrong(&[Key(key)], "it is not a count", "give a number, 0 or more");
        }
        if count.is_some() && manifest.database.is_empty() {
            source.wrong(&[Key(key)], "the workload has no database", "remove it");
        }
    }
    if let Some(upstream) = &manifest.upstream {
        let part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if upstream.is_empty() || !upstream.bytes().all(part) {
            source.wrong(
                &[Key("upstream")],
                format!("`{upstream}` cannot become <NAME>_URL"),
                "give a name of a to z, 0 to 9 and _",
            );
        }
    }
}

/// Notes where no case of the contract is what load sends and expects.
pub(crate) fn covered(manifest: &WorkloadManifest, contract: &Contract, source: &mut Source) {
    let covered = contract.case.iter().any(|case| {
        case.method == manifest.method
            && case.path == manifest.path
            && case.body == manifest.body
            && case.status == Some(manifest.expect_status)
    });
    if !covered && manifest.feed.is_none() {
        source.wrong(
            &[Key("path")],
            format!(
                "no case of contract.toml sends {} {} with this body for a {}",
                manifest.method, manifest.path, manifest.expect_status
            ),
            "add one: what load sends must be checked",
        );
    }
}

fn feed(file: &str, source: &mut Source) {
    let Some(text) = source.companion(&[Key("feed")], file) else {
        return;
    };
    if text.is_empty() {
        source.wrong(
            &[Key("feed")],
            format!("`{file}` is empty"),
            "give one request target a line",
        );
    }
    let wrong = text.lines().position(|line| !super::is_target(line));
    if let Some(index) = wrong {
        source.wrong(
            &[Key("feed")],
            format!("line {} of `{file}` is not a request target", index + 1),
            "start each line with / and percent-encode blanks",
        );
    }
}
