//! Costs and plans as columns and sentences, for whichever renderer draws them.

use crate::figures_table::ABSENT;
use crate::findings::{
    Added, CapacityPlan, Cost, Figure, Findings, PlannedTreatment, Priced, PricedTreatment, Prices,
    Suffices,
};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use crate::text::{counted, plain};
use crate::units;

/// What the figures without prices are.
pub(crate) const EXPLANATION: &str = "A core-second is one second of one core's time, of the service's process tree. \
Answers for a GiB are answers per second in the closed loop.";

/// A column that names the treatments.
pub(crate) fn lead<'a>(titles: impl Iterator<Item = &'a String>) -> Vec<Column> {
    vec![Column {
        heading: ["treatment".to_owned(), String::new()],
        align: Align::Left,
        cells: titles.map(|title| Cell::new(plain(title))).collect(),
    }]
}

fn column(heading: &str, under: &str, cells: Vec<String>) -> Option<Column> {
    if cells.iter().all(String::is_empty) {
        return None;
    }
    let cell = |text: String| match text.is_empty() {
        true => Cell::painted(ABSENT, Paint::Faint),
        false => Cell::new(text),
    };
    Some(Column {
        heading: [heading.to_owned(), under.to_owned()],
        align: Align::Right,
        cells: cells.into_iter().map(cell).collect(),
    })
}

fn figure(figure: Option<&Figure>) -> String {
    let Some(figure) = figure else {
        return String::new();
    };
    let range = figure
        .low
        .zip(figure.high)
        .map_or(String::new(), |(low, high)| {
            format!(" ({})", units::range(low, high))
        });
    format!("{}{range}", units::digits(figure.estimate))
}

/// A sum of money with its interval: a million answers may cost a thousandth.
fn money_figure(figure: Option<&Figure>) -> String {
    let Some(figure) = figure else {
        return String::new();
    };
    let range = figure
        .low
        .zip(figure.high)
        .map_or(String::new(), |(low, high)| {
            format!(" ({} – {})", money(low), money(high))
        });
    format!("{}{range}", money(figure.estimate))
}

/// Three significant digits, however small.
fn money(value: f64) -> String {
    let size = value.abs();
    if size >= 0.0995 || size == 0.0 {
        return units::digits(size);
    }
    let decimals = (2.0 - size.log10().floor()).clamp(3.0, 12.0) as usize;
    format!("{size:.decimals$}")
}

/// What an answer takes, whatever the prices.
pub(crate) fn cost_columns(cost: &[Cost]) -> Vec<Column> {
    let cells =
        |of: &dyn Fn(&Cost) -> Option<&Figure>| cost.iter().map(|row| figure(of(row))).collect();
    [
        column(
            "answers for",
            "a core-second",
            cells(&|row| Some(&row.answers_per_core_s)),
        ),
        column(
            "with the database",
            "a core-second",
            cells(&|row| row.answers_per_core_with_database_s.as_ref()),
        ),
        column(
            "answers/s for",
            "a GiB",
            cells(&|row| row.answers_per_gib_s.as_ref()),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The head of the section with prices.
pub(crate) fn priced_title(prices: &Prices) -> String {
    let currency = plain(&prices.currency);
    format!(
        "A million answers at {} {currency} a core-hour and {} {currency} a GiB-hour, cores {} used",
        prices.core_hour,
        prices.gib_hour,
        units::chosen(prices.utilisation_ratio)
    )
}

/// What a million answers cost.
pub(crate) fn priced_columns(priced: &Priced) -> Vec<Column> {
    let currency = plain(&priced.prices.currency);
    let rows = &priced.treatments;
    let cells = |of: &dyn Fn(&PricedTreatment) -> Option<&Figure>| {
        rows.iter().map(|row| money_figure(of(row))).collect()
    };
    [
        column(
            "service",
            &currency,
            cells(&|row| Some(&row.money_per_million)),
        ),
        column(
            "with the database",
            &currency,
            cells(&|row| row.money_per_million_with_database.as_ref()),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a difference costs, a sentence a treatment.
pub(crate) fn savings(findings: &Findings, priced: &Priced) -> Vec<String> {
    let currency = plain(&priced.prices.currency);
    let baseline = crate::prose::title(findings, &findings.baseline);
    let sentence = |row: &PricedTreatment| {
        let saved = row.saved_per_million.as_ref()?;
        Some(format!(
            "{} {}",
            row.title,
            saving(saved, &currency, &baseline)
        ))
    };
    priced.treatments.iter().filter_map(sentence).collect()
}

fn saving(saved: &Added, currency: &str, baseline: &str) -> String {
    let Some((low, high)) = saved.low.zip(saved.high) else {
        return format!(
            "differs from {baseline} by {} {currency} in a million answers; one block cannot tell that from noise.",
            money(saved.estimate)
        );
    };
    let (word, near, far) = match () {
        () if low > 0.0 => ("saves", low, high),
        () if high < 0.0 => ("costs", high, low),
        () => {
            return format!("is not shown to cost other than {baseline}.");
        }
    };
    let than = if word == "saves" { "over" } else { "more than" };
    format!(
        "{word} {} {currency} ({} – {}) {than} {baseline} in a million answers.",
        money(saved.estimate),
        money(near),
        money(far)
    )
}

/// The head of the section with a plan.
pub(crate) fn plan_title(plan: &CapacityPlan) -> String {
    format!(
        "What suffices for {} requests/s with a p99 below {}",
        units::grouped(plan.rate_per_s),
        units::with_unit("ns", plan.p99_ns)
    )
}

/// What is needed, a row a treatment.
pub(crate) fn plan_columns(plan: &CapacityPlan, prices: Option<&Prices>) -> Vec<Column> {
    let rows = &plan.treatments;
    let cells = |of: &dyn Fn(&PlannedTreatment) -> Option<String>| -> Vec<String> {
        rows.iter().map(|row| of(row).unwrap_or_default()).collect()
    };
    let currency = prices.map_or(String::new(), |prices| plain(&prices.currency));
    let suffices = Column {
        heading: ["suffices".to_owned(), String::new()],
        align: Align::Left,
        cells: rows.iter().map(|row| suffices(row.suffices)).collect(),
    };
    let mut columns = vec![suffices];
    columns.extend(column(
        "cores",
        "",
        cells(&|row| row.cores_count.map(|count| count.to_string())),
    ));
    columns.extend(column(
        "memory",
        "",
        cells(&|row| {
            row.memory_bytes
                .map(|bytes| units::with_unit("bytes", bytes))
        }),
    ));
    columns.extend(column(
        "an hour",
        &currency,
        cells(&|row| row.money_per_hour.map(money)),
    ));
    columns
}

fn suffices(found: Suffices) -> Cell {
    match found {
        Suffices::Measured => Cell::painted("yes, measured", Paint::Good),
        Suffices::Expected => Cell::new("expected to"),
        Suffices::Unknown => Cell::painted("cannot be told", Paint::Faint),
        Suffices::No => Cell::painted("no", Paint::Bad),
    }
}

/// What each row rests on.
pub(crate) fn plan_bases(plan: &CapacityPlan) -> Vec<String> {
    let line = |row: &PlannedTreatment| {
        let services = row.services_count.map_or(String::new(), |count| {
            format!("{} as measured; ", counted(count as usize, "service"))
        });
        format!("{}: {services}{}.", row.title, row.basis)
    };
    plan.treatments.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sums_keep_three_digits() {
        let shown = [0.0, 0.001_128, 0.012_34, 0.1, 1.5, -0.000_055_5].map(money);
        assert_eq!(
            shown,
            ["0.000", "0.00113", "0.0123", "0.100", "1.50", "0.0000555"]
        );
    }
}
