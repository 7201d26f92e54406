//! What a workload asks of a service: the request that load sends.

use std::fs;
use std::io;
use std::path::PathBuf;

use catalog::Workload;
use load::{FeedOrder, Requests, StatusRule, request_bytes};

/// The request of a workload.
#[derive(Clone, Debug)]
pub struct Asked {
    /// One request, whole: the first of the feed where there is one.
    pub request: Vec<u8>,
    /// What load sends.
    pub requests: Requests,
    /// The status of a good answer.
    pub status: StatusRule,
    /// Whether every request is the same, so that every answer may be expected to be.
    pub is_same: bool,
}

/// Why a workload's requests could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The feed cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of the feed cannot be a request.
    #[error("{}:{line}: {reason}; give one request target a line", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Asked {
    /// The requests of a workload, with `host` as their Host header.
    ///
    /// # Errors
    /// When its feed cannot be read or used.
    pub fn of(workload: &Workload, host: &str) -> Result<Asked, AskError> {
        let manifest = &workload.manifest;
        let headers: Vec<(String, String)> = manifest.headers.clone().into_iter().collect();
        let body = manifest.body.as_deref().map(str::as_bytes);
        let status = StatusRule::Exact(manifest.expect_status);
        let request = |target: &str| request_bytes(&manifest.method, target, host, &headers, body);
        let Some(file) = &manifest.feed else {
            let request = request(&manifest.path);
            return Ok(Asked {
                requests: Requests::same(request.clone()),
                request,
                status,
                is_same: true,
            });
        };
        let path = workload.folder.join(file);
        let text = fs::read_to_string(&path).map_err(|source| AskError::File {
            path: path.clone(),
            source,
        })?;
        let rows = text.lines().map(|target| (target, body));
        let requests = Requests::feed(&manifest.method, host, &headers, rows, FeedOrder::InOrder)
            .map_err(|(index, reason)| AskError::Line {
            path,
            line: index + 1,
            reason,
        })?;
        Ok(Asked {
            request: request(text.lines().next().unwrap_or(&manifest.path)),
            requests,
            status,
            is_same: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use catalog::{Contract, WorkloadManifest};

    use super::*;

    fn workload(folder: &Path, feed: Option<&str>) -> Workload {
        Workload {
            name: "w".to_owned(),
            folder: folder.to_owned(),
            manifest: WorkloadManifest {
                schema: String::new(),
                title: String::new(),
                asks: String::new(),
                origin: None,
                method: "POST".to_owned(),
                path: "/a".to_owned(),
                headers: [("X".to_owned(), "y".to_owned())].into(),
                body: Some("{}".to_owned()),
                feed: feed.map(str::to_owned),
                expect_status: 201,
                database: Vec::new(),
                statements_per_request: None,
                rows_per_request: None,
                upstream: None,
                upstream_delay_ms: None,
                upstream_delay_p99_ms: None,
                upstream_failure_ratio: None,
                upstream_rate_limit_per_s: None,
            },
            contract: Contract {
                schema: String::new(),
                case: Vec::new(),
            },
            bad_input: Vec::new(),
        }
    }

    #[test]
    fn the_request_is_what_the_manifest_says_and_nothing_more() {
        let asked = Asked::of(&workload(Path::new("/nowhere"), None), "h:1").unwrap();
        let expected = b"POST /a HTTP/1.1\r\nHost: h:1\r\nX: y\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(asked.request, expected);
        assert_eq!(
            (asked.status, asked.is_same),
            (StatusRule::Exact(201), true)
        );
    }

    #[test]
    fn a_feed_gives_a_request_for_every_line() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("feed.txt"), "/x\n/y\n").unwrap();
        let asked = Asked::of(&workload(folder.path(), Some("feed.txt")), "h").unwrap();
        assert!(asked.request.starts_with(b"POST /x "));
        assert!(!asked.is_same);
        let missing = Asked::of(&workload(folder.path(), Some("other.txt")), "h").unwrap_err();
        assert!(missing.to_string().contains("other.txt"));
    }
}
