//! From the record of a run to its findings. Pure: no clock, no file, no locale.

use std::collections::BTreeMap;

use record::{Better, Histograms, METRICS, Metric, Run, Treatment, Trial, metric};

use crate::comparison;
use crate::findings::{
    Basis, Exploratory, Findings, Pair, RatioEstimate, Standing, TreatmentFindings,
};
use crate::grounds::Grounds;
use crate::manifest::Manifest;
use crate::selection::Selection;
use crate::text::counted;
use crate::{
    answer, audit, beside, claims, cost, estimate, fairness, figures, ladder, levels, limiter,
    percentiles,
};

impl Findings {
    /// Works out what a run showed, from what has been recorded so far.
    /// `histograms` are by trial; a trial without any has no tail percentiles.
    pub fn of(run: &Run, trials: &[Trial], histograms: &BTreeMap<String, Histograms>) -> Findings {
        let mut notices = Vec::new();
        let manifest = Manifest::of(run, &mut notices);
        let selection = Selection::of(run, trials);
        let audit = audit::summary(run, trials);
        let control = comparison::control(run, &selection, histograms, &run.primary_metric);
        let Some(primary) = metric(&run.primary_metric) else {
            notices.push(format!(
                "metric {} is not one this version knows",
                run.primary_metric
            ));
            return empty(run, notices);
        };
        let ranked = rankable(run, &selection, histograms, primary);
        let baseline = baseline(run, &ranked, &mut notices);
        let terms = stats::Terms {
            relevant_ratio: run.relevant_difference_ratio,
            bound_ratio: control.as_ref().map_or(0.0, |control| control.bound_ratio),
        };
        let names: Vec<(&str, &str)> = ranked
            .iter()
            .map(|treatment| (treatment.name.as_str(), treatment.title.as_str()))
            .collect();
        let pairs = comparison::pairs(&names, &selection, histograms, primary, &terms);
        let only_names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let standings = estimate::standings(&only_names, &pairs);
        let builder = Builder {
            run,
            selection: &selection,
            histograms,
            primary,
            baseline: &baseline,
            pairs: &pairs,
        };
        let mut treatments: Vec<TreatmentFindings> = run
            .treatments
            .iter()
            .filter(|treatment| treatment.twin_of.is_none())
            .map(|treatment| {
                let place = names.iter().position(|(name, _)| *name == treatment.name);
                builder.treatment(treatment, place.map(|place| standings[place].clone()))
            })
            .collect();
        sort(&mut treatments, primary);
        let in_order: Vec<&TreatmentFindings> = treatments
            .iter()
            .filter(|treatment| treatment.tier().is_some())
            .collect();
        let apart: Vec<&TreatmentFindings> = treatments
            .iter()
            .filter(|treatment| treatment.tier().is_none())
            .collect();
        let blocks_count = blocks_count(run, &selection, &only_names, &baseline, primary);
        let exploratory = exploratory(&selection, &in_order, &baseline, primary);
        let grounds = Grounds {
            run,
            selection: &selection,
            histograms,
            manifest: &manifest,
            baseline: &baseline,
            ranked: &only_names,
            terms,
        };
        let levels = levels::levels(&grounds);
        let scaling = levels::scaling(&levels);
        let claims = claims::claims(&grounds);
        let published = claims::published(&grounds);
        let ladder = ladder::ladder(&grounds);
        let cost = cost::cost(&grounds);
        let what_if = beside::what_if(&grounds, primary, &pairs);
        Findings {
            what_if,
            answer: answer::sentence(primary, &in_order, &apart, &pairs, &baseline),
            provisional: provisional(run, blocks_count),
            levels,
            scaling,
            claims,
            published,
            ladder,
            cost,
            baseline: baseline.clone(),
            blocks_count,
            audit,
            control,
            treatments,
            pairs,
            exploratory,
            ..empty(run, notices)
        }
    }
}

/// The part of the findings that is copied from the run.
fn empty(run: &Run, notices: Vec<String>) -> Findings {
    Findings {
        schema: "bancada.report/1",
        run: run.run.clone(),
        experiment: run.experiment.clone(),
        title: run.title.clone(),
        question: run.question.clone(),
        answer: "No answer.".to_owned(),
        provisional: None,
        caveat: run.caveat.clone(),
        started_at: run.started_at.clone(),
        ended_at: run.ended_at.clone(),
        ended_by: run.ended_by.clone(),
        bancada_version: run.bancada_version.clone(),
        primary_metric: run.primary_metric.clone(),
        baseline: run.baseline.clone(),
        relevant_difference_ratio: run.relevant_difference_ratio,
        confidence_level_ratio: estimate::CONFIDENCE_LEVEL,
        blocks_count: 0,
        audit: Default::default(),
        control: None,
        treatments: Vec::new(),
        pairs: Vec::new(),
        exploratory: Vec::new(),
        levels: Vec::new(),
        scaling: Vec::new(),
        what_if: Vec::new(),
        tools: Vec::new(),
        claims: Vec::new(),
        published: Vec::new(),
        ladder: None,
        cost: Vec::new(),
        priced: None,
        plan: None,
        fairness: fairness::sheets(run),
        skipped: run.skipped.clone(),
        notices,
        design: run.design.clone(),
        environment: run.environment.clone(),
    }
}

/// Treatments that can be ranked: meant to be, not the control, and measured.
fn rankable<'a>(
    run: &'a Run,
    selection: &Selection,
    histograms: &BTreeMap<String, Histograms>,
    primary: &Metric,
) -> Vec<&'a Treatment> {
    let is_measured = |name: &str| match percentiles::is_tail(primary.name) {
        true => {
            let trials = selection.usable(name);
            percentiles::from_histograms(primary.name, &trials, histograms).is_some()
        }
        false => !selection.by_block(name, primary.name).is_empty(),
    };
    run.treatments
        .iter()
        .filter(|treatment| treatment.ranked && treatment.twin_of.is_none())
        .filter(|treatment| is_measured(&treatment.name))
        .collect()
}

/// Blocks that figures are estimated from. Where a block holds a group, those in which the least measured treatment
/// met the baseline.
fn blocks_count(
    run: &Run,
    selection: &Selection,
    ranked: &[&str],
    baseline: &str,
    primary: &Metric,
) -> usize {
    if run.design.services_at_once_count.is_none() {
        return selection.complete_blocks(ranked, primary.name).len();
    }
    let met = |name: &&str| {
        selection
            .complete_blocks(&[baseline, name], primary.name)
            .len()
    };
    ranked.iter().map(met).min().unwrap_or(0)
}

/// The run's baseline, or another treatment where that one could not be ranked.
fn baseline(run: &Run, ranked: &[&Treatment], notices: &mut Vec<String>) -> String {
    let found = ranked
        .iter()
        .any(|treatment| treatment.name == run.baseline);
    match ranked.first() {
        Some(first) if !found => {
            notices.push(format!(
                "the baseline {} has no usable trial; ratios are to {}",
                run.baseline, first.title
            ));
            first.name.clone()
        }
        _ => run.baseline.clone(),
    }
}

struct Builder<'a> {
    run: &'a Run,
    selection: &'a Selection<'a>,
    histograms: &'a BTreeMap<String, Histograms>,
    primary: &'a Metric,
    baseline: &'a str,
    pairs: &'a [Pair],
}

impl Builder<'_> {
    fn treatment(&self, treatment: &Treatment, standing: Option<Standing>) -> TreatmentFindings {
        let usable = self.selection.usable(&treatment.name);
        let invalid = self.selection.invalid(&treatment.name);
        let degraded_count = usable
            .iter()
            .filter(|trial| trial.status == record::TrialStatus::Degraded)
            .count();
        let shown = if usable.is_empty() { &invalid } else { &usable };
        TreatmentFindings {
            name: treatment.name.clone(),
            title: treatment.title.clone(),
            valid_count: usable.len() - degraded_count,
            degraded_count,
            invalid_count: invalid.len(),
            to_baseline: self.to_baseline(treatment, standing.is_some()),
            figures: figures::figures(shown, self.histograms),
            limiter: limiter::of(self.run, treatment, shown),
            skips: self.stack_list(treatment, "skips"),
            standing: standing.unwrap_or_else(|| Standing::Unranked {
                reason: self.why_unranked(treatment, &usable, &invalid),
            }),
        }
    }

    fn to_baseline(&self, treatment: &Treatment, ranked: bool) -> Option<RatioEstimate> {
        if treatment.name == self.baseline {
            return None;
        }
        if ranked {
            let of = |one: &str, other: &str| {
                let mut pairs = self.pairs.iter();
                pairs.find(|pair| pair.treatment == one && pair.against == other)
            };
            return of(&treatment.name, self.baseline)
                .map(|pair| pair.ratio.clone())
                .or_else(|| of(self.baseline, &treatment.name).map(|pair| pair.ratio.inverted()));
        }
        comparison::unadjusted(
            [&treatment.name, self.baseline],
            self.selection,
            self.histograms,
            self.primary.name,
        )
    }

    fn why_unranked(&self, treatment: &Treatment, usable: &[&Trial], invalid: &[&Trial]) -> String {
        if !treatment.ranked {
            let differs = self
                .stack_entry(treatment, "differs")
                .and_then(|value| value.as_str());
            let differs = differs.map_or(String::new(), |differs| format!(" ({differs})"));
            return format!("a variant that is shown apart{differs}");
        }
        match (usable, invalid) {
            ([], []) if !self.run.voided_blocks.is_empty() => {
                "every block that it ended a trial in is void".to_owned()
            }
            ([], []) => "no trial of it has ended".to_owned(),
            ([], [first, ..]) => {
                let reason = first
                    .reasons
                    .first()
                    .map_or("no reason recorded", String::as_str);
                format!("{}: {reason}", counted(invalid.len(), "INVALID trial"))
            }
            _ => format!("{} was not measured", self.primary.title),
        }
    }

    fn stack_entry(&self, treatment: &Treatment, key: &str) -> Option<&serde_json::Value> {
        let stack = treatment.stack.as_ref()?;
        self.run.catalog.get(&format!("stack/{stack}"))?.get(key)
    }

    fn stack_list(&self, treatment: &Treatment, key: &str) -> Vec<String> {
        let list = self
            .stack_entry(treatment, key)
            .and_then(|value| value.as_array());
        let texts = list
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_str());
        texts.map(str::to_owned).collect()
    }
}

/// Ranked treatments first, by tier and then by estimate; the others as the run lists them.
fn sort(treatments: &mut [TreatmentFindings], primary: &Metric) {
    let estimate = |treatment: &TreatmentFindings| {
        let figure = treatment.figures.get(primary.name);
        let estimate = figure.map_or(f64::INFINITY, |figure| figure.estimate);
        if primary.better == Better::Higher {
            -estimate
        } else {
            estimate
        }
    };
    treatments.sort_by(|one, other| {
        let tier = |treatment: &TreatmentFindings| treatment.tier().unwrap_or(usize::MAX);
        let by_tier = tier(one).cmp(&tier(other));
        let both_ranked = one.tier().is_some() && other.tier().is_some();
        by_tier.then_with(|| match both_ranked {
            true => estimate(one).total_cmp(&estimate(other)),
            false => std::cmp::Ordering::Equal,
        })
    });
}

/// Ratios to the baseline on every other metric that has a better direction.
fn exploratory(
    selection: &Selection,
    ranked: &[&TreatmentFindings],
    baseline: &str,
    primary: &Metric,
) -> Vec<Exploratory> {
    let mut found = Vec::new();
    for metric in METRICS {
        let tail = percentiles::is_tail(metric.name);
        if metric.name == primary.name || metric.better == Better::Neither || tail {
            continue;
        }
        for treatment in ranked.iter().filter(|treatment| treatment.name != baseline) {
            // What is not a mean over blocks is not compared block by block either.
            let shown = treatment
                .figures
                .get(metric.name)
                .is_some_and(|figure| figure.basis == Basis::GeometricMean);
            let logs = selection.log_ratios(&treatment.name, baseline, metric.name);
            let ratio = estimate::geometric(&logs).filter(|ratio| shown && ratio.blocks_count >= 2);
            found.extend(ratio.map(|ratio| Exploratory {
                metric: metric.name.to_owned(),
                treatment: treatment.name.clone(),
                against: baseline.to_owned(),
                ratio,
            }));
        }
    }
    found
}

/// Why the answer may still change.
fn provisional(run: &Run, blocks_count: usize) -> Option<String> {
    let least = run.design.min_blocks_count as usize;
    let mut blocks = format!("{} of at least {least}", counted(blocks_count, "block"));
    let mut reason = String::new();
    if blocks_count == 0
        && let Some(void) = run.voided_blocks.last()
    {
        let voided = counted(run.voided_blocks.len(), "block");
        reason = format!("; {voided} void, the last because {}", void.reason);
    }
    let only = format!("only {blocks} could be used{reason}.");
    blocks.push_str(&reason);
    match (&run.ended_at, run.ended_by.as_deref()) {
        (None, _) => Some(format!("the run has not ended ({blocks}).")),
        (Some(_), Some("interrupted")) => Some(format!("the run was interrupted ({blocks}).")),
        (Some(_), Some("failed")) => Some(format!("the run failed before its end ({blocks}).")),
        (Some(_), _) if blocks_count < least => Some(only),
        _ => None,
    }
}
