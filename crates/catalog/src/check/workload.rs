//! `workload.toml`.

use crate::source::{Source, Step::Item, Step::Key};
use crate::{WORKLOAD_SCHEMA, WorkloadManifest};

pub(crate) fn workload(manifest: &WorkloadManifest, source: &mut Source) {
    source.check_schema(&manifest.schema, WORKLOAD_SCHEMA);
    super::method(&manifest.method, &[Key("method")], source);
    super::target(&manifest.path, &[Key("path")], source);
    super::headers(&manifest.headers, &[], source);
    if !(100..=599).contains(&manifest.expect_status) {
        source.wrong(
            &[Key("expect_status")],
            format!("{} is not a status", manifest.expect_status),
            "give one from 100 to 599",
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
    let wrong = text
        .lines()
        .position(|line| !line.starts_with('/') || line.contains(' '));
    if let Some(index) = wrong {
        source.wrong(
            &[Key("feed")],
            format!("line {} of `{file}` is not a request target", index + 1),
            "start each line with / and percent-encode blanks",
        );
    }
}
