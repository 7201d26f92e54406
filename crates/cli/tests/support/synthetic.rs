//! Runs that were never measured, for the tests of the page: whoever opens one reads so in its title.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::path::Path;

use hdrhistogram::Histogram;
use record::{Run, RunDir, Sample, Trial};
use serde_json::{Value, json};

/// A title that would end the script it is in, if it could.
pub const HOSTILE: &str =
    "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>";

/// What a synthetic run is made of.
pub struct Shape {
    pub name: &'static str,
    pub treatments: usize,
    pub blocks: u32,
    /// The last treatment is INVALID in every block, the second in block 2.
    pub with_invalid: bool,
    /// Every level of load, time series, a ladder, a what-if, claims of every verdict, and hostile texts.
    pub with_all: bool,
}

impl Shape {
    /// Writes the run below `runs`.
    pub fn write(&self, runs: &Path) -> RunDir {
        let now: jiff::Timestamp = "2026-03-24T10:15:30Z".parse().expect("an instant");
        let dir = RunDir::create(runs, self.name, now).expect("a run directory");
        dir.write_run(&self.run()).expect("run.json");
        let mut at_s = 0.0;
        for block in 1..=self.blocks {
            for index in 0..=self.treatments {
                at_s += 2.0;
                let trial = self.trial(index, block, at_s);
                dir.append_trial(&trial).expect("a trial");
                dir.write_histogram(&trial.trial, &histograms(self.factor(index, block), index))
                    .expect("histograms");
                if self.with_all {
                    dir.append_samples(&trial.trial, &samples(index, at_s))
                        .expect("samples");
                }
            }
        }
        dir
    }

    /// The last of them is the twin of the first.
    fn name_of(&self, index: usize) -> String {
        if index == self.treatments {
            return "t00~twin".to_owned();
        }
        format!("t{index:02}")
    }

    fn title_of(&self, index: usize) -> String {
        let languages = [
            "Axum-like",
            "Gin-like",
            "Fastify-like",
            "FastAPI-like",
            "Spring-like",
        ];
        let drivers = ["sqlx", "pgx", "pg", "asyncpg", "an ORM with a long name"];
        match index {
            7 if self.with_all => HOSTILE.to_owned(),
            _ => format!(
                "{} {index} + {}",
                languages[index % languages.len()],
                drivers[index / languages.len() % drivers.len()]
            ),
        }
    }

    fn run(&self) -> Run {
        let treatment = |index: usize| {
            let mut entry = json!({
                "name": self.name_of(index), "title": self.title_of(index % self.treatments),
                "stack": format!("stack{}", index % self.treatments), "workload": "list",
                "ranked": index != self.treatments - 1 || self.with_invalid,
                "settings": {"WORKERS": "1"}, "facts": {"body_bytes": "2048"},
            });
            if index == self.treatments {
                entry["twin_of"] = json!("t00");
            }
            if self.with_all && (2..=4).contains(&index) {
                entry["after"] = json!(self.name_of(index - 1));
            }
            if self.with_all && index == 6 {
                entry["what_if_of"] = json!(self.name_of(5));
            }
            entry
        };
        let treatments: Vec<Value> = (0..=self.treatments).map(treatment).collect();
        let mut value = json!({
            "schema": "bancada.run/1", "run": format!("2026-03-24T101530-{}", self.name),
            "experiment": self.name, "title": format!("Synthetic: {}", self.name),
            "question": "Nothing was measured here: does the page draw what it is given?",
            "bancada_version": "0.0.0", "started_at": "2026-03-24T10:15:30Z",
            "ended_at": "2026-03-24T10:45:30Z", "ended_by": "blocks",
            "caveat": "These figures are made up, to test the page.",
            "baseline": "t00", "primary_metric": "service_cpu_per_good_answer_us",
            "relevant_difference_ratio": 0.05, "treatments": treatments,
            "environment": {"cpus_count": 2, "cpu_model": "None", "versions": {}, "database_settings": {}},
            "catalog": {},
        });
        value["design"] = json!({
            "kind": "sliced_blocks", "seed": 42, "budget_s": 600, "min_blocks_count": self.blocks,
            "max_blocks_count": self.blocks, "target_half_width_ratio": 0.03, "slice_s": 1.0,
            "discard_ratio": 0.1, "open_slices_count": 4, "closed_slices_count": 2, "warm_up_cap_s": 3.0,
            "connections_count": 10, "arrival_rate_per_s": 500.0, "pilot_capacity_per_s": {},
            "service_cpus": [0], "bench_cpus": [1],
        });
        if self.with_all {
            value["design"]["objective"] = json!("p99<50ms");
            value["catalog"] = json!({format!("experiment/{}", self.name): manifest()});
        }
        serde_json::from_value(value).expect("a run")
    }

    /// What a trial costs, in multiples: its treatment, the block's mood, and its own noise.
    fn factor(&self, index: usize, block: u32) -> f64 {
        let of = index % self.treatments;
        let mood = 1.0 + 0.2 * wave(u64::from(block) * 31);
        let own = 1.0 + 0.03 * wave(u64::from(block) * 977 + index as u64 * 131);
        (1.0 + 0.17 * of as f64) * mood * own
    }

    fn trial(&self, index: usize, block: u32, at_s: f64) -> Trial {
        let factor = self.factor(index, block);
        let is_invalid =
            self.with_invalid && (index == self.treatments - 1 || (index == 1 && block == 2));
        let is_degraded = (index + block as usize).is_multiple_of(7);
        let status = match (is_invalid, is_degraded) {
            (true, _) => "INVALID",
            (_, true) => "DEGRADED",
            _ => "VALID",
        };
        let reasons: Vec<&str> = match status {
            "INVALID" => vec!["answers: 1 in 100 had status 500"],
            "DEGRADED" => vec!["steal: 2.1 % of the block, more than 1 %"],
            _ => Vec::new(),
        };
        let metrics = json!({
            "service_cpu_per_good_answer_us": 120.0 * factor, "database_cpu_per_good_answer_us": 80.0 + 10.0 * factor,
            "completion_rate_per_s": 9000.0 / factor, "response_p50_ns": 4e5 * factor, "response_p90_ns": 9e5 * factor,
            "memory_peak_bytes": 8e6 * factor, "first_answer_ns": 4e7 * factor, "good_answers_count": 2000.0,
            "failed_requests_count": if is_invalid { 20.0 } else { 0.0 }, "canary_ns": 2.4e6 * factor,
        });
        let mut metrics = metrics;
        if self.with_all {
            let noise = wave(u64::from(block) * 7919 + index as u64 * 104_729);
            metrics["goodput_per_s"] = json!(9000.0 * (1.0 + 0.4 * noise));
        }
        let value = json!({
            "schema": "bancada.trial/1", "trial": format!("b{block:02}-{}", self.name_of(index)), "block": block,
            "treatment": self.name_of(index), "position": index + 1, "started_at": "2026-03-24T10:16:00Z",
            "ended_at": "2026-03-24T10:16:40Z", "status": status, "reasons": reasons, "metrics": metrics,
            "outcomes": {"ok": 3000},
            "audit": [
                {"check": "answers", "status": if is_invalid { "fail" } else { "pass" }, "detail": "3000 requests"},
                {"check": "steal", "status": if is_degraded { "warn" } else { "pass" }, "detail": "2.1 % of the block"},
            ],
            "levels": if self.with_all { levels(factor, index == 2 && block == 3) } else { json!([]) },
            "slices": slices(factor, at_s),
        });
        serde_json::from_value(value).expect("a trial")
    }
}

/// A source that claims something of every verdict, in words that would run if they could.
fn manifest() -> Value {
    let cpu = "service_cpu_per_good_answer_us";
    let claim = |id: &str, [treatment, against]: [&str; 2], metric: &str, published_ratio: f64| {
        json!({"id": id, "quote": format!("{id}: {HOSTILE}"), "metric": metric, "treatment": treatment,
            "against": against, "published_ratio": published_ratio, "note": HOSTILE})
    };
    json!({
        "claim": [
            claim("1", ["t01", "t00"], cpu, 1.17),
            claim("2", ["t02", "t00"], cpu, 5.0),
            claim("3", ["t03", "t00"], cpu, 0.5),
            claim("4", ["t04", "t05"], "goodput_per_s", 1.3),
            {"id": "5", "quote": HOSTILE, "untestable": HOSTILE},
        ],
        "published": [
            {"treatment": "t01", "metric": "completion_rate_per_s", "value": 9999.0, "note": HOSTILE},
            {"treatment": "t02", "metric": "completion_rate_per_s", "level": "c10", "value": 7777.0},
        ],
    })
}

/// `without_tail`: the p50 of the highest open level is missing, as where too few requests were answered.
fn levels(factor: f64, without_tail: bool) -> Value {
    let capacity = 9000.0 / factor;
    let closed = [1_u32, 10, 50].map(|connections| {
        let share = f64::from(connections) / (f64::from(connections) + 4.0);
        json!({"level": format!("c{connections}"), "load": "closed", "concurrency_count": connections,
            "metrics": {"completion_rate_per_s": capacity * share}, "outcomes": {"ok": 900}})
    });
    let open = [30_u32, 60, 80].map(|per_cent| {
        let share = f64::from(per_cent) / 100.0;
        let wait = 4e5 * factor / (1.0 - share);
        let mut metrics = json!({"response_p50_ns": wait, "response_p90_ns": 2.3 * wait});
        if without_tail && per_cent == 80 {
            metrics.as_object_mut().expect("figures").remove("response_p50_ns");
        }
        json!({"level": format!("own{per_cent}"), "load": "open", "arrival_rate_per_s": capacity * share,
            "capacity_ratio": share, "metrics": metrics,
            "outcomes": {"ok": 900}})
    });
    let others = [
        json!({"level": "slo", "load": "capacity", "metrics": {"capacity_under_objective_per_s": 0.7 * capacity},
            "outcomes": {"ok": 900}}),
        json!({"level": "cold", "load": "cold", "concurrency_count": 10,
            "metrics": {"completion_rate_per_s": 0.4 * capacity}, "outcomes": {"ok": 9995, "timeout": 5}}),
        json!({"level": "ramp", "load": "users", "metrics": {"completion_rate_per_s": 0.2 * capacity},
            "outcomes": {"ok": 900}, "notes": [HOSTILE]}),
    ];
    json!([closed.as_slice(), open.as_slice(), others.as_slice()].concat())
}

fn slices(factor: f64, at_s: f64) -> Value {
    let slice = |index: u32| {
        let open = !index.is_multiple_of(3);
        json!({"load": if open { "open" } else { "closed" }, "at_s": at_s + f64::from(index) * 0.2, "window_s": 0.9,
            "canary_ns": (2.4e6 * (1.0 + 0.1 * wave(u64::from(index) + at_s as u64))) as u64,
            "good_answers_count": if open { 450 } else { (8000.0 / factor) as u64 }, "failed_requests_count": 0,
            "service_cpu_ns": (450.0 * 120e3 * factor) as u64})
    };
    (0..6).map(slice).collect()
}

fn samples(index: usize, at_s: f64) -> Vec<Sample> {
    let sample = |step: u32| Sample {
        at_s: at_s + f64::from(step) * 0.2,
        figures: BTreeMap::from([
            (
                "service_cpu_ratio".to_owned(),
                0.6 + 0.2 * wave(u64::from(step) + index as u64),
            ),
            ("machine_busy_ratio".to_owned(), 0.8),
            ("memory_bytes".to_owned(), 3e7 + 1e5 * f64::from(step)),
        ]),
    };
    (0..30).map(sample).collect()
}

fn histograms(factor: f64, index: usize) -> record::Histograms {
    let mut response = Histogram::new(3).expect("three digits");
    for step in 1..=4000_u32 {
        let share = f64::from(step) / 4000.0;
        let value =
            4e5 * factor * (0.6 + 0.6 * share + (4.0 + (index % 5) as f64) * share.powi(40));
        response.record(value as u64).expect("a time");
    }
    BTreeMap::from([("response".to_owned(), response)])
}

/// A number between −1 and 1 that looks random and is the same everywhere.
fn wave(seed: u64) -> f64 {
    let mixed = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed >> 11) as f64 / (1_u64 << 52) as f64) - 1.0
}
