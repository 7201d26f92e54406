//! The list of runs. What is in a run directory is read again only when it has changed, and of a run that is
//! not shown nothing but `run.json`.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use record::{Run, RunDir};
use serde::{Deserialize, Serialize};

use crate::place::{Folders, RunId, cut, is_plain};
use crate::stamp::Stamp;

/// Run directories of one place that are listed at most.
const PER_PLACE: usize = 20_000;
/// Titles and questions longer than this are cut.
const TEXT_CHARS: usize = 300;
/// Treatments named in a list.
const TREATMENTS: usize = 50;
/// `verdicts.json` of a run that this program made stays far below.
const VERDICTS_LIMIT_BYTES: u64 = 4 << 20;
/// As far as a journal is read anywhere.
const TRIALS_LIMIT_BYTES: u64 = 64 << 20;
const PER_PAGE: usize = 50;
const PER_PAGE_AT_MOST: usize = 200;

/// What is asked of the list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// Words that must all occur in the run's name, experiment, title, question or treatments.
    pub search: String,
    /// Only runs of this experiment.
    pub experiment: String,
    /// Page, counted from 1.
    pub page: usize,
    /// Runs on a page, 50 unless given, 200 at most.
    pub per_page: usize,
}

/// `bancada.runs/1`.
#[derive(Debug, Serialize)]
pub struct Page {
    schema: &'static str,
    runs_count: usize,
    damaged_count: usize,
    page: usize,
    pages_count: usize,
    experiments: BTreeSet<String>,
    runs: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    entry: Entry,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    last: Option<Last>,
}

/// What is known of a run from `run.json` alone.
#[derive(Clone, Debug, Serialize)]
struct Entry {
    run: String,
    name: String,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    about: Option<About>,
    #[serde(skip)]
    path: PathBuf,
    /// Opened once; absent where the run is damaged.
    #[serde(skip)]
    directory: Option<RunDir>,
    /// What a search looks at, in lower case.
    #[serde(skip)]
    words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ended,
    NotEnded,
    Damaged,
}

#[derive(Clone, Debug, Serialize)]
struct About {
    experiment: String,
    title: String,
    question: String,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
    primary_metric: String,
    treatments_count: usize,
    treatments: Vec<String>,
}

/// How far a run has come: what its journal and its verdicts say.
#[derive(Clone, Debug, Serialize)]
struct Last {
    unchanged_s: f64,
    #[serde(flatten)]
    read: LastRead,
}

#[derive(Clone, Debug, Default, Serialize)]
struct LastRead {
    #[serde(skip_serializing_if = "Option::is_none")]
    statuses: Option<Statuses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Trials by status.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Statuses {
    valid_count: usize,
    degraded_count: usize,
    invalid_count: usize,
}

#[derive(Deserialize)]
struct StatusAlone {
    status: record::TrialStatus,
}

#[derive(Deserialize)]
struct AnswerAlone {
    answer: String,
}

struct Known {
    stamp: Option<Stamp>,
    entry: Arc<Entry>,
    last: Option<([Option<Stamp>; 2], LastRead)>,
}

/// The runs of all places, as last seen.
pub struct Shelf {
    folders: Folders,
    known: Mutex<HashMap<PathBuf, Known>>,
}

impl Shelf {
    /// Nothing is read yet.
    pub fn new(folders: Folders) -> Shelf {
        Shelf {
            folders,
            known: Mutex::default(),
        }
    }

    /// One page of the runs that are wanted, newest first. It reads from disk, so not on a thread that others
    /// wait for; of several calls at once one reads and the others find it read.
    pub fn page(&self, wanted: &Wanted) -> Page {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut known);
        let mut entries: Vec<Arc<Entry>> = known
            .values()
            .map(|known| Arc::clone(&known.entry))
            .collect();
        let experiments = entries
            .iter()
            .filter_map(|entry| Some(entry.about.as_ref()?.experiment.clone()))
            .collect();
        let words: Vec<String> = wanted
            .search
            .split_whitespace()
            .take(20)
            .map(str::to_lowercase)
            .collect();
        entries.retain(|entry| entry.is_wanted(&words, &wanted.experiment));
        entries.sort_by(|one, other| other.order().cmp(&one.order()));
        let per_page = match wanted.per_page {
            0 => PER_PAGE,
            asked => asked.min(PER_PAGE_AT_MOST),
        };
        let pages_count = entries.len().div_ceil(per_page).max(1);
        let page = wanted.page.clamp(1, pages_count);
        let shown = entries.iter().skip((page - 1) * per_page).take(per_page);
        let runs = shown
            .map(|entry| Row {
                last: self.last(&mut known, entry),
                entry: Entry::clone(entry),
            })
            .collect();
        Page {
            schema: "bancada.runs/1",
            runs_count: entries.len(),
            damaged_count: entries
                .iter()
                .filter(|entry| entry.state == State::Damaged)
                .count(),
            page,
            pages_count,
            experiments,
            runs,
        }
    }

    /// The runs of one experiment that can be read, newest first.
    pub fn of_experiment(&self, experiment: &str) -> Vec<RunId> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut known);
        let mut entries: Vec<&Arc<Entry>> = known.values().map(|known| &known.entry).collect();
        entries.retain(|entry| {
            entry
                .about
                .as_ref()
                .is_some_and(|about| about.experiment == experiment)
        });
        entries.sort_by(|one, other| other.order().cmp(&one.order()));
        let ids = entries.iter().filter_map(|entry| entry.run.parse().ok());
        ids.collect()
    }

    /// Looks at every folder, reads what has changed and forgets what is gone.
    fn refresh(&self, known: &mut HashMap<PathBuf, Known>) {
        let mut seen = HashMap::with_capacity(known.len());
        for (place, folder) in self.folders.places() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten().take(PER_PLACE) {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
                if name.starts_with('.') || is_file {
                    continue;
                }
                let path = entry.path();
                let stamp = Stamp::of(&path.join("run.json"));
                let same = known.remove(&path).filter(|known| known.stamp == stamp);
                let known = same.unwrap_or_else(|| Known {
                    stamp,
                    entry: Arc::new(self.read(&place, &name, &path)),
                    last: None,
                });
                seen.insert(path, known);
            }
        }
        *known = seen;
    }

    fn read(&self, place: &str, name: &str, path: &Path) -> Entry {
        let id = match is_plain(name) {
            true => format!("{place}/{name}"),
            false => String::new(),
        };
        let entry = |state, reason, about: Option<About>| Entry {
            run: id.clone(),
            name: cut(name, TEXT_CHARS),
            state,
            reason,
            words: words(name, about.as_ref()),
            about,
            path: path.to_path_buf(),
            directory: None,
        };
        let damaged = |reason| entry(State::Damaged, Some(reason), None);
        if !is_plain(name) {
            return damaged("a folder of this name is never a run directory".to_owned());
        }
        if path
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_symlink())
        {
            return damaged("is a symbolic link; put the run directory itself here".to_owned());
        }
        match RunDir::open_run(path) {
            Ok((directory, run)) => {
                let state = match run.ended_at {
                    Some(_) => State::Ended,
                    None => State::NotEnded,
                };
                Entry {
                    directory: Some(directory),
                    ..entry(state, None, Some(About::of(&run)))
                }
            }
            Err(error) => damaged(self.folders.told(&error)),
        }
    }

    fn last(&self, known: &mut HashMap<PathBuf, Known>, entry: &Entry) -> Option<Last> {
        let known = known.get_mut(&entry.path)?;
        let directory = entry.directory.as_ref()?;
        let trials = Stamp::of(&entry.path.join("trials.jsonl"));
        let verdicts = Stamp::of(&entry.path.join("verdicts.json"));
        let stamps = [trials, verdicts];
        let same = known.last.as_ref().filter(|(then, _)| *then == stamps);
        let read = match same {
            Some((_, read)) => read.clone(),
            None => {
                let fresh = match (&trials, &verdicts) {
                    (Some(trials), Some(verdicts)) => verdicts.is_no_older_than(trials),
                    _ => verdicts.is_some(),
                };
                let read = self.read_last(directory, fresh);
                known.last = Some((stamps, read.clone()));
                read
            }
        };
        let newest = trials.or(known.stamp)?;
        Some(Last {
            unchanged_s: newest.age_s().round(),
            read,
        })
    }

    fn read_last(&self, directory: &RunDir, verdicts_are_fresh: bool) -> LastRead {
        let read = || -> Result<LastRead, record::RecordError> {
            let trials = directory.read(Path::new("trials.jsonl"), TRIALS_LIMIT_BYTES)?;
            let answer = match verdicts_are_fresh {
                true => directory.read(Path::new("verdicts.json"), VERDICTS_LIMIT_BYTES)?,
                false => None,
            };
            let answer = answer
                .and_then(|bytes| serde_json::from_slice::<AnswerAlone>(&bytes).ok())
                .map(|verdicts| cut(&verdicts.answer, TEXT_CHARS));
            Ok(LastRead {
                statuses: Some(statuses(&trials.unwrap_or_default())),
                answer,
                reason: None,
            })
        };
        read().unwrap_or_else(|error| LastRead {
            reason: Some(self.folders.told(&error)),
            ..LastRead::default()
        })
    }
}

impl Entry {
    fn is_wanted(&self, words: &[String], experiment: &str) -> bool {
        let about = self.about.as_ref();
        let of_experiment =
            experiment.is_empty() || about.is_some_and(|about| about.experiment == experiment);
        of_experiment && words.iter().all(|word| self.words.contains(word))
    }

    /// Newest first. Folder names begin with the date, so a damaged run stands among its days.
    fn order(&self) -> (&str, &str) {
        let started_at = self.about.as_ref().map(|about| about.started_at.as_str());
        (started_at.unwrap_or(&self.name), &self.run)
    }
}

impl About {
    fn of(run: &Run) -> About {
        let text = |text: &str| cut(text, TEXT_CHARS);
        let shown = run.treatments.iter().filter(|one| one.twin_of.is_none());
        About {
            experiment: text(&run.experiment),
            title: text(&run.title),
            question: text(&run.question),
            started_at: text(&run.started_at),
            ended_at: run.ended_at.as_deref().map(text),
            ended_by: run.ended_by.as_deref().map(text),
            primary_metric: text(&run.primary_metric),
            treatments_count: shown.clone().count(),
            treatments: shown
                .take(TREATMENTS)
                .map(|treatment| text(&treatment.title))
                .collect(),
        }
    }
}

fn words(name: &str, about: Option<&About>) -> String {
    let mut words = vec![cut(name, TEXT_CHARS)];
    if let Some(about) = about {
        words.extend([
            about.experiment.clone(),
            about.title.clone(),
            about.question.clone(),
        ]);
        words.extend(about.treatments.iter().cloned());
    }
    words.join("\n").to_lowercase()
}

/// Whole lines only; what a line is besides its status is not looked at.
fn statuses(journal: &[u8]) -> Statuses {
    let mut statuses = Statuses::default();
    for line in journal.split(|byte| *byte == b'\n') {
        let Ok(StatusAlone { status }) = serde_json::from_slice(line) else {
            continue;
        };
        *match status {
            record::TrialStatus::Valid => &mut statuses.valid_count,
            record::TrialStatus::Degraded => &mut statuses.degraded_count,
            record::TrialStatus::Invalid => &mut statuses.invalid_count,
        } += 1;
    }
    statuses
}
