//! Puts the report's page and the web app into the binary where `npm run build` has made them in `ui/`. Nothing is
//! built here.

use std::path::Path;
use std::{env, fs};

fn main() {
    let crate_folder = env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the crate is");
    let out_folder = env::var("OUT_DIR").expect("Cargo says where to write");
    let built = Path::new(&crate_folder).join("../../ui/dist");
    // The folder is always there, so that Cargo sees the page come and go.
    println!("cargo::rerun-if-changed={}", built.display());
    for (file, name) in [("index.html", "page.rs"), ("app.html", "app.rs")] {
        let source = match built.join(file).canonicalize() {
            Ok(page) => format!("Some(include_str!({:?}))", page.display().to_string()),
            Err(_) => "None".to_owned(),
        };
        fs::write(Path::new(&out_folder).join(name), source).expect("the build folder is writable");
    }
}
