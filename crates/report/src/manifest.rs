//! What the report reads of the experiment's manifest, as it stands in the run.
//!
//! A run directory may come from another version: unknown keys are passed over, and an entry that cannot be read
//! is named in a notice and left out.

use std::collections::BTreeMap;

use record::Run;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::findings::BesideRatio;

/// The part of `experiment.toml` that a report is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    /// What the source said.
    pub(crate) claims: Vec<Claim>,
    /// What the source published.
    pub(crate) published: Vec<Published>,
    /// Further facts of each treatment.
    pub(crate) settings: BTreeMap<String, Setting>,
}

/// One `[[claim]]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Claim {
    pub(crate) id: String,
    pub(crate) quote: String,
    pub(crate) metric: Option<String>,
    pub(crate) level: Option<String>,
    pub(crate) treatment: Option<String>,
    pub(crate) against: Option<String>,
    pub(crate) against_level: Option<String>,
    pub(crate) beside_treatment: Option<String>,
    pub(crate) beside_against: Option<String>,
    pub(crate) beside_level: Option<String>,
    pub(crate) published_ratio: Option<f64>,
    pub(crate) like_for_like_treatment: Option<String>,
    pub(crate) like_for_like_against: Option<String>,
    pub(crate) untestable: Option<String>,
    pub(crate) note: Option<String>,
}

impl Claim {
    /// Whether it holds one ratio against another.
    pub(crate) fn is_of_two_ratios(&self) -> bool {
        let beside = [
            &self.beside_treatment,
            &self.beside_against,
            &self.beside_level,
        ];
        beside.iter().any(|key| key.is_some())
    }

    /// The second of two ratios, in the setting that was published.
    pub(crate) fn beside(&self) -> Option<BesideRatio> {
        let beside = BesideRatio {
            treatment: self
                .beside_treatment
                .as_ref()
                .or(self.treatment.as_ref())?
                .clone(),
            against: self
                .beside_against
                .as_ref()
                .or(self.against.as_ref())?
                .clone(),
            level: self.beside_level.as_ref().or(self.level.as_ref()).cloned(),
        };
        self.is_of_two_ratios().then_some(beside)
    }

    /// Whether it holds two treatments against each other at one level, and nothing more.
    pub(crate) fn is_plain(&self) -> bool {
        self.against_level.is_none() && !self.is_of_two_ratios()
    }
}

/// One `[[published]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Published {
    pub(crate) treatment: String,
    pub(crate) metric: String,
    pub(crate) level: Option<String>,
    pub(crate) value: f64,
    pub(crate) note: Option<String>,
}

/// What a `[[treatment]]` says that the run's own entry of it may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Setting {
    pub(crate) name: String,
    /// Path it is asked for, instead of the workload's.
    pub(crate) path: Option<String>,
    /// Feed it is asked from, instead of the workload's.
    pub(crate) feed: Option<String>,
}

impl Manifest {
    /// Reads the manifest of the run's experiment; what cannot be read is named in `notices`.
    pub(crate) fn of(run: &Run, notices: &mut Vec<String>) -> Manifest {
        let Some(manifest) = run.catalog.get(&format!("experiment/{}", run.experiment)) else {
            return Manifest::default();
        };
        let settings: Vec<Setting> = entries(manifest, "treatment", notices);
        let mut claims: Vec<Claim> = entries(manifest, "claim", notices);
        for claim in &mut claims {
            // A ratio is above 0; anything else would be judged as nonsense.
            claim.published_ratio = claim
                .published_ratio
                .filter(|ratio| *ratio > 0.0 && ratio.is_finite());
        }
        Manifest {
            claims,
            published: entries(manifest, "published", notices),
            settings: settings
                .into_iter()
                .map(|setting| (setting.name.clone(), setting))
                .collect(),
        }
    }

    /// What a treatment is asked for, besides its workload: two that differ in it do not do the same work.
    pub(crate) fn asked(&self, treatment: &str) -> (Option<&str>, Option<&str>) {
        let setting = self.settings.get(treatment);
        let path = setting.and_then(|setting| setting.path.as_deref());
        (path, setting.and_then(|setting| setting.feed.as_deref()))
    }
}

fn entries<T: DeserializeOwned>(manifest: &Value, key: &str, notices: &mut Vec<String>) -> Vec<T> {
    let list = manifest.get(key).and_then(Value::as_array);
    let mut read = Vec::new();
    for (index, entry) in list.into_iter().flatten().enumerate() {
        match T::deserialize(entry) {
            Ok(entry) => read.push(entry),
            Err(error) => notices.push(format!(
                "entry {} of `{key}` in the experiment as run: {error}",
                index + 1
            )),
        }
    }
    read
}
