//! `trials.csv`: the trials as a flat table, for whoever prefers a spreadsheet.

use std::collections::{BTreeMap, BTreeSet};

use crate::{METRICS, RecordError, RunDir, Trial, TrialStatus};

impl RunDir {
    /// Writes `trials.csv` in one step: a row a trial, a column a metric, empty where it was not measured.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_trials_csv(&self, trials: &[Trial]) -> Result<(), RecordError> {
        self.write_file("trials.csv", trials_csv(trials).as_bytes())
    }
}

/// The table as RFC 4180 text, with `\n` as its line end.
pub fn trials_csv(trials: &[Trial]) -> String {
    let metrics: Vec<&str> = METRICS
        .iter()
        .map(|metric| metric.name)
        .filter(|name| trials.iter().any(|trial| trial.metrics.contains_key(*name)))
        .collect();
    let outcomes: BTreeSet<&str> = trials
        .iter()
        .flat_map(|trial| trial.outcomes.keys().map(String::as_str))
        .collect();
    let fixed = [
        "trial",
        "block",
        "treatment",
        "position",
        "status",
        "reasons",
        "started_at",
        "ended_at",
    ];
    let mut header: Vec<String> = fixed.map(str::to_owned).to_vec();
    header.extend(metrics.iter().map(|name| (*name).to_owned()));
    header.extend(outcomes.iter().map(|name| format!("outcome_{name}_count")));

    let mut csv = row(&header);
    for trial in trials {
        let mut cells = vec![
            trial.trial.clone(),
            trial.block.to_string(),
            trial.treatment.clone(),
            trial.position.to_string(),
            status_word(trial.status).to_owned(),
            trial.reasons.join("; "),
            trial.started_at.clone(),
            trial.ended_at.clone(),
        ];
        cells.extend(metrics.iter().map(|name| cell(&trial.metrics, name)));
        cells.extend(outcomes.iter().map(|name| cell(&trial.outcomes, name)));
        csv.push_str(&row(&cells));
    }
    csv
}

fn cell(figures: &BTreeMap<String, impl ToString>, name: &str) -> String {
    figures
        .get(name)
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn status_word(status: TrialStatus) -> &'static str {
    match status {
        TrialStatus::Valid => "VALID",
        TrialStatus::Degraded => "DEGRADED",
        TrialStatus::Invalid => "INVALID",
    }
}

fn row(cells: &[String]) -> String {
    let quoted: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
    quoted.join(",") + "\n"
}

fn quote(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_with_a_comma_a_quote_or_a_line_end_is_quoted() {
        assert_eq!(quote("plain text"), "plain text");
        assert_eq!(quote("a,b"), "\"a,b\"");
        assert_eq!(quote("say \"no\""), "\"say \"\"no\"\"\"");
        assert_eq!(quote("two\nlines"), "\"two\nlines\"");
    }
}
