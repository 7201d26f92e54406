//! What a test in a browser needs: Chromium, Node, and the packages of `ui/`.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{checkout, stderr};

/// Chromium's program, where Node is there too; else says what is missing, or fails where it is required.
pub fn chromium() -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let required = std::env::var("BANCADA_REQUIRE").unwrap_or_default();
    let find = |tool: &str| {
        let found = lab::prepare::find_program(&path, tool);
        if found.is_none() {
            assert!(
                !required.split(',').any(|name| name.trim() == tool),
                "{tool} is required and not on the PATH"
            );
            eprintln!("skipped: {tool} is not on the PATH");
        }
        found
    };
    find("node").and(find("npm")).and_then(|_| find("chromium"))
}

/// Installs the packages of the tests, unless building the page has done so: a binary that carries it needs none.
pub fn install_packages() {
    let ui = checkout().join("ui");
    let marker = ui.join("node_modules/playwright-core/package.json");
    if marker.is_file() {
        return;
    }
    let output = Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund"])
        .current_dir(&ui)
        .output()
        .expect("npm starts");
    assert!(output.status.success(), "{}", stderr(&output));
}
