//! Runs as they go on: told from the beginning to whoever comes late, and to nobody who has gone.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod support;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use record::{Event, Trial};
use serde_json::{Value, json};
use support::{Site, TOKEN, Unlike, ended, eventually, run, trial};
use web::{Order, Starter, Told};

/// A starter whose runs do what the test tells them.
struct Puppet {
    told: Mutex<Receiver<Told>>,
    fails: bool,
}

impl Starter for Puppet {
    fn run(&self, _: &Order, stop: &AtomicBool, tell: &mut dyn FnMut(Told)) -> Result<(), String> {
        let told = self.told.lock().unwrap();
        loop {
            match told.recv_timeout(Duration::from_millis(10)) {
                Ok(told) => tell(told),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(_) if stop.load(Ordering::Relaxed) => {
                    tell(Told::Event(Event::RunEnded {
                        ended_by: "interrupted".to_owned(),
                    }));
                    return Ok(());
                }
                Err(_) => {}
            }
        }
        match self.fails {
            true => Err("the database would not start".to_owned()),
            false => Ok(()),
        }
    }
}

/// A site with one experiment, and the strings of its puppet.
fn site(fails: bool) -> (Site, Sender<Told>) {
    let (strings, told) = channel();
    let site = Site::unlike(Unlike {
        starter: Some(Arc::new(Puppet {
            told: Mutex::new(told),
            fails,
        })),
        ..Unlike::default()
    });
    let write = |file: &str, text: &str| {
        let path = site.folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("workloads/list/README.md", "A list.\n");
    write(
        "workloads/list/workload.toml",
        "schema = \"bancada.workload/1\"\ntitle = \"List\"\nasks = \"A list.\"\nmethod = \"GET\"\npath = \"/users\"\n",
    );
    write(
        "workloads/list/contract.toml",
        "schema = \"bancada.contract/1\"\n\n[[case]]\nname = \"a list\"\npath = \"/users\"\nstatus = 200\njson = '[]'\n",
    );
    write("stacks/quick/README.md", "Quick.\n");
    write("stacks/quick/main.rs", "fn main() {} // <script>\n");
    std::os::unix::fs::symlink(
        "/etc/hostname",
        site.folder.path().join("stacks/quick/link.rs"),
    )
    .unwrap();
    write(
        "stacks/quick/stack.toml",
        "schema = \"bancada.stack/1\"\ntitle = \"Quick\"\nlanguage = \"rust\"\nframework = \"none\"\nneeds = []\nprepare = []\nworkloads = [\"list\"]\nworkers = \"threads\"\nsources = [\"main.rs\"]\n\n[launch.default]\ncommand = [\"true\"]\n",
    );
    write("experiments/question/README.md", "A question.\n");
    write(
        "experiments/question/experiment.toml",
        "schema = \"bancada.experiment/1\"\ntitle = \"Question\"\nquestion = \"Which?\"\nbaseline = \"quick\"\ntwin = \"quick\"\nbudget_s = 60\nconnections = 4\n\n[[treatment]]\nname = \"quick\"\nstack = \"quick\"\nworkload = \"list\"\n",
    );
    (site, strings)
}

fn start(site: &Site) -> support::Answer {
    let token = format!("Bearer {TOKEN}");
    site.send(
        "POST",
        "/api/live",
        &[("Authorization", &token)],
        "{\"experiment\": \"question\"}",
    )
}

fn watchers(site: &Site) -> Value {
    site.json("/api/server")["watchers_count"].clone()
}

fn trial_ended(block: u32, treatment: &str) -> Told {
    let trial: Trial = serde_json::from_value(trial(block, treatment, 100.0)).unwrap();
    Told::Event(Event::TrialEnded {
        trial: Box::new(trial),
    })
}

#[test]
fn a_run_that_somebody_else_makes_is_told_trial_by_trial_until_it_ends() {
    let site = Site::new();
    site.put("a", &run("a", "question"), 1);
    let mut events = site.watch("/api/runs/local/a/events");
    let (name, state) = events.next().unwrap();
    assert_eq!(
        (name.as_str(), &state["schema"]),
        ("state", &json!("bancada.live/1"))
    );
    assert_eq!(
        state["trials"].as_array().unwrap().len(),
        2,
        "the state so far"
    );
    assert_eq!(state["about"]["blocks_at_most_count"], 8);
    for block in 2..=4 {
        site.append_block("a", block);
        assert_eq!(events.next_trial(), format!("b{block:02}-slow"));
        assert_eq!(events.next_trial(), format!("b{block:02}-quick"));
    }
    let mut late = site.watch("/api/runs/local/a/events");
    assert_eq!(
        late.next().unwrap().1["trials"].as_array().unwrap().len(),
        8
    );
    fs::write(
        site.run_folder("a").join("run.json"),
        ended("a", "question").to_string(),
    )
    .unwrap();
    for events in [&mut events, &mut late] {
        assert_eq!(events.next_named("end"), json!({ "ended_by": "blocks" }));
        assert!(events.next().is_none(), "nothing comes after the end");
    }
}

#[test]
fn a_run_that_has_ended_is_told_in_one_piece() {
    let site = Site::new();
    site.put("a", &ended("a", "question"), 3);
    let mut events = site.watch("/api/runs/local/a/events");
    let state = events.next_named("state");
    assert_eq!(state["over"], json!({ "ended_by": "blocks" }));
    assert_eq!(state["trials"].as_array().unwrap().len(), 6);
    assert!(
        state["trials"][0].get("slices").is_none(),
        "slices are not shown live"
    );
    assert!(events.next().is_none());
}

#[test]
fn a_line_that_is_half_written_is_told_when_it_is_whole() {
    let site = Site::new();
    site.put("a", &run("a", "question"), 1);
    let mut events = site.watch("/api/runs/local/a/events");
    events.next_named("state");
    let line = format!("{}\n", trial(2, "slow", 200.0));
    let (half, rest) = line.split_at(40);
    let append = |text: &str| {
        let path = site.run_folder("a").join("trials.jsonl");
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend_from_slice(text.as_bytes());
        fs::write(&path, bytes).unwrap();
    };
    append(half);
    append(rest);
    assert_eq!(events.next_trial(), "b02-slow");
}

#[test]
fn a_run_that_is_taken_away_or_damaged_meanwhile_ends_with_the_reason() {
    let site = Site::new();
    site.put("gone", &run("gone", "question"), 1);
    site.put("spoilt", &run("spoilt", "question"), 1);
    let mut gone = site.watch("/api/runs/local/gone/events");
    let mut spoilt = site.watch("/api/runs/local/spoilt/events");
    gone.next_named("state");
    spoilt.next_named("state");
    fs::remove_dir_all(site.run_folder("gone")).unwrap();
    fs::write(site.run_folder("spoilt").join("trials.jsonl"), "{}\n{}\n").unwrap();
    assert!(
        gone.next_named("end")["failed"]
            .as_str()
            .unwrap()
            .contains("no run")
    );
    assert!(
        spoilt.next_named("end")["failed"]
            .as_str()
            .unwrap()
            .contains("line 1")
    );
}

#[test]
fn browsers_that_go_away_leave_nothing_behind() {
    let site = Site::new();
    site.put("a", &run("a", "question"), 1);
    for _ in 0..3 {
        let mut open: Vec<_> = (0..20)
            .map(|_| site.watch("/api/runs/local/a/events"))
            .collect();
        for events in &mut open {
            events.next_named("state");
        }
        assert_eq!(watchers(&site), 20);
        assert_eq!(
            site.json("/api/server")["followed_runs_count"],
            1,
            "one look for all"
        );
        drop(open);
        eventually("every place is free again", || {
            (watchers(&site) == 0).then_some(())
        });
        eventually("nobody looks at the run", || {
            (site.json("/api/server")["followed_runs_count"] == 0).then_some(())
        });
    }
}

#[test]
fn too_many_watchers_are_told_so() {
    let site = Site::new();
    site.put("a", &run("a", "question"), 1);
    let mut open: Vec<_> = (0..64)
        .map(|_| site.watch("/api/runs/local/a/events"))
        .collect();
    for events in &mut open {
        events.next_named("state");
    }
    let answer = site.get("/api/runs/local/a/events");
    assert_eq!(answer.status, 503);
    assert!(answer.problem().contains("64"));
    assert_eq!(site.get("/api/runs").status, 200, "everything else goes on");
}

#[test]
fn a_run_that_is_started_here_tells_its_steps_to_early_and_late_alike() {
    let (site, strings) = site(false);
    let answer = start(&site);
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(answer.json()["schema"], "bancada.live/1");
    let mut early = site.watch("/api/live/events");
    assert!(early.next_named("state").get("run").is_none());
    let tell = |event| strings.send(Told::Event(event)).unwrap();
    tell(Event::StepBegan {
        step: "prepare".to_owned(),
        detail: "Quick".to_owned(),
    });
    assert_eq!(early.next_named("event")["step"], "prepare");
    site.put("begun", &run("begun", "question"), 0);
    strings.send(Told::Directory("begun".to_owned())).unwrap();
    let state = early.next_named("state");
    assert_eq!(state["run"], "local/begun");
    assert_eq!(state["about"]["treatments"][1]["title"], "Quick");
    tell(Event::BlockBegan {
        block: 1,
        blocks_at_most: 8,
        order: vec!["quick".to_owned(), "slow".to_owned()],
    });
    let slice = json!({
        "event": "slice_ended", "block": 1, "treatment": "quick", "load": "open",
        "completion_rate_per_s": 1234.0, "slices_done": 1, "slices_in_block": 4,
    });
    tell(serde_json::from_value(slice).unwrap());
    strings.send(trial_ended(1, "quick")).unwrap();
    assert_eq!(early.next_trial(), "b01-quick");
    // By its name as well as by where it was started.
    for path in ["/api/live/events", "/api/runs/local/begun/events"] {
        let state = site.watch(path).next_named("state");
        assert_eq!(state["block"]["slices_done_count"], 1, "{path}");
        assert_eq!(state["completion_rates_per_s"]["quick"], 1234.0, "{path}");
        assert_eq!(state["trials"][0]["trial"], "b01-quick", "{path}");
    }
    let second = start(&site);
    assert_eq!(second.status, 409, "one run at a time");
    assert!(second.problem().contains("local/begun"));
    tell(Event::RunEnded {
        ended_by: "blocks".to_owned(),
    });
    drop(strings);
    assert_eq!(early.next_named("end"), json!({ "ended_by": "blocks" }));
    assert!(early.next().is_none());
    assert_eq!(
        site.json("/api/live")["over"],
        json!({ "ended_by": "blocks" })
    );
}

#[test]
fn a_run_that_fails_says_why() {
    let (site, strings) = site(true);
    start(&site);
    let mut events = site.watch("/api/live/events");
    events.next_named("state");
    drop(strings);
    assert_eq!(
        events.next_named("end"),
        json!({ "failed": "the database would not start" })
    );
}

#[test]
fn a_run_is_stopped_by_whoever_has_the_token() {
    let (site, _strings) = site(false);
    start(&site);
    let mut events = site.watch("/api/live/events");
    events.next_named("state");
    let token = format!("Bearer {TOKEN}");
    let answer = site.send("DELETE", "/api/live", &[("Authorization", &token)], "");
    assert_eq!(answer.status, 202);
    assert_eq!(
        events.next_named("end"),
        json!({ "ended_by": "interrupted" })
    );
}

#[test]
fn a_server_that_stops_ends_its_run_and_its_streams() {
    let (mut site, _strings) = site(false);
    start(&site);
    site.put("a", &run("a", "question"), 1);
    let mut live = site.watch("/api/live/events");
    let mut followed = site.watch("/api/runs/local/a/events");
    live.next_named("state");
    followed.next_named("state");
    site.stop().unwrap();
    let end = live.next_named("end");
    assert_eq!(
        end,
        json!({ "ended_by": "interrupted" }),
        "whoever watches is told"
    );
    assert!(live.next().is_none());
    while followed.next().is_some() {}
}

#[test]
fn the_catalogue_shows_its_entries_and_the_code_of_a_stack() {
    let (site, _strings) = site(false);
    let catalog = site.json("/api/catalog");
    assert_eq!(catalog["schema"], "bancada.catalog/1");
    assert_eq!(catalog["stacks"][0]["name"], "quick");
    assert_eq!(catalog["workloads"][0]["manifest"]["path"], "/users");
    assert_eq!(catalog["experiments"][0]["manifest"]["question"], "Which?");
    let sources = site.json("/api/catalog/stacks/quick/sources");
    assert_eq!(sources["schema"], "bancada.sources/1");
    assert_eq!(sources["files"][0]["text"], "fn main() {} // <script>\n");
    assert_eq!(site.get("/api/catalog/stacks/none/sources").status, 404);
}

#[test]
fn a_handler_that_is_a_link_out_of_its_stack_is_not_shown() {
    let (site, _strings) = site(false);
    let manifest = site.folder.path().join("stacks/quick/stack.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replace("[\"main.rs\"]", "[\"main.rs\", \"link.rs\"]"),
    )
    .unwrap();
    let answer = site.get("/api/catalog/stacks/quick/sources");
    let hostname = fs::read_to_string("/etc/hostname").unwrap_or_default();
    assert!(
        hostname.is_empty() || !answer.body.contains(hostname.trim()),
        "{}",
        answer.body
    );
}

#[test]
fn the_intervals_of_a_run_are_told_block_by_block() {
    let site = Site::new();
    site.put("a", &ended("a", "question"), 5);
    let narrowing = site.json("/api/runs/local/a/narrowing");
    assert_eq!(narrowing["schema"], "bancada.narrowing/1");
    let points = narrowing["points"].as_array().unwrap();
    assert_eq!(points.len(), 5);
    assert!(
        points[0]["ratios"]["quick"].get("low_ratio").is_none(),
        "one block has no interval"
    );
    let report = site.json("/api/runs/local/a/report");
    let treatments = report["treatments"].as_array().unwrap();
    let quick = treatments
        .iter()
        .find(|one| one["name"] == "quick")
        .unwrap();
    assert_eq!(
        points[4]["ratios"]["quick"], quick["to_baseline"],
        "the last point is the report's"
    );
}

#[test]
fn an_experiment_is_told_over_its_runs_oldest_first() {
    let site = Site::new();
    for (name, blocks) in [("2026-03-24T1", 3), ("2026-03-25T1", 4)] {
        let mut run = ended(name, "question");
        run["started_at"] = json!(format!("{}:00:00Z", &name[..12]));
        site.put(name, &run, blocks);
    }
    site.put("2026-03-26T1", &ended("x", "another"), 2);
    let history = site.json("/api/history?experiment=question");
    assert_eq!(history["schema"], "bancada.history/1");
    let blocks: Vec<_> = history["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["blocks_count"].clone())
        .collect();
    assert_eq!(blocks, [json!(3), json!(4)]);
    let ratio = &history["runs"][1]["treatments"][0]["to_baseline"];
    assert!(ratio["low_ratio"].as_f64().unwrap() <= ratio["ratio"].as_f64().unwrap());
    assert_eq!(site.get("/api/history").status, 400);
}

#[test]
fn runs_that_asked_something_else_than_the_newest_are_left_out_and_counted() {
    let site = Site::new();
    let put = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut run = ended(name, "urls");
        run["started_at"] = json!(format!("{}:00:00Z", &name[..13]));
        change(&mut run);
        site.put(name, &run, 2);
    };
    put("2026-03-24T10", &|_| {});
    put("2026-03-24T11", &|run| run["baseline"] = json!("quick"));
    put("2026-03-24T12", &|run| {
        run["primary_metric"] = json!("completion_rate_per_s");
    });
    put("2026-03-24T13", &|run| {
        run["treatments"][0]["url"] = json!("http://127.0.0.1:8001/");
    });
    put("2026-03-24T14", &|run| {
        run["treatments"][0]["facts"]["request"] = json!("GET /search");
    });
    put("2026-03-24T15", &|_| {});
    let history = site.json("/api/history?experiment=urls");
    let runs = history["runs"].as_array().unwrap();
    let names: Vec<&str> = runs.iter().filter_map(|run| run["run"].as_str()).collect();
    assert_eq!(names, ["local/2026-03-24T10", "local/2026-03-24T15"]);
    assert_eq!(history["left_out_count"], 4);
    let notice = history["notices"][0].as_str().unwrap();
    assert!(notice.contains("left out: 4"), "{notice}");
}

#[test]
fn two_runs_are_held_against_each_other_by_their_names() {
    let site = Site::new();
    for name in ["2026-03-24T1", "2026-03-25T1"] {
        site.put(name, &ended(name, "question"), 4);
    }
    let path = "/api/compare?before=local/2026-03-24T1&after=local%2F2026-03-25T1";
    let comparison = site.json(path);
    assert_eq!(comparison["schema"], "bancada.compare/1");
    let quick = &comparison["treatments"][1];
    assert_eq!(quick["name"], "quick");
    assert_eq!(quick["through_baseline"]["ratio"], 1.0, "{quick}");
    let other = site.json(&format!("{path}&baseline=quick"));
    assert_eq!(other["baseline"], "quick");
    assert_eq!(site.get(&format!("{path}&metric=none")).status, 400);
    for (wrong, status) in [
        ("/api/compare", 404),
        (
            "/api/compare?before=local/2026-03-24T1&after=local/none",
            404,
        ),
        (
            "/api/compare?before=local/2026-03-24T1&after=../../etc",
            404,
        ),
        (
            "/api/compare?before=local/2026-03-24T1&after=local/2026-03-24T1",
            400,
        ),
    ] {
        let answer = site.get(wrong);
        assert_eq!(answer.status, status, "{wrong}: {}", answer.body);
        answer.problem();
    }
}
