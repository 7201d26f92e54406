//! The requests in flight in the order they were sent. All have the same timeout, so the first
//! is always the next to time out, and joining or leaving costs a few assignments.

const NONE: u32 = u32::MAX;

/// A doubly linked list over slot numbers.
#[derive(Debug)]
pub(super) struct Deadlines {
    links: Vec<Link>,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    after: u32,
    sent_at: u64,
}

impl Deadlines {
    pub(super) fn new() -> Deadlines {
        Deadlines {
            links: Vec::new(),
            first: NONE,
            last: NONE,
        }
    }

    /// A request was sent on `slot`, later than all others.
    pub(super) fn push(&mut self, slot: u32, sent_at: u64) {
        if self.links.len() <= slot as usize {
            let unused = Link {
                before: NONE,
                after: NONE,
                sent_at: 0,
            };
            self.links.resize(slot as usize + 1, unused);
        }
        self.links[slot as usize] = Link {
            before: self.last,
            after: NONE,
            sent_at,
        };
        match self.last {
            NONE => self.first = slot,
            last => self.links[last as usize].after = slot,
        }
        self.last = slot;
    }

    /// The request on `slot`, which must be in flight, has ended.
    pub(super) fn remove(&mut self, slot: u32) {
        let Link { before, after, .. } = self.links[slot as usize];
        match before {
            NONE => self.first = after,
            before => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            after => self.links[after as usize].before = before,
        }
    }

    /// The request sent longest ago, and when.
    pub(super) fn first(&self) -> Option<(u32, u64)> {
        (self.first != NONE).then(|| (self.first, self.links[self.first as usize].sent_at))
    }
}
