//! What a manifest must say beyond its types: ranges, references and files that exist.

mod claims;
mod contract;
mod experiment;
mod loads;
mod stack;
mod workload;

pub(crate) use contract::contract;
pub(crate) use experiment::{causes, experiment};
pub(crate) use stack::stack;
pub(crate) use workload::{covered, workload};

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, Step};

/// Environment that the bench itself sets for a service, and where it comes from.
const OWN_ENVIRONMENT: [(&str, &str); 8] = [
    ("PORT", "the bench chooses the port"),
    ("HOST", "the bench chooses the address"),
    ("WORKERS", "use `workers` of the treatment"),
    ("DB_POOL_SIZE", "use `db_pool_size` of the treatment"),
    ("DB_POOL_IDLE", "use `db_pool_idle` of the treatment"),
    (
        "DATABASE_URL",
        "each service is given a database of its own",
    ),
    ("PATH", "it starts with the folder of what was built"),
    ("BANCADA_BUILD", "the bench chooses the folder"),
];

fn own_environment(env: &BTreeMap<String, String>, steps: &[Step<'_>], source: &mut Source) {
    for (name, reason) in OWN_ENVIRONMENT {
        if env.contains_key(name) {
            let steps = [steps, &[Step::Key("env"), Step::Key(name)]].concat();
            source.wrong(&steps, "the bench sets it", format!("remove it: {reason}"));
        }
    }
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            let steps = [steps, &[Step::Key("env"), Step::Key(name)]].concat();
            source.wrong(
                &steps,
                "an environment cannot hold it",
                "give a name without =, and no null bytes",
            );
        }
    }
}

/// Notes text that should say something and is blank.
fn said(texts: &[(&str, &str)], source: &mut Source) {
    for (key, text) in texts {
        if text.trim().is_empty() {
            source.wrong(&[Step::Key(key)], "it is blank", "say it in words");
        }
    }
}

/// Notes each of `names`, at `list[n].key`, that was there before.
fn distinct<'a>(list: &str, key: &str, names: impl Iterator<Item = &'a str>, source: &mut Source) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            source.wrong(
                &[Step::Key(list), Step::Item(index), Step::Key(key)],
                format!("`{name}` is there twice"),
                "give each another one",
            );
        }
    }
}

fn method(method: &str, steps: &[Step<'_>], source: &mut Source) {
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        source.wrong(
            steps,
            format!("`{method}` is not a request method"),
            "write one in capitals, for instance GET",
        );
    }
}

/// Whether it is a request target in origin form that fits on a request line (RFC 9112, section 3.2.1).
fn is_target(target: &str) -> bool {
    target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic())
}

fn target(target: &str, steps: &[Step<'_>], source: &mut Source) {
    if !is_target(target) {
        source.wrong(
            steps,
            format!("`{}` is not a request target", target.escape_debug()),
            "start it with / and percent-encode blanks and what is not ASCII",
        );
    }
}

fn headers(headers: &BTreeMap<String, String>, steps: &[Step<'_>], source: &mut Source) {
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("host") || name.eq_ignore_ascii_case("content-length") {
            let steps = [steps, &[Step::Key("headers"), Step::Key(name)]].concat();
            source.wrong(&steps, "the bench sends it", "remove it");
        }
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) || value.contains(['\r', '\n', '\0']) {
            let steps = [steps, &[Step::Key("headers"), Step::Key(name)]].concat();
            source.wrong(
                &steps,
                "it cannot be a header",
                "give a name without blanks, and one line",
            );
        }
    }
}
