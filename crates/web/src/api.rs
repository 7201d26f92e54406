//! The JSON API, one function an address. Every document names its schema.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use report::{CompareChoices, Comparison, Recorded};
use serde::Deserialize;
use serde_json::json;

use crate::catalogue;
use crate::history::History;
use crate::narrowing::Narrowing;
use crate::order::Order;
use crate::place::{MESSAGE_CHARS, RunId, cut, is_plain};
use crate::problem::Problem;
use crate::reading::run_and_trials;
use crate::shelf::Wanted;
use crate::site::Site;
use crate::stream::stream;

type Shared = State<Arc<Site>>;
type Answer = Result<Response, Problem>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct OfExperiment {
    experiment: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TwoRuns {
    before: String,
    after: String,
    metric: String,
    baseline: String,
}

/// `bancada.server/1`: what this server is, and what it lets do.
pub async fn server(State(site): Shared) -> Response {
    json_of(&json!({
        "schema": "bancada.server/1",
        "bancada_version": env!("CARGO_PKG_VERSION"),
        "starts_runs": site.started.is_possible(),
        "watchers_count": site.watchers_count(),
        "followed_runs_count": site.follows.count(),
    }))
}

/// `bancada.runs/1`: one page of the list.
pub async fn runs(State(site): Shared, uri: Uri) -> Answer {
    let wanted: Wanted = asked(&uri)?;
    let page = site.read(move |site| site.shelf.page(&wanted)).await?;
    Ok(json_of(&page))
}

/// `bancada.report/1`: a run's findings.
pub async fn report(State(site): Shared, Path((place, name)): Path<(String, String)>) -> Answer {
    let id = RunId::new(&place, &name)?;
    let reading = site.read(move |site| site.readings.read(&id)).await??;
    Ok(json_text(reading.json.clone()))
}

/// `bancada.page/1`: everything that the page of a report draws.
pub async fn page(State(site): Shared, Path((place, name)): Path<(String, String)>) -> Answer {
    let id = RunId::new(&place, &name)?;
    let page = site.read(move |site| site.readings.page(&id)).await??;
    Ok(json_of(&page))
}

/// The report in Markdown.
pub async fn markdown(State(site): Shared, Path((place, name)): Path<(String, String)>) -> Answer {
    let id = RunId::new(&place, &name)?;
    let reading = site.read(move |site| site.readings.read(&id)).await??;
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, report::markdown(&reading.findings)).into_response())
}

/// `bancada.narrowing/1`: the intervals after each block.
pub async fn narrowing(State(site): Shared, Path((place, name)): Path<(String, String)>) -> Answer {
    let id = RunId::new(&place, &name)?;
    let narrowing = site.read(move |site| {
        let (run, mut trials) = run_and_trials(&site.folders, &id)?;
        // They are copied for every point, and no ratio needs them.
        for trial in &mut trials {
            trial.slices.clear();
        }
        Ok(Narrowing::of(&run, &trials))
    });
    Ok(json_of(&narrowing.await??))
}

/// `bancada.history/1`: an experiment over its runs.
pub async fn history(State(site): Shared, uri: Uri) -> Answer {
    let OfExperiment { experiment } = asked(&uri)?;
    if !is_plain(&experiment) {
        return Err(Problem::bad_request("say of what: ?experiment=NAME"));
    }
    let history = site.read(move |site| History::of(&site.folders, &site.shelf, &experiment));
    Ok(json_of(&history.await?))
}

/// `bancada.compare/1`: one run held against another.
pub async fn compare(State(site): Shared, uri: Uri) -> Answer {
    let TwoRuns {
        before,
        after,
        metric,
        baseline,
    } = asked(&uri)?;
    let (before, after): (RunId, RunId) = (before.parse()?, after.parse()?);
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let choices = CompareChoices {
        metric: given(metric),
        baseline: given(baseline),
        relevant_difference_ratio: None,
    };
    let comparison = site.read(move |site| {
        let recorded = |id| {
            let (run, trials) = run_and_trials(&site.folders, id)?;
            Ok::<_, Problem>(Recorded { run, trials })
        };
        Comparison::of(&recorded(&before)?, &recorded(&after)?, &choices)
            .map_err(|error| Problem::bad_request(cut(&error.to_string(), MESSAGE_CHARS)))
    });
    Ok(json_of(&comparison.await??))
}

/// `bancada.catalog/1`: stacks, workloads and experiments.
pub async fn catalog(State(site): Shared) -> Answer {
    let catalog = site.read(|site| catalogue::document(&site.folders.root));
    Ok(json_of(&catalog.await?))
}

/// `bancada.sources/1`: the handlers of a stack.
pub async fn sources(State(site): Shared, Path(name): Path<String>) -> Answer {
    if !is_plain(&name) {
        return Err(Problem::not_found("there is no such stack"));
    }
    let sources = site.read(move |site| catalogue::sources(&site.folders.root, &name));
    Ok(json_of(&sources.await??))
}

/// `bancada.live/1`: the run that was started here last.
pub async fn live(State(site): Shared) -> Answer {
    match site.started.feed() {
        Some(feed) => Ok(json_text(feed.json())),
        None => Err(Problem::not_found("no run was started here")),
    }
}

/// Starts a run; answers with its state, `bancada.live/1`.
pub async fn start(State(site): Shared, body: Bytes) -> Answer {
    let order: Order = serde_json::from_slice(&body).map_err(|error| {
        Problem::bad_request(format!(
            "an order is {{\"experiment\": \"NAME\", \"budget_s\": 180}}: {error}"
        ))
    })?;
    let known = site.read({
        let name = order.experiment.clone();
        move |site| {
            let catalog = catalog::Catalog::scan(&site.folders.root);
            let found = catalog.experiment(&name).map(|_| ());
            found.map_err(|error| Problem::bad_request(error.to_string()))
        }
    });
    known.await??;
    let feed = site.started.start(order)?;
    Ok((StatusCode::ACCEPTED, json_text(feed.json())).into_response())
}

/// Asks the run that was started here to end.
pub async fn stop(State(site): Shared) -> Answer {
    if !site.started.stop() {
        return Err(Problem::not_found("no run that was started here goes on"));
    }
    let document = json!({ "schema": "bancada.stopping/1" });
    Ok((StatusCode::ACCEPTED, json_of(&document)).into_response())
}

/// The run that was started here, as it goes on.
pub async fn live_events(State(site): Shared) -> Answer {
    let place = site.watcher()?;
    let Some(feed) = site.started.feed() else {
        return Err(Problem::not_found("no run was started here"));
    };
    let joined = feed.join();
    Ok(stream(feed, joined, site.stop.subscribe(), place).into_response())
}

/// Any run, as it goes on, whoever makes it.
pub async fn run_events(
    State(site): Shared,
    Path((place, name)): Path<(String, String)>,
) -> Answer {
    let id = RunId::new(&place, &name)?;
    let place = site.watcher()?;
    let (feed, joined) = match site.started.feed_of(&id) {
        Some(feed) => {
            let joined = feed.join();
            (feed, joined)
        }
        None => site.follows.join(&id).await?,
    };
    Ok(stream(feed, joined, site.stop.subscribe(), place).into_response())
}

/// Every other address.
pub async fn nothing_here() -> Problem {
    Problem::not_found("there is nothing here; docs/serve.md lists the addresses")
}

/// # Errors
/// 400 when the query is not what the address takes.
fn asked<T: serde::de::DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    let query = Query::<T>::try_from_uri(uri);
    query
        .map(|Query(asked)| asked)
        .map_err(|error| Problem::bad_request(error.body_text()))
}

fn json_of(document: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(document);
    json_text(text.expect("documents have string keys and finite numbers"))
}

fn json_text(text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, text).into_response()
}
