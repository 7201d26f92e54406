//! The list of runs: searched, paged, of any length, with damaged and hostile directories shown for what they are.
#![expect(clippy::unwrap_used, reason = "tests may panic")]
#![allow(clippy::print_stderr, reason = "times for the documentation")]

mod support;

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};
use support::{Site, Unlike, ended, run};

fn names(page: &Value) -> Vec<&str> {
    let runs = page["runs"].as_array().unwrap();
    runs.iter()
        .map(|run| run["name"].as_str().unwrap())
        .collect()
}

fn only(page: &Value) -> &Value {
    assert_eq!(page["runs"].as_array().unwrap().len(), 1, "{page}");
    &page["runs"][0]
}

#[test]
fn a_list_says_how_far_each_run_came_and_what_it_answered() {
    let site = Site::new();
    let folder = site.put("2026-03-24T101530-question", &ended("a", "question"), 3);
    fs::write(
        folder.join("verdicts.json"),
        json!({ "answer": "Quick is faster." }).to_string(),
    )
    .unwrap();
    let page = site.json("/api/runs");
    assert_eq!(page["schema"], "bancada.runs/1");
    let run = only(&page);
    assert_eq!(run["run"], "local/2026-03-24T101530-question");
    assert_eq!(run["state"], "ended");
    assert_eq!(run["ended_by"], "blocks");
    assert_eq!(run["answer"], "Quick is faster.");
    assert_eq!(
        run["statuses"],
        json!({ "valid_count": 6, "degraded_count": 0, "invalid_count": 0 })
    );
    assert_eq!(run["treatments"], json!(["Slow + driver", "Quick"]));
}

#[test]
fn an_answer_from_before_the_last_trial_is_not_shown() {
    let site = Site::new();
    let folder = site.put("a", &run("a", "question"), 0);
    fs::write(
        folder.join("verdicts.json"),
        json!({ "answer": "Too early." }).to_string(),
    )
    .unwrap();
    let file = fs::File::open(folder.join("verdicts.json")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    site.append_block("a", 1);
    let run = only(&site.json("/api/runs")).clone();
    assert_eq!(run["state"], "not_ended");
    assert!(run.get("answer").is_none(), "{run}");
    assert!(run.get("ended_by").is_none(), "{run}");
}

#[test]
fn a_run_that_goes_on_or_goes_away_is_seen_without_a_restart() {
    let site = Site::new();
    site.put("a", &run("a", "question"), 1);
    let valid = |site: &Site| only(&site.json("/api/runs"))["statuses"]["valid_count"].clone();
    assert_eq!(valid(&site), 2);
    site.append_block("a", 2);
    assert_eq!(valid(&site), 4);
    fs::write(
        site.run_folder("a").join("run.json"),
        ended("a", "question").to_string(),
    )
    .unwrap();
    assert_eq!(only(&site.json("/api/runs"))["state"], "ended");
    fs::remove_dir_all(site.run_folder("a")).unwrap();
    assert_eq!(site.json("/api/runs")["runs_count"], 0);
}

#[test]
fn a_search_finds_runs_by_name_experiment_title_question_and_treatment() {
    let site = Site::new();
    site.put("2026-03-24T101530-one", &ended("a", "one"), 0);
    let mut other = ended("b", "other");
    other["title"] = json!("Ação");
    other["treatments"][0]["title"] = json!("A rare stack");
    site.put("2026-03-25T101530-other", &other, 0);
    for (search, found) in [
        ("03-24", "2026-03-24T101530-one"),
        ("A%C3%87%C3%83O", "2026-03-25T101530-other"),
        ("rare+STACK", "2026-03-25T101530-other"),
        ("other+least", "2026-03-25T101530-other"),
    ] {
        let page = site.json(&format!("/api/runs?search={search}"));
        assert_eq!(names(&page), [found], "{search}");
    }
    assert_eq!(site.json("/api/runs?search=rare+one")["runs_count"], 0);
    assert_eq!(
        names(&site.json("/api/runs?experiment=one")),
        ["2026-03-24T101530-one"]
    );
    assert_eq!(site.get("/api/runs?page=x").status, 400);
}

#[test]
fn runs_that_are_committed_beside_their_experiment_are_listed_apart() {
    let site = Site::new();
    site.put("same-name", &ended("a", "question"), 1);
    let results = site.folder.path().join("experiments/question/results");
    fs::create_dir_all(&results).unwrap();
    fs::rename(site.run_folder("same-name"), results.join("same-name")).unwrap();
    site.put("same-name", &ended("a", "question"), 2);
    let page = site.json("/api/runs");
    let mut ids: Vec<&str> = page["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["local/same-name", "question/same-name"]);
    assert_eq!(
        site.json("/api/runs/question/same-name/report")["blocks_count"],
        1
    );
    assert_eq!(
        site.json("/api/runs/local/same-name/report")["blocks_count"],
        2
    );
}

#[test]
fn damaged_runs_are_shown_as_damaged_with_the_reason() {
    let site = Site::new();
    for name in ["empty", "cut", "foreign", "huge", "pipe"] {
        fs::create_dir(site.run_folder(name)).unwrap();
    }
    let file = |name: &str| site.run_folder(name).join("run.json");
    fs::write(file("cut"), "{\"schema\": \"bancada.run/1\", \"run\"").unwrap();
    fs::write(file("foreign"), "{\"schema\": \"bancada.run/9\"}").unwrap();
    // Sparse: a gigabyte that takes no room.
    fs::File::create(file("huge"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    fs::create_dir(file("pipe")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("run.json"), ended("x", "x").to_string()).unwrap();
    std::os::unix::fs::symlink(outside.path(), site.run_folder("link")).unwrap();
    fs::create_dir(site.run_folder("inner")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("run.json"), file("inner")).unwrap();
    site.put("sound", &ended("sound", "question"), 2);

    let page = site.json("/api/runs");
    assert_eq!(page["damaged_count"], 7, "{page}");
    let reason = |name: &str| {
        let runs = page["runs"].as_array().unwrap();
        let run = runs.iter().find(|run| run["name"] == name).unwrap();
        assert_eq!(run["state"], "damaged", "{run}");
        run["reason"].as_str().unwrap().to_owned()
    };
    assert!(reason("empty").contains("no run.json"));
    assert!(reason("cut").contains("line 1"));
    assert!(reason("foreign").contains("bancada.run/9"));
    assert!(reason("huge").contains("1073741824 bytes"));
    assert!(reason("pipe").contains("not a regular file"));
    assert!(reason("link").contains("symbolic link"));
    assert!(reason("inner").contains("out of the run directory"));
    let root = site.folder.path().display().to_string();
    assert!(
        !page.to_string().contains(&root),
        "paths are as seen from the checkout"
    );

    for name in ["empty", "cut", "foreign", "huge", "pipe", "link", "inner"] {
        for what in ["report", "page", "report.md", "narrowing", "events"] {
            let answer = site.get(&format!("/api/runs/local/{name}/{what}"));
            assert_eq!(answer.status, 422, "{name}/{what}: {}", answer.body);
            answer.problem();
        }
    }
    assert_eq!(site.json("/api/runs/local/sound/report")["blocks_count"], 2);
}

#[test]
fn a_damaged_journal_is_a_reason_and_the_list_goes_on() {
    let site = Site::new();
    let folder = site.put("a", &ended("a", "question"), 0);
    fs::File::create(folder.join("trials.jsonl"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    site.put("b", &ended("b", "question"), 2);
    let page = site.json("/api/runs");
    let run = page["runs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|run| run["name"] == "a")
        .unwrap()
        .clone();
    assert!(
        run["reason"].as_str().unwrap().contains("trials.jsonl"),
        "{run}"
    );
    assert_eq!(site.get("/api/runs/local/a/report").status, 422);
    assert_eq!(site.get("/api/runs/local/a/narrowing").status, 422);
}

#[test]
fn text_in_a_run_directory_stays_text() {
    let site = Site::new();
    let script = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
    let mut run = ended("a", "question");
    run["title"] = json!(script);
    run["treatments"][1]["title"] = json!(script);
    run["question"] = json!("x".repeat(5_000_000));
    site.put("a", &run, 2);
    let list = site.get("/api/runs");
    assert_eq!(list.headers["content-type"], "application/json");
    assert_eq!(list.headers["x-content-type-options"], "nosniff");
    assert!(
        list.body.len() < 10_000,
        "a long text is cut: {} bytes",
        list.body.len()
    );
    for path in ["/", "/runs/local/a/report.html"] {
        let page = site.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.headers["content-type"].starts_with("text/html"));
        assert!(!page.body.contains("<script>alert"), "{path}");
        assert!(!page.body.contains("<img"), "{path}");
        let policy = &page.headers["content-security-policy"];
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(!policy.contains("script-src 'unsafe"), "{policy}");
    }
    let markdown = site.get("/api/runs/local/a/report.md");
    assert!(markdown.headers["content-type"].starts_with("text/plain"));
    assert!(markdown.headers["content-security-policy"].contains("sandbox"));
}

#[test]
fn the_page_of_a_report_holds_the_run_as_data_that_cannot_run() {
    let place = "<script type=\"application/json\" id=\"page-document\">null</script>";
    let template = format!("<!doctype html>{place}<script>draw()</script>");
    let site = Site::unlike(Unlike {
        template: Some(template),
        ..Unlike::default()
    });
    let mut run = ended("a", "question");
    run["title"] = json!("</script><script>alert(1)</script>");
    site.put("a", &run, 2);
    let page = site.get("/runs/local/a/report.html");
    assert_eq!(page.status, 200);
    assert_eq!(page.body.matches("<script").count(), 2, "{}", page.body);
    let policy = &page.headers["content-security-policy"];
    assert_eq!(policy.matches("'sha256-").count(), 1, "{policy}");
    let document = site.json("/api/runs/local/a/page");
    assert_eq!(document["schema"], "bancada.page/1");
    assert_eq!(
        document["findings"]["title"], run["title"],
        "text stays what it was"
    );
}

#[test]
fn a_run_with_more_samples_than_fit_in_memory_is_refused() {
    let site = Site::new();
    let folder = site.put("a", &ended("a", "question"), 2);
    fs::create_dir(folder.join("samples")).unwrap();
    // Sparse: they take no room.
    for trial in ["b01-slow", "b01-quick"] {
        let file = fs::File::create(folder.join(format!("samples/{trial}.jsonl"))).unwrap();
        file.set_len(1 << 30).unwrap();
    }
    // Links to one large file beside them count as that file does.
    let linking = site.put("b", &ended("b", "question"), 2);
    fs::create_dir(linking.join("samples")).unwrap();
    let large = fs::File::create(linking.join("large")).unwrap();
    large.set_len(1 << 30).unwrap();
    for trial in ["b01-slow", "b01-quick"] {
        let link = linking.join(format!("samples/{trial}.jsonl"));
        std::os::unix::fs::symlink("../large", link).unwrap();
    }
    for run in ["a", "b"] {
        for what in ["report", "page"] {
            let answer = site.get(&format!("/api/runs/local/{run}/{what}"));
            assert_eq!(answer.status, 422);
            let problem = answer.problem();
            assert!(problem.contains("samples/ holds"), "{problem}");
        }
    }
}

#[test]
fn a_run_of_more_treatments_than_pairs_can_be_drawn_of_is_refused() {
    let site = Site::new();
    let mut run = ended("a", "question");
    let one = run["treatments"][0].clone();
    let many = (0..10_000).map(|index| {
        let mut treatment = one.clone();
        treatment["name"] = json!(format!("t{index}"));
        treatment
    });
    run["treatments"] = many.collect();
    site.put("a", &run, 1);
    assert_eq!(only(&site.json("/api/runs"))["treatments_count"], 10_000);
    for what in ["report", "narrowing", "events"] {
        let answer = site.get(&format!("/api/runs/local/a/{what}"));
        assert_eq!(answer.status, 422);
        assert!(answer.problem().contains("10000 treatments"));
    }
    assert_eq!(
        site.json("/api/history?experiment=question")["runs"],
        json!([])
    );
}

#[test]
fn a_thousand_runs_are_listed_page_by_page() {
    let site = Site::new();
    for index in 0..1000 {
        let name = format!("2026-03-24T{:06}-question", index);
        let mut run = ended(&name, "question");
        run["started_at"] = json!(format!(
            "2026-03-24T10:{:02}:{:02}Z",
            index / 60,
            index % 60
        ));
        site.put(&name, &run, 4);
    }
    let took = |path: &str| {
        let began = Instant::now();
        let page = site.json(path);
        // Shown with --nocapture, for docs/serve.md; nothing here depends on it.
        eprintln!("{path}: {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
        page
    };
    let first = took("/api/runs");
    assert_eq!(first["runs_count"], 1000);
    assert_eq!(first["pages_count"], 20);
    assert_eq!(first["runs"].as_array().unwrap().len(), 50);
    assert_eq!(first["runs"][0]["name"], "2026-03-24T000999-question");
    let again = took("/api/runs");
    assert_eq!(names(&again), names(&first));
    took("/api/runs?page=2");
    let last = took("/api/runs?page=20");
    assert_eq!(last["runs"][49]["name"], "2026-03-24T000000-question");
    let beyond = took("/api/runs?page=99");
    assert_eq!(beyond["page"], 20);
    let found = took("/api/runs?search=000517");
    assert_eq!(names(&found), ["2026-03-24T000517-question"]);
    assert_eq!(
        took("/api/runs?per_page=100000")["runs"]
            .as_array()
            .unwrap()
            .len(),
        200
    );
    took("/api/runs/local/2026-03-24T000517-question/report");
    took("/api/runs/local/2026-03-24T000517-question/report");
    let history = took("/api/history?experiment=question");
    assert_eq!(history["runs"].as_array().unwrap().len(), 40);
}
