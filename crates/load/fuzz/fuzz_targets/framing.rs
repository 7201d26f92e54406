//! Whatever bytes a server sends, framing ends in a verdict, and the verdict does not depend on
//! how the bytes were cut. `mkdir -p fuzz/corpus/framing; cargo fuzz run framing fuzz/corpus/framing fuzz/seeds/framing`
#![no_main]

use libfuzzer_sys::fuzz_target;
use load::http1::{AtClose, Framer, LastHead, Malformed, Progress};

#[derive(Debug, PartialEq)]
enum Verdict {
    Whole {
        status: u16,
        persistent: bool,
        body: Vec<u8>,
        end: usize,
    },
    AtClose {
        status: u16,
        body: Vec<u8>,
    },
    Broken(Malformed),
    NoHead,
    Truncated,
}

/// Frames `bytes` in pieces of the sizes given, in turn. With `skips`, body bytes are thrown away
/// unseen where framing allows it, as the engine does with large bodies.
fn frame(
    last: &mut LastHead,
    bytes: &[u8],
    sizes: &[usize],
    head_request: bool,
    skips: bool,
) -> Verdict {
    let mut framer = Framer::default();
    framer.start(head_request);
    let mut body = Vec::new();
    let (mut at, mut turn) = (0, 0);
    while at < bytes.len() {
        let size = sizes[turn % sizes.len()].clamp(1, bytes.len() - at);
        turn += 1;
        let ahead = framer.body_bytes_ahead();
        let progress = if skips && ahead > 0 {
            let count = size.min(usize::try_from(ahead).unwrap_or(usize::MAX));
            body.extend_from_slice(&bytes[at..at + count]);
            at += count;
            Ok(framer.skip(count as u64))
        } else {
            let progress = framer.take_knowing(last, &bytes[at..at + size], &mut body);
            at += size;
            if let Ok(Progress::Done { taken }) = progress {
                assert!(taken <= size);
                at -= size - taken;
            }
            progress
        };
        match progress {
            Ok(Progress::Partial) => {}
            Ok(Progress::Done { .. }) => {
                assert_eq!(framer.body_bytes(), body.len() as u64);
                let (status, persistent) = (framer.status(), framer.is_persistent());
                return Verdict::Whole {
                    status,
                    persistent,
                    body,
                    end: at,
                };
            }
            Err(reason) => return Verdict::Broken(reason),
        }
    }
    match framer.at_close() {
        AtClose::Complete => Verdict::AtClose {
            status: framer.status(),
            body,
        },
        AtClose::BeforeHead => Verdict::NoHead,
        AtClose::Malformed(reason) => Verdict::Broken(reason),
        AtClose::Truncated => Verdict::Truncated,
    }
}

fuzz_target!(|input: &[u8]| {
    // The first three bytes choose how the rest is cut.
    let [options, first, second, bytes @ ..] = input else {
        return;
    };
    let head_request = options & 1 == 1;
    let pieces = [usize::from(*first) + 1, usize::from(*second) + 1];
    let mut last = LastHead::default();
    let whole = frame(
        &mut LastHead::default(),
        bytes,
        &[usize::MAX],
        head_request,
        false,
    );
    for skips in [false, true] {
        for sizes in [&[1_usize][..], &pieces, &[usize::MAX]] {
            // What was learned from the earlier rounds must not change the meaning.
            assert_eq!(frame(&mut last, bytes, sizes, head_request, skips), whole);
        }
    }
});
