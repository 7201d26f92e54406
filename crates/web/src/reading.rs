//! Reports, worked out once and kept until their run changes.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use record::{Run, RunDir, Trial};
use report::Findings;

use crate::place::{Folders, RunId};
use crate::problem::Problem;
use crate::stamp::Stamp;

/// Treatments of a run whose report is drawn; pairs grow with the square.
const TREATMENTS_AT_MOST: usize = 200;
/// Reports that are kept.
const KEPT: usize = 24;
/// Length of all kept reports together.
const KEPT_BYTES: usize = 64 << 20;

/// What `samples/` or `histograms/` of a run may hold; a run of a hundred trials holds a tenth.
const FOLDER_LIMIT_BYTES: u64 = 128 << 20;

type Stamps = [Option<Stamp>; 3];

/// A run's findings.
pub struct Reading {
    /// The findings.
    pub findings: Findings,
    /// The same as `bancada.report/1`.
    pub json: String,
}

/// The reports last asked for.
pub struct Readings {
    folders: Folders,
    kept: Mutex<VecDeque<(RunId, Stamps, Arc<Reading>)>>,
}

impl Readings {
    /// Nothing is read yet.
    pub fn new(folders: Folders) -> Readings {
        Readings {
            folders,
            kept: Mutex::default(),
        }
    }

    /// The report of a run as it is now. It reads from disk.
    ///
    /// # Errors
    /// When there is no such run, or it cannot be read.
    pub fn read(&self, id: &RunId) -> Result<Arc<Reading>, Problem> {
        let folder = self.folders.run_folder(id)?;
        let stamps =
            ["run.json", "trials.jsonl", "histograms"].map(|name| Stamp::of(&folder.join(name)));
        if let Some(reading) = self.kept(id, &stamps) {
            return Ok(reading);
        }
        let directory = self.drawable(id)?;
        let unreadable = |error| self.folders.unreadable(&error);
        let findings = report::read(&directory).map_err(unreadable)?;
        let reading = Arc::new(Reading {
            json: report::json(&findings),
            findings,
        });
        self.keep(id, stamps, &reading);
        Ok(reading)
    }

    /// The document of a run's page, `bancada.page/1`. It reads from disk and is not kept.
    ///
    /// # Errors
    /// When there is no such run, or it cannot be read.
    pub fn page(&self, id: &RunId) -> Result<report::Page, Problem> {
        let directory = self.drawable(id)?;
        report::page(&directory).map_err(|error| self.folders.unreadable(&error))
    }

    /// A run directory whose report is worth the memory it takes.
    fn drawable(&self, id: &RunId) -> Result<RunDir, Problem> {
        let directory = self.folders.open(id)?;
        let run = directory.run();
        refuse_too_many(&run.map_err(|error| self.folders.unreadable(&error))?)?;
        for name in ["samples", "histograms"] {
            let bytes = size_bytes(&directory.path().join(name));
            if bytes > FOLDER_LIMIT_BYTES {
                return Err(Problem::unreadable(format!(
                    "{id}: {name}/ holds {bytes} bytes, more than the {FOLDER_LIMIT_BYTES} that are drawn here; use `bancada report`"
                )));
            }
        }
        Ok(directory)
    }

    fn kept(&self, id: &RunId, stamps: &Stamps) -> Option<Arc<Reading>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept
            .iter()
            .position(|(run, then, _)| run == id && then == stamps)?;
        let found = kept.remove(at)?;
        let reading = Arc::clone(&found.2);
        kept.push_back(found);
        Some(reading)
    }

    fn keep(&self, id: &RunId, stamps: Stamps, reading: &Arc<Reading>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(run, _, _)| run != id);
        kept.push_back((id.clone(), stamps, Arc::clone(reading)));
        let bytes = |kept: &VecDeque<(RunId, Stamps, Arc<Reading>)>| -> usize {
            kept.iter().map(|(_, _, reading)| reading.json.len()).sum()
        };
        while kept.len() > KEPT || (kept.len() > 1 && bytes(&kept) > KEPT_BYTES) {
            kept.pop_front();
        }
    }
}

/// A run and its trials, without distributions: enough for ratios over blocks.
///
/// # Errors
/// When there is no such run, or it cannot be read.
pub fn run_and_trials(folders: &Folders, id: &RunId) -> Result<(Run, Vec<Trial>), Problem> {
    let directory: RunDir = folders.open(id)?;
    let run = directory
        .run()
        .map_err(|error| folders.unreadable(&error))?;
    refuse_too_many(&run)?;
    let trials = directory
        .trials()
        .map_err(|error| folders.unreadable(&error))?;
    Ok((run, trials.trials))
}

/// Lengths of the files in a folder together. Links count as what they lead to, for that is what would be read.
fn size_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some(std::fs::metadata(entry.path()).ok()?.len()))
        .sum()
}

fn refuse_too_many(run: &Run) -> Result<(), Problem> {
    let count = run.treatments.len();
    if count > TREATMENTS_AT_MOST {
        return Err(Problem::unreadable(format!(
            "run.json: {count} treatments, more than the {TREATMENTS_AT_MOST} that are drawn here; use `bancada report`"
        )));
    }
    Ok(())
}
