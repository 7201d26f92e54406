//! A distribution of times as it stands in files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::{Distribution, Percentile};

/// A distribution of times in nanoseconds. A percentile with fewer than 100 samples beyond it is
/// absent; one that falls among requests that did not end well is given as `…_at_least`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Times {
    /// Requests it is over.
    pub count: u64,
    /// Whole answers among them, which mean, stdev, min and max are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_count: Option<u64>,
    /// Mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdev: Option<f64>,
    /// Least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// Percentiles, and lower bounds of those that are not known.
    #[serde(flatten)]
    pub percentiles: Percentiles,
    /// Most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

macro_rules! percentiles {
    ($($quantile:literal $name:ident $at_least:ident $label:literal),* $(,)?) => {
        /// The percentiles of a distribution, as far as they are known.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct Percentiles {
            $(
                #[doc = concat!("At most this long in ", $label, " % of requests.")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<u64>,
                #[doc = concat!("Lower bound, in place of ", stringify!($name), ".")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $at_least: Option<u64>,
            )*
        }

        impl Percentiles {
            fn of(times: &Distribution) -> Percentiles {
                let mut percentiles = Percentiles::default();
                $(match times.percentile($quantile) {
                    Percentile::Value(ns) => percentiles.$name = Some(ns),
                    Percentile::AtLeast(ns) => percentiles.$at_least = Some(ns),
                    Percentile::Absent => {}
                })*
                percentiles
            }

            /// Name, label and value of each.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str, Percentile)> {
                [$((
                    stringify!($name),
                    $label,
                    match (self.$name, self.$at_least) {
                        (Some(ns), _) => Percentile::Value(ns),
                        (None, Some(ns)) => Percentile::AtLeast(ns),
                        (None, None) => Percentile::Absent,
                    },
                )),*].into_iter()
            }
        }
    };
}

percentiles! {
    0.5 p50 p50_at_least "50",
    0.75 p75 p75_at_least "75",
    0.9 p90 p90_at_least "90",
    0.95 p95 p95_at_least "95",
    0.99 p99 p99_at_least "99",
    0.995 p99_5 p99_5_at_least "99.5",
    0.999 p99_9 p99_9_at_least "99.9",
    0.9999 p99_99 p99_99_at_least "99.99",
}

impl Times {
    /// The figures of a distribution.
    pub fn of(times: &Distribution) -> Times {
        let tenth = |value: f64| (value * 10.0).round() / 10.0;
        Times {
            count: times.count(),
            answered_count: None,
            mean: times.mean_ns().map(tenth),
            stdev: times.stdev_ns().map(tenth),
            min: times.min_ns(),
            percentiles: Percentiles::of(times),
            max: times.max_ns(),
        }
    }

    /// The same, with the number of answers that mean, stdev, min and max are over.
    pub fn over_all(times: &Distribution) -> Times {
        Times {
            answered_count: Some(times.answered_count()),
            ..Times::of(times)
        }
    }
}
