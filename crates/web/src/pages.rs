//! Pages for a browser, each with a policy that lets nothing run but its own script.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::place::RunId;
use crate::problem::Problem;
use crate::shelf::Wanted;
use crate::site::Site;

/// The web app, where it has been built.
#[derive(Clone, Debug)]
pub struct Pages {
    app: Option<Page>,
    template: Option<String>,
}

/// A self-contained page and the policy it is sent with.
#[derive(Clone, Debug)]
struct Page {
    html: String,
    policy: String,
}

impl Pages {
    /// `app` is the built web app in one HTML file, `template` the page of a report without a run.
    pub fn new(app: Option<String>, template: Option<String>) -> Pages {
        Pages {
            template,
            app: app.map(|html| Page {
                policy: policy(&html, "'self'"),
                html,
            }),
        }
    }
}

/// The web app; without it, a plain list of runs.
pub async fn app(State(site): State<Arc<Site>>) -> Result<Response, Problem> {
    if let Some(page) = &site.pages.app {
        return Ok(html(page.html.clone(), &page.policy));
    }
    let text = match site.token_for_all {
        // This page is sent without a token, so nothing may be in it.
        true => plain(&[]),
        false => {
            let list = site.read(|site| {
                let page = site.shelf.page(&Wanted::default());
                serde_json::to_value(page).unwrap_or_default()
            });
            plain(list.await?["runs"].as_array().map_or(&[], Vec::as_slice))
        }
    };
    let policy = policy(&text, "'none'");
    Ok(html(text, &policy))
}

/// A run's report as the self-contained page that `bancada report --format html` writes.
pub async fn report(
    State(site): State<Arc<Site>>,
    Path((place, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let id = RunId::new(&place, &name)?;
    let text = site.read(move |site| match &site.pages.template {
        Some(template) => {
            let page = site.readings.page(&id)?;
            report::html(template, &page)
                .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
        }
        None => {
            let reading = site.readings.read(&id)?;
            let body = escaped(&report::markdown(&reading.findings));
            Ok(document(
                &reading.findings.title,
                &format!("<pre>{body}</pre>"),
            ))
        }
    });
    let text = text.await??;
    let policy = policy(&text, "'none'");
    Ok(html(text, &policy))
}

/// The newest runs as a list of links.
fn plain(runs: &[serde_json::Value]) -> String {
    let mut body = String::from(
        "<h1>Bancada</h1><p>The web app is not in this build; the addresses under <code>/api/</code> answer all the same.</p><ul>",
    );
    for run in runs {
        let text = |key: &str| escaped(run[key].as_str().unwrap_or_default());
        // Writing to a string cannot fail.
        let _ = match run["state"].as_str() {
            Some("damaged") => {
                write!(
                    body,
                    "<li>{} (damaged: {})</li>",
                    text("name"),
                    text("reason")
                )
            }
            _ => write!(
                body,
                "<li><a href=\"/runs/{}/report.html\">{}</a> {}</li>",
                text("run"),
                text("name"),
                text("answer")
            ),
        };
    }
    body.push_str("</ul>");
    document("Bancada", &body)
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\"><title>{}</title></head><body>{body}</body></html>",
        escaped(title)
    )
}

fn html(text: String, policy: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, text).into_response()
}

/// Lets the page's own scripts run, by their digests, and nothing else; it may only ask this server. `forms` is
/// where its forms may lead.
fn policy(html: &str, forms: &str) -> String {
    let digests = scripts(html).into_iter().map(|script| {
        let digest = STANDARD.encode(Sha256::digest(script.as_bytes()));
        format!(" 'sha256-{digest}'")
    });
    let scripts: String = digests.collect();
    let scripts = match scripts.is_empty() {
        true => " 'none'".to_owned(),
        false => scripts,
    };
    format!(
        "default-src 'none'; script-src{scripts}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'; base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
    )
}

/// What stands in each `<script>` that a browser would run.
fn scripts(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at + "<script".len()..];
        let Some((attributes, after)) = rest.split_once('>') else {
            break;
        };
        let Some((text, after)) = after.split_once("</script") else {
            break;
        };
        // A block of data is not run.
        if !attributes.contains("json") {
            found.push(text);
        }
        rest = after;
    }
    found
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_each_script_that_runs_and_no_data() {
        let html = "<script type=\"module\">one()</script><script type=\"application/json\">{}</script><script>two()</script>";
        assert_eq!(scripts(html), ["one()", "two()"]);
        assert_eq!(policy(html, "'none'").matches("'sha256-").count(), 2);
        assert!(policy("<p>none</p>", "'none'").contains("script-src 'none'"));
    }

    #[test]
    fn text_of_a_run_never_becomes_markup() {
        let run = serde_json::json!({
            "run": "local/x", "name": "<script>alert(1)</script>", "state": "damaged", "reason": "\"><img src=x>",
        });
        let page = plain(&[run]);
        assert!(!page.contains("<script"), "{page}");
        assert!(!page.contains("<img"), "{page}");
    }
}
