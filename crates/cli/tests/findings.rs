//! `FINDINGS.md` is made from the committed results. `UPDATE_FINDINGS=1` writes it anew.

mod support;

use std::fs;
use std::process::Command;

fn findings() -> String {
    let made = Command::new(support::bancada())
        .arg("--root")
        .arg(support::checkout())
        .args(["report", "--findings"])
        .output()
        .expect("the binary runs");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    String::from_utf8(made.stdout).expect("text")
}

#[test]
fn the_findings_are_those_of_the_committed_runs() {
    let path = support::checkout().join("FINDINGS.md");
    let wanted = findings();
    if std::env::var_os("UPDATE_FINDINGS").is_some() {
        fs::write(&path, &wanted).expect("FINDINGS.md is written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == wanted,
        "FINDINGS.md is stale: UPDATE_FINDINGS=1 cargo test -p bancada --test findings"
    );
}

#[test]
fn every_link_of_the_findings_leads_somewhere() {
    let findings = findings();
    let mut links = 0;
    for part in findings.split("](").skip(1) {
        let target = part.split(')').next().unwrap_or_default();
        if target.starts_with('#') {
            continue;
        }
        links += 1;
        let path = support::checkout().join(target);
        assert!(path.exists(), "{target}");
    }
    assert!(links > 0);
}
