//! `histograms/<trial>.hlog`: the distributions of a trial as an HdrHistogram interval log.
//!
//! Each tag is there once and holds, in nanoseconds, the **answers** of the trial's measured windows.
//! A request that is counted in the trial's slices and is in no histogram did not end well; a
//! percentile over every request puts it behind all answers.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::RunDir;
use crate::files::{self, RecordError};

/// Response time of the answers in the open slices.
pub const RESPONSE_TAG: &str = "response";
/// Service time of the answers in the open slices.
pub const SERVICE_TAG: &str = "service";
/// Service time of the answers in the closed slices.
pub const CLOSED_SERVICE_TAG: &str = "closed_service";

/// Distributions of one trial by tag.
pub type Histograms = BTreeMap<String, Histogram<u64>>;

const LOG_LIMIT_BYTES: u64 = 4 << 20;
const TAGS_LIMIT_COUNT: usize = 16;
const INFLATED_LIMIT_BYTES: u64 = 4 << 20;
/// Three significant digits are what the engine records; a fifth would cost 25 MB a histogram.
const DIGITS_LIMIT: u32 = 4;
/// `cookie, payload length, offset, digits, lowest, highest, ratio` of the V2 encoding.
const HEADER_BYTES: usize = 40;
const V2_COOKIE: u32 = 0x1c84_9313;
const V2_DEFLATED_COOKIE: u32 = 0x1c84_9314;

impl RunDir {
    /// Writes the distributions of a trial in one step, one interval per tag.
    ///
    /// # Errors
    /// When the trial's name or a tag cannot be written as such, or the file cannot be written.
    pub fn write_histogram(&self, trial: &str, histograms: &Histograms) -> Result<(), RecordError> {
        let path = self.histogram_path(trial)?;
        let refuse = |reason: String| RecordError::Unwritable {
            path: path.clone(),
            reason,
        };
        let mut bytes = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment("[Logged by Bancada; values in nanoseconds]")
            .begin_log_with(&mut bytes, &mut serializer)
            .map_err(|error| refuse(error.to_string()))?;
        for (name, histogram) in histograms {
            files::check_name(name)?;
            let tag = Tag::new(name);
            log.write_histogram(histogram, Duration::ZERO, Duration::ZERO, tag)
                .map_err(|error| refuse(format!("{name}: {error}")))?;
        }
        self.folder("histograms")?;
        files::write_atomic(&path, &bytes)
    }

    /// The distributions of a trial by tag; none where there is no file.
    ///
    /// # Errors
    /// When the log is damaged or unsafe to read.
    pub fn read_histograms(&self, trial: &str) -> Result<Histograms, RecordError> {
        let path = self.histogram_path(trial)?;
        let relative = path.strip_prefix(self.path()).unwrap_or(&path);
        match files::read_bounded(self.path(), relative, LOG_LIMIT_BYTES)? {
            Some(bytes) => parse(&bytes, &path),
            None => Ok(Histograms::new()),
        }
    }

    fn histogram_path(&self, trial: &str) -> Result<PathBuf, RecordError> {
        files::check_name(trial)?;
        Ok(self.path().join("histograms").join(format!("{trial}.hlog")))
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<Histograms, RecordError> {
    let mut histograms = Histograms::new();
    for (index, entry) in IntervalLogIterator::new(bytes).enumerate() {
        let damaged = |reason: String| RecordError::Damaged {
            path: path.to_path_buf(),
            // The comment comes first.
            line: index + 2,
            reason,
        };
        let entry = entry.map_err(|_| damaged("is not an HdrHistogram interval log".to_owned()))?;
        let LogEntry::Interval(interval) = entry else {
            continue;
        };
        let tag = interval
            .tag()
            .ok_or_else(|| damaged("an interval has no tag".to_owned()))?;
        if histograms.len() >= TAGS_LIMIT_COUNT {
            return Err(damaged(format!("more than {TAGS_LIMIT_COUNT} intervals")));
        }
        let histogram = decode(interval.encoded_histogram())
            .map_err(|reason| damaged(format!("tag {}: {reason}", tag.as_str())))?;
        if histograms
            .insert(tag.as_str().to_owned(), histogram)
            .is_some()
        {
            return Err(damaged(format!("tag {} is there twice", tag.as_str())));
        }
    }
    Ok(histograms)
}

/// Decodes base64 of a V2 histogram, deflated. Lengths are checked before memory is given to them,
/// because the decoder believes what the header says.
fn decode(encoded: &str) -> Result<Histogram<u64>, String> {
    let deflated = STANDARD
        .decode(encoded)
        .map_err(|error| error.to_string())?;
    if word(&deflated, 0) != Some(V2_DEFLATED_COOKIE) {
        return Err("is not a deflated V2 histogram".to_owned());
    }
    let mut plain = Vec::new();
    ZlibDecoder::new(deflated.get(8..).unwrap_or_default())
        .take(INFLATED_LIMIT_BYTES)
        .read_to_end(&mut plain)
        .map_err(|error| error.to_string())?;
    let payload = plain.get(HEADER_BYTES..).unwrap_or_default();
    let sound = word(&plain, 0) == Some(V2_COOKIE)
        && word(&plain, 4).map(|length| length as usize) == Some(payload.len())
        && word(&plain, 12).is_some_and(|digits| digits <= DIGITS_LIMIT)
        // A run of 2^63 zeros, which the decoder would negate.
        && !payload.windows(9).any(|run| run == [0xff; 9]);
    if !sound {
        return Err("is damaged".to_owned());
    }
    let histogram: Histogram<u64> = Deserializer::new()
        .deserialize(&mut plain.as_slice())
        .map_err(|error| error.to_string())?;
    // Sums of many such counts must not overflow.
    if histogram.len() > 1 << 40 {
        return Err("counts more values than a trial can hold".to_owned());
    }
    Ok(histogram)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(word.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(values: impl IntoIterator<Item = u64>) -> Vec<u8> {
        use hdrhistogram::serialization::Serializer;
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        for value in values {
            histogram.record(value).unwrap();
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&histogram, &mut bytes)
            .unwrap();
        bytes
    }

    #[test]
    fn no_damaged_byte_makes_decoding_panic() {
        let bytes = encoded((1..2000).map(|value| value * 977));
        assert_eq!(decode(&STANDARD.encode(&bytes)).unwrap().len(), 1999);
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                let _ = decode(&STANDARD.encode(&bytes));
            }
            let _ = decode(&STANDARD.encode(&bytes[..at]));
        }
    }

    #[test]
    fn a_header_that_promises_gigabytes_gets_none() {
        use std::io::Write;
        let mut plain = Vec::new();
        plain.extend(0x1c84_9313_u32.to_be_bytes());
        plain.extend(u32::MAX.to_be_bytes());
        plain.extend(0_u32.to_be_bytes());
        plain.extend(3_u32.to_be_bytes());
        plain.extend(1_u64.to_be_bytes());
        plain.extend(u64::MAX.to_be_bytes());
        plain.extend(1.0_f64.to_be_bytes());
        let mut bytes = 0x1c84_9314_u32.to_be_bytes().to_vec();
        bytes.extend(u32::MAX.to_be_bytes());
        let mut deflate = flate2::write::ZlibEncoder::new(bytes, flate2::Compression::default());
        deflate.write_all(&plain).unwrap();
        let bytes = deflate.finish().unwrap();
        assert_eq!(decode(&STANDARD.encode(bytes)).unwrap_err(), "is damaged");
    }
}
