//! The one table of metrics: a figure that is not a row here is not recorded.

use serde::Serialize;

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: it describes.
    Neither,
}

/// One row of the table. The unit is also the end of the name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// Name in files: a noun with its unit at the end.
    pub name: &'static str,
    /// How reports head a column.
    pub title: &'static str,
    /// Unit of the stored number: `us`, `ns`, `per_s`, `bytes`, `ratio`, `count`.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// Whether trials add up to it, as they do to a number of answers.
    pub adds_up: bool,
    /// What it is, in one sentence.
    pub description: &'static str,
}

/// Every metric a trial may carry. A trial leaves out what it did not measure.
pub const METRICS: &[Metric] = &[
    lower(
        "service_cpu_per_good_answer_us",
        "CPU/answer",
        "us",
        "CPU time of the service's whole process tree per good answer, at the equal arrival rate.",
    ),
    lower(
        "database_cpu_per_good_answer_us",
        "DB CPU/answer",
        "us",
        "CPU time of the service's PostgreSQL backends per good answer, at the equal arrival rate.",
    ),
    describes(
        "generator_cpu_per_good_answer_us",
        "Generator CPU/answer",
        "us",
        "CPU time of the load generator per good answer, at the equal arrival rate.",
    ),
    higher(
        "completion_rate_per_s",
        "Answers/s",
        "per_s",
        "Answers per second in the closed loop, at the stated number of connections.",
    ),
    higher(
        "goodput_per_s",
        "Good answers/s",
        "per_s",
        "Answers per second that met the contract, in the closed loop.",
    ),
    lower(
        "response_p50_ns",
        "p50",
        "ns",
        "Median response time at the equal arrival rate, over every request scheduled.",
    ),
    lower(
        "response_p90_ns",
        "p90",
        "ns",
        "90th percentile of response time at the equal arrival rate, over every request scheduled.",
    ),
    lower(
        "response_p99_ns",
        "p99",
        "ns",
        "99th percentile of response time at the equal arrival rate, over every request scheduled.",
    ),
    lower(
        "response_mean_ns",
        "Mean",
        "ns",
        "Mean response time over answers at the equal arrival rate.",
    ),
    lower(
        "service_p50_ns",
        "Service p50",
        "ns",
        "Median service time at the equal arrival rate, over every request sent.",
    ),
    lower(
        "service_p90_ns",
        "Service p90",
        "ns",
        "90th percentile of service time at the equal arrival rate, over every request sent.",
    ),
    describes(
        "send_delay_p99_ns",
        "Send delay p99",
        "ns",
        "99th percentile of the generator's own lateness at the equal arrival rate.",
    ),
    lower(
        "closed_service_p50_ns",
        "Closed p50",
        "ns",
        "Median service time in the closed loop.",
    ),
    lower(
        "closed_service_p90_ns",
        "Closed p90",
        "ns",
        "90th percentile of service time in the closed loop.",
    ),
    lower(
        "closed_service_p99_ns",
        "Closed p99",
        "ns",
        "99th percentile of service time in the closed loop.",
    ),
    lower(
        "closed_service_mean_ns",
        "Closed mean",
        "ns",
        "Mean service time over answers in the closed loop.",
    ),
    lower(
        "closed_service_stdev_ns",
        "Closed stdev",
        "ns",
        "Standard deviation of service time over answers in the closed loop.",
    ),
    higher(
        "closed_fairness_ratio",
        "Fairness",
        "ratio",
        "Answers of the least served connection over those of the best served one, mean over the slices of the closed loop; 0 is a connection that starved.",
    ),
    higher(
        "capacity_under_objective_per_s",
        "Capacity",
        "per_s",
        "Highest arrival rate that kept the objective, with every request answered rightly and in time.",
    ),
    lower(
        "elapsed_ns",
        "Elapsed",
        "ns",
        "From the first request to the last answer, where the number of requests was fixed.",
    ),
    lower(
        "memory_peak_bytes",
        "Memory",
        "bytes",
        "Largest anonymous plus shared resident memory of the process tree, sampled at 5 Hz in the main slices.",
    ),
    lower(
        "memory_pss_bytes",
        "PSS",
        "bytes",
        "Proportional set size of the process tree, read once after the last main slice.",
    ),
    lower(
        "first_answer_ns",
        "Start-up",
        "ns",
        "Time from the start of the process to the first right answer.",
    ),
    describes(
        "offered_load_per_s",
        "Offered",
        "per_s",
        "Arrivals scheduled per second at the equal arrival rate.",
    ),
    describes(
        "achieved_ratio",
        "Achieved",
        "ratio",
        "Answers over arrivals scheduled, at the equal arrival rate.",
    ),
    describes(
        "service_cpu_ratio",
        "Service CPU",
        "ratio",
        "CPU time of the service tree over wall time in the closed loop; 1 is one core.",
    ),
    describes(
        "database_cpu_ratio",
        "Database CPU",
        "ratio",
        "CPU time of PostgreSQL over wall time in the closed loop; 1 is one core.",
    ),
    describes(
        "generator_cpu_ratio",
        "Generator CPU",
        "ratio",
        "CPU time of the generator over wall time in the closed loop; 1 is one core.",
    ),
    adds_up(
        "good_answers_count",
        "Good answers",
        "count",
        "Good answers in the measured windows.",
    ),
    adds_up(
        "failed_requests_count",
        "Failed",
        "count",
        "Requests in the measured windows that did not end in a good answer.",
    ),
    describes(
        "canary_ns",
        "Canary",
        "ns",
        "Median time of the fixed canary job before the slices of this trial.",
    ),
    describes(
        "warm_up_ns",
        "Warm-up",
        "ns",
        "Time until the warm-up rule was met, or its cap.",
    ),
    describes(
        "warm_up_movement_ratio",
        "Warm-up drift",
        "ratio",
        "How much the rate, relative to the canary, still moved over the last windows of the warm-up.",
    ),
    lower(
        "memory_steady_bytes",
        "Steady memory",
        "bytes",
        "Median anonymous plus shared resident memory of the process tree, sampled at 5 Hz while under load.",
    ),
    describes(
        "memory_mapped_bytes",
        "Mapped files",
        "bytes",
        "Resident pages of files the process tree has mapped, read once after the window: page cache, not memory.",
    ),
    describes(
        "voluntary_switches_per_answer_count",
        "Voluntary switches",
        "count",
        "Times per answer that a thread of the service gave up its CPU to wait, at the equal arrival rate.",
    ),
    describes(
        "involuntary_switches_per_answer_count",
        "Involuntary switches",
        "count",
        "Times per answer that a thread of the service was made to give up its CPU, at the equal arrival rate.",
    ),
    describes(
        "run_queue_wait_per_answer_us",
        "CPU wait/answer",
        "us",
        "Time per answer for which threads of the service were ready and had no CPU, at the equal arrival rate.",
    ),
    describes(
        "upstream_calls_per_answer_count",
        "Upstream calls",
        "count",
        "Calls of the upstream per answer, at the equal arrival rate.",
    ),
    describes(
        "statements_per_answer_count",
        "Statements",
        "count",
        "SQL statements per answer, over all measured slices.",
    ),
    describes(
        "rows_per_answer_count",
        "Rows",
        "count",
        "Rows that SQL statements returned or changed, per answer, over all measured slices.",
    ),
    adds_up(
        "connections_opened_count",
        "Opened",
        "count",
        "Connections that the generator opened for the measured slices.",
    ),
    describes(
        "busiest_thread_cpu_ratio",
        "Busiest thread",
        "ratio",
        "CPU time of the service's busiest thread over wall time in the closed loop; 1 is one core.",
    ),
    describes(
        "busiest_thread_wait_ratio",
        "Busiest thread's CPU wait",
        "ratio",
        "Time for which the service's busiest thread was ready and had no CPU, over wall time in the closed loop.",
    ),
    describes(
        "busy_threads_count",
        "Busy threads",
        "count",
        "Threads of the service that used CPU time in the closed loop.",
    ),
    describes(
        "run_queue_wait_ratio",
        "CPU wait",
        "ratio",
        "Time for which threads of the service were ready and had no CPU, all together, over wall time in the closed loop.",
    ),
    describes(
        "service_cpus_busy_ratio",
        "Service CPUs busy",
        "ratio",
        "Share of the time of the service's CPUs in which anything ran on them, in the closed loop.",
    ),
    describes(
        "bench_cpus_busy_ratio",
        "Bench CPUs busy",
        "ratio",
        "Share of the time of the bench's CPUs in which anything ran on them, in the closed loop.",
    ),
    describes(
        "generator_run_queue_wait_ratio",
        "Generator's CPU wait",
        "ratio",
        "Time for which the generator was ready and had no CPU, over wall time in the closed loop.",
    ),
    describes(
        "null_server_rate_per_s",
        "Null server",
        "per_s",
        "Answers per second of a server that does nothing, in the same closed loop: what the generator can do at most.",
    ),
    describes(
        "backends_count",
        "DB connections",
        "count",
        "Mean connections of the service to its database in the closed loop, sampled at 5 Hz.",
    ),
    describes(
        "backends_peak_count",
        "DB connections, peak",
        "count",
        "Most connections of the service to its database that were seen at once in the closed loop.",
    ),
    describes(
        "backends_in_use_count",
        "DB connections in use",
        "count",
        "Mean connections that run a statement or are within a transaction, in the closed loop.",
    ),
    describes(
        "backends_running_count",
        "DB connections running",
        "count",
        "Mean connections that run a statement and wait for nothing but a CPU, in the closed loop.",
    ),
    describes(
        "backends_lock_wait_count",
        "Waiting for locks",
        "count",
        "Mean connections that wait for a lock of another transaction, in the closed loop.",
    ),
    describes(
        "backends_lwlock_wait_count",
        "Waiting for LWLocks",
        "count",
        "Mean connections that wait for a lock inside the server, in the closed loop.",
    ),
    describes(
        "backends_io_wait_count",
        "Waiting for disks",
        "count",
        "Mean connections that wait for a disk, in the closed loop.",
    ),
    describes(
        "backends_client_wait_count",
        "Waiting for the client",
        "count",
        "Mean connections that wait for the service to send or to take within a statement, in the closed loop.",
    ),
    describes(
        "upstream_under_way_count",
        "Upstream under way",
        "count",
        "Mean upstream calls that wait for their answer, in the closed loop.",
    ),
    describes(
        "cpu_pressure_ratio",
        "CPU pressure",
        "ratio",
        "Share of the time in which anything on the machine waited for a CPU, in this treatment's slices.",
    ),
    describes(
        "sampler_cpu_ratio",
        "Sampler",
        "ratio",
        "CPU time that sampling took of the bench's CPUs, over wall time in this treatment's slices.",
    ),
];

/// The row of a metric, by name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

const fn lower(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    description: &'static str,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        better: Better::Lower,
        adds_up: false,
        description,
    }
}

const fn higher(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    description: &'static str,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        better: Better::Higher,
        adds_up: false,
        description,
    }
}

const fn adds_up(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    description: &'static str,
) -> Metric {
    Metric {
        adds_up: true,
        ..describes(name, title, unit, description)
    }
}

const fn describes(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    description: &'static str,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        better: Better::Neither,
        adds_up: false,
        description,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_named_once_and_ends_in_its_unit() {
        for (index, metric) in METRICS.iter().enumerate() {
            assert!(
                metric.name.ends_with(&format!("_{}", metric.unit)),
                "{}",
                metric.name
            );
            assert!(
                METRICS[..index]
                    .iter()
                    .all(|other| other.name != metric.name),
                "{}",
                metric.name
            );
        }
    }
}
