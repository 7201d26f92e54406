//! What limits a treatment in the closed loop, with the figures behind it and what may be tried.

use record::{Run, Treatment, Trial};
use stats::limiter::{Evidence, Limiter, Thresholds, limiter};

use crate::findings::{Findings, LimiterEvidence, LimiterFinding};
use crate::units::digits;

/// What limits a treatment, from the means of its trials; `None` where its CPU time is not known, as of services
/// that were already running.
pub(crate) fn of(run: &Run, treatment: &Treatment, trials: &[&Trial]) -> Option<LimiterFinding> {
    let seen = Seen { run, trials };
    let evidence = seen.evidence();
    let kind = limiter(&evidence, &Thresholds::default())?;
    Some(LimiterFinding {
        kind: word(kind),
        sentence: sentence(kind, &evidence),
        evidence: seen.figures(),
        suggestion: suggestion(kind, &evidence, run, treatment),
    })
}

/// One line for each treatment whose limiter is known.
pub(crate) fn lines(findings: &Findings) -> Vec<String> {
    let treatments = findings.treatments.iter();
    treatments
        .filter_map(|treatment| {
            let limiter = treatment.limiter.as_ref()?;
            let suggestion = limiter.suggestion.as_deref();
            let try_it = suggestion.map_or(String::new(), |command| format!(". To try: {command}"));
            Some(format!("{}: {}{try_it}", treatment.title, limiter.sentence))
        })
        .collect()
}

/// Heading above the lines.
pub(crate) const HEADING: &str = "What limits them in the closed loop";

/// The metrics that the rule looks at.
const METRICS: [&str; 17] = [
    "service_cpu_ratio",
    "busiest_thread_cpu_ratio",
    "busiest_thread_wait_ratio",
    "service_cpus_busy_ratio",
    "run_queue_wait_ratio",
    "database_cpu_ratio",
    "generator_cpu_ratio",
    "generator_run_queue_wait_ratio",
    "bench_cpus_busy_ratio",
    "completion_rate_per_s",
    "null_server_rate_per_s",
    "backends_count",
    "backends_in_use_count",
    "backends_running_count",
    "backends_lock_wait_count",
    "upstream_under_way_count",
    "upstream_calls_per_answer_count",
];

struct Seen<'a> {
    run: &'a Run,
    trials: &'a [&'a Trial],
}

impl Seen<'_> {
    /// The mean over the trials that have the figure: means of a few windows each, so that no interval is claimed.
    fn mean(&self, metric: &str) -> Option<f64> {
        let values: Vec<f64> = self
            .trials
            .iter()
            .filter_map(|trial| trial.metrics.get(metric).copied())
            .collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    fn evidence(&self) -> Evidence {
        let design = &self.run.design;
        let rates = self
            .mean("completion_rate_per_s")
            .zip(self.mean("null_server_rate_per_s"));
        Evidence {
            concurrency: f64::from(design.connections_count),
            service_cpus: design.service_cpus.len() as f64,
            bench_cpus: design.bench_cpus.len() as f64,
            service_cpu: self.mean("service_cpu_ratio"),
            busiest_thread_cpu: self.mean("busiest_thread_cpu_ratio"),
            busiest_thread_wait: self.mean("busiest_thread_wait_ratio"),
            service_cpus_busy: self.mean("service_cpus_busy_ratio"),
            run_queue_wait: self.mean("run_queue_wait_ratio"),
            database_cpu: self.mean("database_cpu_ratio"),
            generator_cpu: self.mean("generator_cpu_ratio"),
            generator_wait: self.mean("generator_run_queue_wait_ratio"),
            null_server_share: rates.map(|(rate, ceiling)| rate / ceiling.max(1.0)),
            bench_cpus_busy: self.mean("bench_cpus_busy_ratio"),
            backends_running: self.mean("backends_running_count"),
            backends: self.mean("backends_count"),
            backends_in_use: self.mean("backends_in_use_count"),
            backends_lock_wait: self.mean("backends_lock_wait_count"),
            upstream_under_way: self.mean("upstream_under_way_count"),
        }
    }

    fn figures(&self) -> Vec<LimiterEvidence> {
        let figure = |metric: &&str| {
            Some(LimiterEvidence {
                metric: (*metric).to_owned(),
                value: self.mean(metric)?,
            })
        };
        METRICS.iter().filter_map(figure).collect()
    }
}

/// The word in JSON.
fn word(kind: Limiter) -> &'static str {
    match kind {
        Limiter::ApplicationCpu => "application_cpu",
        Limiter::OneThread => "one_thread",
        Limiter::PoolWait => "pool_wait",
        Limiter::DatabaseCpu => "database_cpu",
        Limiter::DatabaseWait => "database_wait",
        Limiter::Lock => "lock",
        Limiter::Upstream => "upstream",
        Limiter::Generator => "generator",
        Limiter::Idle => "idle",
        Limiter::Mixed => "mixed",
    }
}

/// Share of its CPUs below which a service that fills them does so together with others.
const SHARED_BELOW: f64 = 0.8;

fn sentence(kind: Limiter, seen: &Evidence) -> String {
    let shown = |value: Option<f64>| value.map_or_else(|| "an unknown part".to_owned(), digits);
    let (service, busiest) = (shown(seen.service_cpu), shown(seen.busiest_thread_cpu));
    let (database, generator) = (shown(seen.database_cpu), shown(seen.generator_cpu));
    let (cpus, under_way) = (cores(seen.service_cpus), digits_of_whole(seen.concurrency));
    let (backends, in_use) = (shown(seen.backends), shown(seen.backends_in_use));
    // Saturated by the service and others together.
    let others = match seen.service_cpu.unwrap_or(0.0) < SHARED_BELOW * seen.service_cpus {
        true => ", other processes the rest",
        false => "",
    };
    match kind {
        Limiter::ApplicationCpu => {
            let busiest = seen
                .busiest_thread_cpu
                .map_or(String::new(), |_| format!(", its busiest thread {busiest}"));
            format!("its CPU: it used {service} of {cpus}{busiest}{others}")
        }
        Limiter::OneThread => format!(
            "one hot thread: it used {busiest} of a core, the whole service {service} of {cpus}"
        ),
        Limiter::PoolWait => format!(
            "its pool: {in_use} of {backends} database connections in use, with {under_way} requests under way"
        ),
        Limiter::DatabaseCpu => format!(
            "the database's CPU: PostgreSQL used {database} and the generator {generator} of {}",
            cores(seen.bench_cpus)
        ),
        Limiter::DatabaseWait => format!(
            "waits within the database: {in_use} of {backends} connections in use, PostgreSQL used {database} of a \
             core"
        ),
        Limiter::Lock => format!(
            "a lock: {} of {in_use} connections in use waited for one",
            shown(seen.backends_lock_wait)
        ),
        Limiter::Upstream => format!(
            "its upstream: {} of {under_way} requests under way waited for it",
            shown(seen.upstream_under_way)
        ),
        Limiter::Generator => generator_sentence(seen, &generator),
        Limiter::Idle => format!(
            "waiting: with {under_way} requests under way the service used {service} of {cpus}, and no line was seen"
        ),
        Limiter::Mixed => format!(
            "nothing alone: the service used {service} of {cpus}, PostgreSQL {database} and the generator {generator} \
             of {}",
            cores(seen.bench_cpus)
        ),
    }
}

fn generator_sentence(seen: &Evidence, generator: &str) -> String {
    let credible = Thresholds::default().null_server_credible;
    let share = seen.null_server_share.filter(|share| *share <= credible);
    let share = share.map_or(String::new(), |share| {
        format!(
            ", the rate is {} of what a server that does nothing reaches",
            digits(share)
        )
    });
    let waited = seen.generator_wait.map_or(String::new(), |waited| {
        format!(" and waited {} of the time for a CPU", digits(waited))
    });
    format!(
        "the load generator: it used {generator} of a core{waited}{share}; the rate is the bench's"
    )
}

fn cores(count: f64) -> String {
    match count > 1.0 {
        true => format!("{} CPUs", digits_of_whole(count)),
        false => "1 CPU".to_owned(),
    }
}

fn digits_of_whole(count: f64) -> String {
    format!("{count:.0}")
}

/// Connections that a database takes unless its treatment says otherwise: PostgreSQL's own default, and those that it
/// keeps back.
const MAX_CONNECTIONS: u32 = 100;
const RESERVED_CONNECTIONS: u32 = 3;

/// What the tool can try itself, on this treatment alone; none where no setting of it would help. Only treatments of
/// an experiment are entered again, and what is itself a change to try is none of these.
fn suggestion(kind: Limiter, seen: &Evidence, run: &Run, treatment: &Treatment) -> Option<String> {
    if treatment.stack.is_none() || treatment.what_if_of.is_some() {
        return None;
    }
    let setting = |name: &str| treatment.settings.get(name)?.parse::<u32>().ok();
    let workers = setting("WORKERS").unwrap_or(1).max(1);
    let what_if = match kind {
        Limiter::PoolWait => {
            let pool = setting("DB_POOL_SIZE")?;
            let wanted = (seen.concurrency as u32).max(pool.saturating_mul(2));
            // Workers share a pool evenly.
            let each = wanted
                .div_ceil(workers)
                .min(connection_limit(treatment) / workers);
            let wanted = each * workers;
            (wanted > pool).then(|| format!("db_pool={wanted}"))?
        }
        Limiter::ApplicationCpu | Limiter::OneThread if f64::from(workers) < seen.service_cpus => {
            format!("workers={:.0}", seen.service_cpus)
        }
        _ => return None,
    };
    Some(format!(
        "bancada run {} --what-if {}:{what_if}",
        run.experiment, treatment.name
    ))
}

/// Connections that the database of a treatment takes.
fn connection_limit(treatment: &Treatment) -> u32 {
    let own = treatment.database_settings.get("max_connections");
    let all = own.and_then(|count| count.parse().ok());
    all.unwrap_or(MAX_CONNECTIONS)
        .saturating_sub(RESERVED_CONNECTIONS)
}
