//! The catalogue with its code: `bancada.catalog/1` and `bancada.sources/1`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use catalog::{Catalog, Fault, Stack};
use serde_json::{Value, json};

use crate::problem::Problem;

/// Handlers are a few hundred lines; a file beyond this is named and not shown.
const SOURCE_LIMIT_BYTES: u64 = 1 << 20;

/// Everything that can be run, and what is wrong with the rest.
pub fn document(root: &Path) -> Value {
    let catalog = Catalog::scan(root);
    let stacks = catalog
        .stacks
        .iter()
        .map(|stack| json!({ "name": stack.name, "manifest": stack.manifest }));
    let workloads = catalog.workloads.iter().map(|workload| {
        json!({
            "name": workload.name,
            "manifest": workload.manifest,
            "contract": workload.contract,
        })
    });
    let experiments = catalog
        .experiments
        .iter()
        .map(|experiment| json!({ "name": experiment.name, "manifest": experiment.manifest }));
    let faults = catalog.faults.iter().map(Fault::to_string);
    json!({
        "schema": "bancada.catalog/1",
        "stacks": stacks.collect::<Vec<_>>(),
        "workloads": workloads.collect::<Vec<_>>(),
        "experiments": experiments.collect::<Vec<_>>(),
        "faults": faults.collect::<Vec<_>>(),
    })
}

/// The handlers of one stack.
///
/// # Errors
/// 404 for a stack that is not in the catalogue.
pub fn sources(root: &Path, name: &str) -> Result<Value, Problem> {
    let catalog = Catalog::scan(root);
    let stack = catalog
        .stack(name)
        .map_err(|error| Problem::not_found(&error.to_string()))?;
    let files = stack.manifest.sources.iter();
    Ok(json!({
        "schema": "bancada.sources/1",
        "stack": stack.name,
        "title": stack.manifest.title,
        "language": stack.manifest.language,
        "files": files.map(|file| source(stack, file)).collect::<Vec<_>>(),
    }))
}

fn source(stack: &Stack, file: &str) -> Value {
    match read_inside(&stack.folder, Path::new(file)) {
        Ok(text) => json!({ "path": file, "text": text }),
        Err(problem) => json!({ "path": file, "problem": problem }),
    }
}

/// The text of a regular file inside a folder.
fn read_inside(folder: &Path, relative: &Path) -> Result<String, String> {
    let said = |error: std::io::Error| error.to_string();
    let real = folder.join(relative).canonicalize().map_err(said)?;
    if !real.starts_with(folder.canonicalize().map_err(said)?) {
        return Err("leads out of the stack's folder".to_owned());
    }
    if !real.is_file() {
        return Err("is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(&real).map_err(said)?;
    let read = file.take(SOURCE_LIMIT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(said)?;
    if bytes.len() as u64 > SOURCE_LIMIT_BYTES {
        return Err(format!("is larger than {SOURCE_LIMIT_BYTES} bytes"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
