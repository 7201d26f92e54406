//! How much earlier than asked to wake, so that requests leave on time.
//!
//! A sleeping CPU needs some tens of microseconds to wake. The lead is learned from how late
//! waits end; the rest of the time until a request is due is spent polling. Polling takes at most
//! a small share of the CPU: the generator must not starve what it measures.

/// Longest lead: a kernel that is later than this is busy, not asleep.
const LEAD_MAX_NS: u64 = 150_000;
/// One part in this many of the time may be spent polling.
const POLL_SHARE: u64 = 20;
/// Polling allowed at the start, so that the first requests leave on time too.
const POLL_FREE_NS: u64 = 1_000_000;
/// The lead moves up by nine steps when a wait ended later than it, and down by one when not: it
/// settles where nine waits in ten end in time.
const STEP_NS: u64 = 500;

/// A learned lead and the polling it has cost.
#[derive(Debug)]
pub(super) struct Lead {
    lead_ns: u64,
    polled_ns: u64,
    start_at: u64,
}

impl Lead {
    pub(super) fn new(start_at: u64) -> Lead {
        Lead {
            lead_ns: 0,
            polled_ns: 0,
            start_at,
        }
    }

    /// When to wake for something due at `due_at`.
    #[inline]
    pub(super) fn wake_at(&self, due_at: u64, now: u64) -> u64 {
        let allowed = POLL_FREE_NS + now.saturating_sub(self.start_at) / POLL_SHARE;
        if self.polled_ns > allowed {
            due_at
        } else {
            due_at.saturating_sub(self.lead_ns)
        }
    }

    /// A wait from `before` until `asked` brought no event and ended at `now`.
    #[inline]
    pub(super) fn learn(&mut self, before: u64, asked: u64, now: u64) {
        if asked <= before {
            self.polled_ns += now.saturating_sub(before);
        } else if now.saturating_sub(asked) > self.lead_ns {
            self.lead_ns = (self.lead_ns + 9 * STEP_NS).min(LEAD_MAX_NS);
        } else {
            self.lead_ns = self.lead_ns.saturating_sub(STEP_NS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_settles_at_the_lateness_of_waits() {
        let mut lead = Lead::new(0);
        for round in 0..1_000_u64 {
            let asked = round * 1_000_000 + 500_000;
            lead.learn(asked - 400_000, asked, asked + 40_000);
        }
        assert!(
            (35_000..=50_000).contains(&lead.lead_ns),
            "{}",
            lead.lead_ns
        );
    }

    #[test]
    fn polling_stops_at_its_share() {
        let mut lead = Lead {
            lead_ns: 50_000,
            polled_ns: 0,
            start_at: 0,
        };
        assert_eq!(lead.wake_at(1_000_000, 0), 950_000);
        lead.learn(0, 0, 2_000_000);
        assert_eq!(lead.wake_at(3_000_000, 2_500_000), 3_000_000);
        assert_eq!(lead.wake_at(101_000_000, 100_000_000), 100_950_000);
    }
}
