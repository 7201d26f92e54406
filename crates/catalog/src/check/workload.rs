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
    behaviour(manifest, source);
}

/// What is said of the upstream's stand-in.
fn behaviour(manifest: &WorkloadManifest, source: &mut Source) {
    let keys = [
        ("upstream_delay_ms", manifest.upstream_delay_ms),
        ("upstream_delay_p99_ms", manifest.upstream_delay_p99_ms),
        ("upstream_failure_ratio", manifest.upstream_failure_ratio),
        (
            "upstream_rate_limit_per_s",
            manifest.upstream_rate_limit_per_s.map(f64::from),
        ),
    ];
    for (key, value) in keys {
        let Some(value) = value else { continue };
        if manifest.upstream.is_none() {
            source.wrong(
                &[Key(key)],
                "there is no `upstream`",
                "name it or remove this",
            );
        }
        let most = if key == "upstream_failure_ratio" {
            1.0
        } else {
            f64::MAX
        };
        if !(0.0..=most).contains(&value) {
            source.wrong(
                &[Key(key)],
                format!("{value} is out of range"),
                "give a number from 0, and a ratio up to 1",
            );
        }
    }
    let median = manifest.upstream_delay_ms.unwrap_or(0.0);
    let p99 = manifest.upstream_delay_p99_ms;
    if p99.is_some_and(|p99| median <= 0.0 || p99 < median) {
        source.wrong(
            &[Key("upstream_delay_p99_ms")],
            "it is not above the median of `upstream_delay_ms`",
            "give a median above 0 and a percentile no smaller",
        );
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
