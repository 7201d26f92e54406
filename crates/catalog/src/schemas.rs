//! JSON Schemas of the manifests, made from their types, for editors.

use schemars::{JsonSchema, Schema, schema_for};

use crate::{Contract, ExperimentManifest, StackManifest, WorkloadManifest};

/// File name, below `crates/catalog/schemas/`, and text of each JSON Schema.
pub fn schemas() -> [(&'static str, String); 4] {
    [
        ("stack.schema.json", text::<StackManifest>()),
        ("workload.schema.json", text::<WorkloadManifest>()),
        ("contract.schema.json", text::<Contract>()),
        ("experiment.schema.json", text::<ExperimentManifest>()),
    ]
}

fn text<T: JsonSchema>() -> String {
    let schema: Schema = schema_for!(T);
    let mut text = serde_json::to_string_pretty(schema.as_value())
        .expect("a JSON value has no keys that are not text");
    text.push('\n');
    text
}
