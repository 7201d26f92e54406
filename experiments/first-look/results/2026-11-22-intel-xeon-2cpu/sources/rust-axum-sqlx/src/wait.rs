//! `GET /async`: a wait that holds no thread.

use std::time::Duration;

pub async fn answer() -> &'static str {
    tokio::time::sleep(Duration::from_millis(2)).await;
    "OK"
}
