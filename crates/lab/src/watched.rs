//! What a service, its database and the bench did around its slices: read just before and just after each,
//! and by the sampler in between.

use std::time::Instant;

use load::Observations;
use record::Sample;
use stats::quantile::median;

use crate::design::SliceKind;
use crate::figures::Metrics;
use crate::place::Placement;
use crate::postgres::Activity;
use crate::sample::{
    CpusReading, MachineReading, Sampler, Sources, ThreadsReading, ThreadsUse, Watched, thinned,
    thread_run_queue_wait_ns,
};
use crate::standin::StandIn;

/// Samples of a trial that are stored. With forty blocks of nine treatments a run stays below 5 MB.
const SAMPLES_STORED_MAX: usize = 48;

/// What the slices of one start showed besides answers.
#[derive(Debug, Default)]
pub struct Around {
    /// The slices at the equal arrival rate.
    pub open: Tally,
    /// The closed loop.
    pub closed: Tally,
    /// Connections that the generator opened.
    connections_opened_count: u64,
    /// Time series, in order.
    samples: Vec<Sample>,
    memory_peak_bytes: Option<u64>,
    sampler_cpu_ns: u64,
    watched_ns: u64,
}

/// Sums over the slices of one kind.
#[derive(Debug, Default)]
pub struct Tally {
    /// Answers of the whole drives.
    pub answers_count: u64,
    /// Statements and rows; absent where a slice lacks them.
    pub statements: Sum<2>,
    wall_ns: u64,
    threads: ThreadsUse,
    upstream_calls: Sum<1>,
    generator_wait_ns: Sum<1>,
    busy_wall_ns: [Option<f64>; 2],
    pressure_wall_ns: Option<f64>,
    samples: Vec<Sample>,
}

/// Counts that are known only if every slice knew them.
#[derive(Clone, Copy, Debug)]
pub struct Sum<const N: usize> {
    total: [u64; N],
    known_count: u32,
    unknown_count: u32,
}

impl<const N: usize> Default for Sum<N> {
    fn default() -> Sum<N> {
        Sum {
            total: [0; N],
            known_count: 0,
            unknown_count: 0,
        }
    }
}

impl<const N: usize> Sum<N> {
    fn add(&mut self, before: Option<[u64; N]>, after: Option<[u64; N]>) {
        let Some((then, now)) = before.zip(after) else {
            self.unknown_count += 1;
            return;
        };
        self.known_count += 1;
        for index in 0..N {
            self.total[index] += now[index].saturating_sub(then[index]);
        }
    }

    /// The sums; `None` where a slice lacked its count, or there was none.
    pub fn all(&self) -> Option<[u64; N]> {
        (self.known_count > 0 && self.unknown_count == 0).then_some(self.total)
    }

    fn one(&self, index: usize) -> Option<f64> {
        self.all().map(|total| total[index] as f64)
    }

    fn and(mut self, other: &Sum<N>) -> Sum<N> {
        self.known_count += other.known_count;
        self.unknown_count += other.unknown_count;
        for index in 0..N {
            self.total[index] += other.total[index];
        }
        self
    }
}

/// Where to look while a service is measured.
#[derive(Clone, Copy)]
pub struct Eyes<'a> {
    /// The service's root process and its sampler; `None` for one that was already running.
    pub process: Option<(u32, &'a Sampler)>,
    /// Its database.
    pub activity: Option<&'a Activity>,
    /// The stand-in for its upstream.
    pub standin: Option<&'a StandIn>,
}

impl Eyes<'_> {
    /// Lets the sampler look where these do. The connection to the database is opened now: within a window its
    /// process would be a newcomer, whose CPU time is the services'.
    pub fn open(&self) {
        let _ = self.activity.and_then(Activity::backends);
        if let Some((_, sampler)) = self.process {
            sampler.read_also(Sources {
                activity: self.activity.cloned(),
                under_way: self.standin.map(StandIn::under_way),
            });
        }
    }
}

/// Readings before a slice.
pub struct Before {
    began: Instant,
    kind: SliceKind,
    sampler_cpu_ns: u64,
    readings: Readings,
}

struct Readings {
    threads: Option<ThreadsReading>,
    statements: Option<[u64; 2]>,
    calls: Option<[u64; 1]>,
    generator_wait_ns: Option<[u64; 1]>,
    cpus: CpusReading,
    machine: Option<MachineReading>,
    activity_cpu_ns: Option<u64>,
}

impl Readings {
    fn now(eyes: &Eyes) -> Readings {
        Readings {
            threads: eyes.process.and_then(|(pid, _)| ThreadsReading::of(pid)),
            statements: eyes
                .activity
                .and_then(Activity::statements)
                .map(|(statements, rows)| [statements, rows]),
            calls: eyes.standin.map(|standin| [standin.calls().total_count]),
            generator_wait_ns: thread_run_queue_wait_ns().map(|ns| [ns]),
            cpus: CpusReading::now(),
            machine: MachineReading::now(),
            activity_cpu_ns: eyes.activity.and_then(Activity::own_cpu_ns),
        }
    }
}

impl Before {
    /// Reads everything and begins to sample. `run_began` is when the run's clock began.
    pub fn slice(eyes: &Eyes, kind: SliceKind, run_began: Instant) -> Before {
        let readings = Readings::now(eyes);
        let mut sampler_cpu_ns = 0;
        if let Some((_, sampler)) = eyes.process {
            sampler_cpu_ns = sampler.own_cpu_ns();
            sampler.watch(Some(Watched {
                run_began,
                deeply: kind == SliceKind::Closed,
            }));
        }
        Before {
            began: Instant::now(),
            kind,
            sampler_cpu_ns,
            readings,
        }
    }
}

impl Around {
    /// Reads everything again, stops sampling and adds the difference. The CPU time of PostgreSQL that looking
    /// itself took.
    pub fn add(
        &mut self,
        before: &Before,
        eyes: &Eyes,
        placement: &Placement,
        seen: &Observations,
    ) -> u64 {
        let wall_ns = before.began.elapsed().as_nanos() as u64;
        let mut samples = Vec::new();
        if let Some((_, sampler)) = eyes.process {
            sampler.watch(None);
            samples = sampler.take_samples();
            self.memory_peak_bytes = self.memory_peak_bytes.max(sampler.peak_bytes());
            self.sampler_cpu_ns += sampler.own_cpu_ns().saturating_sub(before.sampler_cpu_ns);
        }
        let then = &before.readings;
        // The database's own counts are read first: reading threads would only make the wait longer.
        let own_backend_ns = eyes.activity.and_then(Activity::own_cpu_ns);
        let now = Readings::now(eyes);
        self.samples.extend(samples.iter().cloned());
        self.watched_ns += wall_ns;
        self.connections_opened_count += seen.connections.opened_count;
        let tally = match before.kind {
            SliceKind::Open => &mut self.open,
            SliceKind::Closed => &mut self.closed,
        };
        tally.wall_ns += wall_ns;
        tally.answers_count += seen.answers_in_drive_count;
        tally.samples.extend(samples);
        if let Some((then, now)) = then.threads.as_ref().zip(now.threads.as_ref()) {
            tally.threads.add(then, now);
        }
        tally.statements.add(then.statements, now.statements);
        tally.upstream_calls.add(then.calls, now.calls);
        tally
            .generator_wait_ns
            .add(then.generator_wait_ns, now.generator_wait_ns);
        let sides = [&placement.service_cpus, &placement.bench_cpus];
        for (sum, cpus) in tally.busy_wall_ns.iter_mut().zip(sides) {
            let ratio = now.cpus.busy_ratio_since(&then.cpus, cpus);
            accumulate(sum, ratio, wall_ns);
        }
        let machine = then.machine.as_ref().zip(now.machine.as_ref());
        let pressure = machine.and_then(|(then, now)| now.since(then).cpu_pressure_ratio);
        accumulate(&mut tally.pressure_wall_ns, pressure, wall_ns);
        own_backend_ns
            .zip(then.activity_cpu_ns)
            .map_or(0, |(now, then)| now.saturating_sub(then))
    }

    /// The samples to store, of one or more such sums, in order of time.
    pub fn samples<'a>(all: impl Iterator<Item = &'a Around>) -> Vec<Sample> {
        let mut samples: Vec<Sample> = all.flat_map(|one| one.samples.iter().cloned()).collect();
        samples.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
        thinned(samples, SAMPLES_STORED_MAX)
    }

    /// Statements and rows of all slices, and the answers they are for.
    pub fn database_work(&self) -> Option<([u64; 2], u64)> {
        let answers = self.open.answers_count + self.closed.answers_count;
        let all = match (self.open.wall_ns, self.closed.wall_ns) {
            (_, 0) => self.open.statements,
            (0, _) => self.closed.statements,
            _ => self.open.statements.and(&self.closed.statements),
        };
        all.all().map(|sums| (sums, answers))
    }

    /// Most connections of the service to its database that were seen at once.
    pub fn backends_peak_count(&self) -> Option<f64> {
        let seen = column(&self.closed.samples, "backends_count");
        seen.into_iter().reduce(f64::max)
    }

    /// Largest anonymous plus shared resident memory of the tree in these slices; `None` without a reading.
    pub fn memory_peak_bytes(&self) -> Option<u64> {
        self.memory_peak_bytes
    }

    /// Puts its figures among the trial's.
    pub(crate) fn put_into(&self, metrics: &mut Metrics) {
        self.put_of_open(metrics);
        self.put_of_closed(metrics);
        let memory = column(&self.samples, "memory_bytes");
        metrics.put("memory_steady_bytes", median(&memory));
        let (watched, sampler) = (self.watched_ns as f64, self.sampler_cpu_ns as f64);
        if watched > 0.0 {
            let opened = self.connections_opened_count as f64;
            metrics.put("connections_opened_count", Some(opened));
            metrics.put(
                "sampler_cpu_ratio",
                Some(sampler / watched).filter(|ratio| *ratio > 0.0),
            );
        }
        if let Some(([statements, rows], answers)) = self.database_work() {
            let per_answer = |count: u64| (answers > 0).then(|| count as f64 / answers as f64);
            metrics.put("statements_per_answer_count", per_answer(statements));
            metrics.put("rows_per_answer_count", per_answer(rows));
        }
        let pressure = [&self.open, &self.closed].map(|tally| tally.pressure_wall_ns);
        let pressure = pressure.into_iter().flatten().reduce(|sum, one| sum + one);
        let wall = (self.open.wall_ns + self.closed.wall_ns) as f64;
        metrics.put("cpu_pressure_ratio", pressure.map(|ns| ns / wall));
    }

    fn put_of_open(&self, metrics: &mut Metrics) {
        let open = &self.open;
        let answers = open.answers_count as f64;
        let per_answer = |sum: f64| (answers > 0.0).then(|| sum / answers);
        if open.threads != ThreadsUse::default() {
            let threads = &open.threads;
            metrics.put(
                "voluntary_switches_per_answer_count",
                per_answer(threads.voluntary_count as f64),
            );
            metrics.put(
                "involuntary_switches_per_answer_count",
                per_answer(threads.involuntary_count as f64),
            );
            let waited_us = threads.run_queue_wait_ns.map(|ns| ns as f64 / 1e3);
            metrics.put(
                "run_queue_wait_per_answer_us",
                waited_us.and_then(per_answer),
            );
        }
        metrics.put(
            "upstream_calls_per_answer_count",
            open.upstream_calls.one(0).and_then(per_answer),
        );
    }

    fn put_of_closed(&self, metrics: &mut Metrics) {
        let closed = &self.closed;
        if closed.wall_ns == 0 {
            return;
        }
        let wall = closed.wall_ns as f64;
        let threads = &closed.threads;
        let over_wall = |ns: Option<u64>| ns.map(|ns| ns as f64 / wall);
        metrics.put(
            "busiest_thread_wait_ratio",
            over_wall(threads.busiest_thread_wait_ns()),
        );
        metrics.put(
            "busiest_thread_cpu_ratio",
            over_wall(threads.busiest_thread_cpu_ns()),
        );
        metrics.put("run_queue_wait_ratio", over_wall(threads.run_queue_wait_ns));
        let busy_threads = threads.busy_threads_count();
        metrics.put(
            "busy_threads_count",
            (busy_threads > 0).then_some(busy_threads as f64),
        );
        let generator_wait = closed.generator_wait_ns.one(0);
        metrics.put(
            "generator_run_queue_wait_ratio",
            generator_wait.map(|ns| ns / wall),
        );
        let [service, bench] = closed.busy_wall_ns.map(|busy| busy.map(|ns| ns / wall));
        metrics.put("service_cpus_busy_ratio", service);
        metrics.put("bench_cpus_busy_ratio", bench);
        for name in SAMPLED {
            metrics.put(name, mean(&column(&closed.samples, name)));
        }
        metrics.put("backends_peak_count", self.backends_peak_count());
    }
}

/// Metrics that are the mean of the samples of that name.
const SAMPLED: [&str; 8] = [
    "backends_count",
    "backends_in_use_count",
    "backends_running_count",
    "backends_lock_wait_count",
    "backends_lwlock_wait_count",
    "backends_io_wait_count",
    "backends_client_wait_count",
    "upstream_under_way_count",
];

fn accumulate(sum: &mut Option<f64>, ratio: Option<f64>, wall_ns: u64) {
    if let Some(ratio) = ratio {
        *sum.get_or_insert(0.0) += ratio * wall_ns as f64;
    }
}

fn column(samples: &[Sample], name: &str) -> Vec<f64> {
    let figures = samples.iter().filter_map(|one| one.figures.get(name));
    figures.copied().collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_one_slice_lacks_is_not_known_for_all() {
        let mut sum = Sum::<1>::default();
        assert_eq!(sum.all(), None);
        sum.add(Some([3]), Some([10]));
        assert_eq!(sum.all(), Some([7]));
        sum.add(None, Some([10]));
        assert_eq!(sum.all(), None);
    }

    #[test]
    fn steady_memory_is_the_middle_of_the_samples_and_not_the_highest() {
        let sample = |bytes: f64| Sample {
            at_s: 0.0,
            figures: [("memory_bytes".to_owned(), bytes)].into(),
        };
        let around = Around {
            samples: [5.0, 9.0, 6.0].map(sample).into(),
            ..Around::default()
        };
        let mut metrics = Metrics::default();
        around.put_into(&mut metrics);
        assert_eq!(metrics.get("memory_steady_bytes"), Some(6.0));
        assert_eq!(metrics.get("connections_opened_count"), None);
    }

    #[test]
    fn what_a_sampler_used_before_a_window_is_not_the_windows() {
        let pid = std::process::id();
        let sampler = Sampler::start(pid, 1000.0);
        let eyes = Eyes {
            process: Some((pid, &sampler)),
            activity: None,
            standin: None,
        };
        let placement = Placement::of_this_machine();
        let mut around = Around::default();
        for _ in 0..2 {
            let before = Before::slice(&eyes, SliceKind::Open, Instant::now());
            while sampler.own_cpu_ns() == before.sampler_cpu_ns || sampler.peak_bytes().is_none() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            around.add(&before, &eyes, &placement, &Observations::new(true));
        }
        assert!(around.sampler_cpu_ns > 0 && around.sampler_cpu_ns <= sampler.own_cpu_ns());
        assert!(around.memory_peak_bytes() > Some(0));
        // Whatever was used for a window that belongs to another sum.
        let mut other = Around::default();
        let before = Before::slice(&eyes, SliceKind::Open, Instant::now());
        other.add(&before, &eyes, &placement, &Observations::new(true));
        assert!(other.sampler_cpu_ns + before.sampler_cpu_ns <= sampler.own_cpu_ns());
    }
}
