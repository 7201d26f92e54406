//! Histograms for other tools: HdrHistogram V2, alone or in an interval log.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::distribution::Distribution;
use crate::observation::Observations;

/// Every histogram of a run by name, in nanoseconds. `service_time` and `response_time` hold whole
/// answers, right or wrong. `failed_time` holds wrong answers too, and it alone the requests without
/// an answer, by their age when they were given up. Good times and `failed_time` together hold each
/// request once.
pub fn histograms(seen: &Observations) -> Vec<(&'static str, Histogram<u64>)> {
    let answers = |times: Distribution| times.answers().clone();
    let mut named = vec![
        ("service_time", answers(seen.service_time())),
        ("good_service_time", answers(seen.good_service_time())),
        ("failed_time", answers(seen.failed_time())),
    ];
    named.extend(
        seen.response_time()
            .map(|times| ("response_time", answers(times))),
    );
    named.extend(
        seen.good_response_time()
            .map(|times| ("good_response_time", answers(times))),
    );
    named.extend(
        seen.send_delay()
            .map(|times| ("send_delay", answers(times))),
    );
    named.retain(|(_, times)| !times.is_empty());
    named
}

/// One histogram as HdrHistogram V2 deflate, in base64.
pub fn base64(times: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(times, &mut bytes)
        .expect("writing to memory fails only for counts beyond what 64 bits hold");
    STANDARD.encode(bytes)
}

/// All histograms of a run as an HdrHistogram interval log with one tagged line each.
pub fn histogram_log(seen: &Observations, ended_at: SystemTime) -> Vec<u8> {
    let window = Duration::from_nanos(seen.window_ns);
    let started_at = ended_at
        .checked_sub(window)
        .unwrap_or(SystemTime::UNIX_EPOCH);
    let mut log = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let written = IntervalLogWriterBuilder::new()
        .with_start_time(started_at)
        .with_base_time(started_at)
        // The format's own custom: the last column, and nothing else, is in milliseconds.
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut log, &mut serializer)
        .map(|mut writer| {
            for (name, times) in histograms(seen) {
                let written =
                    writer.write_histogram(&times, Duration::ZERO, window, Tag::new(name));
                debug_assert!(written.is_ok());
            }
        });
    debug_assert!(written.is_ok());
    log
}
