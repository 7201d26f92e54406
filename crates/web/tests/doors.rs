//! Who is let in: names, tokens, paths and methods.

mod support;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use support::{Site, TOKEN, Unlike, ended};
use web::{Order, Starter, Told};

struct NoRuns;

impl Starter for NoRuns {
    fn run(&self, _: &Order, _: &AtomicBool, _: &mut dyn FnMut(Told)) -> Result<(), String> {
        Err("this bench is closed".to_owned())
    }
}

fn starting() -> Site {
    Site::unlike(Unlike {
        starter: Some(Arc::new(NoRuns)),
        ..Unlike::default()
    })
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

const ORDER: &str = "{\"experiment\": \"question\"}";

#[test]
fn a_name_that_was_made_to_point_here_is_refused() {
    let site = Site::new();
    let port = site.address.port();
    for good in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        "localhost:9999".to_owned(),
    ] {
        let answer = site.send_exactly("GET", "/api/runs", &[("Host", &good)], "");
        assert_eq!(answer.status, 200, "{good}");
    }
    for bad in [
        format!("evil.example:{port}"),
        "localhost.evil.example".to_owned(),
        "192.0.2.1".to_owned(),
    ] {
        for path in ["/", "/api/runs", "/nothing"] {
            let answer = site.send_exactly("GET", path, &[("Host", &bad)], "");
            assert_eq!(answer.status, 421, "{bad}{path}");
            answer.problem();
        }
    }
    let twice = [("Host", "localhost"), ("Host", "evil.example")];
    assert!(matches!(
        site.send_exactly("GET", "/api/runs", &twice, "").status,
        400 | 421
    ));
    assert!(matches!(
        site.send_exactly("GET", "/api/runs", &[], "").status,
        400 | 421
    ));
}

#[test]
fn starting_and_stopping_need_the_token_also_on_loopback() {
    let site = starting();
    for wrong in [
        None,
        Some(bearer("")),
        Some(bearer("0123456789abcdef0124")),
        Some(TOKEN.to_owned()),
    ] {
        let headers: Vec<(&str, &str)> = wrong
            .iter()
            .map(|value| ("Authorization", value.as_str()))
            .collect();
        for method in ["POST", "DELETE"] {
            let answer = site.send(method, "/api/live", &headers, ORDER);
            assert_eq!(answer.status, 401, "{method} {wrong:?}");
            assert!(answer.problem().contains("token"));
        }
    }
    let answer = site.send(
        "DELETE",
        "/api/live",
        &[("Authorization", &bearer(TOKEN))],
        "",
    );
    assert_eq!(answer.status, 404);
    assert_eq!(site.get("/api/live").status, 404, "nothing was started");
}

#[test]
fn a_page_of_somebody_else_starts_nothing_even_with_the_token() {
    let site = starting();
    let token = bearer(TOKEN);
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let headers = [("Authorization", token.as_str()), ("Origin", origin)];
        assert_eq!(
            site.send("POST", "/api/live", &headers, ORDER).status,
            403,
            "{origin}"
        );
    }
    let answer = site.send(
        "OPTIONS",
        "/api/live",
        &[("Origin", "https://evil.example")],
        "",
    );
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
    let own = format!("http://127.0.0.1:{}", site.address.port());
    let headers = [("Authorization", token.as_str()), ("Origin", own.as_str())];
    let answer = site.send("POST", "/api/live", &headers, ORDER);
    assert_eq!(
        answer.status, 400,
        "the door is open; the experiment is what is missing"
    );
    assert!(
        answer.problem().contains("no experiment"),
        "{}",
        answer.body
    );
}

#[test]
fn beyond_loopback_everything_but_the_app_needs_the_token() {
    let site = Site::unlike(Unlike {
        host: Some("0.0.0.0"),
        ..Unlike::default()
    });
    site.put("a", &ended("a", "secret-question"), 2);
    for path in [
        "/api/runs",
        "/api/server",
        "/api/catalog",
        "/api/runs/local/a/report",
        "/api/runs/local/a/events",
        "/runs/local/a/report.html",
        "/nothing",
    ] {
        assert_eq!(site.get(path).status, 401, "{path}");
        let answer = site.send("GET", path, &[("Authorization", &bearer(TOKEN))], "");
        assert_ne!(answer.status, 401, "{path}");
    }
    let page = site.get("/");
    assert_eq!(page.status, 200);
    assert!(
        !page.body.contains("secret-question"),
        "the page itself holds nothing"
    );
}

#[test]
fn no_path_leads_out_of_the_runs() {
    let site = Site::new();
    site.put("a", &ended("a", "question"), 1);
    let secret = site.folder.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(
        secret.join("run.json"),
        ended("secret", "secret").to_string(),
    )
    .unwrap();
    for path in [
        "/api/runs/local/../secret/report",
        "/api/runs/local/%2e%2e/report",
        "/api/runs/local/..%2fsecret/report",
        "/api/runs/..%2f/secret/report",
        "/api/runs/%2e%2e/secret/report",
        "/api/runs/local/a%2f..%2f..%2fsecret/report",
        "/api/runs/local/a%00/report",
        "/api/runs/local/%ff/report",
        "/api/runs/local/.hidden/report",
        "/runs/local/..%2fsecret/report.html",
        "/api/catalog/stacks/..%2f..%2fsecret/sources",
        "/api/history?experiment=../secret",
    ] {
        let answer = site.get(path);
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.body.contains("secret\",\"title"), "{path}");
    }
}

#[test]
fn a_large_body_is_refused() {
    let site = starting();
    let body = "x".repeat(100_000);
    let answer = site.send(
        "POST",
        "/api/live",
        &[("Authorization", &bearer(TOKEN))],
        &body,
    );
    assert_eq!(answer.status, 413);
}

#[test]
fn an_order_that_is_none_says_what_one_is() {
    let site = starting();
    for wrong in [
        "",
        "[]",
        "{}",
        "{\"experiment\": 1}",
        "{\"experiment\": \"a\", \"command\": \"rm\"}",
    ] {
        let answer = site.send(
            "POST",
            "/api/live",
            &[("Authorization", &bearer(TOKEN))],
            wrong,
        );
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(answer.problem().contains("an order is"), "{wrong}");
    }
}

#[test]
fn every_answer_forbids_what_a_browser_could_do_with_it() {
    let site = Site::new();
    for path in ["/", "/api/runs", "/api/runs/local/none/report", "/nothing"] {
        let answer = site.get(path);
        assert_eq!(
            answer.headers["x-content-type-options"], "nosniff",
            "{path}"
        );
        assert_eq!(answer.headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer", "{path}");
        assert!(
            answer.headers["content-security-policy"].contains("frame-ancestors 'none'"),
            "{path}"
        );
    }
}

#[test]
fn the_app_is_sent_with_a_policy_that_lets_only_its_own_script_run() {
    let site = Site::unlike(Unlike {
        app: Some("<!doctype html><script type=\"module\">start()</script>"),
        ..Unlike::default()
    });
    let page = site.get("/");
    assert!(page.body.contains("start()"));
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("script-src 'sha256-"), "{policy}");
    assert!(policy.contains("connect-src 'self'"), "{policy}");
}

#[test]
fn a_port_in_use_is_named() {
    let site = Site::new();
    let error = web::bind("127.0.0.1", site.address.port()).unwrap_err();
    assert!(error.is_usage());
    assert!(
        error.to_string().contains(&site.address.port().to_string()),
        "{error}"
    );
}
