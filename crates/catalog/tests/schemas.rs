//! The committed JSON Schemas are those of the types.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (file, text) in catalog::schemas() {
        let path = folder.join(file);
        if env::var_os("UPDATE_SCHEMAS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "schemas/{file} is not current: run `UPDATE_SCHEMAS=1 cargo test -p catalog` and commit it"
        );
    }
}
