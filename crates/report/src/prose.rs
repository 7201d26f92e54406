//! The sentences around the figures, the same for every renderer.

use record::{TrialStatus, metric};

use crate::findings::{Findings, Pair, Standing, TreatmentFindings};
use crate::text::counted;
use crate::units;

/// A label and what stands behind it.
pub(crate) type Line = (&'static str, String);

/// What the intervals in the table are.
pub(crate) fn explanation(findings: &Findings) -> String {
    let intervals = if findings.blocks_count < 2 {
        "One block has no interval: differences cannot be told from noise yet.".to_owned()
    } else {
        format!(
            "± and ranges are 95 % intervals over {}, {}, and their ranges hold for all pairs at once. Between two \
             tiers every pair is decided.",
            counted(findings.blocks_count, "block"),
            replication(findings),
        )
    };
    let mut text = intervals;
    let mut shown = findings
        .treatments
        .iter()
        .flat_map(|treatment| treatment.figures.keys());
    if shown.any(|name| name.starts_with("response_p")) {
        text.push_str(" Percentiles count a failed request as slower than every answer.");
    }
    text.push_str(" – is not measured, or too few samples.");
    if !findings.audit.reasons.is_empty() {
        text.push_str(" * has trials that are not VALID, see the audit.");
    }
    text
}

/// What a block repeats, and what of the machine divides out within it.
fn replication(findings: &Findings) -> &'static str {
    let design = &findings.design;
    match design.kind.as_str() {
        "running_services" => {
            "each a round over services that were running before: what a fresh start would change is in no interval. A \
             single figure carries the machine's drift between blocks; ratios, taken block by block, do not"
        }
        "solo_trials" => {
            "each a fresh start of every treatment, one after the other. A single figure carries the machine's drift; \
             ratios, taken block by block, carry what is left of it from one trial to the next"
        }
        _ if design.services_at_once_count.is_some() => {
            "as many as held the baseline and the treatment that was measured least, each a fresh start of one group \
             of treatments. A single figure carries the machine's drift between blocks; ratios, taken in the blocks \
             that held both, do not"
        }
        _ => {
            "each a fresh start of every treatment. A single figure carries the machine's drift between blocks; \
             ratios, taken block by block, do not"
        }
    }
}

/// The sentence about the twin.
pub(crate) fn control(findings: &Findings) -> String {
    match &findings.control {
        Some(control) => {
            let ratio = &control.ratio;
            let range = ratio
                .interval()
                .map_or(String::new(), |(low, high)| format!(" ({})", units::range(low, high)));
            let alarm = if control.differs {
                ", and the interval excludes 1, which happens to one sound run in twenty"
            } else {
                ""
            };
            format!(
                "{} entered twice differs from itself by {}{range}: today this bench cannot see under {}{alarm}.",
                title(findings, &control.treatment),
                units::ratio(ratio.ratio),
                units::per_cent(control.bound_ratio),
            )
        }
        None => "no treatment was measured twice in two blocks or more, so what this bench cannot see is unknown."
            .to_owned(),
    }
}

/// The counts of trials by status.
pub(crate) fn trials(findings: &Findings) -> String {
    let audit = &findings.audit;
    let mut text = format!(
        "{} VALID, {} DEGRADED, {} INVALID",
        audit.valid_count, audit.degraded_count, audit.invalid_count
    );
    match audit.voided_blocks.len() {
        0 => text.push_str("; no block void."),
        count => text.push_str(&format!("; {} void.", counted(count, "block"))),
    }
    text
}

/// Trials of one status that one check objected to.
pub(crate) struct Doubt<'a> {
    /// Their status.
    pub(crate) status: TrialStatus,
    /// The check's name and what it said of the first of them.
    pub(crate) example: &'a str,
    /// Whether it said something else of another, another figure say.
    pub(crate) differs: bool,
    /// How many trials of which treatment.
    pub(crate) trials_counts: Vec<(&'a str, usize)>,
}

impl Doubt<'_> {
    /// How many trials of whom, and why.
    pub(crate) fn sentence(&self) -> String {
        let total = self.trials_counts.iter().map(|(_, count)| count).sum();
        let whose: Vec<String> = match self.trials_counts.as_slice() {
            [(treatment, _)] => vec![(*treatment).to_owned()],
            all => all
                .iter()
                .map(|(treatment, count)| format!("{treatment} {count}"))
                .collect(),
        };
        let such = if self.differs { ", for one" } else { "" };
        let (trials, whose) = (counted(total, "trial"), whose.join(", "));
        format!("{trials} ({whose}): {}{such}", self.example)
    }
}

/// What the checks objected to in trials that are not VALID, one entry a status and check, the gravest first.
pub(crate) fn doubts(findings: &Findings) -> Vec<Doubt<'_>> {
    let mut doubts: Vec<Doubt> = Vec::new();
    for found in &findings.audit.reasons {
        for reason in &found.reasons {
            let same = |doubt: &Doubt| {
                doubt.status == found.status && check(doubt.example) == check(reason)
            };
            let place = doubts.iter().position(same).unwrap_or_else(|| {
                doubts.push(Doubt {
                    status: found.status,
                    example: reason,
                    differs: false,
                    trials_counts: Vec::new(),
                });
                doubts.len() - 1
            });
            let doubt = &mut doubts[place];
            doubt.differs |= doubt.example != reason;
            let counts = &mut doubt.trials_counts;
            match counts.iter_mut().find(|(name, _)| *name == found.treatment) {
                Some((_, count)) => *count += 1,
                None => counts.push((&found.treatment, 1)),
            }
        }
    }
    doubts
}

/// Name of the check that gave this reason.
fn check(reason: &str) -> &str {
    reason.split_once(": ").map_or(reason, |(check, _)| check)
}

/// A status as it is written everywhere.
pub(crate) fn status(status: TrialStatus) -> &'static str {
    match status {
        TrialStatus::Valid => "VALID",
        TrialStatus::Degraded => "DEGRADED",
        TrialStatus::Invalid => "INVALID",
    }
}

/// A treatment's title, or its name where there is none.
pub(crate) fn title(findings: &Findings, name: &str) -> String {
    findings
        .treatment(name)
        .map_or_else(|| name.to_owned(), |treatment| treatment.title.clone())
}

/// Why a treatment is not ranked.
pub(crate) fn unranked(treatment: &TreatmentFindings) -> Option<&str> {
    match &treatment.standing {
        Standing::Unranked { reason } => Some(reason),
        Standing::Ranked { .. } => None,
    }
}

/// A pair's verdict with the ratio behind it.
pub(crate) fn verdict(pair: &Pair) -> String {
    let range = pair.ratio.interval().map_or(String::new(), |(low, high)| {
        format!(" ({})", units::range(low, high))
    });
    format!(
        "{}: {}{range}",
        pair.sentence,
        units::ratio(pair.ratio.ratio)
    )
}

/// Pairs in the order of reading: with the baseline first, then neighbours, then the rest.
pub(crate) fn pairs(findings: &Findings) -> Vec<&Pair> {
    let place = |name: &str| {
        findings
            .treatments
            .iter()
            .position(|treatment| treatment.name == name)
            .unwrap_or(usize::MAX)
    };
    let mut pairs: Vec<&Pair> = findings.pairs.iter().collect();
    pairs.sort_by_key(|pair| {
        let (one, other) = (place(&pair.treatment), place(&pair.against));
        let with_baseline = [&pair.treatment, &pair.against].contains(&&findings.baseline);
        let distance = if with_baseline {
            0
        } else {
            one.abs_diff(other)
        };
        (!with_baseline, distance, one, other)
    });
    pairs
}

/// What verdicts are about.
pub(crate) fn verdicts_heading(findings: &Findings) -> String {
    let title = metric(&findings.primary_metric)
        .map_or(findings.primary_metric.as_str(), |metric| metric.title);
    format!(
        "Verdicts on {title} (a difference under {} does not matter)",
        units::chosen(findings.relevant_difference_ratio)
    )
}

/// How it was measured.
pub(crate) fn design(findings: &Findings) -> Vec<Line> {
    let design = &findings.design;
    let mut lines = Vec::new();
    let rate = design.arrival_rate_per_s.map_or(String::new(), |rate| {
        format!("{} for every treatment; ", rate_text(rate))
    });
    lines.push((
        "load",
        format!(
            "{rate}closed loop at {}{}",
            counted(design.connections_count as usize, "connection"),
            match design.keep_alive {
                true => "",
                false => ", a new one for every request",
            }
        ),
    ));
    lines.push((
        "design",
        format!(
            "{}, {} used ({} to {} planned); a block has {} open and {} closed slices of {} s a treatment, \
             the first {} of each discarded; seed {}",
            design.kind.replace('_', " "),
            counted(findings.blocks_count, "block"),
            design.min_blocks_count,
            design.max_blocks_count,
            design.open_slices_count,
            design.closed_slices_count,
            design.slice_s,
            units::chosen(design.discard_ratio),
            design.seed,
        ),
    ));
    lines.push((
        "placement",
        format!(
            "services on {}; generator and database on {}",
            cpus(&design.service_cpus),
            cpus(&design.bench_cpus)
        ),
    ));
    let ended = match (&findings.ended_by, &findings.ended_at) {
        (Some(by), Some(at)) => format!(", ended {at} by {by}"),
        (_, Some(at)) => format!(", ended {at}"),
        _ => ", not ended".to_owned(),
    };
    lines.push((
        "run",
        format!(
            "{}, started {}{ended}, Bancada {}",
            findings.run, findings.started_at, findings.bancada_version
        ),
    ));
    lines
}

fn rate_text(rate: f64) -> String {
    format!("{} arrivals/s", units::digits(rate))
}

fn cpus(list: &[u32]) -> String {
    if list.is_empty() {
        return "any CPU".to_owned();
    }
    let numbers: Vec<String> = list.iter().map(u32::to_string).collect();
    format!("CPU {}", numbers.join(", "))
}

/// Where it was measured.
pub(crate) fn environment(findings: &Findings) -> Vec<Line> {
    let environment = &findings.environment;
    let mut machine = Vec::new();
    machine.extend(environment.cpu_model.clone());
    machine.push(counted(environment.cpus_count as usize, "CPU"));
    machine.extend(
        environment
            .memory_bytes
            .map(|bytes| units::with_unit("bytes", bytes as f64)),
    );
    machine.extend(environment.distribution.clone());
    machine.extend(
        environment
            .kernel
            .as_ref()
            .map(|kernel| format!("kernel {kernel}")),
    );
    machine.extend(
        environment
            .virtualization
            .as_ref()
            .map(|kind| format!("on {kind}")),
    );
    machine.extend(
        environment
            .governor
            .as_ref()
            .map(|name| format!("governor {name}")),
    );
    if environment.idle_cpus_poll {
        machine.push("idle CPUs polled".to_owned());
    }
    let mut lines = vec![("machine", machine.join(", "))];
    let listed = |entries: &std::collections::BTreeMap<String, String>| {
        let entries: Vec<String> = entries
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        entries.join(", ")
    };
    if !environment.versions.is_empty() {
        lines.push(("versions", listed(&environment.versions)));
    }
    if !environment.database_settings.is_empty() {
        lines.push(("database", listed(&environment.database_settings)));
    }
    lines.extend(
        environment
            .warnings
            .iter()
            .map(|warning| ("warning", warning.clone())),
    );
    lines
}
