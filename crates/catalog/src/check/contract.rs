//! `contract.toml`.

use crate::source::{Source, Step, Step::Item, Step::Key};
use crate::{CONTRACT_SCHEMA, Case, Contract};

pub(crate) fn contract(contract: &Contract, source: &mut Source) {
    source.check_schema(&contract.schema, CONTRACT_SCHEMA);
    let names = contract.case.iter().map(|case| case.name.as_str());
    super::distinct("case", "name", names, source);
    if contract.case.is_empty() {
        source.wrong(&[Key("case")], "there is no case", "add one");
    }
    for (index, case) in contract.case.iter().enumerate() {
        let steps = [Key("case"), Item(index)];
        super::method(&case.method, &[steps[0], steps[1], Key("method")], source);
        super::target(&case.path, &[steps[0], steps[1], Key("path")], source);
        super::headers(&case.headers, &steps, source);
        status(case, steps, source);
        answer(case, steps, source);
    }
}

fn status(case: &Case, [list, item]: [Step<'_>; 2], source: &mut Source) {
    match (case.status, &case.status_class) {
        (Some(_), Some(_)) => source.wrong(
            &[list, item, Key("status_class")],
            "the case has a `status` already",
            "keep one of the two",
        ),
        (None, None) => source.wrong(
            &[list, item, Key("status")],
            format!("the case `{}` has no status", case.name),
            "add `status` or `status_class`",
        ),
        (Some(status), None) if !(200..=599).contains(&status) => source.wrong(
            &[list, item, Key("status")],
            format!("{status} is not the status of an answer"),
            "give one from 200 to 599",
        ),
        (None, Some(class)) if !["2xx", "3xx", "4xx", "5xx", "<500"].contains(&class.as_str()) => {
            source.wrong(
                &[list, item, Key("status_class")],
                format!("`{class}` is not a class of statuses"),
                "write 2xx, 3xx, 4xx, 5xx or <500",
            );
        }
        _ => {}
    }
}

fn answer(case: &Case, [list, item]: [Step<'_>; 2], source: &mut Source) {
    let bodies = [
        ("json", &case.json),
        ("json_file", &case.json_file),
        ("text", &case.text),
        ("bytes_file", &case.bytes_file),
    ];
    let given: Vec<&str> = bodies
        .iter()
        .filter(|(_, body)| body.is_some())
        .map(|(key, _)| *key)
        .collect();
    if let [first, second, ..] = given[..] {
        source.wrong(
            &[list, item, Key(second)],
            format!("the case has its body in `{first}` already"),
            "keep one of them",
        );
    }
    if let Some(text) = &case.json {
        json(text, &[list, item, Key("json")], source);
    }
    if let Some(file) = &case.json_file {
        let steps = [list, item, Key("json_file")];
        if let Some(text) = source.companion(&steps, file) {
            json(&text, &steps, source);
        }
    }
    if let Some(file) = &case.bytes_file {
        source.companion(&[list, item, Key("bytes_file")], file);
    }
    for name in case.response_headers.keys() {
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            source.wrong(
                &[list, item, Key("response_headers"), Key(name)],
                "names of response headers are in lower case here",
                format!("write `{}`", name.to_ascii_lowercase()),
            );
        }
    }
    if case.times == 0 {
        source.wrong(
            &[list, item, Key("times")],
            "the request would never be sent",
            "give 1 or more",
        );
    }
}

fn json(text: &str, steps: &[Step<'_>], source: &mut Source) {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        source.wrong(
            steps,
            format!("it is not JSON: {error}"),
            "correct the JSON",
        );
    }
}
