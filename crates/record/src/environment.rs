//! Where a run took place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine and what is installed on it. What could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Kernel release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
    /// Processor model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Processors this process may use.
    pub cpus_count: u32,
    /// Physical memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Hypervisor, where one shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtualization: Option<String>,
    /// Frequency governor, where one shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Whether idle CPUs polled instead of sleeping while blocks were measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_cpus_poll: bool,
    /// Version of each tool and of PostgreSQL.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// PostgreSQL settings that were not the default.
    #[serde(default)]
    pub database_settings: BTreeMap<String, String>,
    /// What `doctor` would warn about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
