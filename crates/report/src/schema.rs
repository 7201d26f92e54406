//! The JSON Schema of `bancada.report/1`, made from the types.

use schemars::generate::SchemaSettings;

use crate::Findings;

/// The schema of what `bancada report --format json` writes.
pub fn schema() -> String {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let schema = generator.into_root_schema_for::<Findings>();
    let mut text = serde_json::to_string_pretty(schema.as_value())
        .expect("a JSON value has no keys that are not text");
    text.push('\n');
    text
}
