//! `bancada new` from outside, around a service that knows nothing of Bancada.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use support::{Bench, checkout};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn script() -> PathBuf {
    checkout().join("crates/cli/tests/support/service.py")
}

/// The service, running; it ends with the test.
struct Running {
    child: Child,
    url: String,
}

impl Running {
    fn start() -> Running {
        let mut child = Command::new("python3")
            .arg(script())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut port)
            .unwrap();
        Running {
            child,
            url: format!("http://127.0.0.1:{}", port.trim()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bench() -> Bench {
    let bench = Bench::new(false);
    fs::remove_dir_all(bench.path().join("workloads/five")).unwrap();
    bench
}

fn stack(bench: &Bench, name: &str, more: &[&str]) -> Output {
    let command = format!("python3 '{}'", script().display());
    bench.run(
        &[
            &[
                "new",
                "stack",
                name,
                "--command",
                &command,
                "--health",
                "/healthz",
            ],
            more,
        ]
        .concat(),
    )
}

fn succeeded(out: &Output) {
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
}

fn everything_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with(".bancada") {
            found.extend(everything_below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[test]
fn a_command_and_one_recorded_request_become_a_stack_that_keeps_its_contract() {
    let (bench, service) = (bench(), Running::start());
    succeeded(&stack(
        &bench,
        "mine",
        &["--record", &format!("GET {}/users/7?x=1", service.url)],
    ));
    drop(service);
    let contract = fs::read_to_string(bench.path().join("workloads/mine/contract.toml")).unwrap();
    assert!(
        contract.contains("José") && contract.contains("application/json"),
        "{contract}"
    );
    for what in ["stacks", "workloads"] {
        succeeded(&bench.run(&["list", what]));
    }
    succeeded(&bench.run(&["verify", "mine"]));
}

#[test]
fn operations_of_an_openapi_file_become_a_workload_each_in_yaml_and_in_json() {
    let bench = bench();
    bench.write(
        "api.yaml",
        "openapi: 3.0.0\npaths:\n  /users/{id}:\n    get:\n      operationId: oneUser\n      parameters: [{name: id, in: path, required: true, schema: {type: integer, example: 7}}]\n      responses: {'200': {content: {application/json: {}}}}\n  /users:\n    post:\n      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}\n      responses: {'201': {description: made}}\n",
    );
    let file = bench.path().join("api.yaml").display().to_string();
    succeeded(&stack(
        &bench,
        "mine",
        &[
            "--openapi",
            &file,
            "--operation",
            "oneUser",
            "--operation",
            "POST /users",
        ],
    ));
    succeeded(&bench.run(&["verify", "mine"]));
    let listed = text(&bench.run(&["list", "workloads"]).stdout);
    assert!(
        listed.contains("mine-one-user") && listed.contains("mine-post-users"),
        "{listed}"
    );

    bench.write(
        "api.json",
        r#"{"openapi":"3.1.0","paths":{"/users/7":{"get":{"responses":{"200":{}}}}}}"#,
    );
    let file = bench.path().join("api.json").display().to_string();
    succeeded(&bench.run(&[
        "new",
        "workload",
        "json",
        "--health",
        "/healthz",
        "--openapi",
        &file,
        "--operation",
        "GET /users/7",
    ]));
    succeeded(&stack(&bench, "other", &["--workload", "json"]));
    succeeded(&bench.run(&["verify", "other"]));
}

#[test]
fn what_changes_from_answer_to_answer_is_not_held_to() {
    let (bench, service) = (bench(), Running::start());
    succeeded(&stack(
        &bench,
        "mine",
        &["--record", &format!("GET {}/clock", service.url)],
    ));
    let contract = fs::read_to_string(bench.path().join("workloads/mine/contract.toml")).unwrap();
    assert!(contract.contains("The body is not held to"), "{contract}");
    succeeded(&bench.run(&["verify", "mine"]));
}

#[test]
fn a_recorded_body_and_header_are_sent_again() {
    let (bench, service) = (bench(), Running::start());
    let record = format!("POST {}/users", service.url);
    let more = [
        "--record",
        &record,
        "--header",
        "Content-Type: application/json",
        "--body",
        r#"{"name":"a\"b"}"#,
    ];
    succeeded(&stack(&bench, "mine", &more));
    succeeded(&bench.run(&["verify", "mine"]));
    let manifest = fs::read_to_string(bench.path().join("workloads/mine/workload.toml")).unwrap();
    assert!(manifest.contains("expect_status = 201"), "{manifest}");
}

#[test]
fn without_a_request_the_readiness_path_is_something_to_begin_with() {
    let bench = bench();
    succeeded(&stack(&bench, "mine", &[]));
    succeeded(&bench.run(&["verify", "mine"]));
}

#[test]
fn an_experiment_over_two_stacks_can_be_planned() {
    let bench = bench();
    succeeded(&stack(&bench, "one", &[]));
    succeeded(&stack(&bench, "two", &["--workload", "one"]));
    succeeded(&bench.run(&[
        "new",
        "experiment",
        "ours",
        "--workload",
        "one",
        "--stack",
        "one",
        "--stack",
        "two",
    ]));
    succeeded(&bench.run(&["list", "experiments"]));
    succeeded(&bench.run(&["plan", "ours"]));
}

#[test]
fn nothing_is_overwritten_and_what_fails_leaves_nothing() {
    let (bench, service) = (bench(), Running::start());
    succeeded(&stack(&bench, "mine", &[]));
    let before = everything_below(bench.path());
    let missing = format!("GET {}/nowhere", service.url);
    let record = format!("GET {}/users/7", service.url);
    for (args, code, said) in [
        (
            &[
                "new",
                "stack",
                "mine",
                "--command",
                "x",
                "--workload",
                "mine",
            ][..],
            2,
            "there already",
        ),
        (
            &["new", "workload", "mine", "--record", &record],
            2,
            "there already",
        ),
        (
            &["new", "workload", "../out", "--record", &record],
            2,
            "cannot be a folder",
        ),
        (&["new", "workload", "new", "--record", &missing], 1, "404"),
        (
            &["new", "workload", "new", "--record", "users"],
            2,
            "should be like",
        ),
        (
            &[
                "new",
                "workload",
                "new",
                "--record",
                "GET http://127.0.0.1:1/",
            ],
            1,
            "127.0.0.1:1",
        ),
        (
            &[
                "new",
                "workload",
                "new",
                "--record",
                "GET https://example.com/",
            ],
            2,
            "TLS",
        ),
        (&["new", "workload", "new"], 2, "--record"),
        (
            &[
                "new",
                "workload",
                "new",
                "--openapi",
                "none.yaml",
                "--operation",
                "x",
            ],
            1,
            "none.yaml",
        ),
        (
            &[
                "new",
                "stack",
                "new",
                "--command",
                "x",
                "--workload",
                "absent",
            ],
            2,
            "absent",
        ),
        (
            &[
                "new",
                "experiment",
                "new",
                "--workload",
                "mine",
                "--stack",
                "mine",
            ],
            2,
            "another",
        ),
        (
            &[
                "new",
                "experiment",
                "new",
                "--workload",
                "mine",
                "--stack",
                "absent",
                "--stack",
                "mine",
            ],
            2,
            "absent",
        ),
    ] {
        let out = bench.run(args);
        assert_eq!(
            out.status.code(),
            Some(code),
            "{args:?} {}",
            text(&out.stderr)
        );
        assert!(
            text(&out.stderr).contains(said),
            "{args:?} {}",
            text(&out.stderr)
        );
    }
    assert_eq!(everything_below(bench.path()), before);
}
