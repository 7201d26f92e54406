//! The findings of all committed runs on one page: what held, what did not, and why, claim by claim.

use crate::claim_words;
use crate::claims_text;
use crate::findings::{ClaimFindings, ClaimVerdict, Findings};
use crate::ladder_text;
use crate::markdown::safe;

/// One experiment with the runs that are kept with it.
#[derive(Clone, Debug)]
pub struct ExperimentResults {
    /// Folder name.
    pub name: String,
    /// Title.
    pub title: String,
    /// Question.
    pub question: String,
    /// Claims its manifest carries.
    pub claims_count: usize,
    /// Its runs, the newest last.
    pub runs: Vec<CommittedRun>,
}

/// One run that is kept with its experiment.
#[derive(Clone, Debug)]
pub struct CommittedRun {
    /// Its folder, relative to the page, with `/` between its parts.
    pub path: String,
    /// What it showed.
    pub findings: Findings,
}

/// In which order claims are told, each group with its heading.
const GROUPS: [(&str, &str); 5] = [
    ("contradicted", "Did not hold"),
    (
        "direction only",
        "Held in direction; the size is another, or not shown",
    ),
    ("reproduced", "Held"),
    ("undecided", "Undecided"),
    ("cannot be tested here", "Cannot be tested here"),
];

/// `FINDINGS.md`: every experiment whose results are committed, those with claims first.
pub fn overview(experiments: &[ExperimentResults]) -> String {
    let mut out = String::from(
        "# Findings\n\nWhat the committed runs show. This page is made from them by `bancada report --findings`; a \
         test keeps it in step. [METHOD.md](METHOD.md) says how a claim is judged; every section links to the \
         run that it rests on, which can be reported again and checked from its directory alone.\n\n",
    );
    let measured: Vec<&ExperimentResults> = experiments
        .iter()
        .filter(|experiment| !experiment.runs.is_empty())
        .collect();
    let (with_claims, without): (Vec<&ExperimentResults>, Vec<&ExperimentResults>) = measured
        .into_iter()
        .partition(|experiment| !claims(experiment).is_empty());
    summary(&with_claims, &mut out);
    for experiment in with_claims.iter().chain(&without) {
        section(experiment, &mut out);
    }
    waiting(experiments, &mut out);
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

/// The claims of the newest run.
fn claims(experiment: &ExperimentResults) -> &[ClaimFindings] {
    let newest = experiment.runs.last();
    newest.map_or(&[], |run| run.findings.claims.as_slice())
}

fn summary(experiments: &[&ExperimentResults], out: &mut String) {
    if experiments.is_empty() {
        out.push_str(
            "No experiment that puts a source's claims to the test has a committed result yet.\n\n",
        );
        return;
    }
    let all: Vec<&ClaimFindings> = experiments.iter().flat_map(|found| claims(found)).collect();
    if let Some(tally) = claim_words::tally(all.iter().copied()) {
        out.push_str(&format!(
            "Of {} claims: {tally}.{}\n\n",
            all.len(),
            on_provisional_runs(experiments)
        ));
    }
    out.push_str("| experiment | claims | held | direction only | did not hold | undecided | cannot be tested |\n");
    out.push_str("| :-- | --: | --: | --: | --: | --: | --: |\n");
    for experiment in experiments {
        let claims = claims(experiment);
        let count = |words: &str| {
            let found = claims.iter().filter(|claim| claim.verdict.words() == words);
            found.count()
        };
        let mark = match is_provisional(experiment) {
            true => ", provisional",
            false => "",
        };
        out.push_str(&format!(
            "| [{}](#{}){} | {} | {} | {} | {} | {} | {} |\n",
            safe(&experiment.title),
            anchor(&experiment.title),
            mark,
            claims.len(),
            count("reproduced"),
            count("direction only"),
            count("contradicted"),
            count("undecided"),
            count("cannot be tested here"),
        ));
    }
    out.push('\n');
}

/// Whether the newest run may still change its answer.
fn is_provisional(experiment: &ExperimentResults) -> bool {
    let newest = experiment.runs.last();
    newest.is_some_and(|run| run.findings.provisional.is_some())
}

/// How many of the claims rest on runs that are provisional, as a sentence that goes on; nothing where none does.
fn on_provisional_runs(experiments: &[&ExperimentResults]) -> String {
    let provisional = experiments.iter().filter(|found| is_provisional(found));
    let count: usize = provisional.map(|found| claims(found).len()).sum();
    match count {
        0 => String::new(),
        1 => " One of them rests on a provisional run, marked so.".to_owned(),
        count => format!(" {count} of them rest on provisional runs, marked so."),
    }
}

/// The anchor that a heading has on the usual forges.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        character if character.is_alphanumeric() => Some(character),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

fn section(experiment: &ExperimentResults, out: &mut String) {
    let Some(run) = experiment.runs.last() else {
        return;
    };
    let findings = &run.findings;
    out.push_str(&format!("## {}\n\n", safe(&experiment.title)));
    out.push_str(&format!("{}\n\n", safe(&findings.question)));
    if let Some(reason) = &findings.provisional {
        out.push_str(&format!("> **PROVISIONAL**: {}\n\n", safe(reason)));
    }
    out.push_str(&format!("**{}**\n\n", safe(&findings.answer)));
    out.push_str(&format!("{}\n\n", where_from(run)));
    for (words, heading) in GROUPS {
        let of: Vec<&ClaimFindings> = findings
            .claims
            .iter()
            .filter(|claim| claim.verdict.words() == words)
            .collect();
        if of.is_empty() {
            continue;
        }
        out.push_str(&format!("### {heading}\n\n"));
        for claim in of {
            out.push_str(&line(claim));
        }
        out.push('\n');
    }
    layers(findings, out);
    earlier(experiment, out);
}

fn where_from(run: &CommittedRun) -> String {
    let findings = &run.findings;
    let environment = &findings.environment;
    let machine = environment.cpu_model.as_deref().unwrap_or("a machine");
    let audit = &findings.audit;
    format!(
        "Measured on {} ({} CPUs), {}: [run]({path}), [report]({path}/report.md). {} trials VALID, {} DEGRADED, {} \
         INVALID; {} blocks.",
        safe(machine),
        environment.cpus_count,
        safe(findings.started_at.split('T').next().unwrap_or_default()),
        audit.valid_count,
        audit.degraded_count,
        audit.invalid_count,
        findings.blocks_count,
        path = run.path,
    )
}

fn line(claim: &ClaimFindings) -> String {
    let (about, said) = match &claim.verdict {
        // The heading says what the sentence would begin with.
        ClaimVerdict::CannotBeTestedHere { reason } => {
            let reason = format!("{}.", reason.trim_end_matches('.'));
            let note = claim.note.iter().cloned();
            let said: Vec<String> = std::iter::once(reason).chain(note).collect();
            (String::new(), said.join(" "))
        }
        _ => (
            claims_text::about(claim),
            claims_text::sentences(claim).join(" "),
        ),
    };
    let about = match about.as_str() {
        "" => String::new(),
        about => format!(" ({})", safe(about)),
    };
    format!(
        "- **{}** “{}”{about}: {}\n",
        safe(&claim.id),
        safe(&claim.quote),
        safe(&said)
    )
}

fn layers(findings: &Findings, out: &mut String) {
    if let Some(ladder) = &findings.ladder {
        out.push_str(&format!(
            "### What each layer costs\n\n```mermaid\n{}```\n\n",
            ladder_text::mermaid(ladder)
        ));
    }
}

/// Runs before the newest, each with how the claims fared in it.
fn earlier(experiment: &ExperimentResults, out: &mut String) {
    let Some((_, before)) = experiment.runs.split_last() else {
        return;
    };
    for run in before {
        let tally = claim_words::tally(&run.findings.claims);
        let said = tally.unwrap_or_else(|| run.findings.answer.clone());
        out.push_str(&format!(
            "- Earlier: [{}]({}): {}\n",
            safe(&run.findings.run),
            run.path,
            safe(&said)
        ));
    }
    if !before.is_empty() {
        out.push('\n');
    }
}

/// What has no result yet.
fn waiting(experiments: &[ExperimentResults], out: &mut String) {
    let empty: Vec<&ExperimentResults> = experiments
        .iter()
        .filter(|experiment| experiment.runs.is_empty())
        .collect();
    if empty.is_empty() {
        return;
    }
    out.push_str("## No committed result yet\n\n");
    for experiment in empty {
        let claims = match experiment.claims_count {
            0 => String::new(),
            1 => ", 1 claim".to_owned(),
            count => format!(", {count} claims"),
        };
        out.push_str(&format!(
            "- [{}](experiments/{}/experiment.toml){claims}: {}\n",
            safe(&experiment.title),
            experiment.name,
            safe(&experiment.question)
        ));
    }
    out.push('\n');
}
