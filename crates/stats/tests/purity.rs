//! The crate neither reads nor writes nor looks at a clock; randomness comes in as an argument.

use std::fs;
use std::path::{Path, PathBuf};

const FORBIDDEN: [&str; 10] = [
    "std::fs",
    "std::io",
    "std::net",
    "std::time",
    "std::env",
    "std::process",
    "std::thread",
    "rand::rng",
    "OsRng",
    "println!",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the crate's own folder is readable");
    entries
        .map(|entry| entry.expect("its entries too").path())
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn no_source_file_names_input_output_a_clock_or_the_machines_randomness() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 20);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} names {word}", file.display());
        }
    }
}
