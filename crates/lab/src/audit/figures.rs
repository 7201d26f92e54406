//! Rules about figures that a trial records: database work, connections, the null server, memory, stationarity.
//! They need nothing but the record, so that a stored trial can be held against them again.

use std::collections::BTreeMap;

use record::{AuditLine, AuditStatus, Slice};
use stats::regression::trend;

use super::line;

/// Share of the contract's statements and rows by which a service may differ.
const WORK_TOLERANCE_RATIO: f64 = 0.005;
/// Deviations by which a mean of few requests may differ besides, where requests are not alike.
const WORK_DEVIATIONS: f64 = 4.0;
/// Share of the null server's rate from which on a rate may be the generator's.
const NULL_SERVER_MAX_RATIO: f64 = 0.70;
/// Share above which the null server's own rate was spoiled: nothing answers faster than what does nothing.
const NULL_SERVER_CREDIBLE_RATIO: f64 = 1.25;
/// Time that the generator may stand ready without a CPU while others use it.
const GENERATOR_WAIT_MAX_RATIO: f64 = 0.20;
/// CPU that processes outside the run may use on the bench's CPUs meanwhile.
const FOREIGN_BENCH_MAX_RATIO: f64 = 0.20;
/// Mapped files below this are programs and their libraries.
const MAPPED_MIN_BYTES: f64 = 128.0 * 1_048_576.0;
/// Change of a figure from the first to the last slice that is too much for a steady service.
const CHANGE_MAX_RATIO: f64 = 0.10;
/// How sure that change must be.
const CHANGE_CONFIDENCE: f64 = 0.99;
/// Slices below which a change is not looked for.
const SLICES_MIN: usize = 4;

/// What a service was told and promised, as far as figures are held against it.
#[derive(Clone, Debug, Default)]
pub struct Promise {
    /// SQL statements of one request.
    pub statements_per_request: Option<f64>,
    /// Rows that they read or write.
    pub rows_per_request: Option<f64>,
    /// Connections of the whole service.
    pub pool_size: Option<u32>,
    /// Connections its database takes.
    pub connection_limit: Option<u32>,
    /// CPUs of generator and database.
    pub bench_cpus_count: usize,
}

/// Applies every rule that the figures allow.
pub fn audit_figures(
    metrics: &BTreeMap<String, f64>,
    slices: &[Slice],
    promise: &Promise,
) -> Vec<AuditLine> {
    let seen = Figures(metrics);
    let lines = [
        database_work(seen, promise),
        pool(seen, promise),
        null_server(seen),
        starved_generator(seen, promise),
        mapped_memory(seen),
        stationarity(slices),
    ];
    lines.into_iter().flatten().collect()
}

#[derive(Clone, Copy)]
struct Figures<'a>(&'a BTreeMap<String, f64>);

impl Figures<'_> {
    fn get(self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

/// Less work than the contract asks for is a cache; more is the service's own affair, and is said.
fn database_work(seen: Figures, promise: &Promise) -> Option<AuditLine> {
    let wanted = promise.statements_per_request?;
    let name = "database_work";
    let Some(statements) = seen.get("statements_per_answer_count") else {
        let why = "not checked: the server does not count statements (pg_stat_statements)";
        return Some(line(name, AuditStatus::Pass, why.to_owned()));
    };
    let answers = seen.get("good_answers_count").unwrap_or(0.0).max(1.0);
    // A part of the requests costs a statement more: how many of them fall into the slices is left to chance.
    let chance = WORK_DEVIATIONS * (wanted.fract() / answers).sqrt();
    let mut status = compared(statements, wanted, chance);
    let mut detail = format!("{statements:.3} statements an answer, the contract has {wanted}");
    let rows = seen
        .get("rows_per_answer_count")
        .zip(promise.rows_per_request);
    if let Some((rows, wanted_rows)) = rows {
        let chance = chance * wanted_rows.max(1.0)
            + WORK_DEVIATIONS * (wanted_rows.fract() / answers).sqrt();
        status = status.max(compared(rows, wanted_rows, chance));
        detail.push_str(&format!("; {rows:.3} rows, it has {wanted_rows}"));
    }
    if status == AuditStatus::Fail {
        detail.push_str(": not everything was read");
    }
    Some(line(name, status, detail))
}

fn compared(found: f64, wanted: f64, chance: f64) -> AuditStatus {
    let tolerance = wanted * WORK_TOLERANCE_RATIO + chance;
    if found < wanted - tolerance {
        AuditStatus::Fail
    } else if found > wanted + tolerance {
        AuditStatus::Warn
    } else {
        AuditStatus::Pass
    }
}

/// Connections against what the service was told and what its database takes; how busy they were is said.
fn pool(seen: Figures, promise: &Promise) -> Option<AuditLine> {
    let peak = seen.get("backends_peak_count")?;
    let in_use = seen.get("backends_in_use_count").unwrap_or(0.0);
    let open = seen.get("backends_count").unwrap_or(peak);
    let told = promise.pool_size.map(f64::from);
    let limit = promise.connection_limit.map(f64::from);
    let mut detail = format!("{in_use:.1} of {open:.1} connections in use, at most {peak:.0} open");
    let status = if let Some(limit) = limit.filter(|limit| peak >= *limit) {
        detail.push_str(&format!(": all {limit:.0} that the database takes"));
        AuditStatus::Warn
    } else if let Some(told) = told.filter(|told| peak > *told) {
        detail.push_str(&format!(", {told:.0} were allowed"));
        AuditStatus::Warn
    } else {
        AuditStatus::Pass
    };
    Some(line("pool", status, detail))
}

fn null_server(seen: Figures) -> Option<AuditLine> {
    let rate = seen.get("completion_rate_per_s")?;
    let ceiling = seen.get("null_server_rate_per_s")?;
    let ratio = rate / ceiling.max(1.0);
    if ratio > NULL_SERVER_CREDIBLE_RATIO {
        let why = format!(
            "not checked: {ceiling:.0} answers/s of a server that does nothing cannot be all that it gives"
        );
        return Some(line("null_server", AuditStatus::Pass, why));
    }
    let status = match ratio < NULL_SERVER_MAX_RATIO {
        true => AuditStatus::Pass,
        false => AuditStatus::Warn,
    };
    let detail = format!(
        "{rate:.0} answers/s, a server that does nothing gives {ceiling:.0} ({:.0} %)",
        ratio * 100.0
    );
    Some(line("null_server", status, detail))
}

/// The generator had no CPU because processes outside the run had it.
fn starved_generator(seen: Figures, promise: &Promise) -> Option<AuditLine> {
    let waited = seen.get("generator_run_queue_wait_ratio")?;
    let busy = seen.get("bench_cpus_busy_ratio")?;
    let ours = seen.get("generator_cpu_ratio")? + seen.get("database_cpu_ratio").unwrap_or(0.0);
    let foreign = (busy * promise.bench_cpus_count as f64 - ours).max(0.0);
    let starved = waited >= GENERATOR_WAIT_MAX_RATIO && foreign >= FOREIGN_BENCH_MAX_RATIO;
    let detail = format!(
        "the generator waited for a CPU {:.0} % of the time, others used {:.0} % of a core beside it",
        waited * 100.0,
        foreign * 100.0
    );
    let status = match starved {
        true => AuditStatus::Warn,
        false => AuditStatus::Pass,
    };
    Some(line("generator_wait", status, detail))
}

/// Pages of mapped files are page cache: they are in no memory figure but PSS, which then misleads.
fn mapped_memory(seen: Figures) -> Option<AuditLine> {
    let mapped = seen.get("memory_mapped_bytes")?;
    let own = seen.get("memory_peak_bytes")?;
    let misleads = mapped >= MAPPED_MIN_BYTES && mapped > own;
    let mib = |bytes: f64| bytes / 1_048_576.0;
    let mut detail = format!(
        "{:.0} MiB of its own, {:.0} MiB of mapped files",
        mib(own),
        mib(mapped)
    );
    let status = if misleads {
        detail.push_str(", which are page cache: not counted as memory, but in PSS");
        AuditStatus::Warn
    } else {
        AuditStatus::Pass
    };
    Some(line("memory", status, detail))
}

/// A service that is still warming, or wearing out, costs more in some slices than in others. What the machine does
/// meanwhile is divided out by the canary.
fn stationarity(slices: &[Slice]) -> Option<AuditLine> {
    let cost = |slice: &Slice| {
        let answers = slice.good_answers_count as f64;
        let cost = slice.service_cpu_ns? as f64 / answers / slice.canary_ns? as f64;
        cost.is_finite().then_some((slice.at_s, cost))
    };
    let mut costs: Vec<(f64, f64)> = slices
        .iter()
        .filter(|slice| slice.load == "open" && slice.level.is_none())
        .filter_map(cost)
        .collect();
    if costs.len() < SLICES_MIN {
        return None;
    }
    costs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let values: Vec<f64> = costs.into_iter().map(|(_, cost)| cost).collect();
    let found = trend(&values, CHANGE_CONFIDENCE)?;
    let interval = found.interval?;
    let is_sure = interval.low > 0.0 || interval.high < 0.0;
    let moves = is_sure && found.change_ratio.abs() > CHANGE_MAX_RATIO;
    let status = match moves {
        true => AuditStatus::Warn,
        false => AuditStatus::Pass,
    };
    let detail = format!(
        "CPU per answer, relative to the canary, changed by {:+.0} % from the first to the last of {} slices",
        found.change_ratio * 100.0,
        values.len()
    );
    Some(line("stationarity", status, detail))
}

#[cfg(test)]
mod tests;
