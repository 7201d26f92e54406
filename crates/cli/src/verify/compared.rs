//! Services of the same workload held against one another, and how that is shown.

use catalog::Workload;
use lab::verify::differential::{self, Disagreement, REQUESTS_COUNT, Reply};
use serde_json::{Value, json};

use super::{Cell, Found};

/// Disagreements of one workload that are shown; the rest are counted.
const SHOWN: usize = 10;

/// How the ranked services of one workload answer the same drawn requests.
pub(super) struct Compared {
    workload: String,
    services: Vec<String>,
    pub(super) disagreements: Vec<Disagreement>,
}

/// Every workload that two or more ranked services were asked for.
pub(super) fn compared(workloads: &[&Workload], cells: &[Cell]) -> Vec<Compared> {
    let of = |workload: &&Workload| {
        let cells = cells
            .iter()
            .filter(|cell| cell.ranked && cell.workload == workload.name);
        let services: Vec<(String, &[Reply])> = cells
            .filter_map(|cell| match &cell.found {
                Found::Tried(result) if !result.replies.is_empty() => {
                    Some((cell.name(), result.replies.as_slice()))
                }
                _ => None,
            })
            .collect();
        (services.len() > 1).then(|| Compared {
            workload: workload.name.clone(),
            disagreements: differential::disagreements(&differential::draw(workload), &services),
            services: services.into_iter().map(|(name, _)| name).collect(),
        })
    };
    workloads.iter().filter_map(of).collect()
}

impl Compared {
    pub(super) fn workload(&self) -> &str {
        &self.workload
    }

    pub(super) fn json(&self) -> Value {
        let answers = |answers: &[(String, Vec<String>)]| {
            let one = |(answer, services): &(String, Vec<String>)| json!({ "answer": answer, "services": services });
            answers.iter().map(one).collect::<Vec<_>>()
        };
        json!({
            "workload": self.workload,
            "requests_count": REQUESTS_COUNT,
            "services": self.services,
            "disagreements": self.disagreements.iter().map(|one| json!({
                "request": one.request,
                "answers": answers(&one.answers),
            })).collect::<Vec<_>>(),
        })
    }

    /// A verdict, and lines that explain it.
    pub(super) fn text(&self) -> (String, Vec<String>) {
        let (requests, services) = (REQUESTS_COUNT, self.services.len());
        let count = self.disagreements.len();
        if count == 0 {
            return (
                format!("passed   {requests} drawn requests, {services} services agree"),
                Vec::new(),
            );
        }
        let mut lines: Vec<String> = self.disagreements.iter().take(SHOWN).map(line).collect();
        if count > SHOWN {
            lines.push(format!("… and {} more", count - SHOWN));
        }
        let verdict = format!(
            "FAILED   {services} services disagree on {count} of {requests} drawn requests"
        );
        (verdict, lines)
    }
}

/// The request, what most answer, and who answers what else.
fn line(one: &Disagreement) -> String {
    let mut answers = one.answers.iter();
    let most = answers.next();
    let most = most.map_or_else(String::new, |(answer, services)| {
        format!("{answer} from {}", services.len())
    });
    let others = answers.map(|(answer, services)| format!("{answer} from {}", services.join(", ")));
    let others: Vec<String> = others.collect();
    format!("{}: {most}; {}", one.request, others.join("; "))
}
